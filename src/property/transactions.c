/* Which block an event belongs to. */
#include "property/transactions.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

void transactions_init(struct transactions *x, const struct model *m, enum event_kind begin)
{
    assert(begin == EVENT_BEGIN || begin == EVENT_DET_BEGIN);
    *x = (struct transactions){.m = m, .begin = begin};
    x->end = begin == EVENT_BEGIN ? EVENT_END : EVENT_DET_END;
    x->slots = memory_new(m->thread_count, sizeof *x->slots);
    x->free_slots = memory_new(m->thread_count, sizeof *x->free_slots);
    x->current = memory_new(m->thread_count, sizeof *x->current);
    x->depth = memory_new(m->thread_count, sizeof *x->depth);
    x->inherited = memory_new(m->thread_count, sizeof *x->inherited);
    for (uint32_t slot = m->thread_count; slot-- > 0;)
        x->free_slots[x->free_count++] = slot;
}

void transactions_free(struct transactions *x)
{
    free(x->slots);
    free(x->free_slots);
    free((void *)x->current);
    free(x->depth);
    free(x->inherited);
}

uint64_t transactions_begins(const struct model *m, enum event_kind begin)
{
    uint64_t count = 0;

    for (event_id e = 1; e <= m->event_count; e++)
        count += kind_of(m, e) == begin;
    return count;
}

static struct transaction *open(struct transactions *x, event_id e)
{
    assert(x->free_count > 0);
    uint32_t slot = x->free_slots[--x->free_count];

    x->slots[slot] = (struct transaction){.first = e, .members = 1, .slot = slot};
    x->count++;
    return &x->slots[slot];
}

struct transaction *transactions_at(struct transactions *x, event_id e)
{
    enum event_kind kind = kind_of(x->m, e);
    thread_id t = thread_of(x->m, e);

    if (kind == x->begin && x->depth[t]++ == 0 && !x->current[t])
        x->current[t] = open(x, e);
    assert(!x->current[t] || &x->slots[x->current[t]->slot] == x->current[t]);
    if (kind == EVENT_FORK && x->begin == EVENT_DET_BEGIN && x->current[t]) {
        thread_id child = arg_of(x->m, e);
        if (thread_length(x->m, child) > 0) {
            x->current[child] = x->current[t];
            x->inherited[child] = true;
            x->current[t]->members++;
            x->current[t]->forked = true;
        }
    }
    return x->current[t];
}

static struct transaction *leave(struct transactions *x, thread_id t)
{
    struct transaction *left = x->current[t];

    assert(left && left->members > 0 && x->free_count < x->m->thread_count);
    x->current[t] = NULL;
    if (--left->members > 0)
        return NULL;
    x->free_slots[x->free_count++] = left->slot;
    return left;
}

struct transaction *transactions_after(struct transactions *x, event_id e)
{
    thread_id t = thread_of(x->m, e);
    assert(kind_of(x->m, e) != x->end || x->depth[t] > 0);
    bool ends = kind_of(x->m, e) == x->end && --x->depth[t] == 0 && !x->inherited[t];

    if (x->current[t] && (ends || is_thread_end(x->m, e)))
        return leave(x, t);
    return NULL;
}
