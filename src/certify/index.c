/* The index of a trace, put together; and the scratch space of the certifiers that use it. */
#include "certify/certify_parts.h"

#include <assert.h>
#include <stdlib.h>

struct certify_index *certify_index_new(const struct trace *trace)
{
    struct certify_index *index = memory_new(1, sizeof *index);

    assert(trace->count < UINT32_MAX);
    index->trace = trace;
    index->count = (uint32_t)trace->count;
    index->thread_count = trace_names(trace, NAME_THREAD);
    index->variable_count = trace_names(trace, NAME_VARIABLE);
    index->lock_count = trace_names(trace, NAME_LOCK);
    index->before = memory_new(trace->count + 1, sizeof *index->before);
    index->detail = memory_new(trace->count + 1, sizeof *index->detail);
    index->forked_by = memory_new(index->thread_count, sizeof *index->forked_by);
    index->joined = memory_new(index->thread_count, sizeof *index->joined);
    index_threads(index);
    index_accesses(index);
    index_values(index);
    index_locks(index);
    index_tokens(index);
    index_required(index);
    index_signals(index);
    index_blocks(index);
    return index;
}

static void block_lists_free(struct block_list *lists, size_t count)
{
    for (size_t t = 0; t < count; t++)
        free(lists[t].blocks);
    free(lists);
}

void certify_index_free(struct certify_index *index)
{
    if (!index)
        return;
    free(index->before);
    free(index->thread_start);
    free(index->thread_events);
    free(index->joined);
    map_free(&index->summed);
    free(index->sums);
    map_free(&index->woken_at);
    map_free(&index->ends_at);
    free(index->signals);
    free(index->signal_start);
    free(index->tokens);
    free(index->token_start);
    free(index->initial_tokens);
    free(index->seminit);
    free(index->detail);
    free(index->forked_by);
    free(index->writes);
    free(index->write_start);
    free(index->initial_reader);
    free(index->holds);
    free(index->hold_start);
    free(index->blockers);
    free(index->required);
    free(index->lists);
    block_lists_free(index->declared, index->thread_count);
    block_lists_free(index->deterministic, index->thread_count);
    block_lists_free(index->lock_scopes, index->thread_count);
    free(index);
}

struct certifier *certifier_new(const struct certify_index *index)
{
    struct certifier *c = memory_new(1, sizeof *c);

    c->index = index;
    c->threads = memory_new(index->thread_count, sizeof *c->threads);
    c->variables = memory_new(index->variable_count, sizeof *c->variables);
    c->locks = memory_new(index->lock_count, sizeof *c->locks);
    c->semaphores = memory_new(trace_names(index->trace, NAME_SEMAPHORE), sizeof *c->semaphores);
    c->conditions = memory_new(trace_names(index->trace, NAME_CONDITION), sizeof *c->conditions);
    return c;
}

void certifier_free(struct certifier *c)
{
    if (!c)
        return;
    for (size_t t = 0; t < c->index->thread_count; t++)
        free(c->threads[t].news);
    for (size_t i = 0; i < trace_names(c->index->trace, NAME_CONDITION); i++) {
        free(c->conditions[i].spent);
        free(c->conditions[i].late);
    }
    free(c->threads);
    free(c->variables);
    free(c->locks);
    free(c->semaphores);
    free(c->conditions);
    free(c->waits);
    free(c);
}
