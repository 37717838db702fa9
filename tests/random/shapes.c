/* Profiles for random traces: each leans to one part of semantics §1, the last has all of it. */
#include "random/generate.h"

/* clang-format off */
const struct shape shapes[] = {
    {
        .name = "data",
        .min_events = 6, .max_events = 16, .min_threads = 2, .max_threads = 4,
        .variables = 2, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 4,
        .weight = {[GROUP_PLAIN] = 12, [GROUP_LOCK] = 3, [GROUP_THREAD] = 1},
    },
    {
        .name = "values",
        .min_events = 6, .max_events = 16, .min_threads = 2, .max_threads = 4,
        .variables = 2, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 4,
        .weight = {[GROUP_PLAIN] = 8, [GROUP_ATOMIC] = 5, [GROUP_LOCK] = 2, [GROUP_BLOCK] = 1},
        .values = true,
    },
    {
        .name = "spinning",
        .min_events = 8, .max_events = 20, .min_threads = 2, .max_threads = 4,
        .variables = 2, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 4,
        .words = 1, .weight = {[GROUP_PLAIN] = 9, [GROUP_SPIN] = 10, [GROUP_LOCK] = 2, [GROUP_THREAD] = 1},
        .odd = 2, .values = true,
    },
    {
        .name = "locks",
        .min_events = 8, .max_events = 20, .min_threads = 2, .max_threads = 4,
        .variables = 2, .locks = 3, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 6,
        .weight = {[GROUP_PLAIN] = 8, [GROUP_LOCK] = 8, [GROUP_SHARED] = 3, [GROUP_TRY] = 2},
        .odd = 2,
    },
    {
        .name = "deadlocks",
        .min_events = 10, .max_events = 20, .min_threads = 2, .max_threads = 4,
        .variables = 1, .locks = 3, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 6,
        .weight = {[GROUP_PLAIN] = 1, [GROUP_LOCK] = 12, [GROUP_SHARED] = 1, [GROUP_THREAD] = 1},
    },
    {
        .name = "atomics",
        .min_events = 6, .max_events = 18, .min_threads = 2, .max_threads = 4,
        .variables = 3, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 4,
        .weight = {[GROUP_PLAIN] = 6, [GROUP_ATOMIC] = 10, [GROUP_FENCE] = 2, [GROUP_THREAD] = 1},
    },
    {
        .name = "blocks",
        .min_events = 6, .max_events = 18, .min_threads = 2, .max_threads = 3,
        .variables = 2, .locks = 2, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 4,
        .weight = {[GROUP_PLAIN] = 12, [GROUP_ATOMIC] = 3, [GROUP_LOCK] = 3, [GROUP_BLOCK] = 4,
                   [GROUP_DET_BLOCK] = 1},
    },
    {
        .name = "waiting",
        .min_events = 8, .max_events = 20, .min_threads = 2, .max_threads = 5,
        .variables = 2, .locks = 2, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 6,
        .weight = {[GROUP_PLAIN] = 10, [GROUP_LOCK] = 3, [GROUP_THREAD] = 3, [GROUP_CONDITION] = 6,
                   [GROUP_BARRIER] = 3, [GROUP_SEMAPHORE] = 4},
        .odd = 2,
    },
    {
        .name = "lives", /* threads that come one after the other */
        .min_events = 8, .max_events = 20, .min_threads = 3, .max_threads = 8,
        .variables = 2, .locks = 2, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 6,
        .weight = {[GROUP_PLAIN] = 6, [GROUP_ATOMIC] = 2, [GROUP_FENCE] = 1, [GROUP_LOCK] = 3, [GROUP_SHARED] = 1,
                   [GROUP_THREAD] = 16, [GROUP_CONDITION] = 1, [GROUP_SEMAPHORE] = 1},
        .odd = 2,
    },
    {
        .name = "everything",
        .min_events = 6, .max_events = 20, .min_threads = 2, .max_threads = 5,
        .variables = 2, .locks = 2, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 6,
        .weight = {[GROUP_PLAIN] = 12, [GROUP_ATOMIC] = 8, [GROUP_FENCE] = 2, [GROUP_LOCK] = 5,
                   [GROUP_SHARED] = 2, [GROUP_TRY] = 2, [GROUP_THREAD] = 2, [GROUP_CONDITION] = 3,
                   [GROUP_BARRIER] = 1, [GROUP_SEMAPHORE] = 2, [GROUP_BLOCK] = 2, [GROUP_DET_BLOCK] = 1},
        .odd = 5,
        .values = true,
    },
};
const size_t shapes_count = sizeof shapes / sizeof *shapes;

