/* The scheduler: slices, how they begin, count and end. */
#include "runtime/libc/handlers.h"
#include "runtime/sched/follow_script.h"
#include "runtime/sched/placement.h"
#include "runtime/sched/policy.h"
#include "runtime/sched/sched_state.h"
#include "runtime/system.h"

#include <time.h>

enum {
    ACCESS_NANOSECONDS = 1, /* about what an access and the work around it take natively (bench/clock) */
    ENDING_NANOSECONDS = 100000000
};

uint64_t sched_now(void)
{
    if (rt.real_time)
        return system_clock(CLOCK_MONOTONIC) - rt.start;
    return rt.virtual_ + (uint64_t)(rt.slice - (hot.budget > 0 ? hot.budget : 0)) * ACCESS_NANOSECONDS;
}

static void count_slice(uint64_t used)
{
    INVARIANT(used <= INT32_MAX);
    rt.virtual_ += used * ACCESS_NANOSECONDS;
    rt.accesses += used;
    rt.slice = 0;
    placement_count(used);
    session_store(&rt.session->accesses, rt.accesses);
    session_add(&rt.session->beat, 1);
}

void sched_cut_slice(void)
{
    int32_t left = hot.budget > 0 ? hot.budget : 0;

    INVARIANT(left <= rt.slice && rt.turn == local.self);
    INVARIANT(rt.turn->end >= (uint64_t)left);
    rt.slice -= left;
    rt.turn->end -= (uint64_t)left;
    local.limit -= (uint64_t)left;
    hot.budget -= left;
}

/* Logs how far the thread got. The last record says where it was last seen. */
static void log_stop(struct thread *self)
{
    log_emit(RECORD_STOP, (const void *)(uintptr_t)rt.acted,
             rt.next > rt.session->ring[0] ? rt.next[-1].pc & RECORD_ADDRESS : 0,
             self->position * 2 + (self->position > self->end));
    INVARIANT(self->told <= self->position);
    self->told = self->position;
}

void sched_close_slice(void)
{
    INVARIANT(local.turn);
    sched_cut_slice();
    INVARIANT(rt.slice >= 0);
    count_slice((uint64_t)rt.slice);
    local.self->position = sched_position();
    log_stop(local.self);
    local.limit = local.self->position;
    hot.budget = 0;
    local.turn = false;
}

void sched_count(void)
{
    session_store(&rt.session->accesses,
                  rt.accesses + (uint64_t)(rt.slice - (hot.budget > 0 ? hot.budget : 0)));
}

void sched_grant(struct thread *t)
{
    if (rt.scripted) {
        uint64_t end = script_end(t);
        rt.slice = end > t->end ? (int32_t)(end - t->end) : 0;
        t->end = end;
    } else {
        rt.slice = policy_slice();
        INVARIANT(rt.slice > 0);
        t->end += (uint64_t)rt.slice;
    }
    sched_set_turn(t);
}

void sched_spend(struct thread *t)
{
    INVARIANT(rt.turn == t && t->position > t->end);
    count_slice((uint64_t)rt.slice);
    sched_set_turn(NULL);
    sched_set_state(t, STATE_RUNNABLE);
}

/* An ended thread still returns its stack and heap to the C library: until that is done, what the next
 * thread gets would be arbitrary. The first thread is not waited for: it stays until the process ends. */
static void await_ending(void)
{
    uint64_t start = sched.ending ? system_clock(CLOCK_MONOTONIC) : 0;

    while (sched.ending && system_call(SYS_tgkill, system_pid(), sched.ending, 0, 0, 0, 0) == 0 &&
           system_clock(CLOCK_MONOTONIC) - start < ENDING_NANOSECONDS)
        system_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    sched.ending = 0;
}

void sched_open_slice(struct thread *self)
{
    uint64_t position = sched_position();

    await_ending();
    INVARIANT(rt.turn == self && self == local.self && !local.turn);
    INVARIANT(self->told <= position + 1); /* what the recorder knows is not ahead */
    local.limit = self->end;
    hot.budget = (int32_t)(int64_t)(self->end - position);
    local.turn = true;
    local.due = rt.handlers && handlers_pending(self);
    rt.acted = false;
    self->away = false;
    rt.ticked = self->told;
    hot.floor = rt.mode >= SESSION_MARK ? 0 : INT32_MAX;
    if (rt.logged != self->id + 1) {
        rt.logged = self->id + 1;
        log_emit(RECORD_THREAD, NULL, 0, self->id);
    }
}
