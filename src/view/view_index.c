/* The summary of a trace for `heddle view`, built in one walk over its file. */
#include "view/view_index.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct index_builder {
    struct view_index *index;
    struct lock_follower follower;
    struct lane_cell *now; /* by thread: of the stretch so far; without events: not in it */
    size_t now_capacity;
    thread_id *active; /* threads of the stretch */
    size_t active_count, active_capacity;
    struct lock_cell *cells; /* locks of the stretch that were given back in it */
    size_t cells_count, cells_capacity;
};

void lock_follower_free(struct lock_follower *f)
{
    free(f->locks);
    free(f->list);
    *f = (struct lock_follower){0};
}

static struct followed_lock *follow_at(struct lock_follower *f, uint32_t lock)
{
    size_t had = f->locks_capacity;

    if (lock >= f->locks_capacity) {
        f->locks = memory_grow(f->locks, &f->locks_capacity, (size_t)lock + 1, sizeof *f->locks);
        memset(f->locks + had, 0, (f->locks_capacity - had) * sizeof *f->locks);
    }
    return &f->locks[lock];
}

static void list_lock(struct lock_follower *f, uint32_t lock)
{
    ARRAY_PUSH(f, list, lock);
    f->locks[lock].place = (uint32_t)f->list_count;
}

static void unlist_lock(struct lock_follower *f, uint32_t lock)
{
    uint32_t place = f->locks[lock].place, last = f->list[f->list_count - 1];

    assert(place > 0 && f->list[place - 1] == lock);
    f->list[place - 1] = last;
    f->locks[last].place = place;
    f->locks[lock].place = 0;
    f->list_count--;
}

enum lock_change lock_follow(struct lock_follower *f, const struct trace *window, size_t i, uint64_t number)
{
    enum event_kind kind = trace_kind(window, i);
    bool takes = kind == EVENT_ACQUIRE || kind == EVENT_SHARED_ACQUIRE;
    bool shared = kind == EVENT_SHARED_ACQUIRE || kind == EVENT_SHARED_RELEASE;
    struct followed_lock *lock;
    uint32_t *depth;

    if (!takes && kind != EVENT_RELEASE && kind != EVENT_SHARED_RELEASE)
        return LOCK_SAME;
    lock = follow_at(f, window->arg[i]);
    depth = shared ? &lock->readers : &lock->exclusive;
    if (takes) {
        bool first = lock->exclusive + lock->readers == 0;
        ++*depth;
        if (!first)
            return LOCK_SAME;
        lock->owner = window->thread[i];
        lock->before = number - 1;
        list_lock(f, window->arg[i]);
        return LOCK_TAKEN;
    }
    assert(*depth > 0); /* the trace is possible */
    --*depth;
    if (lock->exclusive + lock->readers > 0)
        return LOCK_SAME;
    unlist_lock(f, window->arg[i]);
    return LOCK_GIVEN_BACK;
}

void lock_follow_from(struct lock_follower *f, const struct view_index *index, size_t block)
{
    for (size_t i = index->blocks[block].held; i < index->blocks[block + 1].held; i++) {
        const struct held_lock *held = &index->held[i];
        struct followed_lock *lock = follow_at(f, held->lock);
        if (lock->place == 0)
            list_lock(f, held->lock);
        lock->owner = held->owner;
        lock->exclusive += !held->shared;
        lock->readers += held->shared;
        lock->before = 0;
    }
}

static void note_held(struct index_builder *b)
{
    for (size_t i = 0; i < b->follower.list_count; i++) {
        const struct followed_lock *lock = &b->follower.locks[b->follower.list[i]];
        for (uint32_t depth = 0; depth < lock->exclusive + lock->readers; depth++)
            ARRAY_PUSH(b->index, held,
                       (struct held_lock){b->follower.list[i], lock->owner, depth >= lock->exclusive});
    }
}

static size_t filter_bit(enum name_class class, uint32_t id)
{
    return (id * 0x9e3779b1u + (uint32_t) class * 0x85ebca6bu) >> 20;
}

_Static_assert(FILTER_BITS == 1 << 12, "filter_bit gives twelve bits");

bool view_block_may_have(const struct view_index *index, size_t block, enum name_class class, uint32_t id)
{
    size_t bit = filter_bit(class, id);

    return index->blocks[block].filter[bit / 64] >> bit % 64 & 1;
}

static void note_filter(struct view_block *block, enum name_class class, uint32_t id)
{
    size_t bit = filter_bit(class, id);

    block->filter[bit / 64] |= UINT64_C(1) << bit % 64;
}

static int by_thread(const void *a, const void *b)
{
    const struct lane_cell *x = a, *y = b;

    return (x->thread > y->thread) - (x->thread < y->thread);
}

static int by_lock(const void *a, const void *b)
{
    const struct lock_cell *x = a, *y = b;

    return (x->lock > y->lock) - (x->lock < y->lock);
}

static int longest_first(const void *a, const void *b)
{
    const struct lock_cell *x = a, *y = b;

    return x->held != y->held ? (x->held < y->held) - (x->held > y->held) : by_lock(a, b);
}

