/* Loops and sections: who gets which iterations. */
#include "openmp.h"

#include <assert.h>
#include <sched.h>

struct work_share *share_meet(struct team_member *m, uint64_t turns, bool *first)
{
    struct team *team = m->team;
    uint64_t ordinal = m->met++;
    struct work_share *s, *spare = openmp_new(sizeof *s);

    if (turns)
        spare->turns = openmp_new(turns * sizeof *spare->turns); /* zero is a semaphore without a token */
    team_lock(team);
    for (s = team->shares; s && s->ordinal != ordinal;)
        s = s->next;
    *first = !s;
    if (!s) {
        s = spare;
        s->ordinal = ordinal;
        s->next = team->shares;
        team->shares = s;
    }
    team_unlock(team);
    assert(s->ordinal == ordinal && (*first == (s == spare)));
    if (s != spare) {
        free(spare->turns);
        free(spare);
    }
    return s;
}

void share_forget(struct team_member *m)
{
    struct work_share **at = &m->team->shares, *gone = NULL;

    if (!m->met)
        return;
    team_lock(m->team);
    while (*at) {
        struct work_share *s = *at;

        if (s->ordinal >= m->met) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        s->next = gone;
        gone = s;
    }
    team_unlock(m->team);
    while (gone) {
        struct work_share *s = gone;

        gone = s->next;
        free(s->turns);
        free(s);
    }
}

struct work_loop loop_of(bool up, ull start, ull end, ull step, enum schedule schedule, ull chunk, bool ordered)
{
    struct work_loop l = {
        .start = start, .end = end, .step = step, .schedule = schedule, .chunk = chunk, .ordered = ordered};

    assert(step != 0);
    /* Both bounds may be unsigned numbers beyond LLONG_MAX; their difference is what counts. */
    if (up)
        l.count = (long long)(end - start) > 0 ? (end - start + step - 1) / step : 0;
    else
        l.count = (long long)(start - end) > 0 ? (start - end - step - 1) / -step : 0;
    if (schedule == SCHEDULE_AUTO)
        l.schedule = SCHEDULE_STATIC;
    if (l.schedule != SCHEDULE_STATIC && !l.chunk)
        l.chunk = 1;
    if (l.schedule == SCHEDULE_GUIDED && ordered)
        l.schedule = SCHEDULE_DYNAMIC; /* whose chunks have numbers */
    return l;
}

static bool take_static(struct team_member *m)
{
    struct work_loop *l = &m->loop;
    uint64_t size = m->team->size;

    if (!l->chunk) { /* one piece each, the first ones longer */
        uint64_t share = l->count / size, more = l->count % size, number = m->number;

        if (l->trip++)
            return false;
        l->first = number * share + (number < more ? number : more);
        l->last = l->first + share + (number < more);
        l->ordinal = number;
    } else {
        l->ordinal = l->trip++ * size + m->number;
        l->first = l->ordinal * l->chunk;
        l->last = l->first + l->chunk;
    }
    if (l->last > l->count)
        l->last = l->count;
    assert(l->last <= l->count && m->number < size);
    return l->first < l->last;
}

static bool take_guided(struct work_loop *l, uint64_t size)
{
    uint64_t taken = l->share->taken, length;

    do {
        if (taken >= l->count)
            return false;
        length = (l->count - taken + size - 1) / size;
        length = length < l->chunk ? l->chunk : length;
        length = length > l->count - taken ? l->count - taken : length;
    } while (!__atomic_compare_exchange_n((uint64_t *)&l->share->taken, &taken, taken + length, false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    assert(length > 0 && length <= l->count - taken);
    l->first = taken;
    l->last = taken + length;
    sched_yield();
    return true;
}

static bool take_dynamic(struct work_loop *l)
{
    l->first = __atomic_fetch_add((uint64_t *)&l->share->taken, l->chunk, __ATOMIC_SEQ_CST);
    if (l->first >= l->count)
        return false;
    l->last = l->chunk > l->count - l->first ? l->count : l->first + l->chunk;
    assert(l->first < l->last && l->last <= l->count);
    l->ordinal = l->first / l->chunk;
    sched_yield(); /* others may take the next */
    return true;
}

/* A chunk gets its turn from the one before it, and hands it on. */
static void get_turn(struct work_loop *l)
{
    if (!l->has_turn && l->ordinal)
        sem_wait(&l->share->turns[l->ordinal]);
    l->has_turn = true;
}

static void pass_turn(struct work_loop *l)
{
    get_turn(l);
    assert(l->share->turns && l->ordinal <= l->count);
    l->has_turn = false;
    sem_post(&l->share->turns[l->ordinal + 1]);
}

bool loop_take(struct team_member *m)
{
    struct work_loop *l = &m->loop;

    if (l->in_chunk && l->ordered)
        pass_turn(l);
    if (l->schedule == SCHEDULE_STATIC)
        l->in_chunk = take_static(m);
    else
        l->in_chunk = l->schedule == SCHEDULE_GUIDED ? take_guided(l, m->team->size) : take_dynamic(l);
    return l->in_chunk;
}

static bool loop_next(ull *first, ull *last)
{
    struct team_member *m = member_self();
    struct work_loop *l = &m->loop;

    if (!loop_take(m))
        return false;
    assert(l->first < l->last);
    *first = l->start + l->first * l->step;
    *last = l->last == l->count ? l->end : l->start + l->last * l->step;
    return true;
}

static bool loop_start(struct work_loop l, ull *first, ull *last)
{
    struct team_member *m = member_self();
    bool made;

    l.share = share_meet(m, l.ordered ? l.count + 2 : 0, &made);
    m->loop = l;
    return loop_next(first, last);
}

/* The two families of functions: loops over long, and over unsigned long long, where the direction is an argument. */
#define LONG_START(name, schedule, ordered)                                                                    \
    EXPORT bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long *first, long *last) \
    {                                                                                                          \
        return loop_start(loop_of(step > 0, (ull)start, (ull)end, (ull)step, schedule, (ull)chunk, ordered),   \
                          (ull *)first, (ull *)last);                                                          \
    }
#define ULL_START(name, schedule, ordered)                                                                     \
    EXPORT bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull step, ull chunk, ull *first,     \
                                             ull *last)                                                        \
    {                                                                                                          \
        return loop_start(loop_of(up, start, end, step, schedule, chunk, ordered), first, last);               \
    }
