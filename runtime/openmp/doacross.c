/* Loops whose iterations wait for each other: ordered(n), depend(source), depend(sink). */
#include "openmp.h"

#include <assert.h>
#include <stdarg.h>

/* A place among the iterations; false: it is outside of the loop, and nobody waits for it. */
static bool place_of_iteration(const struct work_loop *l, const uint64_t *at, uint64_t *place)
{
    assert(l->dimension_count > 0);
    *place = 0;
    for (unsigned i = 0; i < l->dimension_count; i++) {
        if (at[i] >= l->dimensions[i])
            return false;
        *place = *place * l->dimensions[i] + at[i];
    }
    return true;
}

static bool doacross_start(unsigned count, const ull *counts, enum schedule schedule, ull chunk, ull *first,
                           ull *last)
{
    struct team_member *m = member_self();
    uint64_t all = 1;
    bool made;

    if (count > sizeof m->loop.dimensions / sizeof *m->loop.dimensions)
        openmp_lacks("loops of more than eight dimensions with dependences");
    m->loop = loop_of(true, 0, counts[0], 1, schedule, chunk, false);
    for (unsigned i = 0; i < count; i++)
        all *= counts[i];
    m->loop.share = share_meet(m, all + 1, &made);
    m->loop.dimension_count = count;
    for (unsigned i = 0; i < count; i++)
        m->loop.dimensions[i] = counts[i];
    if (!loop_take(m))
        return false;
    assert(m->loop.first < m->loop.last);
    *first = m->loop.first;
    *last = m->loop.last;
    return true;
}

static void post(const uint64_t *at)
{
    const struct work_loop *l = &member_self()->loop;
    uint64_t place;

    if (place_of_iteration(l, at, &place))
        sem_post(&l->share->turns[place]);
}

/* Whoever waits for an iteration leaves its token for others. */
static void wait_for(const uint64_t *at)
{
    const struct work_loop *l = &member_self()->loop;
    uint64_t place;

    if (!place_of_iteration(l, at, &place))
        return;
    sem_wait(&l->share->turns[place]);
    sem_post(&l->share->turns[place]);
}

#define DOACROSS(name, schedule)                                                                               \
    EXPORT bool GOMP_loop_doacross_##name##_start(unsigned count, long *counts, long chunk, long *first,       \
                                                  long *last)                                                  \
    {                                                                                                          \
        return doacross_start(count, (const ull *)counts, schedule, (ull)chunk, (ull *)first, (ull *)last);    \
    }                                                                                                          \
    EXPORT bool GOMP_loop_ull_doacross_##name##_start(unsigned count, ull *counts, ull chunk, ull *first,      \
                                                      ull *last)                                               \
    {                                                                                                          \
        return doacross_start(count, counts, schedule, chunk, first, last);                                    \
    }

DOACROSS(static, SCHEDULE_STATIC)
DOACROSS(dynamic, SCHEDULE_DYNAMIC)
DOACROSS(guided, SCHEDULE_GUIDED)

EXPORT bool GOMP_loop_ull_doacross_runtime_start(unsigned count, ull *counts, ull *first, ull *last)
{
    ull chunk;
    enum schedule schedule = schedule_chosen(&chunk);

    return doacross_start(count, counts, schedule, chunk, first, last);
}

EXPORT bool GOMP_loop_doacross_runtime_start(unsigned count, long *counts, long *first, long *last)
{
    return GOMP_loop_ull_doacross_runtime_start(count, (ull *)counts, (ull *)first, (ull *)last);
}

EXPORT void GOMP_doacross_post(long *at)
{
    post((const uint64_t *)at);
}

EXPORT void GOMP_doacross_ull_post(ull *at)
{
    post((const uint64_t *)at);
}

/* gcc gives the coordinates of the iteration as arguments, as many as there are dimensions. */
EXPORT void GOMP_doacross_wait(long first, ...)
{
    uint64_t at[8] = {(uint64_t)first};
    va_list rest;

    va_start(rest, first);
    for (unsigned i = 1; i < member_self()->loop.dimension_count; i++)
        at[i] = (uint64_t)va_arg(rest, long);
    va_end(rest);
    wait_for(at);
}

EXPORT void GOMP_doacross_ull_wait(ull first, ...)
{
    uint64_t at[8] = {first};
    va_list rest;

    va_start(rest, first);
    for (unsigned i = 1; i < member_self()->loop.dimension_count; i++)
        at[i] = va_arg(rest, ull);
    va_end(rest);
    wait_for(at);
}
