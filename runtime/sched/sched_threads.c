/* The scheduler: threads that come and go, and those that do not give up their turn. */
#include "runtime/access.h"
#include "runtime/grounds/taint.h"
#include "runtime/libc/handlers.h"
#include "runtime/libc/signals.h"
#include "runtime/sched/follow_script.h"
#include "runtime/sched/policy.h"
#include "runtime/sched/sched_state.h"
#include "runtime/shared/channels.h"
#include "runtime/system.h"

enum { YIELDS = 1 << 16 }; /* until threads that have not run yet are given up */
enum { AHEAD = 4096 };     /* accesses after which a thread that runs ahead tells how far it is */

struct thread *sched_new(void)
{
    struct thread *t = NULL;

    sched_lock();
    for (unsigned i = 0; i < sched.pool_used && !t; i++)
        if (sched.pool[i].state == STATE_FREE || (sched.pool[i].state == STATE_ENDED && sched.pool[i].joined))
            t = &sched.pool[i];
    if (!t && sched.pool_used < SESSION_THREADS)
        t = &sched.pool[sched.pool_used++];
    if (t) {
        clear_bytes(t, sizeof *t);
        t->id = script_number(local.self);
        t->deadline = TIME_NEVER;
        t->state = STATE_OUTSIDE; /* taken, not yet admitted */
        policy_admit(t);
    }
    sched_unlock();
    return t;
}

void sched_discard(struct thread *t)
{
    INVARIANT(t->state == STATE_OUTSIDE);
    t->state = STATE_FREE;
    script_discard(local.self);
}

void sched_admit(struct thread *t)
{
    sched_lock();
    INVARIANT(t->state == STATE_OUTSIDE && sched.live_count < sched.pool_used);
    sched.live[sched.live_count++] = t;
    sched_set_state(t, STATE_RUNNABLE);
    sched_unlock();
}

static void settle_in(struct thread *t)
{
    local.self = t;
    hot.mark = t->id + 1 < SHADOW_OWNER ? t->id + 1 : SHADOW_OWNER + 1; /* too many: never the same as any */
    hot.mark_written = hot.mark <= SHADOW_OWNER ? hot.mark | SHADOW_WRITTEN : UINT32_MAX;
    hot_lowest = UINTPTR_MAX;
    taint_begin();
    t->tid = system_tid();
    t->handle = pthread_self();
}

void sched_start(void)
{
    struct thread *t = sched_new();

    INVARIANT(t && t->id == 0 && sched.live_count == 0);
    settle_in(t);
    signals_mask_changed();
    sched_admit(t);
    sched_grant(t);
    sched_open_slice(t);
}

void sched_begin(struct thread *self)
{
    settle_in(self);
    sched_lock();
    sched_set_state(self, self->state); /* shows its tid */
    if (rt.turn == self)
        sched_set_turn(self); /* given before there was a tid to show */
    sched_wait_turn(self);
    self->ran = true;
}

static bool any_not_run(void)
{
    bool any = false;

    sched_lock();
    for (unsigned i = 0; i < sched.live_count; i++)
        any |= sched.live[i]->id != 0 && !sched.live[i]->ran && sched.live[i]->state == STATE_RUNNABLE;
    sched_unlock();
    return any;
}

void sched_let_begin(void)
{
    policy_demote(local.self);
    sched_yield_turn();
    for (unsigned i = 0; i < YIELDS && any_not_run(); i++) {
        policy_demote(local.self);
        sched_yield_turn();
    }
}

/* The last calls of threads that have ended while a library had threads of its own, the oldest overwritten. */
static struct channel_call last_calls[256];
static unsigned ended;

/* A record of a thread, as if every read of it had decided that it made a call. */
static struct channel_call take_call(const struct thread *thread)
{
    struct channel_call call = channel_call_number(thread->id);

    if (rt.mode != SESSION_MARK)
        append_bare(record_word((uintptr_t)channel_call_place(call), RECORD_ONCE_DONE, 0), 0, 0);
    return call;
}

/* A library has created the thread, and nobody knows what made it do so: the thread comes after all that others have done. */
static void come_after_all(const struct thread *self)
{
    INVARIANT(local.turn && rt.logged == self->id + 1);
    for (unsigned i = 0; i < sched.live_count; i++) {
        const struct thread *other = sched.live[i];
        if (other == self || other->position == 0)
            continue;
        log_emit(RECORD_THREAD, NULL, 0, other->id);
        struct channel_call call = take_call(other);
        log_emit(RECORD_THREAD, NULL, 0, self->id);
        call_after(call, 0);
    }
    for (unsigned i = 0; i < sizeof last_calls / sizeof *last_calls; i++)
        call_after(last_calls[i], 0);
}