/* Adds up what is of one lock; keeps those held longest. */
static void end_locks(struct index_builder *b)
{
    size_t kept = 0;

    if (b->cells_count == 0)
        return;
    qsort(b->cells, b->cells_count, sizeof *b->cells, by_lock);
    for (size_t i = 0; i < b->cells_count; i++) {
        if (kept > 0 && b->cells[kept - 1].lock == b->cells[i].lock) {
            b->cells[kept - 1].held += b->cells[i].held;
            b->cells[kept - 1].owner = b->cells[i].owner;
        } else {
            b->cells[kept++] = b->cells[i];
        }
    }
    qsort(b->cells, kept, sizeof *b->cells, longest_first);
    for (size_t i = 0; i < kept && i < STRETCH_LOCKS; i++)
        ARRAY_PUSH(b->index, locks, b->cells[i]);
    b->cells_count = 0;
}

static void add_lock(struct index_builder *b, uint32_t lock, uint64_t until)
{
    const struct followed_lock *l = &b->follower.locks[lock];

    assert(until >= l->before);
    ARRAY_PUSH(b, cells, (struct lock_cell){lock, l->owner, (uint32_t)(until - l->before)});
}

/* The stretch ends after event `number`. */
static void end_stretch(struct index_builder *b, uint64_t number)
{
    struct view_index *x = b->index;
    size_t first = x->lanes_count;

    for (size_t i = 0; i < b->follower.list_count; i++) {
        add_lock(b, b->follower.list[i], number);
        b->follower.locks[b->follower.list[i]].before = number;
    }
    end_locks(b);
    for (size_t i = 0; i < b->active_count; i++) {
        ARRAY_PUSH(x, lanes, b->now[b->active[i]]);
        b->now[b->active[i]] = (struct lane_cell){0};
    }
    assert(b->active_count > 0);
    qsort(x->lanes + first, x->lanes_count - first, sizeof *x->lanes, by_thread);
    b->active_count = 0;
    x->stretches++;
    assert(x->stretches <= STRETCHES_MOST);
    x->stretch_lanes[x->stretches] = x->lanes_count;
    x->stretch_locks[x->stretches] = x->locks_count;
}

static void count_event(struct index_builder *b, const struct trace *window, size_t i)
{
    thread_id thread = window->thread[i];
    size_t had = b->now_capacity;

    if (thread >= b->now_capacity) {
        b->now = memory_grow(b->now, &b->now_capacity, (size_t)thread + 1, sizeof *b->now);
        memset(b->now + had, 0, (b->now_capacity - had) * sizeof *b->now);
    }
    struct lane_cell *cell = &b->now[thread];
    if (cell->accesses + cell->others == 0) {
        cell->thread = thread;
        ARRAY_PUSH(b, active, thread);
    }
    if (kind_accesses(trace_kind(window, i)))
        cell->accesses++;
    else
        cell->others++;
}

/* Stretches are as long as it takes for the file's events to fit. */
static void choose_stretch(struct view_index *x, const struct htr_ranges *ranges)
{
    x->shift = 6;
    while (htr_ranges_events(ranges) >> x->shift >= STRETCHES_MOST)
        x->shift++;
    x->blocks = memory_new(htr_ranges_blocks(ranges) + 1, sizeof *x->blocks);
}

static void visit(void *context, const struct htr_ranges *ranges, const struct htr_window *window)
{
    struct index_builder *b = context;
    struct view_index *x = b->index;
    const struct trace *t = window->events;

    if (!x->blocks)
        choose_stretch(x, ranges);
    struct view_block *block = &x->blocks[x->blocks_count++];
    memset(block->filter, 0, sizeof block->filter);
    block->held = x->held_count;
    note_held(b);
    x->blocks[x->blocks_count].held = x->held_count;
    for (size_t i = 1; i <= t->count; i++) {
        uint64_t number = window->before + i;
        enum name_class class = kind_argument(trace_kind(t, i));

        count_event(b, t, i);
        if (class < NAME_CLASSES && t->arg[i] != ARG_NONE)
            note_filter(block, class, t->arg[i]);
        if (t->location[i] != NAME_NONE)
            note_filter(block, NAME_LOCATION, t->location[i]);
        if (lock_follow(&b->follower, t, i, number) == LOCK_GIVEN_BACK)
            add_lock(b, t->arg[i], number);
        if ((number & ((UINT64_C(1) << x->shift) - 1)) == 0)
            end_stretch(b, number);
    }
}

enum status view_index_open(struct view_index *x, const char *path, const struct trace_limits *limits,
                            struct error *err)
{
    struct index_builder b = {.index = x};
    enum status status;

    *x = (struct view_index){.stretch_lanes = memory_new(STRETCHES_MOST + 2, sizeof *x->stretch_lanes),
                             .stretch_locks = memory_new(STRETCHES_MOST + 2, sizeof *x->stretch_locks)};
    x->stretch_lanes[0] = x->stretch_locks[0] = 0;
    status = htr_ranges_open(&x->file, path, limits, visit, &b, err);
    if (status == HEDDLE_OK && b.active_count > 0)
        end_stretch(&b, htr_ranges_events(x->file));
    lock_follower_free(&b.follower);
    free(b.now);
    free(b.active);
    free(b.cells);
    if (status != HEDDLE_OK)
        view_index_close(x);
    return status;
}

void view_index_close(struct view_index *x)
{
    htr_ranges_close(x->file);
    free(x->stretch_lanes);
    free(x->stretch_locks);
    free(x->lanes);
    free(x->locks);
    free(x->blocks);
    free(x->held);
    *x = (struct view_index){0};
}
