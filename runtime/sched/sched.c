/* The scheduler: the turn, waiting, time. */
#include "runtime/call_paths.h"
#include "runtime/libc/handlers.h"
#include "runtime/sched/follow_script.h"
#include "runtime/sched/placement.h"
#include "runtime/sched/policy.h"
#include "runtime/sched/sched_state.h"
#include "runtime/system.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>

enum { TURN = 1, DUTY = 2, IDLE_MILLISECONDS = 2, LATE_NANOSECONDS = 5000 };
enum { PREEMPTED_MOST = 1000100000 }; /* nanoseconds */
enum { FOLDER_LINKS = 2 };            /* of a folder without folders */

struct sched sched;

static uint64_t arrivals;

void sched_lock(void)
{
    uint32_t free_word = 0;

    if (__atomic_compare_exchange_n(&sched.word, &free_word, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(&sched.word, 2, __ATOMIC_ACQUIRE) != 0)
        system_futex_wait(&sched.word, 2);
}

void sched_unlock(void)
{
    struct thread *roused = sched.roused;

    INVARIANT(sched.word != 0);
    sched.roused = NULL;
    if (__atomic_exchange_n(&sched.word, 0, __ATOMIC_RELEASE) == 2)
        system_futex_wake(&sched.word, 1);
    if (roused)
        system_futex_wake(&roused->go, 1);
}

void sched_set_state(struct thread *t, enum thread_state state)
{
    struct session_thread *shown = &rt.session->threads[t - sched.pool];

    INVARIANT(t >= sched.pool && t < sched.pool + sched.pool_used);
    t->state = state;
    session_store(&shown->id, t->id + 1);
    session_store(&shown->tid, t->tid);
    session_store(&shown->reason, t->reason);
    session_store(&shown->owner, state == STATE_BLOCKED ? t->owner : 0);
    session_store(&shown->vague, state == STATE_BLOCKED && (t->shares || t->deadline != TIME_NEVER));
    session_store(&shown->key, (uint64_t)(uintptr_t)t->key);
    session_store(&shown->pc, t->pc);
    session_store(&shown->state, state);
}

void sched_set_turn(struct thread *t)
{
    INVARIANT(!t || !rt.turn || rt.turn == t); /* it is given up before another gets it */
    INVARIANT(!t || (t->state != STATE_FREE && t->state != STATE_ENDED));
    rt.turn = t;
    session_store(&rt.session->turn, t ? t->tid : 0);
    if (t)
        sched_set_state(t, STATE_RUNNING);
}

static bool waits(const struct thread *t)
{
    return t->state == STATE_BLOCKED || t->state == STATE_SLEEPING || t->state == STATE_POLLING;
}

void sched_make_runnable(struct thread *t, enum wake wake)
{
    INVARIANT(waits(t) || t->state == STATE_RUNNABLE || t->state == STATE_OUTSIDE);
    t->wake = wake;
    t->deadline = TIME_NEVER;
    t->reason = WAIT_NONE;
    sched_set_state(t, STATE_RUNNABLE);
}

/* Some waits are over then; those for a lock and its like go on after the handler. */
static bool ends_by_signal(const struct thread *t)
{
    return t->state == STATE_SLEEPING || t->state == STATE_POLLING ||
           (t->state == STATE_BLOCKED && (t->reason == WAIT_SEMAPHORE || t->reason == WAIT_FUTEX));
}

bool sched_heed_signal(struct thread *t)
{
    if (!waits(t) || !handlers_end_wait(t))
        return false;
    sched_make_runnable(t, ends_by_signal(t) ? WAKE_SIGNAL : WAKE_LOOK);
    return true;
}

/* Deadlines that have passed, descriptors that are ready, signals that have come. */
static void wake_due(uint64_t now)
{
    struct timespec none = {0};

    for (unsigned i = 0; i < sched.live_count; i++) {
        struct thread *t = sched.live[i];
        if (t->arrived && !handlers_scripted() && sched_heed_signal(t))
            continue;
        if (t->state == STATE_POLLING &&
            system_call(SYS_ppoll, (long)t->fds, t->fd_count, (long)&none, 0, 0, 0) != 0)
            sched_make_runnable(t, WAKE_CALL);
        else if (waits(t) && t->deadline <= now)
            sched_make_runnable(t, WAKE_TIME);
    }
}

/* The threads that can run stay away until the next sleep or time-out is over, if that is within a second: so it can be on a
 * busy machine. False: there is none. */
static bool pass_preempted_time(void)
{
    uint64_t first = TIME_NEVER;

    for (unsigned i = 0; i < sched.live_count; i++)
        if (waits(sched.live[i]) && sched.live[i]->deadline < first)
            first = sched.live[i]->deadline;
    if (rt.real_time || first <= rt.virtual_ || first - rt.virtual_ > PREEMPTED_MOST)
        return false;
    rt.virtual_ = first;
    return true;
}

static struct thread *pick(const struct thread *current)
{
    static struct thread *candidates[SESSION_THREADS];
    unsigned count = 0;
    struct thread *chosen;

    if (rt.scripted && script_pick(&chosen))
        return chosen;
    wake_due(rt.real_time ? sched_now() : rt.virtual_);
    for (unsigned i = 0; i < sched.live_count; i++)
        if (sched.live[i]->state == STATE_RUNNABLE && !script_holds(sched.live[i]))
            candidates[count++] = sched.live[i];
    INVARIANT(count <= sched.live_count && sched.live_count <= SESSION_THREADS);
    if (count == 0 && rt.scripted && script_release())
        return pick(current);
    chosen = count ? policy_choose(candidates, count, current) : NULL;
    if (!policy_takes_long() || !pass_preempted_time())
        return chosen;
    for (unsigned i = 0; i < count; i++)
        policy_demote(candidates[i]);
    return pick(current);
}

/* Wakes a thread after the lock is released: a thread that wakes at once would only wait for the lock. */
static void rouse(struct thread *t, uint32_t what)
{
    if (sched.roused && sched.roused != t)
        system_futex_wake(&sched.roused->go, 1);
    __atomic_store_n(&t->go, what, __ATOMIC_RELEASE);
    sched.roused = t;
}

/* Gives the turn to the thread that the policy chooses; false when none can run. A thread that runs ahead
 * will notice. */
static bool choose(const struct thread *current)
{
    struct thread *next;

    INVARIANT(!rt.turn);
    while ((next = pick(current))) {
        INVARIANT(next->state == STATE_RUNNABLE);
        sched_grant(next);
        if (next->position <= next->end) {
            if (next != local.self && !next->ahead) {
                placement_count_switch();
                rouse(next, TURN);
            }
            return true;
        }
        sched_spend(next);
        current = next;
    }
    return false;
}

struct prospects {
    uint64_t first;        /* deadline */
    bool outside, polling; /* something may come from where the scheduler does not see it */
    unsigned blocked;
};

/* A wait that another process may end, which would not notify the scheduler. */
static bool looks_again(const struct thread *t)
{
    return t->state == STATE_BLOCKED && t->foreign;
}

/* A wait that a signal may end, itself or by what its handler does. */
static bool awaits_signal(const struct thread *t)
{
    return t->state == STATE_BLOCKED && rt.handlers && (t->reason == WAIT_SEMAPHORE || t->reason == WAIT_FUTEX);
}

bool sched_has_unknown_threads(void)
{
    struct stat about = {0};
    bool first = false; /* thread lives; else its entry stays until the process ends */

    if (system_call(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/task", (long)&about, 0, 0, 0) != 0)
        return false;
    for (unsigned i = 0; i < sched.live_count; i++)
        first |= sched.live[i]->id == 0;
    return about.st_nlink > FOLDER_LINKS + sched.live_count + !first;
}

static struct prospects look_ahead(void)
{
    struct prospects p = {.first = TIME_NEVER, .outside = rt.helpers};

    for (unsigned i = 0; i < sched.live_count; i++) {
        const struct thread *t = sched.live[i];
        p.outside |= t->state == STATE_OUTSIDE || looks_again(t) || awaits_signal(t);
        p.polling |= t->state == STATE_POLLING;
        p.blocked += t->state == STATE_BLOCKED;
        if (waits(t) && t->deadline < p.first)
            p.first = t->deadline;
    }
    if (p.blocked && !p.outside && !p.polling && p.first == TIME_NEVER)
        p.outside = sched_has_unknown_threads();
    return p;
}

/* No thread will ever run again. The recorder finds all threads in the session and reports which waits for
 * which. */
static void report_deadlock(void)
{
    log_settle();
    session_store(&rt.session->deadlock, 1);
    system_exit(2);
}

/* Lets real time pass until a descriptor is ready, a deadline comes or a thread may have come back. Time in
 * which one did is not counted: how long a short call takes is arbitrary. */
static void pass_real_time(const struct prospects *p)
{
    static struct pollfd fds[256];
    uint64_t before = system_clock(CLOCK_MONOTONIC), now = rt.real_time ? sched_now() : rt.virtual_,
             beat = session_load(&rt.session->beat);
    uint64_t limit = p->first == TIME_NEVER || p->first > now + UINT64_C(1000000) * IDLE_MILLISECONDS
                         ? UINT64_C(1000000) * IDLE_MILLISECONDS
                         : p->first - now;
    struct timespec wait = {.tv_nsec = (long)limit};
    unsigned count = 0;
    long ready;

    for (unsigned i = 0; i < sched.live_count; i++)
        for (unsigned k = 0;
             sched.live[i]->state == STATE_POLLING && k < sched.live[i]->fd_count && count < 256; k++)
            fds[count++] = sched.live[i]->fds[k];
    sched_unlock();
    ready = system_call(SYS_ppoll, (long)fds, count, (long)&wait, 0, 0, 0);
    sched_lock();
    if (!rt.turn && session_load(&rt.session->beat) == beat)
        rt.virtual_ += ready == 0 ? limit : system_clock(CLOCK_MONOTONIC) - before;
    for (unsigned i = 0; i < sched.live_count; i++) /* let them look again: nobody here would wake them */
        if (looks_again(sched.live[i]))
            sched_make_runnable(sched.live[i], WAKE_LOOK);
}

/* One step of waiting while nobody can run; returns with the lock held. */
static void idle(void)
{
    struct prospects p = look_ahead();

    if (p.outside || p.polling || (rt.real_time && p.first != TIME_NEVER))
        pass_real_time(&p);
    else if (p.first != TIME_NEVER)
        rt.virtual_ = p.first > rt.virtual_ ? p.first : rt.virtual_;
    else if (p.blocked)
        report_deadlock();
}

/* Finds a thread to go on after `self`, which has given up the turn. With the lock. */
void sched_pass_on(struct thread *self)
{
    INVARIANT(rt.turn == self || !rt.turn);
    sched.idler = NULL;
    sched_set_turn(NULL);
    if (choose(self))
        return;
    if (waits(self)) {
        sched.idler = self;
        return;
    }
    struct prospects p = look_ahead();
    if (!p.outside && p.first == TIME_NEVER && !p.polling) {
        if (p.blocked)
            report_deadlock();
        return;
    }
    for (unsigned i = 0; i < sched.live_count && !sched.idler; i++)
        if (waits(sched.live[i]) && sched.live[i] != self)
            sched.idler = sched.live[i];
    for (unsigned i = 0; i < sched.live_count && !sched.idler && rt.scripted; i++)
        if (sched.live[i]->state == STATE_RUNNABLE) /* the script wants another, which is not there yet */
            sched.idler = sched.live[i];
    if (sched.idler)
        rouse(sched.idler, DUTY);
}

/* The lock may be held by the interrupted thread itself: the thread is woken and checks for itself. */
void sched_interrupt(uint32_t how)
{
    struct thread *self = local.self;

    __atomic_fetch_or(&self->interrupted, how, __ATOMIC_RELAXED);
    __atomic_store_n(&self->go, DUTY, __ATOMIC_RELEASE);
}

/* A wait that a signal has ended. With the lock. */
static void heed_interrupt(struct thread *self)
{
    if (!self->arrived || handlers_scripted() || !sched_heed_signal(self))
        return;
    if (!rt.turn && sched.idler != self) {
        sched.idler = NULL;
        if (!choose(self))
            sched.idler = self;
    }
}

/* Waits for the turn; the lock is held at the call and released at the return. */
void sched_wait_turn(struct thread *self)
{
    heed_interrupt(self);
    while (rt.turn != self) {
        if (!rt.turn && sched.idler == self) {
            idle();
            heed_interrupt(self);
            if (rt.turn || sched.idler != self)
                continue;
            sched.idler = NULL;
            if (!choose(self))
                sched.idler = self;
            continue;
        }
        sched_unlock();
        while (__atomic_load_n(&self->go, __ATOMIC_ACQUIRE) == 0)
            system_futex_wait(&self->go, 0);
        sched_lock();
        self->go = 0;
        heed_interrupt(self);
    }
    INVARIANT(self->state == STATE_RUNNING);
    self->go = 0;
    sched_unlock();
    sched_open_slice(self);
}

/* Changes the state of the running thread and waits for its next turn. */
void sched_switch_away(struct thread *self, enum thread_state state)
{
    INVARIANT(self == local.self && rt.turn == self && local.turn);
    INVARIANT(state != STATE_RUNNING && state != STATE_ENDED);
    log_settle();
    sched_close_slice();
    if (state == STATE_RUNNABLE && rt.mode == SESSION_ALL && rt.next > rt.session->ring[0])
        self->pc = rt.next[-1].pc & RECORD_ADDRESS; /* where it was last seen */
    sched_lock();
    self->away = state != STATE_RUNNABLE;
    self->arrival = ++arrivals;
    sched_set_state(self, state);
    sched_pass_on(self);
    sched_wait_turn(self);
}

void sched_yield_turn(void)
{
    local.self->idle_preempts = 0;
    sched_switch_away(local.self, STATE_RUNNABLE);
}

/* A wait that ends by its time ends a little later, as it does natively: programs compare clocks that they have rounded. */
static uint64_t due_at(uint64_t deadline)
{
    return deadline != TIME_NEVER && deadline > sched_now() ? deadline + LATE_NANOSECONDS : deadline;
}

enum wake sched_block(enum wait_reason reason, const void *key, uint64_t deadline)
{
    struct thread *self = local.self;

    INVARIANT(reason != WAIT_NONE && reason != WAIT_TIME && reason != WAIT_DESCRIPTOR);
    self->reason = reason;
    self->key = key;
    self->deadline = due_at(deadline);
    if (rt.stacks && rt.mode != SESSION_MARK && self->pc) /* it may wait forever: then the trace says where */
        call_paths_tell(self->pc & RECORD_ADDRESS, __builtin_frame_address(0));
    sched_switch_away(self, STATE_BLOCKED);
    self->key = NULL;
    self->owner = 0;
    self->foreign = false;
    self->shares = false;
    local.self->waits++;
    if (UNLIKELY(local.due))
        handlers_run_in_wait();
    return (enum wake)self->wake;
}

enum wake sched_sleep(uint64_t deadline)
{
    local.self->reason = WAIT_TIME;
    local.self->key = NULL;
    local.self->deadline = due_at(deadline);
    sched_switch_away(local.self, STATE_SLEEPING);
    local.self->waits++;
    if (UNLIKELY(local.due))
        handlers_run_in_wait();
    return (enum wake)local.self->wake;
}

enum wake sched_poll(struct pollfd *fds, unsigned count, uint64_t deadline)
{
    struct thread *self = local.self;

    self->reason = WAIT_DESCRIPTOR;
    self->key = NULL;
    self->fds = fds;
    self->fd_count = count;
    self->deadline = due_at(deadline);
    sched_switch_away(self, STATE_POLLING);
    INVARIANT(self->fds == fds && self->fd_count == count);
    self->fds = NULL;
    self->fd_count = 0;
    local.self->waits++;
    if (UNLIKELY(local.due))
        handlers_run_in_wait();
    return (enum wake)self->wake;
}

void sched_cancel(struct thread *t)
{
    sched_lock();
    if (waits(t))
        sched_make_runnable(t, WAKE_CANCEL);
    sched_unlock();
}

unsigned sched_move(const void *key, unsigned count, const void *other)
{
    unsigned done = 0;

    sched_lock();
    for (unsigned i = 0; i < sched.live_count && done < count; i++)
        if (sched.live[i]->state == STATE_BLOCKED && sched.live[i]->key == key) {
            sched.live[i]->key = other;
            sched_set_state(sched.live[i], STATE_BLOCKED);
            done++;
        }
    sched_unlock();
    return done;
}

/* Which of the threads that wait for the key goes on first: the one that the script wants, else the longest
 * waiting. */
static struct thread *first_waiter(const void *key)
{
    struct thread *first = rt.scripted ? script_waiter(key) : NULL;

    if (first)
        return first;
    for (unsigned i = 0; i < sched.live_count; i++)
        if (sched.live[i]->state == STATE_BLOCKED && sched.live[i]->key == key &&
            (!first || sched.live[i]->arrival < first->arrival))
            first = sched.live[i];
    return first;
}

unsigned sched_wake(const void *key, unsigned count)
{
    unsigned done = 0;

    sched_lock();
    for (; done < count; done++) {
        struct thread *first = first_waiter(key);
        if (!first)
            break;
        INVARIANT(first != local.self && first->key == key);
        sched_make_runnable(first, WAKE_CALL);
    }
    sched_unlock();
    return done;
}

void sched_outside(void)
{
    struct thread *self = local.self;

    INVARIANT(rt.turn == self && local.turn);
    log_settle();
    sched_close_slice();
    sched_lock();
    self->away = true;
    sched_set_state(self, STATE_OUTSIDE);
    sched_pass_on(self);
    sched_unlock();
    local.outside = true;
}

void sched_inside(void)
{
    struct thread *self = local.self;

    local.outside = false;
    sched_lock();
    if (rt.turn == self) { /* one that was found is in the list before it gets here */
        sched_wait_turn(self);
        return;
    }
    self->idle_preempts = 0;
    self->position = sched_position();
    sched_set_state(self, STATE_RUNNABLE);
    if (!rt.turn) {
        sched.idler = NULL;
        if (!choose(self))
            sched.idler = self; /* under a script, which may want another */
    }
    sched_wait_turn(self);
}