const struct shape ground_shapes[] = {
    {
        .name = "counters",
        .min_events = 6, .max_events = 18, .min_threads = 2, .max_threads = 3,
        .variables = 2, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 4,
        .weight = {[GROUP_PLAIN] = 10, [GROUP_ATOMIC] = 4, [GROUP_LOCK] = 3, [GROUP_THREAD] = 1},
        .values = true, .gaps = 10, .grounds = 75,
    },
    {
        .name = "checks",
        .min_events = 6, .max_events = 18, .min_threads = 2, .max_threads = 4,
        .variables = 3, .locks = 2, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 4,
        .weight = {[GROUP_PLAIN] = 10, [GROUP_ATOMIC] = 3, [GROUP_LOCK] = 5, [GROUP_TRY] = 1, [GROUP_BLOCK] = 2},
        .values = true, .names = 5, .grounds = 85,
    },
    {
        .name = "inversions",
        .min_events = 10, .max_events = 22, .min_threads = 2, .max_threads = 3,
        .variables = 1, .locks = 2, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 6,
        .weight = {[GROUP_PLAIN] = 4, [GROUP_ATOMIC] = 1, [GROUP_LOCK] = 14, [GROUP_SHARED] = 1, [GROUP_THREAD] = 1},
        .values = true, .grounds = 80,
    },
    {
        .name = "handover",
        .min_events = 10, .max_events = 22, .min_threads = 2, .max_threads = 4,
        .variables = 2, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 6,
        .weight = {[GROUP_PLAIN] = 5, [GROUP_LOCK] = 3, [GROUP_THREAD] = 4, [GROUP_CONDITION] = 6,
                   [GROUP_BARRIER] = 1, [GROUP_SEMAPHORE] = 4},
        .odd = 1, .idle = 20, .values = true, .grounds = 70,
    },
    {
        .name = "spinners",
        .min_events = 8, .max_events = 20, .min_threads = 2, .max_threads = 4,
        .variables = 1, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 4,
        .words = 2, .weight = {[GROUP_PLAIN] = 8, [GROUP_SPIN] = 12, [GROUP_LOCK] = 1, [GROUP_BLOCK] = 1},
        .odd = 2, .values = true, .gaps = 5, .grounds = 50,
    },
    {
        .name = "tenures", /* of what is taken and given back */
        .min_events = 18, .max_events = 26, .min_threads = 2, .max_threads = 3,
        .variables = 1, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 4,
        .words = 1, .weight = {[GROUP_PLAIN] = 8, [GROUP_TAKE] = 6},
        .odd = 2, .guarded = 97, .values = true,
    },
    {
        .name = "free lists",
        .min_events = 16, .max_events = 24, .min_threads = 2, .max_threads = 3,
        .variables = 1, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 4,
        .words = 1, .weight = {[GROUP_PLAIN] = 6, [GROUP_TAKE] = 6, [GROUP_THREAD] = 1},
        .odd = 3, .guarded = 90, .values = true, .gaps = 1, .grounds = 30,
    },
    {
        .name = "symbols",
        .min_events = 6, .max_events = 18, .min_threads = 2, .max_threads = 3,
        .variables = 2, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 4,
        .weight = {[GROUP_PLAIN] = 8, [GROUP_ATOMIC] = 6, [GROUP_LOCK] = 2, [GROUP_THREAD] = 1},
        .grounds = 75,
    },
    {
        .name = "tasks", /* threads that come one after the other */
        .min_events = 8, .max_events = 18, .min_threads = 3, .max_threads = 8,
        .variables = 2, .locks = 2, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 6,
        .weight = {[GROUP_PLAIN] = 8, [GROUP_ATOMIC] = 4, [GROUP_LOCK] = 2, [GROUP_THREAD] = 16},
        .values = true, .gaps = 10, .grounds = 60,
    },
    {
        .name = "anything",
        .min_events = 6, .max_events = 20, .min_threads = 2, .max_threads = 4,
        .variables = 2, .locks = 2, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 6,
        .weight = {[GROUP_PLAIN] = 12, [GROUP_ATOMIC] = 8, [GROUP_FENCE] = 1, [GROUP_LOCK] = 5,
                   [GROUP_SHARED] = 2, [GROUP_TRY] = 2, [GROUP_THREAD] = 3, [GROUP_CONDITION] = 3,
                   [GROUP_BARRIER] = 1, [GROUP_SEMAPHORE] = 2, [GROUP_BLOCK] = 2, [GROUP_DET_BLOCK] = 1},
        .odd = 4, .values = true, .gaps = 15, .names = 10, .grounds = 60,
    },
    {
        .name = "sections", /* of one lock, that use the same variables */
        .min_events = 14, .max_events = 24, .min_threads = 2, .max_threads = 4,
        .variables = 2, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 6,
        .weight = {[GROUP_PLAIN] = 16, [GROUP_ATOMIC] = 2, [GROUP_THREAD] = 3, [GROUP_CONDITION] = 2},
        .guarded = 98, .values = true, .gaps = 2,
    },
    {
        .name = "waiting sections",
        .min_events = 18, .max_events = 26, .min_threads = 2, .max_threads = 3,
        .variables = 1, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 6,
        .weight = {[GROUP_PLAIN] = 10, [GROUP_CONDITION] = 5},
        .guarded = 100, .values = true,
    },
    {
        .name = "word sections",
        .min_events = 14, .max_events = 24, .min_threads = 2, .max_threads = 4,
        .variables = 2, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 6,
        .words = 1, .weight = {[GROUP_PLAIN] = 16, [GROUP_SPIN] = 4, [GROUP_THREAD] = 3},
        .guarded = 98, .values = true,
    },
    {
        .name = "sections with grounds",
        .min_events = 14, .max_events = 24, .min_threads = 2, .max_threads = 4,
        .variables = 2, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 6,
        .weight = {[GROUP_PLAIN] = 16, [GROUP_CONDITION] = 1, [GROUP_THREAD] = 1},
        .guarded = 98, .values = true, .gaps = 2, .grounds = 85,
    },
    {
        .name = "flags handed over",
        .min_events = 12, .max_events = 24, .min_threads = 2, .max_threads = 3,
        .variables = 2, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 4,
        .words = 1, .weight = {[GROUP_PLAIN] = 10, [GROUP_HAND] = 12},
        .odd = 1, .values = true, .gaps = 1, .grounds = 50, .exact = 30,
    },
    {
        .name = "contended words", /* whose takes are told by what they saw */
        .min_events = 10, .max_events = 22, .min_threads = 2, .max_threads = 4,
        .variables = 2, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 4,
        .words = 1, .weight = {[GROUP_PLAIN] = 10, [GROUP_SPIN] = 10, [GROUP_THREAD] = 1},
        .odd = 1, .guarded = 60, .values = true, .gaps = 1, .grounds = 60, .exact = 70,
    },
};
/* clang-format on */

const size_t ground_shapes_count = sizeof ground_shapes / sizeof *ground_shapes;
