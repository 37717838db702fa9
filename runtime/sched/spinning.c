/* Polls are told from work by how little lies between two of them, counted in accesses and calls: that is the same
 * in every pass. */
#include "runtime/sched/spinning.h"
#include "runtime/sched/policy.h"
#include "runtime/sched/sched_state.h"
#include "runtime/system.h"

#include <time.h>

enum {
    LOOP = 16,      /* accesses between two polls, at most; a call counts as more */
    PATIENT = 2,    /* polls that find nothing new before the slice ends */
    EXPLORING = 6,  /* the same in exploration, which learns from them whether a loop ends by itself */
    ALONE = 8,      /* polls after which time passes if nobody else can run */
    SELDOM = 32,    /* then slices end after so many */
    DOUBLINGS = 10, /* of that time */
    STEP_NANOSECONDS = 1000,
};

/* Who could change what a thread polls. */
struct others {
    bool runnable; /* could run now, and do more than poll */
    bool outside;  /* may come back from where the scheduler does not see it */
    bool timed;    /* waits until some time is over */
};

static struct others others_of(const struct thread *self)
{
    struct others o;

    sched_lock();
    o = (struct others){.outside = rt.helpers};
    for (unsigned i = 0; i < sched.live_count; i++) {
        const struct thread *t = sched.live[i];
        o.runnable |= t != self && t->state == STATE_RUNNABLE && t->polls < ALONE;
        o.outside |= t->state == STATE_OUTSIDE || t->state == STATE_POLLING;
        o.timed |= t != self && t->deadline != TIME_NEVER;
    }
    sched_unlock();
    return o;
}

/* Nobody does anything but poll: what they wait for comes with time, and turns are not worth changing often. If time brings nothing
 * either, nobody can change what the thread reads: it does not wait but work, in a loop that looks at something atomic. */
static void let_time_pass(const struct thread *self, const struct others *others)
{
    uint32_t doublings = (self->polls - ALONE) / ALONE;
    uint64_t step = (uint64_t)STEP_NANOSECONDS << (doublings < DOUBLINGS ? doublings : DOUBLINGS);
    struct timespec nap = {.tv_nsec = (long)step};

    INVARIANT(self->polls >= ALONE && !rt.scripted);
    if (!others->outside && !others->timed)
        return;
    if (others->outside || rt.real_time)
        system_call(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
    if (!rt.real_time)
        rt.virtual_ += step;
}

void spinning_notice(const void *at, uintptr_t pc, uint64_t value)
{
    struct thread *self = local.self;
    struct poll_seen *seen;
    uint64_t position;
    struct others others;
    bool again;

    if (!self || !local.turn)
        return;
    position = sched_position();
    seen = &self->seen[(pc >> 2) % (sizeof self->seen / sizeof *self->seen)];
    again = seen->at == at && seen->pc == pc && seen->value == value && position - seen->position <= LOOP;
    *seen = (struct poll_seen){.at = at, .pc = pc, .value = value, .position = position};
    self->polls = again ? self->polls + 1 : 0;
    if (self->polls < (rt.exploring ? EXPLORING : PATIENT))
        return;
    if (rt.exploring)
        self->polls = 0;
    if (self->polls >= ALONE && !rt.scripted && !(others = others_of(self)).runnable) {
        let_time_pass(self, &others);
        if (self->polls % SELDOM)
            return;
    }
    sched_cut_slice();
    policy_demote(self);
}
