/* Looks for accesses that may be torn, by vector clocks and sets of locks. */
#include "explore/tearing.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What one thread holds: places of locks, the lowest bit of each set for shared mode. */
struct holder {
    uint64_t *locks;
    size_t locks_count, locks_capacity;
};

/* An access to a byte that somebody may tear. Of those that differ only in time the last is kept: if it comes
 * before another access, so do the others. */
struct touch_of_byte {
    uint32_t next; /* of the same byte, plus one; 1: none */
    uint32_t thread;
    uint32_t time; /* on the thread's own clock */
    uint32_t locks;
    bool writes, wide;
    size_t deed;
};

struct tearing {
    const struct deeds *deeds;
    size_t threads;
    uint32_t *clocks;                   /* of each thread: what it has seen of each */
    uint32_t *saved;                    /* clocks at writes and the like */
    size_t saved_count, saved_capacity; /* in clocks */
    struct map writers;                 /* byte → its last write's saved clock, plus one */
    struct map objects;                 /* barrier or thing done once → saved clock, plus one */
    struct map gathering;               /* barrier → clock of those that have come so far, plus one */
    struct map suspects;                /* byte → its last touch, plus one; touch 0 ends the list */
    struct touch_of_byte *touches;
    size_t touches_count, touches_capacity;
    struct holder *holders;
    struct names lock_sets;
};

static bool is_access(const struct deed *d)
{
    return d->move.kind == MOVE_READ || d->move.kind == MOVE_WRITE || d->move.kind == MOVE_ATOMIC;
}

static bool writes(const struct deed *d)
{
    return d->move.kind == MOVE_WRITE || (d->move.kind == MOVE_ATOMIC && d->changes);
}

static uint32_t *clock_of(const struct tearing *t, uint32_t thread)
{
    return t->clocks + (size_t)thread * t->threads;
}

static void join_clock(const struct tearing *t, uint32_t thread, uint32_t saved)
{
    uint32_t *clock = clock_of(t, thread);
    const uint32_t *from = t->saved + (size_t)(saved - 1) * t->threads;

    assert(saved <= t->saved_count);
    for (size_t i = 0; saved && i < t->threads; i++)
        clock[i] = from[i] > clock[i] ? from[i] : clock[i];
}

/* A copy of the thread's clock, plus one. */
static uint32_t save_clock(struct tearing *t, uint32_t thread)
{
    size_t words = (t->saved_count + 1) * t->threads;

    if (words > t->saved_capacity)
        t->saved = memory_grow(t->saved, &t->saved_capacity, words, sizeof *t->saved);
    memcpy(t->saved + t->saved_count * t->threads, clock_of(t, thread), t->threads * sizeof *t->saved);
    return (uint32_t)++t->saved_count;
}

/* One more than the largest number of a thread. */
static size_t count_threads(const struct deeds *deeds)
{
    size_t count = 1;

    for (size_t i = 0; i < deeds->deeds_count; i++) {
        const struct deed *d = &deeds->deeds[i];
        count = d->thread + 1 > count ? d->thread + 1 : count;
        if (d->move.kind == MOVE_FORK && d->move.at + 1 > count)
            count = (size_t)d->move.at + 1;
    }
    return count;
}

/* Bytes of wide accesses that several threads touch. */
static bool find_suspects(struct tearing *t)
{
    struct map owners = {0}; /* byte of a wide access → thread, plus one; UINT32_MAX: several */
    bool any = false;

    for (size_t i = 0; i < t->deeds->deeds_count; i++) {
        const struct deed *d = &t->deeds->deeds[i];
        for (uint64_t b = 0; d->wide && b < d->move.length; b++)
            *map_at(&owners, d->move.at + b) = d->thread + 1;
    }
    for (size_t i = 0; i < t->deeds->deeds_count && owners.entries; i++) {
        const struct deed *d = &t->deeds->deeds[i];
        for (uint64_t b = 0; is_access(d) && b < d->move.length; b++) {
            uint32_t owner = map_get(&owners, d->move.at + b);
            if (owner && owner != d->thread + 1) {
                *map_at(&t->suspects, d->move.at + b) = 1;
                any = true;
            }
        }
    }
    map_free(&owners);
    return any;
}

