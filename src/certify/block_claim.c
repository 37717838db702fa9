/* What findings about declared blocks claim (semantics §3, docs/determinism.md): conflicts in a block, cycles of
 * transactions. */
#include "certify/certify_parts.h"

static enum event_kind claimed_kind(const struct certifier *c, uint32_t e)
{
    return trace_kind(c->index->trace, e);
}

static bool exists(struct certifier *c, uint32_t e)
{
    return (e >= 1 && e <= c->index->count) ||
           reject(c, "event %u does not exist: the trace has events 1 to %u", e, c->index->count);
}

/* The first event of the transaction that `e` is in: its block, the block that its thread was forked in, or
 * itself. */
static uint32_t transaction_of(const struct certifier *c, uint32_t e, enum property property)
{
    const struct certify_index *index = c->index;
    bool deterministic = property == PROPERTY_DETERMINISM;
    const struct block_list *lists = deterministic ? index->deterministic : index->declared;
    thread_id t = index->trace->thread[e];
    const struct certified_block *around = block_around(&lists[t], e);
    uint32_t first = around ? around->first : e;

    /* The block of the first ancestor that was forked outside all blocks decides. */
    for (uint32_t fork = index->forked_by[t]; deterministic && fork; fork = index->forked_by[t]) {
        t = index->trace->thread[fork];
        around = block_around(&lists[t], fork);
        if (around)
            first = around->first;
    }
    return first;
}

static bool same_thing(const struct certifier *c, uint32_t a, uint32_t b, enum name_class class)
{
    return kind_argument(claimed_kind(c, a)) == class && kind_argument(claimed_kind(c, b)) == class &&
           c->index->trace->arg[a] == c->index->trace->arg[b];
}

/* Both are operations on one lock, neither of them re-entrant. */
static bool on_one_lock(const struct certifier *c, uint32_t a, uint32_t b)
{
    return same_thing(c, a, b, NAME_LOCK) &&
           (claimed_kind(c, a) == EVENT_TRY_FAIL || c->index->detail[a] != NO_EFFECT) &&
           (claimed_kind(c, b) == EVENT_TRY_FAIL || c->index->detail[b] != NO_EFFECT);
}

static bool is_exclusive(enum event_kind kind)
{
    return kind == EVENT_ACQUIRE || kind == EVENT_RELEASE;
}

static bool on_one_variable(const struct certifier *c, uint32_t a, uint32_t b)
{
    return same_thing(c, a, b, NAME_VARIABLE) &&
           (kind_writes(claimed_kind(c, a)) || kind_writes(claimed_kind(c, b)));
}

/* Synchronization put a before b in the trace. */
static bool requires(const struct certifier *c, uint32_t a, uint32_t b)
{
    const struct certify_index *index = c->index;
    enum event_kind kind = claimed_kind(c, b);
    uint32_t list = index->detail[b];

    if (kind != EVENT_WAIT_POST && kind != EVENT_NOTIFY && kind != EVENT_NOTIFY_ALL &&
        kind != EVENT_BARRIER_EXIT && kind != EVENT_SEM_WAIT && kind != EVENT_POST)
        return false;
    for (uint32_t i = index->lists[list]; i < index->lists[list + 1]; i++)
        if (index->required[i] == a)
            return true;
    return false;
}

static bool starts_or_ends(const struct certifier *c, uint32_t e, uint32_t other)
{
    return kind_argument(claimed_kind(c, e)) == NAME_THREAD &&
           c->index->trace->arg[e] == c->index->trace->thread[other];
}

/* Whether the order of two transactions follows that of these events, a before b. */
static bool conflict(const struct certifier *c, uint32_t a, uint32_t b)
{
    return c->index->trace->thread[a] == c->index->trace->thread[b] || on_one_variable(c, a, b) ||
           (on_one_lock(c, a, b) && (is_exclusive(claimed_kind(c, a)) || is_exclusive(claimed_kind(c, b)))) ||
           starts_or_ends(c, a, b) || starts_or_ends(c, b, a) || requires(c, a, b);
}

static bool is_edge(struct certifier *c, const struct finding *f, uint32_t i, const struct schedule *s)
{
    uint32_t length = f->event_count / 3, from = f->events[i], to = f->events[(i + 1) % length];
    uint32_t a = f->events[length + (size_t)2 * i], b = f->events[length + (size_t)2 * i + 1];

    if (!exists(c, a) || !exists(c, b) || !exists(c, from) || !exists(c, to))
        return false;
    if (from == to || transaction_of(c, a, f->property) != from || transaction_of(c, b, f->property) != to)
        return reject(c, "events %u and %u do not lead from transaction %u to another, %u", a, b, from, to);
    if (!in_run(c, a) || !in_run(c, b))
        return reject(c, "event %u is not in the run", in_run(c, a) ? b : a);
    if (claimed_place(s, a) >= claimed_place(s, b))
        return reject(c, "event %u comes after event %u in the run", a, b);
    return conflict(c, a, b) || reject(c, "events %u and %u do not conflict", a, b);
}

bool shows_cycle(struct certifier *c, const struct finding *f, const struct schedule *s)
{
    uint32_t length = f->event_count / 3;

    if (length < 2 || f->event_count != 3 * length)
        return reject(c, "a cycle takes two transactions or more, and a pair of events for each");
    for (uint32_t i = 0; i < length; i++)
        if (!is_edge(c, f, i, s))
            return false;
    return true;
}

bool certifier_observed(struct certifier *c, const struct finding *f, struct error *why)
{
    struct schedule observed = {.prefix = c->index->count};

    c->why = why;
    c->options = (struct certify_options){0};
    return run_schedule(c, &observed) && shows_cycle(c, f, &observed);
}

/* What a finding claims about locks: which thread was let in after which; a failed try and what could have
 * changed it. */
static bool is_lock_pair(const struct certifier *c, uint32_t a, uint32_t b)
{
    enum event_kind p = claimed_kind(c, a), q = claimed_kind(c, b);

    if (!on_one_lock(c, a, b))
        return false;
    if (p == EVENT_TRY_FAIL || q == EVENT_TRY_FAIL)
        return is_exclusive(p) || is_exclusive(q);
    return (p == EVENT_RELEASE && (q == EVENT_ACQUIRE || q == EVENT_SHARED_ACQUIRE)) ||
           (p == EVENT_SHARED_RELEASE && q == EVENT_ACQUIRE);
}

bool certifier_block_conflict(struct certifier *c, const struct finding *f, struct error *why)
{
    uint32_t block = f->events[0], a = f->events[1], b = f->events[2];

    c->why = why;
    if (!exists(c, block) || !exists(c, a) || !exists(c, b))
        return false;
    if (a >= b)
        return reject(c, "events %u and %u are not in ascending order", a, b);
    if (transaction_of(c, a, f->property) != block || transaction_of(c, b, f->property) != block ||
        claimed_kind(c, block) != EVENT_DET_BEGIN)
        return reject(c, "events %u and %u are not in the deterministic block of event %u", a, b, block);
    if (c->index->trace->thread[a] == c->index->trace->thread[b])
        return reject(c, "events %u and %u are of the same thread", a, b);
    return on_one_variable(c, a, b) || is_lock_pair(c, a, b) ||
           (claimed_kind(c, a) == EVENT_SEM_WAIT && same_thing(c, a, b, NAME_SEMAPHORE) &&
            claimed_kind(c, b) == EVENT_SEM_WAIT) ||
           reject(c, "events %u and %u do not conflict", a, b);
}
