/* The meaning of a trace, part one: program order, which write a read sees, which thread holds a lock. */
#include "certify/certify_parts.h"

#include <assert.h>
#include <stdlib.h>

uint32_t starts_from_counts(uint32_t *start, size_t groups)
{
    for (size_t g = 0; g < groups; g++)
        start[g + 1] += start[g];
    return start[groups];
}

void index_threads(struct certify_index *index)
{
    const struct trace *trace = index->trace;
    uint32_t *next = memory_new(index->thread_count, sizeof *next);

    index->thread_start = memory_new(index->thread_count + 1, sizeof *index->thread_start);
    for (uint32_t e = 1; e <= index->count; e++)
        index->thread_start[trace->thread[e] + 1]++;
    index->thread_events =
        memory_new(starts_from_counts(index->thread_start, index->thread_count), sizeof *index->thread_events);
    for (size_t t = 0; t < index->thread_count; t++)
        next[t] = index->thread_start[t];
    for (uint32_t e = 1; e <= index->count; e++) {
        thread_id t = trace->thread[e];
        if (next[t] > index->thread_start[t])
            index->before[e] = index->thread_events[next[t] - 1];
        index->thread_events[next[t]++] = e;
    }
    free(next);
}

/* The initial value of a variable is what a plain or atomic load got of it; an rmw or cas records what it
 * wrote. */
static void note_initial_value(struct certify_index *index, uint32_t e)
{
    const struct trace *trace = index->trace;
    uint32_t *reader = &index->initial_reader[trace->arg[e]];

    if (!kind_updates(trace_kind(trace, e)) && trace->value_tag[e] != VALUE_NONE && *reader == 0 &&
        source_of(index, e) == EVENT_INIT)
        *reader = e;
}

void index_accesses(struct certify_index *index)
{
    const struct trace *trace = index->trace;
    uint32_t *start = memory_new(index->variable_count + 1, sizeof *start), *next;

    for (uint32_t e = 1; e <= index->count; e++)
        if (kind_writes(trace_kind(trace, e)))
            start[trace->arg[e] + 1]++;
    index->write_start = start;
    index->writes = memory_new(starts_from_counts(start, index->variable_count), sizeof *index->writes);
    if (trace->value_tag)
        index->initial_reader = memory_new(index->variable_count, sizeof *index->initial_reader);

    next = memory_new(index->variable_count, sizeof *next);
    for (size_t x = 0; x < index->variable_count; x++)
        next[x] = start[x];
    for (uint32_t e = 1; e <= index->count; e++) {
        enum event_kind kind = trace_kind(trace, e);
        if (!kind_accesses(kind))
            continue;
        index->detail[e] = next[trace->arg[e]];
        if (trace->value_tag && kind_reads(kind))
            note_initial_value(index, e);
        if (kind_writes(kind))
            index->writes[next[trace->arg[e]]++] = e;
    }
    free(next);
}

/* A lock while the trace is gone through. */
struct lock_then {
    thread_id owner;  /* NOBODY while depth is 0 */
    uint32_t depth;   /* of the owner's exclusive hold */
    uint32_t readers; /* threads */
    uint32_t next;    /* free slot in `holds` */
    uint32_t blocker; /* the entry of the current exclusive section in `blockers`; 0 until a tryfail needs it */
    uint32_t since;   /* the acquire that began it */
};

struct lock_pass {
    struct certify_index *index;
    struct lock_then *locks;
    struct map reading; /* (lock, thread) → depth of the shared hold */
};

static uint32_t also_reader(const struct lock_pass *pass, const struct lock_then *lock, uint32_t e)
{
    const struct trace *trace = pass->index->trace;

    return lock->readers > 0 && map_get(&pass->reading, map_pair(trace->arg[e], trace->thread[e])) > 0;
}

/* Whether the event changes who holds the lock; re-entrant ones do not. */
static bool take_or_give(struct lock_pass *pass, struct lock_then *lock, uint32_t e)
{
    const struct trace *trace = pass->index->trace;
    enum event_kind kind = trace_kind(trace, e);

    if (kind == EVENT_ACQUIRE) {
        if (lock->depth++ > 0)
            return false;
        lock->owner = trace->thread[e];
        lock->since = e;
        lock->blocker = 0;
        return true;
    }
    if (kind == EVENT_RELEASE) {
        assert(lock->depth > 0 && lock->owner == trace->thread[e]);
        if (--lock->depth > 0)
            return false;
        lock->owner = NOBODY;
        if (lock->blocker)
            pass->index->blockers[lock->blocker].release = e;
        return true;
    }
    uint32_t *depth = map_at(&pass->reading, map_pair(trace->arg[e], trace->thread[e]));
    if (kind == EVENT_SHARED_ACQUIRE) {
        if ((*depth)++ > 0)
            return false;
        lock->readers++;
        return true;
    }
    assert(*depth > 0);
    if (--*depth > 0)
        return false;
    lock->readers--;
    return true;
}

static void note_tryfail(struct lock_pass *pass, struct lock_then *lock, uint32_t e)
{
    if (lock->owner == NOBODY)
        return;
    if (lock->blocker == 0) {
        lock->blocker = (uint32_t)pass->index->blockers_count;
        ARRAY_PUSH(pass->index, blockers, (struct blocker){.acquire = lock->since});
    }
    pass->index->detail[e] = lock->blocker;
}

static void pass_event(struct lock_pass *pass, uint32_t e)
{
    struct certify_index *index = pass->index;
    struct lock_then *lock = &pass->locks[index->trace->arg[e]];

    if (trace_kind(index->trace, e) == EVENT_TRY_FAIL) {
        note_tryfail(pass, lock, e);
        return;
    }

    uint32_t reader = also_reader(pass, lock, e);
    index->detail[e] = NO_EFFECT;
    if (!take_or_give(pass, lock, e))
        return;
    index->detail[e] = lock->next;
    index->holds[lock->next++] = (struct certified_hold){e, lock->owner, lock->readers, reader};
}

static bool is_lock_event(enum event_kind kind)
{
    return kind >= EVENT_ACQUIRE && kind <= EVENT_TRY_FAIL;
}

void index_locks(struct certify_index *index)
{
    const struct trace *trace = index->trace;
    struct lock_pass pass = {.index = index, .locks = memory_new(index->lock_count, sizeof *pass.locks)};

    ARRAY_PUSH(index, blockers, (struct blocker){0});
    index->hold_start = memory_new(index->lock_count + 1, sizeof *index->hold_start);
    for (uint32_t e = 1; e <= index->count; e++)
        if (is_lock_event(trace_kind(trace, e)))
            index->hold_start[trace->arg[e] + 1]++;
    index->holds = memory_new(starts_from_counts(index->hold_start, index->lock_count), sizeof *index->holds);
    for (size_t l = 0; l < index->lock_count; l++)
        pass.locks[l] = (struct lock_then){.owner = NOBODY, .next = index->hold_start[l]};
    for (uint32_t e = 1; e <= index->count; e++)
        if (is_lock_event(trace_kind(trace, e)))
            pass_event(&pass, e);
    map_free(&pass.reading);
    free(pass.locks);
}