static void take_lock(struct holder *h, uint64_t lock)
{
    ARRAY_PUSH(h, locks, lock);
}

static void give_lock(struct holder *h, uint64_t lock)
{
    for (size_t i = h->locks_count; i-- > 0;)
        if (h->locks[i] == lock) {
            memmove(h->locks + i, h->locks + i + 1, (h->locks_count - i - 1) * sizeof *h->locks);
            h->locks_count--;
            return;
        }
}

static uint32_t lock_set(struct tearing *t, uint32_t thread)
{
    const struct holder *h = &t->holders[thread];

    return names_add(&t->lock_sets, h->locks ? (const char *)h->locks : "", h->locks_count * sizeof *h->locks);
}

/* Whether a lock that both hold, one of them in exclusive mode, keeps them apart. */
static bool tear_share_lock(const struct tearing *t, uint32_t a, uint32_t b)
{
    size_t m = names_length(&t->lock_sets, a) / sizeof(uint64_t),
           n = names_length(&t->lock_sets, b) / sizeof(uint64_t);

    assert(names_length(&t->lock_sets, a) % sizeof(uint64_t) == 0);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            uint64_t x, y;
            memcpy(&x, names_text(&t->lock_sets, a) + i * sizeof x, sizeof x);
            memcpy(&y, names_text(&t->lock_sets, b) + j * sizeof y, sizeof y);
            if (x / 2 == y / 2 && !(x & y & 1))
                return true;
        }
    return false;
}

static void follow_locks(struct tearing *t, const struct deed *d)
{
    struct holder *h = &t->holders[d->thread];
    uint64_t lock = d->move.at * 2;

    switch (d->move.kind) {
    case MOVE_ACQUIRE:
    case MOVE_WAKE:
        take_lock(h, lock);
        break;
    case MOVE_SHARED_ACQUIRE:
        take_lock(h, lock | 1);
        break;
    case MOVE_TRY:
    case MOVE_TIMED:
        if (d->result)
            take_lock(h, lock | (d->move.value != 0));
        break;
    case MOVE_RELEASE:
        give_lock(h, lock);
        break;
    case MOVE_SHARED_RELEASE:
        give_lock(h, lock | 1);
        break;
    default:
        break;
    }
}

/* The last one to come to a barrier lets all go on. */
static void enter_barrier(struct tearing *t, const struct deed *d)
{
    uint32_t *gathered = map_at(&t->gathering, d->move.at), so_far = *gathered;
    uint32_t *clock = clock_of(t, d->thread), *own = memory_new(t->threads, sizeof *own);

    memcpy(own, clock, t->threads * sizeof *own);
    join_clock(t, d->thread, so_far);
    *gathered = save_clock(t, d->thread);
    if (d->result) {
        *map_at(&t->objects, d->move.at) = *gathered;
        *map_at(&t->gathering, d->move.at) = 0;
    }
    memcpy(clock_of(t, d->thread), own, t->threads * sizeof *own);
    free(own);
}

static void follow_order(struct tearing *t, const struct deed *d)
{
    switch (d->move.kind) {
    case MOVE_FORK:
        join_clock(t, (uint32_t)d->move.at, save_clock(t, d->thread));
        break;
    case MOVE_JOIN:
        join_clock(t, d->thread, save_clock(t, (uint32_t)d->move.at));
        break;
    case MOVE_ENTER:
        enter_barrier(t, d);
        break;
    case MOVE_ONCE_DONE:
        *map_at(&t->objects, d->move.at) = save_clock(t, d->thread);
        break;
    case MOVE_LEAVE:
    case MOVE_ONCE:
        join_clock(t, d->thread, map_get(&t->objects, d->move.at));
        break;
    default:
        break;
    }
}

