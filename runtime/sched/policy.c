/* Scheduling policies: random slices, PCT (random priorities with a few changes), round-robin, few preemptions. */
#include "runtime/sched/policy.h"

enum {
    LONGEST =
        11, /* slices are 2^3 … 2^11 accesses, all magnitudes alike; in long runs 2^9 … 2^17; in runs that are
                     known to be short, 1 … their length */
    LONGEST_LATE = 17,
    MAGNITUDES = 8,
    ROUND = 4096,
    PCT_SLICE = 512,
    PCT_CHANGES = 8192, /* accesses between changes of priority, on average */
    FEW_SLICE = 4096,
    FEW_SLACK =
        10000, /* a run that gets longer than twice what was expected, and by so much, may not end by itself: it is
                          made fair */
    LONG_SELDOM =
        2, /* where a thread waits or is preempted, the others are away for long once in so many times */
    PRIORITY_BASE = 1 << 30, /* demoted threads are below */
    PRIORITY_RANGE = 1 << 24,
};

static uint64_t random_state;
static uint32_t lowest;
static uint64_t points[FEW_COUNT]; /* of POLICY_FEW: where it preempts, ascending */
static unsigned points_count, point;
static bool long_preemption;

/* The longest slice, as a power of two: long runs get longer slices, so that they make progress. */
static unsigned longest(void)
{
    uint64_t length = policy_length(rt.session->policy);
    unsigned magnitude = LONGEST;

    while (length > 0 && magnitude > 1 && length >> magnitude == 0)
        magnitude--;
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
    INVARIANT(below > 0);
    return next_random() % below;
}

static uint32_t kind(void)
{
    return rt.session->policy & POLICY_KIND;
}

/* Chooses where to preempt: any access or call is as likely as any other. */
static void choose_points(void)
{
    uint64_t length = policy_length(rt.session->policy);

    point = 0;
    points_count = kind() == POLICY_FEW && length > 1 ? policy_preemptions(rt.session->policy) : 0;
    INVARIANT(points_count <= FEW_COUNT);
    for (unsigned i = 0; i < points_count; i++) {
        uint64_t chosen = 1 + random_below(length - 1);
        unsigned at = i;
        for (; at > 0 && points[at - 1] > chosen; at--)
            points[at] = points[at - 1];
        INVARIANT(at == 0 || points[at - 1] <= chosen);
        points[at] = chosen;
    }
}

void policy_start(uint64_t seed)
{
    random_state = seed;
    lowest = PRIORITY_BASE;
    choose_points();
}

void policy_admit(struct thread *thread)
{
    thread->priority = PRIORITY_BASE + 1 + (uint32_t)random_below(PRIORITY_RANGE);
}

void policy_demote(struct thread *thread)
{
    if (thread->priority == lowest)
        return;
    INVARIANT(lowest > 0);
    thread->priority = --lowest;
}

void policy_favour(struct thread *thread)
{
    thread->priority = PRIORITY_BASE + PRIORITY_RANGE + 1;
}

int32_t policy_slice(void)
{
    unsigned magnitude;

    switch (kind()) {
    case POLICY_ROUND_ROBIN:
        return ROUND;
    case POLICY_FEW:
        return point < points_count && points[point] < rt.accesses + FEW_SLICE
                   ? (int32_t)(points[point] > rt.accesses ? points[point] - rt.accesses : 1)
                   : FEW_SLICE;
    case POLICY_PCT:
        return PCT_SLICE;
    default:
        magnitude = longest();
        INVARIANT(magnitude > 0 && magnitude <= LONGEST_LATE);
        magnitude -= 1 + (unsigned)random_below(magnitude < MAGNITUDES ? magnitude : MAGNITUDES);
        return (int32_t)((1u << magnitude) + random_below(1u << magnitude));
    }
}

/* Whether the thread that had the turn falls behind all others. */
static bool changes_priority(void)
{
    if (kind() == POLICY_PCT)
        return random_below(PCT_CHANGES / PCT_SLICE) == 0;
    if (point < points_count && points[point] <= rt.accesses) {
        point++;
        return true;
    }
    return rt.accesses > 2 * policy_length(rt.session->policy) + FEW_SLACK;
}

static struct thread *choose_highest(struct thread *const *candidates, unsigned count,
                                     const struct thread *current)
{
    struct thread *best = candidates[0];
    bool waits = true; /* current */

    for (unsigned i = 0; i < count; i++)
        if (candidates[i] == current) {
            waits = changes_priority();
            if (waits)
                policy_demote(candidates[i]);
        }
    long_preemption = waits && points_count > 0 && random_below(LONG_SELDOM) == 0;
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

bool policy_takes_long(void)
{
    bool takes_long = long_preemption;

    long_preemption = false;
    return takes_long;
}

struct thread *policy_choose(struct thread *const *candidates, unsigned count, const struct thread *current)
{
    INVARIANT(count > 0);
    switch (kind()) {
    case POLICY_ROUND_ROBIN:
        return choose_next(candidates, count, current);
    case POLICY_PCT:
    case POLICY_FEW:
        return choose_highest(candidates, count, current);
    default:
        return count == 1 ? candidates[0] : candidates[random_below(count)];
    }
}