void sched_end(void)
{
    struct thread *self = local.self;
    unsigned at = 0;

    INVARIANT(rt.turn == self && local.turn);
    signals_end();
    handlers_forget(self);
    log_settle();
    if (sched_has_unknown_threads())
        last_calls[ended++ % (sizeof last_calls / sizeof *last_calls)] = take_call(self);
    log_emit(RECORD_END, NULL, 0, rt.ends_watched);
    sched_close_slice();
    sched_lock();
    while (sched.live[at] != self)
        at++;
    INVARIANT(at < sched.live_count);
    for (sched.live_count--; at < sched.live_count; at++)
        sched.live[at] = sched.live[at + 1];
    if (self->detached)
        self->joined = true;
    sched_set_state(self, STATE_ENDED);
    for (unsigned i = 0; i < sched.live_count; i++)
        if (sched.live[i]->state == STATE_BLOCKED && sched.live[i]->key == self)
            sched_make_runnable(sched.live[i], WAKE_CALL);
    sched.ending = self->id ? self->tid : 0;
    sched_pass_on(self);
    local.inside = true; /* what still runs in this thread is the C library's */
    local.self = NULL;
    sched_unlock();
}

/* Comes back from running ahead and waits for the slice that contains the position. */
static void return_from_ahead(struct thread *self, unsigned late)
{
    sched_lock();
    INVARIANT(self->ahead && sched_position() >= late);
    self->position = sched_position() - late;
    self->ahead = false;
    if (rt.turn == self && self->position > self->end) {
        sched_spend(self);
        sched_pass_on(self);
    }
    sched_wait_turn(self);
}

void sched_take_turn(void)
{
    sched_take_turn_at(0);
    INVARIANT(!recording() || (local.turn && rt.turn == local.self));
    rt.acted = true;
}

void sched_take_turn_at(unsigned late)
{
    struct thread *self = local.self;
    bool found = !self;

    if (local.turn) {
        if (hot.budget < 0) {
            sched_yield_turn();
            if (UNLIKELY(rt.scripted))
                script_resumed();
        }
        return;
    }
    if (self && self->ahead) {
        return_from_ahead(self, late);
        return;
    }
    if (!self) { /* made behind our back */
        self = sched_new();
        if (!self) {
            runtime_stop();
            return;
        }
        self->detached = true; /* nobody we see will join it */
        settle_in(self);
        signals_mask_changed();
        sched_admit(self);
        thread_watch_end();
    }
    sched_inside();
    if (found) {
        thread_log_found();
        if (rt.helpers)
            timers_told();
        else
            come_after_all(self);
    }
}

void sched_run_ahead(void)
{
    struct thread *self = local.self;
    bool had_turn = local.turn;
    int32_t ahead;

    if (rt.scripted ||
        (!had_turn && !self->ahead)) { /* told when to run; or it was outside, or nobody knows it */
        sched_take_turn();
        return;
    }
    if (had_turn) {
        self->idle_preempts = 0;
        log_settle();
        sched_close_slice();
    }
    sched_lock();
    self->position = sched_position();
    self->ahead = true;
    if (had_turn)
        sched_set_state(self, STATE_RUNNABLE);
    if (rt.turn == self && !had_turn && self->position > self->end)
        sched_spend(self);
    if (had_turn || !rt.turn)
        sched_pass_on(self);
    INVARIANT(rt.turn != self || self->position <= self->end);
    ahead =
        rt.turn == self && self->end - self->position < AHEAD ? (int32_t)(self->end - self->position) : AHEAD;
    sched_unlock();
    local.limit = self->position + (uint64_t)ahead;
    hot.budget = ahead;
    hot.floor = 0; /* it may have begun where all was recorded */
}

/* Called when the recorder saw no slice end for a while. The first call only remembers where the thread was, so
 * that a thread the system had stopped between a hook and its access is never taken for a stuck one; the next
 * ends the slice; the one after that lets the thread run on outside. */
void sched_preempted(uintptr_t pc)
{
    struct thread *self = local.self;
    uintptr_t hook;

    if (!self || local.inside || (pc >= rt.text && pc < rt.text_end) || (pc >= rt.linked && pc < rt.linked_end))
        return;
    if (self->at_once && self->cancelled)
        pthread_testcancel();
    if (local.due && local.turn && !handlers_scripted()) /* it does not come to an operation */
        handlers_run(AFTER_OPERATION);
    if (rt.turn != self || sched.live_count < 2)
        return;
    if (!local.turn) { /* its turn has come while it was ahead */
        local.inside = true;
        sched_take_turn();
        local.inside = false;
    }
    hook = rt.next > rt.session->ring[0] ? (uintptr_t)(rt.next[-1].pc & RECORD_ADDRESS) : 0;
    if (self->preempt_budget != hot.budget)
        self->idle_preempts = 0;
    self->preempt_budget = hot.budget;
    if (self->idle_preempts++ == 0 || (pc - hook < 64 && self->idle_preempts < 6))
        return;
    session_add(&rt.session->cut, 1);
    if (self->idle_preempts < 8) {
        uint32_t seen = self->idle_preempts;
        local.inside = true;
        sched_switch_away(self, STATE_RUNNABLE);
        local.inside = false;
        self->idle_preempts = seen;
        self->preempt_budget = hot.budget;
        return;
    }
    local.inside = true;
    sched_outside();
    local.inside = false;
}

struct thread *sched_find(pthread_t handle)
{
    for (unsigned i = 0; i < sched.pool_used; i++)
        if (sched.pool[i].state != STATE_FREE && !sched.pool[i].joined &&
            pthread_equal(sched.pool[i].handle, handle))
            return &sched.pool[i];
    return NULL;
}

void sched_forked(void)
{
    sched.word = 0;
    sched.roused = NULL;
    hot.budget = 0;
}
