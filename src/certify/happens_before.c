/* Happens-before by vector clocks: program order, threads, locks and the other synchronization as observed;
 * release sequences and fences of C11 (5.1.2.4, 7.17.4).
 *
 * A clock says, for each thread, the last of its events that happens before. Modification order is the order of
 * the writes in the trace. */
#include "certify/happens_before.h"
#include "certify/certify_parts.h"

#include <stdlib.h>
#include <string.h>

/* The release sequences headed by writes of one thread that the last write to a variable is part of: all that a
 * read from that write synchronizes with. They live and end together. */
struct release_head {
    thread_id thread;
    uint32_t *clock;
};

struct head_list {
    struct release_head *heads;
    size_t heads_count, heads_capacity;
};

struct thread_clocks {
    uint32_t *now;
    uint32_t *fenced;  /* as of its latest release fence; NULL: none */
    uint32_t *pending; /* read, to be acquired by the next acquire fence; NULL: nothing */
};

struct lock_clocks {
    uint32_t *released;        /* after the exclusive sections so far; NULL: none */
    uint32_t *shared_released; /* after the shared ones */
};

struct order_pass {
    const struct certify_index *index;
    struct thread_clocks *threads;
    struct lock_clocks *locks;
    struct head_list *variables;
    bool deterministic; /* locks, atomics and fences order nothing */
    uint32_t **kept;    /* by event: its clock, for events that others require */
};

static void join(const struct order_pass *pass, uint32_t *to, const uint32_t *from)
{
    if (!from)
        return;
    for (size_t t = 0; t < pass->index->thread_count; t++)
        if (to[t] < from[t])
            to[t] = from[t];
}

static void join_into(const struct order_pass *pass, uint32_t **to, const uint32_t *from)
{
    if (!from)
        return;
    if (!*to)
        *to = memory_new(pass->index->thread_count, sizeof **to);
    join(pass, *to, from);
}

static void do_lock(struct order_pass *pass, struct thread_clocks *t, uint32_t e)
{
    struct lock_clocks *lock = &pass->locks[pass->index->trace->arg[e]];
    enum event_kind kind = trace_kind(pass->index->trace, e);

    if (pass->index->detail[e] == NO_EFFECT)
        return;
    if (kind == EVENT_RELEASE)
        join_into(pass, &lock->released, t->now);
    else if (kind == EVENT_SHARED_RELEASE)
        join_into(pass, &lock->shared_released, t->now);
    else
        join(pass, t->now, lock->released);
    if (kind == EVENT_ACQUIRE)
        join(pass, t->now, lock->shared_released);
}

/* No order written down is sequential consistency, which acquires and releases. */
static bool acquires(const struct trace *trace, uint32_t e)
{
    return op_order(trace->op[e]) != ORDER_RELAXED && op_order(trace->op[e]) != ORDER_RELEASE;
}

static bool releases(const struct trace *trace, uint32_t e)
{
    return op_order(trace->op[e]) != ORDER_RELAXED && op_order(trace->op[e]) != ORDER_ACQUIRE;
}

static void do_atomic_read(struct order_pass *pass, struct thread_clocks *t, uint32_t e)
{
    const struct trace *trace = pass->index->trace;
    const struct head_list *x = &pass->variables[trace->arg[e]];

    for (size_t i = 0; i < x->heads_count; i++) {
        if (acquires(trace, e))
            join(pass, t->now, x->heads[i].clock);
        join_into(pass, &t->pending, x->heads[i].clock);
    }
}

/* A write that is not an rmw ends the release sequences of all other threads. */
static void end_sequences(struct head_list *x, thread_id writer)
{
    size_t left = 0;

    for (size_t i = 0; i < x->heads_count; i++) {
        if (x->heads[i].thread == writer)
            x->heads[left++] = x->heads[i];
        else
            free(x->heads[i].clock);
    }
    x->heads_count = left;
}

static void begin_sequence(const struct order_pass *pass, struct head_list *x, thread_id writer,
                           const uint32_t *released)
{
    size_t i = 0;

    if (!released)
        return;
    while (i < x->heads_count && x->heads[i].thread != writer)
        i++;
    if (i == x->heads_count)
        ARRAY_PUSH(x, heads, (struct release_head){.thread = writer});
    join_into(pass, &x->heads[i].clock, released);
}

static void do_access(struct order_pass *pass, struct thread_clocks *t, uint32_t e)
{
    const struct trace *trace = pass->index->trace;
    struct head_list *x = &pass->variables[trace->arg[e]];
    enum event_kind kind = trace_kind(trace, e);

    if (kind_reads(kind) && kind_atomic(kind))
        do_atomic_read(pass, t, e);
    if (!kind_writes(kind))
        return;
    if (!kind_updates(kind))
        end_sequences(x, trace->thread[e]);
    if (kind_atomic(kind))
        begin_sequence(pass, x, trace->thread[e], releases(trace, e) ? t->now : t->fenced);
}

static void do_fence(struct order_pass *pass, struct thread_clocks *t, uint32_t e)
{
    if (acquires(pass->index->trace, e))
        join(pass, t->now, t->pending);
    if (releases(pass->index->trace, e))
        join_into(pass, &t->fenced, t->now);
}

