/* Scheduling policies: random slices, PCT (random priorities with a few changes), round-robin. */
#include "runtime/sched/policy.h"

enum {
    LONGEST = 11, /* slices are 2^3 … 2^11 accesses, all magnitudes alike; in long runs 2^9 … 2^17 */
    LONGEST_LATE = 17,
    MAGNITUDES = 8,
    ROUND = 4096,
    PCT_SLICE = 512,
    PCT_CHANGES = 8192, /* accesses between changes of priority, on average */
    PRIORITY_TOP = 1 << 24,
};

static uint64_t random_state;
static uint32_t lowest;

/* The longest slice, as a power of two: a run that goes on is to get somewhere. */
static unsigned longest(void)
{
    unsigned magnitude = LONGEST;

    for (uint64_t done = rt.accesses >> 14; done && magnitude < LONGEST_LATE; done >>= 1)
        magnitude++;
    return magnitude;
}

static uint64_t next_random(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t random_below(uint64_t below)
{
    return next_random() % below;
}

void policy_start(uint64_t seed)
{
    random_state = seed;
    lowest = PRIORITY_TOP;
}

void policy_admit(struct thread *thread)
{
    thread->priority = PRIORITY_TOP + (uint32_t)random_below(PRIORITY_TOP);
}

void policy_demote(struct thread *thread)
{
    thread->priority = --lowest;
}

int32_t policy_slice(void)
{
    unsigned magnitude;

    switch (rt.session->policy) {
    case POLICY_ROUND_ROBIN:
        return ROUND;
    case POLICY_PCT:
        return PCT_SLICE;
    default:
        magnitude = longest() - 1 - (unsigned)random_below(MAGNITUDES);
        return (int32_t)((1u << magnitude) + random_below(1u << magnitude));
    }
}

static struct thread *choose_highest(struct thread *const *candidates, unsigned count,
                                     const struct thread *current)
{
    struct thread *best = candidates[0];

    for (unsigned i = 0; i < count; i++)
        if (candidates[i] == current && random_below(PCT_CHANGES / PCT_SLICE) == 0)
            policy_demote(candidates[i]);
    for (unsigned i = 1; i < count; i++)
        if (candidates[i]->priority > best->priority)
            best = candidates[i];
    return best;
}

static struct thread *choose_next(struct thread *const *candidates, unsigned count,
                                  const struct thread *current)
{
    for (unsigned i = 0; i < count; i++)
        if (current && candidates[i]->id > current->id)
            return candidates[i];
    return candidates[0];
}

struct thread *policy_choose(struct thread *const *candidates, unsigned count, const struct thread *current)
{
    switch (rt.session->policy) {
    case POLICY_ROUND_ROBIN:
        return choose_next(candidates, count, current);
    case POLICY_PCT:
        return choose_highest(candidates, count, current);
    default:
        return count == 1 ? candidates[0] : candidates[random_below(count)];
    }
}
