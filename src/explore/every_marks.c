/* Which steps of a run others may notice, and which of them may change places. */
#include "explore/every_marks.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define WRITTEN (1u << 31)

/* Where no memory is: all output is one object. */
#define OUTPUT UINT64_MAX

static bool is_access(const struct deed *d)
{
    return d->move.kind <= MOVE_ATOMIC;
}

static bool is_shared(uint32_t touched)
{
    uint32_t threads = touched & ~WRITTEN;

    return touched & WRITTEN && threads & (threads - 1);
}

bool every_note_touched(const struct deeds *deeds, struct map *shared)
{
    bool more = false;

    for (size_t i = 0; i < deeds->deeds_count; i++) {
        const struct deed *d = &deeds->deeds[i];
        for (uint64_t b = 0; is_access(d) && b < d->move.length; b++) {
            uint32_t *touched = map_at(shared, d->move.at + b), before = *touched;
            *touched |= UINT32_C(1) << (d->thread % 31) | (d->move.kind == MOVE_READ ? 0 : WRITTEN);
            more |= is_shared(*touched) && !is_shared(before);
        }
    }
    return more;
}

static bool is_noticed(const struct map *shared, const struct deed *d)
{
    if (!is_access(d))
        return d->move.kind != MOVE_FENCE && d->move.kind != MOVE_INPUT && d->move.kind != MOVE_LEAVE;
    for (uint64_t b = 0; b < d->move.length; b++)
        if (is_shared(map_get(shared, d->move.at + b)))
            return true;
    return false;
}

static uint8_t deed_kind(const struct deed *d)
{
    return d->move.kind == MOVE_WAIT || d->move.kind == MOVE_WAKE || d->move.kind == MOVE_RESUME ||
                   d->move.kind == MOVE_ENTER
               ? (uint8_t)d->move.kind
               : MOVE_READ;
}

/* What the deed touches; false: nobody knows. */
static bool touch_of(const struct deed *d, struct every_touch *to)
{
    *to = (struct every_touch){.at = d->move.at, .length = 1, .how = TOUCH_WRITE};
    switch (d->move.kind) {
    case MOVE_READ:
    case MOVE_WRITE:
    case MOVE_ATOMIC:
        to->length = d->move.length;
        to->how = d->move.kind == MOVE_READ || (d->move.kind == MOVE_ATOMIC && !d->changes) ? TOUCH_READ
                                                                                            : TOUCH_WRITE;
        return true;
    case MOVE_ACQUIRE:
        to->how = TOUCH_TAKE;
        return true;
    case MOVE_FORK:
        to->how = TOUCH_FORK;
        return true;
    case MOVE_JOIN:
        to->how = TOUCH_JOIN;
        return true;
    case MOVE_OUTPUT:
        to->at = OUTPUT;
        return true;
    case MOVE_WAIT:
    case MOVE_WAKE:
        return d->move.value != 1; /* with a time-out, it touches the time */
    case MOVE_TRY:
    case MOVE_RELEASE:
    case MOVE_SHARED_ACQUIRE:
    case MOVE_SHARED_RELEASE:
    case MOVE_POST:
    case MOVE_TAKE:
    case MOVE_TAKE_TRY:
    case MOVE_COUNT:
    case MOVE_ONCE:
    case MOVE_ONCE_DONE:
    case MOVE_NEW:
    case MOVE_WOKEN:
    case MOVE_NOTIFY:
    case MOVE_NOTIFY_ALL:
    case MOVE_ENTER:
    case MOVE_RESUME:
    case MOVE_COUNT_DOWN:
    case MOVE_AWAIT:
        return true;
    default:
        return false;
    }
}

/* The thread's last mark, plus one; 0: it has none. */
static size_t last_mark(const struct every_marks *m, uint32_t thread)
{
    size_t i = m->marks_count;

    while (i > 0 && m->marks[i - 1].thread != thread)
        i--;
    return i;
}

/* What the mark touches, too. `condition`: what the thread waited for last. */
static void add_touch(struct every_marks *to, size_t mark, const struct deed *d, uint64_t condition)
{
    struct every_touch touch;
    bool take = d->move.kind == MOVE_ACQUIRE || (d->move.kind == MOVE_TRY && d->result == 1 && !d->move.value);

    assert(mark < to->marks_count && to->marks[mark].thread == d->thread);
    if (mark + 1 == to->marks_count && touch_of(d, &touch)) {
        ARRAY_PUSH(to, touches, touch);
        to->marks[mark].touches_count++;
        if (d->move.kind == MOVE_WAKE) {
            touch.at = condition;
            ARRAY_PUSH(to, touches, touch);
            to->marks[mark].touches_count++;
        }
    } else {
        to->marks[mark].vague = true;
    }
    if (take || d->move.kind == MOVE_RELEASE || d->move.kind == MOVE_NEW)
        ARRAY_PUSH(to, locks,
                   (struct every_lock){d->move.at, mark, d->thread, take ? MOVE_ACQUIRE : d->move.kind});
}

static void add_mark(struct every_marks *to, uint32_t thread, uint64_t position, uint8_t kind)
{
    struct every_mark new = {
        .thread = thread, .position = position, .kind = kind, .touches = to->touches_count};

    ARRAY_PUSH(to, marks, new);
}

/* A thread of a Java program has records after its last step, which it must be let make to end. */
static void extend_last(struct every_marks *to, uint32_t thread, uint64_t position)
{
    size_t last = last_mark(to, thread);

    if (last == 0)
        add_mark(to, thread, position, MOVE_READ);
    else
        to->marks[last - 1].position = position;
}