#define RUNTIME_START(name, ordered)                                                                           \
    EXPORT bool GOMP_loop_##name##_start(long start, long end, long step, long *first, long *last)             \
    {                                                                                                          \
        ull chunk;                                                                                             \
        enum schedule schedule = schedule_chosen(&chunk);                                                      \
                                                                                                               \
        return loop_start(loop_of(step > 0, (ull)start, (ull)end, (ull)step, schedule, chunk, ordered),        \
                          (ull *)first, (ull *)last);                                                          \
    }                                                                                                          \
    EXPORT bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull step, ull *first, ull *last)     \
    {                                                                                                          \
        ull chunk;                                                                                             \
        enum schedule schedule = schedule_chosen(&chunk);                                                      \
                                                                                                               \
        return loop_start(loop_of(up, start, end, step, schedule, chunk, ordered), first, last);               \
    }
#define NEXT(name)                                                                                             \
    EXPORT bool GOMP_loop_##name##_next(long *first, long *last)                                               \
    {                                                                                                          \
        return loop_next((ull *)first, (ull *)last);                                                           \
    }                                                                                                          \
    EXPORT bool GOMP_loop_ull_##name##_next(ull *first, ull *last)                                             \
    {                                                                                                          \
        return loop_next(first, last);                                                                         \
    }
#define LOOP(name, schedule, ordered)                                                                          \
    LONG_START(name, schedule, ordered)                                                                        \
    ULL_START(name, schedule, ordered)                                                                         \
    NEXT(name)
#define LOOP_RUNTIME(name, ordered)                                                                            \
    RUNTIME_START(name, ordered)                                                                               \
    NEXT(name)

LOOP(static, SCHEDULE_STATIC, false)
LOOP(dynamic, SCHEDULE_DYNAMIC, false)
LOOP(guided, SCHEDULE_GUIDED, false)
LOOP(nonmonotonic_dynamic, SCHEDULE_DYNAMIC, false)
LOOP(nonmonotonic_guided, SCHEDULE_GUIDED, false)
LOOP(ordered_static, SCHEDULE_STATIC, true)
LOOP(ordered_dynamic, SCHEDULE_DYNAMIC, true)
LOOP(ordered_guided, SCHEDULE_GUIDED, true)
LOOP_RUNTIME(runtime, false)
LOOP_RUNTIME(nonmonotonic_runtime, false)
LOOP_RUNTIME(maybe_nonmonotonic_runtime, false)
LOOP_RUNTIME(ordered_runtime, true)

EXPORT void GOMP_loop_end(void)
{
    team_barrier(member_self());
}

EXPORT bool GOMP_loop_end_cancel(void)
{
    team_barrier(member_self());
    return false;
}

EXPORT void GOMP_loop_end_nowait(void)
{
}

EXPORT void GOMP_ordered_start(void)
{
    struct team_member *m = member_self();

    if (m->loop.ordered)
        get_turn(&m->loop);
}

EXPORT void GOMP_ordered_end(void)
{
}

EXPORT unsigned GOMP_sections_next(void)
{
    struct team_member *m = member_self();

    return loop_take(m) ? (unsigned)m->loop.first + 1 : 0;
}

EXPORT unsigned GOMP_sections_start(unsigned count)
{
    struct team_member *m = member_self();
    bool made;

    m->loop = (struct work_loop){
        .share = share_meet(m, 0, &made), .count = count, .schedule = SCHEDULE_STATIC, .chunk = 1};
    return GOMP_sections_next();
}

EXPORT void GOMP_sections_end(void)
{
    team_barrier(member_self());
}

EXPORT bool GOMP_sections_end_cancel(void)
{
    team_barrier(member_self());
    return false;
}

EXPORT void GOMP_sections_end_nowait(void)
{
}

EXPORT bool GOMP_single_start(void)
{
    bool first;

    share_meet(member_self(), 0, &first);
    return first;
}

EXPORT void *GOMP_single_copy_start(void)
{
    struct team_member *m = member_self();
    bool first;
    struct work_share *s = share_meet(m, 0, &first);

    m->loop.share = s;
    if (first)
        return NULL;
    pthread_barrier_wait(&m->team->barrier);
    return s->copied;
}

EXPORT void GOMP_single_copy_end(void *data)
{
    struct team_member *m = member_self();

    m->loop.share->copied = data;
    if (m->team->size > 1)
        pthread_barrier_wait(&m->team->barrier);
}
