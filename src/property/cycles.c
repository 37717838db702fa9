/* Which transactions are on cycles: the strongly connected components of their order.
 *
 * Edges of conflicts with the last writers and readers are enough for that; their closure is the whole order.
 */
#include "property/cycles.h"
#include "base/memory.h"
#include "property/cycle_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct reader_list {
    event_id *readers; /* transactions since the last write */
    size_t readers_count, readers_capacity;
};

struct edge_list {
    struct cycle_edge {
        event_id from, to;
    } * edges;
    size_t edges_count, edges_capacity;
};

struct cycle_builder {
    struct cycles *c;
    struct transactions transactions;
    struct reentry reentry;
    struct edge_list out;
    event_id *last;   /* by thread: its last transaction, or the one of its fork; EVENT_NONE */
    event_id *writer; /* by object; 0: none */
    struct reader_list *readers;
};

static void add_edge(struct cycle_builder *b, event_id from, event_id to)
{
    if (from != EVENT_NONE && from != 0 && from != to)
        ARRAY_PUSH(&b->out, edges, (struct cycle_edge){from, to});
}

static void add_access(struct cycle_builder *b, event_id e, event_id node)
{
    uint32_t object = cycle_object(b->c->m, e);
    struct reader_list *readers = &b->readers[object];

    add_edge(b, b->writer[object], node);
    if (!object_written(kind_of(b->c->m, e))) {
        if (readers->readers_count == 0 || readers->readers[readers->readers_count - 1] != node)
            ARRAY_PUSH(readers, readers, node);
        return;
    }
    for (size_t i = 0; i < readers->readers_count; i++)
        add_edge(b, readers->readers[i], node);
    readers->readers_count = 0;
    b->writer[object] = node;
}

static void add_event(struct cycle_builder *b, event_id e)
{
    const struct model *m = b->c->m;
    enum event_kind kind = kind_of(m, e);
    const struct transaction *in = transactions_at(&b->transactions, e);
    event_id node = in ? in->first : e;

    assert(node <= e);
    b->c->node[e] = node;
    if (in && in->first == e)
        ARRAY_PUSH(b->c, blocks, e);
    add_edge(b, b->last[thread_of(m, e)], node);
    b->last[thread_of(m, e)] = node;
    if (kind_locks(kind) && !reentry_effective(&b->reentry, m, e))
        b->c->inert[e / 8] |= (uint8_t)(1u << e % 8);
    else if (cycle_object(m, e) != OBJECT_NONE)
        add_access(b, e, node);
    if (kind == EVENT_FORK && thread_length(m, arg_of(m, e)) > 0)
        b->last[arg_of(m, e)] = node;
    if (kind == EVENT_JOIN)
        add_edge(b, b->last[arg_of(m, e)], node);
    struct event_span required = links_before(m, e);
    for (size_t i = 0; i < required.count; i++)
        add_edge(b, b->c->node[required.events[i]], node);
    transactions_after(&b->transactions, e);
}

static void add_events(struct cycle_builder *b, const stop_flag *stop)
{
    const struct model *m = b->c->m;
    size_t objects = (size_t)m->variable_count + m->lock_count;

    transactions_init(&b->transactions, m, b->c->begin);
    reentry_init(&b->reentry, m);
    b->last = memory_new(m->thread_count, sizeof *b->last);
    memset(b->last, 0xff, m->thread_count * sizeof *b->last);
    b->writer = memory_new(objects, sizeof *b->writer);
    b->readers = memory_new(objects, sizeof *b->readers);
    for (event_id e = 1; e <= m->event_count && !*stop; e++)
        add_event(b, e);
    for (size_t i = 0; i < objects; i++)
        free(b->readers[i].readers);
    free(b->readers);
    free(b->writer);
    free(b->last);
    reentry_free(&b->reentry);
    transactions_free(&b->transactions);
}

/* The edges by their source: those of node v are targets[start[v]] … targets[start[v + 1] - 1]. */
static void sort_edges(const struct edge_list *list, uint32_t node_count, uint32_t *start, event_id *targets)
{
    for (size_t i = 0; i < list->edges_count; i++)
        start[list->edges[i].from + 2]++;
    for (uint32_t v = 2; v < node_count + 2; v++)
        start[v] += start[v - 1];
    for (size_t i = 0; i < list->edges_count; i++)
        targets[start[list->edges[i].from + 1]++] = list->edges[i].to;
}