void every_marks_of(const struct deeds *deeds, enum lesson_end end, bool java, const struct map *shared,
                    struct every_marks *to)
{
    uint64_t positions[EXPLORE_THREADS] = {0}, marked[EXPLORE_THREADS] = {0}, waited[EXPLORE_THREADS] = {0};

    memset(to, 0, sizeof *to);
    for (size_t i = 0; i < deeds->deeds_count; i++) {
        const struct deed *d = &deeds->deeds[i];
        size_t last;
        bool again = d->move.kind == MOVE_WAKE || d->move.kind == MOVE_RESUME;
        assert(d->thread < EXPLORE_THREADS);
        positions[d->thread] += d->move.ticks;
        if (d->move.kind == MOVE_END) {
            to->ended |= UINT64_C(1) << d->thread;
            if (java)
                extend_last(to, d->thread, positions[d->thread]);
            continue;
        }
        if (!is_noticed(shared, d))
            continue;
        if (d->move.kind == MOVE_WAIT)
            waited[d->thread] = d->move.at;
        if (marked[d->thread] != positions[d->thread] || again)
            add_mark(to, d->thread, positions[d->thread], deed_kind(d));
        else if (d->move.kind == MOVE_WAIT && d->move.value == WAIT_AT_FUTEX)
            to->marks[to->marks_count - 1].kind = MOVE_WAIT; /* the look at the word before it is the step */
        marked[d->thread] = positions[d->thread];
        last = last_mark(to, d->thread);
        if (last > 0) {
            add_touch(to, last - 1, d, waited[d->thread]);
            to->marks[last - 1].repeats |= d->repeats;
        }
    }
    if (end == LESSON_EXIT && !deeds->ended) { /* the end of the process is a step, too */
        add_mark(to, deeds->last, UINT64_MAX, MOVE_READ);
        to->marks[to->marks_count - 1].vague = true;
    }
    for (size_t i = 0; i < deeds->stuck_count; i++)
        if (deeds->stuck[i].move.value == STUCK_JOIN && deeds->stuck[i].thread < EXPLORE_THREADS)
            to->awaits[deeds->stuck[i].thread] = (uint32_t)deeds->stuck[i].move.at + 1;
}

void every_marks_free(struct every_marks *m)
{
    free(m->marks);
    free(m->touches);
    free(m->locks);
    memset(m, 0, sizeof *m);
}

const struct every_mark *every_next(const struct every_marks *m, size_t count, uint32_t thread)
{
    for (size_t i = count; i < m->marks_count; i++)
        if (m->marks[i].thread == thread)
            return &m->marks[i];
    return NULL;
}

/* Whether the thread is created by a mark from the one of that number on. */
static bool created_from(const struct every_marks *m, size_t count, uint32_t thread)
{
    for (size_t i = count; i < m->marks_count; i++)
        for (size_t k = 0; k < m->marks[i].touches_count; k++) {
            const struct every_touch *touch = &m->touches[m->marks[i].touches + k];
            if (touch->how == TOUCH_FORK && touch->at == thread)
                return true;
        }
    return false;
}

/* Whether another thread holds the lock after the first `count` marks. */
static bool held_by_another(const struct every_marks *m, size_t count, uint64_t at, uint32_t thread)
{
    uint32_t depths[EXPLORE_THREADS] = {0};

    for (size_t i = 0; i < m->locks_count && m->locks[i].mark < count; i++) {
        const struct every_lock *l = &m->locks[i];
        if (l->at != at)
            continue;
        if (l->kind == MOVE_NEW)
            memset(depths, 0, sizeof depths);
        else if (l->kind == MOVE_ACQUIRE)
            depths[l->thread]++;
        else if (depths[l->thread] > 0)
            depths[l->thread]--;
    }
    for (uint32_t t = 0; t < EXPLORE_THREADS; t++)
        if (t != thread && depths[t] > 0)
            return true;
    return false;
}

static bool has_ended(const struct every_marks *m, size_t count, uint64_t thread)
{
    return thread < EXPLORE_THREADS && m->ended >> thread & 1 && !every_next(m, count, (uint32_t)thread);
}

bool every_may_go(const struct every_marks *m, size_t count, uint32_t thread)
{
    const struct every_mark *next = every_next(m, count, thread);

    assert(thread < EXPLORE_THREADS);
    if (created_from(m, count, thread))
        return false;
    if (!next)
        return !(m->ended >> thread & 1) && !m->awaits[thread];
    for (size_t i = 0; i < next->touches_count; i++) {
        const struct every_touch *touch = &m->touches[next->touches + i];
        if (touch->how == TOUCH_JOIN && !has_ended(m, count, touch->at))
            return false;
        if (touch->how == TOUCH_TAKE && held_by_another(m, count, touch->at, thread))
            return false;
    }
    return true;
}

static bool touches_clash(const struct every_touch *a, const struct every_touch *b)
{
    bool threads = a->how >= TOUCH_FORK;

    if (threads != (b->how >= TOUCH_FORK) || (a->how == TOUCH_READ && b->how == TOUCH_READ))
        return false;
    return a->at - b->at < b->length || b->at - a->at < a->length;
}

bool every_commute(const struct every_marks *of_a, const struct every_mark *a, const struct every_marks *of_b,
                   const struct every_mark *b)
{
    assert(a->thread != b->thread);
    if (a->vague || b->vague)
        return false;
    for (size_t i = 0; i < a->touches_count; i++)
        for (size_t k = 0; k < b->touches_count; k++)
            if (touches_clash(&of_a->touches[a->touches + i], &of_b->touches[b->touches + k]))
                return false;
    return true;
}