static void do_required(struct order_pass *pass, struct thread_clocks *t, uint32_t e)
{
    const struct certify_index *index = pass->index;
    uint32_t list = index->detail[e];

    for (uint32_t i = index->lists[list]; i < index->lists[list + 1]; i++)
        join(pass, t->now, pass->kept[index->required[i]]);
}

/* What `e` comes after before it takes anything. */
static void begin_event(struct order_pass *pass, uint32_t e)
{
    const struct certify_index *index = pass->index;
    thread_id thread = index->trace->thread[e];
    struct thread_clocks *t = &pass->threads[thread];

    if (!t->now)
        t->now = memory_new(index->thread_count, sizeof *t->now);
    if (index->before[e] == 0 && index->forked_by[thread])
        join(pass, t->now, pass->kept[index->forked_by[thread]]);
    t->now[thread] = e;
}

static void do_event(struct order_pass *pass, uint32_t e)
{
    const struct certify_index *index = pass->index;
    struct thread_clocks *t = &pass->threads[index->trace->thread[e]];
    enum event_kind kind = trace_kind(index->trace, e);

    if (kind == EVENT_JOIN || kind == EVENT_WAIT_POST || kind == EVENT_NOTIFY || kind == EVENT_NOTIFY_ALL ||
        kind == EVENT_BARRIER_EXIT || kind == EVENT_SEM_WAIT || kind == EVENT_POST)
        do_required(pass, t, e);
    else if (pass->deterministic)
        ;
    else if (kind_accesses(kind))
        do_access(pass, t, e);
    else if (kind == EVENT_FENCE)
        do_fence(pass, t, e);
    else if (kind >= EVENT_ACQUIRE && kind <= EVENT_SHARED_RELEASE)
        do_lock(pass, t, e);
    if (pass->kept[e])
        memcpy(pass->kept[e], t->now, index->thread_count * sizeof *t->now);
}

/* Makes room for the clocks that others will ask for. */
static void keep_clocks(struct order_pass *pass)
{
    const struct certify_index *index = pass->index;

    pass->kept = memory_new((size_t)index->count + 1, sizeof *pass->kept);
    for (size_t i = 0; i < index->required_count; i++)
        if (!pass->kept[index->required[i]])
            pass->kept[index->required[i]] = memory_new(index->thread_count, sizeof **pass->kept);
    for (size_t t = 0; t < index->thread_count; t++)
        if (index->forked_by[t] && !pass->kept[index->forked_by[t]])
            pass->kept[index->forked_by[t]] = memory_new(index->thread_count, sizeof **pass->kept);
}

static void order_pass_free(struct order_pass *pass)
{
    for (size_t t = 0; t < pass->index->thread_count; t++) {
        free(pass->threads[t].now);
        free(pass->threads[t].fenced);
        free(pass->threads[t].pending);
    }
    for (size_t l = 0; l < pass->index->lock_count; l++) {
        free(pass->locks[l].released);
        free(pass->locks[l].shared_released);
    }
    for (size_t x = 0; x < pass->index->variable_count; x++) {
        end_sequences(&pass->variables[x], NOBODY);
        free(pass->variables[x].heads);
    }
    for (uint32_t e = 0; e <= pass->index->count; e++)
        free(pass->kept[e]);
    free(pass->threads);
    free(pass->locks);
    free(pass->variables);
    free(pass->kept);
}

/* A query, by the event at which it is answered. */
struct due {
    uint32_t event;
    size_t query;
};

static int due_order(const void *a, const void *b)
{
    const struct due *x = a, *y = b;

    return (x->event > y->event) - (x->event < y->event);
}

static void answer(const struct order_pass *pass, struct order_query *query)
{
    const thread_id *thread = pass->index->trace->thread;

    query->ordered = query->first <= pass->threads[thread[query->second]].now[thread[query->first]];
}

static void answer_all(const struct certify_index *index, struct order_query *queries, size_t count,
                       bool deterministic)
{
    struct order_pass pass = {.index = index,
                              .deterministic = deterministic,
                              .threads = memory_new(index->thread_count, sizeof *pass.threads),
                              .locks = memory_new(index->lock_count, sizeof *pass.locks),
                              .variables = memory_new(index->variable_count, sizeof *pass.variables)};
    struct due *due = memory_new(count, sizeof *due);
    size_t next = 0;

    for (size_t i = 0; i < count; i++)
        due[i] = (struct due){queries[i].second, i};
    if (count > 0)
        qsort(due, count, sizeof *due, due_order);
    keep_clocks(&pass);
    for (uint32_t e = 1; e <= index->count && next < count; e++) {
        bool early = deterministic && trace_kind(index->trace, e) == EVENT_SEM_WAIT;
        begin_event(&pass, e);
        for (; early && next < count && due[next].event == e; next++)
            answer(&pass, &queries[due[next].query]);
        do_event(&pass, e);
        for (; next < count && due[next].event == e; next++)
            answer(&pass, &queries[due[next].query]);
    }
    order_pass_free(&pass);
    free(due);
}

void order_answer(const struct certify_index *index, struct order_query *queries, size_t count)
{
    answer_all(index, queries, count, false);
}

void order_answer_deterministic(const struct certify_index *index, struct order_query *queries, size_t count)
{
    answer_all(index, queries, count, true);
}
