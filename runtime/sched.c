/* The scheduler: states, the turn, waiting. */
#include "sched.h"
#include "policy.h"
#include "system.h"

#include <poll.h>
#include <time.h>

enum { ACCESS_NANOSECONDS = 10, DUTY = 2, IDLE_MILLISECONDS = 2, ENDING_NANOSECONDS = 100000000 };

static struct thread pool[SESSION_THREADS];
static struct thread *live[SESSION_THREADS]; /* not ended, in the order of their numbers */
static unsigned live_count, pool_used;
static struct thread *idler; /* the thread that waits for time and descriptors while nobody has the turn */
static uint32_t sched_word;  /* lock: 0 free, 1 taken, 2 taken and waited for */
static uint64_t arrivals;
static uint32_t ending; /* tid of a thread that gave up its last turn, 0: none */

static void lock(void)
{
    uint32_t free_word = 0;

    if (__atomic_compare_exchange_n(&sched_word, &free_word, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(&sched_word, 2, __ATOMIC_ACQUIRE) != 0)
        system_futex_wait(&sched_word, 2);
}

static void unlock(void)
{
    if (__atomic_exchange_n(&sched_word, 0, __ATOMIC_RELEASE) == 2)
        system_futex_wake(&sched_word, 1);
}

static void set_state(struct thread *t, enum thread_state state)
{
    struct session_thread *shown = &rt.session->threads[t - pool];

    t->state = state;
    session_store(&shown->id, t->id + 1);
    session_store(&shown->tid, t->tid);
    session_store(&shown->reason, t->reason);
    session_store(&shown->owner, state == STATE_BLOCKED ? t->owner : 0);
    session_store(&shown->key, (uint64_t)(uintptr_t)t->key);
    session_store(&shown->pc, t->pc);
    session_store(&shown->state, state);
}

static void set_turn(struct thread *t)
{
    rt.turn = t;
    session_store(&rt.session->turn, t ? t->tid : 0);
    if (t)
        set_state(t, STATE_RUNNING);
}

uint64_t sched_now(void)
{
    if (rt.session->real_time)
        return system_clock(CLOCK_MONOTONIC) - rt.start;
    return rt.virtual_ + (uint64_t)(rt.slice - local.budget) * ACCESS_NANOSECONDS;
}

/* Counts what the running slice used so far and stops counting: only the thread with the turn. */
static void close_slice(void)
{
    uint64_t used = (uint64_t)(rt.slice - local.budget);

    rt.virtual_ += used * ACCESS_NANOSECONDS;
    rt.accesses += used;
    rt.slice = local.budget = 0;
    session_store(&rt.session->accesses, rt.accesses);
    session_add(&rt.session->beat, 1);
}

/* A thread that has ended still gives its stack and its heap back to the C library: until that is done, what
 * the next one gets would be a matter of luck. The first thread is not waited for: it stays until the process
 * ends. */
static void await_ending(void)
{
    uint64_t start = ending ? system_clock(CLOCK_MONOTONIC) : 0;

    while (ending && system_call(SYS_tgkill, system_pid(), ending, 0, 0, 0, 0) == 0 &&
           system_clock(CLOCK_MONOTONIC) - start < ENDING_NANOSECONDS)
        system_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    ending = 0;
}

static void open_slice(struct thread *self)
{
    await_ending();
    rt.slice = local.budget = policy_slice();
    if (rt.logged != self->id + 1) {
        rt.logged = self->id + 1;
        log_emit(RECORD_THREAD, NULL, 0, self->id);
    }
}

static bool waits(const struct thread *t)
{
    return t->state == STATE_BLOCKED || t->state == STATE_SLEEPING || t->state == STATE_POLLING;
}

static void make_runnable(struct thread *t, bool woken)
{
    t->woken = woken;
    t->deadline = TIME_NEVER;
    t->reason = WAIT_NONE;
    set_state(t, STATE_RUNNABLE);
}

/* Deadlines that have passed, descriptors that are ready. */
static void wake_due(uint64_t now)
{
    struct timespec none = {0};

    for (unsigned i = 0; i < live_count; i++) {
        struct thread *t = live[i];
        if (t->state == STATE_POLLING &&
            system_call(SYS_ppoll, (long)t->fds, t->fd_count, (long)&none, 0, 0, 0) != 0)
            make_runnable(t, true);
        else if (waits(t) && t->deadline <= now)
            make_runnable(t, false);
    }
}

static struct thread *pick(const struct thread *current)
{
    static struct thread *candidates[SESSION_THREADS];
    unsigned count = 0;

    wake_due(rt.session->real_time ? sched_now() : rt.virtual_);
    for (unsigned i = 0; i < live_count; i++)
        if (live[i]->state == STATE_RUNNABLE)
            candidates[count++] = live[i];
    return count ? policy_choose(candidates, count, current) : NULL;
}

static void give(struct thread *t, uint32_t what)
{
    if (what != DUTY)
        set_turn(t);
    __atomic_store_n(&t->go, what, __ATOMIC_RELEASE);
    system_futex_wake(&t->go, 1);
}

struct prospects {
    uint64_t first; /* deadline */
    bool outside, polling;
    unsigned blocked;
};

/* A wait that another process or a signal handler may end, which would tell nobody here. */
static bool looks_again(const struct thread *t)
{
    return t->state == STATE_BLOCKED &&
           (t->foreign || (rt.handlers && (t->reason == WAIT_SEMAPHORE || t->reason == WAIT_FUTEX)));
}

static struct prospects look_ahead(void)
{
    struct prospects p = {.first = TIME_NEVER};

    for (unsigned i = 0; i < live_count; i++) {
        const struct thread *t = live[i];
        p.outside |= t->state == STATE_OUTSIDE || looks_again(t);
        p.polling |= t->state == STATE_POLLING;
        p.blocked += t->state == STATE_BLOCKED;
        if (waits(t) && t->deadline < p.first)
            p.first = t->deadline;
    }
    return p;
}

/* Nobody will ever run again. The recorder finds all threads in the session and tells who waits for whom. */
static void report_deadlock(void)
{
    log_settle();
    session_store(&rt.session->deadlock, 1);
    system_exit(2);
}

/* Lets real time pass until a descriptor is ready, a deadline comes or somebody may have come back. */
static void pass_real_time(const struct prospects *p)
{
    static struct pollfd fds[256];
    uint64_t before = system_clock(CLOCK_MONOTONIC), now = rt.session->real_time ? sched_now() : rt.virtual_;
    uint64_t limit = p->first == TIME_NEVER || p->first > now + UINT64_C(1000000) * IDLE_MILLISECONDS
                         ? UINT64_C(1000000) * IDLE_MILLISECONDS
                         : p->first - now;
    struct timespec wait = {.tv_nsec = (long)limit};
    unsigned count = 0;

    for (unsigned i = 0; i < live_count; i++)
        for (unsigned k = 0; live[i]->state == STATE_POLLING && k < live[i]->fd_count && count < 256; k++)
            fds[count++] = live[i]->fds[k];
    unlock();
    system_call(SYS_ppoll, (long)fds, count, (long)&wait, 0, 0, 0);
    lock();
    rt.virtual_ += system_clock(CLOCK_MONOTONIC) - before;
    for (unsigned i = 0; i < live_count; i++) /* let them look again: nobody here would wake them */
        if (looks_again(live[i]))
            make_runnable(live[i], true);
}

/* One step of waiting while nobody can run; returns with the lock held. */
static void idle(void)
{
    struct prospects p = look_ahead();

    if (p.outside || p.polling || (rt.session->real_time && p.first != TIME_NEVER))
        pass_real_time(&p);
    else if (p.first != TIME_NEVER)
        rt.virtual_ = p.first > rt.virtual_ ? p.first : rt.virtual_;
    else if (p.blocked)
        report_deadlock();
}

/* Finds somebody to go on after `self`, which has given up the turn. With the lock. */
static void pass_on(struct thread *self)
{
    struct thread *next = pick(self);

    idler = NULL;
    set_turn(NULL);
    if (next) {
        if (next == self)
            set_turn(self);
        else
            give(next, 1);
        return;
    }
    if (waits(self)) {
        idler = self;
        return;
    }
    struct prospects p = look_ahead();
    if (!p.outside && p.first == TIME_NEVER && !p.polling) {
        if (p.blocked)
            report_deadlock();
        return;
    }
    for (unsigned i = 0; i < live_count && !idler; i++)
        if (waits(live[i]) && live[i] != self)
            idler = live[i];
    if (idler)
        give(idler, DUTY);
}

/* Waits for the turn; the lock is held at the call and released at the return. */
static void wait_turn(struct thread *self)
{
    while (rt.turn != self) {
        if (!rt.turn && idler == self) {
            idle();
            if (rt.turn || idler != self)
                continue;
            struct thread *next = pick(self);
            if (next)
                idler = NULL;
            if (next == self)
                set_turn(self);
            else if (next)
                give(next, 1);
            continue;
        }
        unlock();
        while (__atomic_load_n(&self->go, __ATOMIC_ACQUIRE) == 0)
            system_futex_wait(&self->go, 0);
        lock();
        self->go = 0;
    }
    self->go = 0;
    unlock();
    open_slice(self);
}

/* Changes the state of the running thread and waits for its next turn. */
static void switch_away(struct thread *self, enum thread_state state)
{
    log_settle();
    close_slice();
    if (state == STATE_RUNNABLE && rt.mode == SESSION_ALL && rt.next > rt.session->ring[0])
        self->pc = rt.next[-1].pc & RECORD_ADDRESS; /* where it was last seen */
    lock();
    self->arrival = ++arrivals;
    set_state(self, state);
    pass_on(self);
    wait_turn(self);
}

void sched_yield_turn(void)
{
    local.self->idle_preempts = 0;
    switch_away(local.self, STATE_RUNNABLE);
}

bool sched_block(enum wait_reason reason, const void *key, uint64_t deadline)
{
    struct thread *self = local.self;

    self->reason = reason;
    self->key = key;
    self->deadline = deadline;
    switch_away(self, STATE_BLOCKED);
    self->key = NULL;
    self->owner = 0;
    self->foreign = false;
    return self->woken;
}

bool sched_sleep(uint64_t deadline)
{
    local.self->reason = WAIT_TIME;
    local.self->key = NULL;
    local.self->deadline = deadline;
    switch_away(local.self, STATE_SLEEPING);
    return !local.self->woken;
}

bool sched_poll(struct pollfd *fds, unsigned count, uint64_t deadline)
{
    struct thread *self = local.self;

    self->reason = WAIT_DESCRIPTOR;
    self->key = NULL;
    self->fds = fds;
    self->fd_count = count;
    self->deadline = deadline;
    switch_away(self, STATE_POLLING);
    self->fds = NULL;
    self->fd_count = 0;
    return self->woken;
}

bool sched_wake_thread(struct thread *t)
{
    bool did = false;

    lock();
    if (waits(t)) {
        make_runnable(t, true);
        did = true;
    }
    unlock();
    return did;
}

unsigned sched_wake(const void *key, unsigned count)
{
    unsigned done = 0;

    lock();
    for (; done < count; done++) {
        struct thread *first = NULL;
        for (unsigned i = 0; i < live_count; i++)
            if (live[i]->state == STATE_BLOCKED && live[i]->key == key &&
                (!first || live[i]->arrival < first->arrival))
                first = live[i];
        if (!first)
            break;
        make_runnable(first, true);
    }
    unlock();
    return done;
}

void sched_outside(void)
{
    struct thread *self = local.self;

    log_settle();
    close_slice();
    lock();
    set_state(self, STATE_OUTSIDE);
    pass_on(self);
    unlock();
}

void sched_inside(void)
{
    struct thread *self = local.self;

    lock();
    self->idle_preempts = 0;
    set_state(self, STATE_RUNNABLE);
    if (!rt.turn) {
        idler = NULL;
        set_turn(self);
    }
    wait_turn(self);
}

struct thread *sched_new(void)
{
    struct thread *t = NULL;

    lock();
    for (unsigned i = 0; i < pool_used && !t; i++)
        if (pool[i].state == STATE_FREE || (pool[i].state == STATE_ENDED && pool[i].joined))
            t = &pool[i];
    if (!t && pool_used < SESSION_THREADS)
        t = &pool[pool_used++];
    if (t) {
        clear_bytes(t, sizeof *t);
        t->id = (uint32_t)rt.instances++;
        t->deadline = TIME_NEVER;
        t->state = STATE_OUTSIDE; /* taken, not yet admitted */
        policy_admit(t);
    }
    unlock();
    return t;
}

void sched_discard(struct thread *t)
{
    t->state = STATE_FREE;
    rt.instances--;
}

void sched_admit(struct thread *t)
{
    lock();
    live[live_count++] = t;
    set_state(t, STATE_RUNNABLE);
    unlock();
}

static void settle_in(struct thread *t)
{
    local.self = t;
    local.mark = t->id + 1 < SHADOW_OWNER ? t->id + 1 : SHADOW_OWNER + 1; /* too many: never the same as any */
    local.mark_written = local.mark <= SHADOW_OWNER ? local.mark | SHADOW_WRITTEN : UINT32_MAX;
    t->tid = system_tid();
    t->handle = pthread_self();
}

void sched_start(void)
{
    struct thread *t = sched_new();

    settle_in(t);
    sched_admit(t);
    set_turn(t);
    open_slice(t);
}

void sched_begin(struct thread *self)
{
    settle_in(self);
    lock();
    set_state(self, self->state); /* shows its tid */
    wait_turn(self);
}

void sched_end(void)
{
    struct thread *self = local.self;
    unsigned at = 0;

    log_settle();
    close_slice();
    lock();
    while (live[at] != self)
        at++;
    for (live_count--; at < live_count; at++)
        live[at] = live[at + 1];
    if (self->detached)
        self->joined = true;
    set_state(self, STATE_ENDED);
    for (unsigned i = 0; i < live_count; i++)
        if (live[i]->state == STATE_BLOCKED && live[i]->key == self)
            make_runnable(live[i], true);
    ending = self->id ? self->tid : 0;
    pass_on(self);
    local.inside = true; /* what still runs in this thread is the C library's */
    local.self = NULL;
    unlock();
}

void sched_take_turn(void)
{
    struct thread *self = local.self;

    if (self && rt.turn == self)
        return;
    if (!self) { /* made behind our back */
        self = sched_new();
        if (!self) {
            runtime_stop();
            return;
        }
        settle_in(self);
        sched_admit(self);
        thread_watch_end();
    }
    sched_inside();
}

/* Called when the recorder saw no slice end for a while. The first call only remembers where the thread was, so
 * that a thread the system had stopped between a hook and its access is never taken for a stuck one; the next
 * ends the slice; the one after that lets the thread run on outside. */
void sched_preempted(uintptr_t pc)
{
    struct thread *self = local.self;
    uintptr_t hook = rt.next > rt.session->ring[0] ? (uintptr_t)(rt.next[-1].pc & RECORD_ADDRESS) : 0;

    if (!self || local.inside || rt.turn != self || live_count < 2 || (pc >= rt.text && pc < rt.text_end))
        return;
    if (self->preempt_budget != local.budget)
        self->idle_preempts = 0;
    self->preempt_budget = local.budget;
    if (self->idle_preempts++ == 0 || (pc - hook < 64 && self->idle_preempts < 6))
        return;
    if (self->idle_preempts < 8) {
        uint32_t seen = self->idle_preempts;
        local.inside = true;
        switch_away(self, STATE_RUNNABLE);
        local.inside = false;
        self->idle_preempts = seen;
        self->preempt_budget = local.budget;
        return;
    }
    local.inside = true;
    sched_outside();
    local.inside = false;
}

struct thread *sched_find(pthread_t handle)
{
    for (unsigned i = 0; i < pool_used; i++)
        if (pool[i].state != STATE_FREE && !pool[i].joined && pthread_equal(pool[i].handle, handle))
            return &pool[i];
    return NULL;
}

struct thread *sched_find_tid(uint32_t tid)
{
    for (unsigned i = 0; i < pool_used; i++)
        if (pool[i].state != STATE_FREE && pool[i].tid == tid)
            return &pool[i];
    return NULL;
}

void sched_forked(void)
{
    sched_word = 0;
    local.budget = 0;
}

unsigned sched_alive(void)
{
    return live_count;
}