struct components {
    const uint32_t *start;
    const event_id *targets;
    uint32_t *low, *next; /* by node: 0 while not visited; the next edge to follow */
    event_id *stack, *path;
    size_t stack_count, path_count;
    uint32_t visited;
    uint32_t *component; /* by node; 0: none yet, or the only one in it */
    uint32_t component_count;
};

static void enter(struct components *s, event_id v)
{
    s->low[v] = ++s->visited;
    s->next[v] = s->start[v];
    s->stack[s->stack_count++] = v;
    s->path[s->path_count++] = v;
}

/* Takes the component of `v`, all of it on top of the stack, off. Those of one node are on no cycle. */
static void close_component(struct components *s, event_id v)
{
    assert(s->stack_count > 0 && s->low[v] != UINT32_MAX);
    bool alone = s->stack[s->stack_count - 1] == v;
    uint32_t number = alone ? 0 : ++s->component_count;
    event_id u;

    do {
        u = s->stack[--s->stack_count];
        s->component[u] = number;
        s->low[u] = UINT32_MAX;
    } while (u != v);
}

/* Tarjan's algorithm, with a path in place of recursion. */
static void visit(struct components *s, event_id root, uint32_t *order)
{
    enter(s, root);
    order[root] = s->low[root];
    while (s->path_count > 0) {
        event_id v = s->path[s->path_count - 1];
        if (s->next[v] < s->start[v + 1]) {
            event_id u = s->targets[s->next[v]++];
            if (s->low[u] == 0) {
                enter(s, u);
                order[u] = s->low[u];
            } else if (s->low[u] != UINT32_MAX && s->low[u] < s->low[v]) {
                s->low[v] = s->low[u];
            }
            continue;
        }
        s->path_count--;
        if (s->path_count > 0 && s->low[v] < s->low[s->path[s->path_count - 1]])
            s->low[s->path[s->path_count - 1]] = s->low[v];
        if (s->low[v] == order[v])
            close_component(s, v);
    }
}

static void find_components(struct cycles *c, const struct edge_list *list)
{
    uint32_t nodes = c->m->event_count + 1;
    uint32_t *start = memory_new((size_t)nodes + 2, sizeof *start), *order = memory_new(nodes, sizeof *order);
    event_id *targets = memory_new(list->edges_count, sizeof *targets);
    struct components s = {.start = start, .targets = targets, .component = c->component};

    sort_edges(list, nodes, start, targets);
    s.low = memory_new(nodes, sizeof *s.low);
    s.next = memory_new(nodes, sizeof *s.next);
    s.stack = memory_new(nodes, sizeof *s.stack);
    s.path = memory_new(nodes, sizeof *s.path);
    for (event_id v = 1; v < nodes; v++)
        if (c->node[v] == v && s.low[v] == 0)
            visit(&s, v, order);
    assert(s.stack_count == 0 && s.path_count == 0); /* every node is in a component */
    c->component_count = s.component_count;
    free(s.low);
    free(s.next);
    free(s.stack);
    free(s.path);
    free(start);
    free(order);
    free(targets);
}

struct cycles *cycles_new(const struct model *m, enum event_kind begin, const stop_flag *stop)
{
    struct cycles *c = memory_new(1, sizeof *c);
    struct cycle_builder b = {.c = c};
    size_t kept = 0;

    c->m = m;
    c->begin = begin;
    c->node = memory_new((size_t)m->event_count + 1, sizeof *c->node);
    c->inert = memory_new(m->event_count / 8 + 1, 1);
    c->component = memory_new((size_t)m->event_count + 1, sizeof *c->component);
    add_events(&b, stop);
    if (!*stop)
        find_components(c, &b.out);
    free(b.out.edges);
    c->block_count = c->blocks_count;
    for (size_t i = 0; i < c->blocks_count; i++)
        if (c->component[c->blocks[i]] > 0)
            c->blocks[kept++] = c->blocks[i];
    c->blocks_count = kept;
    return c;
}

void cycles_free(struct cycles *c)
{
    walk_free(c);
    free(c->node);
    free(c->inert);
    free(c->component);
    free(c->blocks);
    free(c->result);
    free(c);
}

uint64_t cycles_block_count(const struct cycles *c)
{
    return c->block_count;
}

struct event_span cycles_blocks(const struct cycles *c)
{
    return (struct event_span){c->blocks, c->blocks_count};
}