/* Whether the access may come into the middle of one before it, or the other way round. */
static const struct touch_of_byte *find_conflict(const struct tearing *t, const struct deed *d, uint32_t locks,
                                                 uint64_t byte)
{
    const uint32_t *clock = clock_of(t, d->thread);

    for (uint32_t i = map_get(&t->suspects, byte); i > 1; i = t->touches[i - 1].next) {
        const struct touch_of_byte *o = &t->touches[i - 1];
        if (o->thread != d->thread && (o->wide || d->wide) && (o->writes || writes(d)) &&
            o->time > clock[o->thread] && !tear_share_lock(t, o->locks, locks))
            return o;
    }
    return NULL;
}

static void keep_touch(struct tearing *t, const struct deed *d, uint32_t locks, uint64_t byte, size_t deed)
{
    uint32_t first = map_get(&t->suspects, byte), time = clock_of(t, d->thread)[d->thread];
    struct touch_of_byte new = {.next = first,
                                .thread = d->thread,
                                .time = time,
                                .locks = locks,
                                .writes = writes(d),
                                .wide = d->wide,
                                .deed = deed};

    assert(first >= 1 && first <= t->touches_count);
    for (uint32_t i = first; i > 1; i = t->touches[i - 1].next) {
        struct touch_of_byte *o = &t->touches[i - 1];
        if (o->thread == new.thread && o->locks == locks && o->writes == new.writes && o->wide == new.wide) {
            o->time = time;
            return;
        }
    }
    ARRAY_PUSH(t, touches, new);
    *map_at(&t->suspects, byte) = (uint32_t)t->touches_count;
}

/* Returns the access that may be torn, plus one; 0: none. */
static size_t follow_access(struct tearing *t, const struct deed *d, size_t index)
{
    uint32_t locks = lock_set(t, d->thread);
    size_t torn = 0;

    assert(d->thread < t->threads);
    clock_of(t, d->thread)[d->thread]++;
    for (uint64_t b = 0; b < d->move.length && !torn; b++) {
        const struct touch_of_byte *o;
        if (!map_get(&t->suspects, d->move.at + b))
            continue;
        o = find_conflict(t, d, locks, d->move.at + b);
        if (o)
            torn = (d->wide ? index : o->deed) + 1;
        keep_touch(t, d, locks, d->move.at + b, index);
    }
    for (uint64_t b = 0; d->move.kind != MOVE_WRITE && b < d->move.length; b++)
        join_clock(t, d->thread, map_get(&t->writers, d->move.at + b));
    if (writes(d)) {
        uint32_t saved = save_clock(t, d->thread);
        for (uint64_t b = 0; b < d->move.length; b++)
            *map_at(&t->writers, d->move.at + b) = saved;
    }
    return torn;
}

size_t tearing_find(const struct deeds *deeds)
{
    struct tearing t = {.deeds = deeds, .threads = count_threads(deeds)};
    size_t torn = 0;

    if (find_suspects(&t)) {
        t.clocks = memory_new(t.threads * t.threads, sizeof *t.clocks);
        t.holders = memory_new(t.threads, sizeof *t.holders);
        names_init(&t.lock_sets);
        ARRAY_PUSH(&t, touches, (struct touch_of_byte){0});
        for (size_t i = 0; i < deeds->deeds_count && !torn; i++) {
            const struct deed *d = &deeds->deeds[i];
            follow_locks(&t, d);
            if (is_access(d))
                torn = follow_access(&t, d, i);
            else
                follow_order(&t, d);
        }
        names_free(&t.lock_sets);
    }
    for (size_t i = 0; t.holders && i < t.threads; i++)
        free(t.holders[i].locks);
    free(t.holders);
    free(t.clocks);
    free(t.saved);
    free(t.touches);
    map_free(&t.writers);
    map_free(&t.objects);
    map_free(&t.gathering);
    map_free(&t.suspects);
    return torn;
}
