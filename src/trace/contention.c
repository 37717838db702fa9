/* Follows the holders of each lock through the run and counts the events that pass while threads wait. */
#include "trace/contention.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

struct lock_watch {
    size_t taken;       /* the event that took it last when it was free */
    size_t released;    /* the last event that gave it back */
    thread_id releaser; /* whose event that was */
    location_id taken_at;
    uint32_t depth; /* acquires not yet given back, of all threads */
};

struct waiter_watch {
    size_t last; /* the thread's previous event; 0: none */
    size_t wait; /* the waitpre it has not come back from; 0: none */
};

struct contention_walk {
    const struct trace *trace;
    struct lock_watch *locks;
    struct waiter_watch *threads;
    struct contended_object *of_lock, *of_condition;
    struct contention *result;
};

static void add_wait(struct contention_walk *walk, uint32_t object, size_t event, uint64_t waited,
                     location_id holder)
{
    assert(waited < event);
    ARRAY_PUSH(walk->result, places,
               (struct contended_place){.object = object,
                                        .place = walk->trace->location[event],
                                        .holder = holder,
                                        .waiter = walk->trace->thread[event],
                                        .waits = 1,
                                        .waited = waited,
                                        .longest = waited});
}

static void take(struct contention_walk *walk, size_t event)
{
    const struct trace *trace = walk->trace;
    struct waiter_watch *self = &walk->threads[trace->thread[event]];
    struct lock_watch *lock = &walk->locks[trace->arg[event]];
    struct contended_object *object = &walk->of_lock[trace->arg[event]];

    object->taken++;
    if (!self->wait && lock->released > self->last && lock->releaser != trace->thread[event]) {
        size_t since = self->last > lock->taken ? self->last : lock->taken;
        add_wait(walk, trace->arg[event], event, lock->released - since, lock->taken_at);
    }
    if (lock->depth++ == 0) {
        lock->taken = event;
        lock->taken_at = trace->location[event];
    }
}

static void give_back(struct contention_walk *walk, size_t event)
{
    const struct trace *trace = walk->trace;
    struct lock_watch *lock = &walk->locks[trace->arg[event]];

    if (lock->depth == 0 || --lock->depth > 0) // a trace may begin while the lock is held
        return;
    walk->of_lock[trace->arg[event]].held += event - lock->taken;
    lock->released = event;
    lock->releaser = trace->thread[event];
}

static void follow(struct contention_walk *walk, size_t event)
{
    const struct trace *trace = walk->trace;
    struct waiter_watch *self = &walk->threads[trace->thread[event]];

    switch (trace_kind(trace, event)) {
    case EVENT_ACQUIRE:
    case EVENT_SHARED_ACQUIRE:
        take(walk, event);
        break;
    case EVENT_RELEASE:
    case EVENT_SHARED_RELEASE:
        give_back(walk, event);
        break;
    case EVENT_WAIT_PRE:
        self->wait = event;
        break;
    case EVENT_WAIT_POST:
        walk->of_condition[trace->arg[event]].taken++;
        if (self->wait)
            add_wait(walk, (uint32_t)(walk->of_condition - walk->of_lock) + trace->arg[event], event,
                     self->last - self->wait, NAME_NONE);
        self->wait = 0;
        break;
    default:
        break;
    }
    self->last = event;
}

static int compare_waits(const void *left, const void *right)
{
    const struct contended_place *a = left, *b = right;

    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->longest < b->longest) - (a->longest > b->longest);
}

/* Single waits become places: those of one object and place lie together, the longest first. */
static void gather_places(struct contention *result)
{
    struct contended_place *places = result->places;
    size_t kept = 0;

    if (result->places_count > 1)
        qsort(places, result->places_count, sizeof *places, compare_waits);
    for (size_t i = 0; i < result->places_count; i++) {
        if (kept > 0 && places[kept - 1].object == places[i].object &&
            places[kept - 1].place == places[i].place) {
            places[kept - 1].waits++;
            places[kept - 1].waited += places[i].waited;
        } else {
            places[kept++] = places[i];
        }
    }
    result->places_count = kept;
}

static int compare_places(const void *left, const void *right)
{
    const struct contended_place *a = left, *b = right;

    if (a->waited != b->waited)
        return a->waited < b->waited ? 1 : -1;
    return (a->place > b->place) - (a->place < b->place);
}

static void sum_up(struct contention *result, struct contended_object *object, size_t *next)
{
    struct contended_place *first = result->places + *next;

    object->places = first;
    for (; *next < result->places_count && &result->objects[result->places[*next].object] == object; ++*next) {
        const struct contended_place *place = &result->places[*next];
        object->waits += place->waits;
        object->waited += place->waited;
        if (place->longest > object->longest)
            object->longest = place->longest;
        object->places_count++;
    }
    if (object->places_count > 1)
        qsort(first, object->places_count, sizeof *first, compare_places);
    result->waited += object->waited;
}

static int compare_objects(const void *left, const void *right)
{
    const struct contended_object *a = left, *b = right;

    if (a->waited != b->waited)
        return a->waited < b->waited ? 1 : -1;
    if (a->taken != b->taken)
        return a->taken < b->taken ? 1 : -1;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

void contention_find(const struct trace *trace, struct contention *result)
{
    size_t locks = trace_names(trace, NAME_LOCK), conditions = trace_names(trace, NAME_CONDITION);
    struct contention_walk walk = {
        .trace = trace,
        .locks = memory_new(locks, sizeof *walk.locks),
        .threads = memory_new(trace_names(trace, NAME_THREAD), sizeof *walk.threads),
        .of_lock = memory_new(locks + conditions, sizeof *walk.of_lock),
        .result = result,
    };

    walk.of_condition = walk.of_lock + locks;
    *result = (struct contention){.objects = walk.of_lock, .objects_count = locks + conditions};
    for (size_t e = 1; e <= trace->count; e++)
        follow(&walk, e);
    gather_places(result);
    for (size_t i = 0, next = 0; i < result->objects_count; i++) {
        struct contended_object *object = &result->objects[i];
        object->class = i < locks ? NAME_LOCK : NAME_CONDITION;
        object->id = (uint32_t)(i < locks ? i : i - locks);
        sum_up(result, object, &next);
    }
    if (result->objects_count > 1)
        qsort(result->objects, result->objects_count, sizeof *result->objects, compare_objects);
    free(walk.locks);
    free(walk.threads);
}

void contention_free(struct contention *result)
{
    free(result->places);
    free(result->objects);
}
