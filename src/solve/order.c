/* The partial order of a window: edges in, clocks up to date, cycles out. */
#include "base/memory.h"
#include "base/row.h"
#include "solve/window.h"

#include <assert.h>
#include <string.h>

static bool refuse(struct window *w, uint32_t from, uint32_t to, enum edge_reason reason)
{
    w->cycle_from = from;
    w->cycle_to = to;
    w->cycle_reason = reason;
    memset(w->dirty, 0, w->dirty_words * sizeof *w->dirty);
    return false;
}

/* Notes the node's clock before it changes, if it is to be there again. */
static void keep(struct window *w, uint32_t node)
{
    if (w->kept_by[node] == w->mark)
        return;
    w->kept_by[node] = w->mark;
    w->kept = memory_grow(w->kept, &w->kept_capacity, w->kept_count + w->width + 1, sizeof *w->kept);
    memcpy(w->kept + w->kept_count, node_clock(w, node), w->width * sizeof *w->kept);
    w->kept_count += w->width;
    w->kept[w->kept_count++] = node;
}

struct window_mark window_mark(struct window *w)
{
    w->mark++;
    return (struct window_mark){w->kept_count, w->edges_count, w->couples_count};
}

void window_return(struct window *w, const struct window_mark *mark)
{
    assert(w->kept_count >= mark->kept && w->edges_count >= mark->edges);
    while (w->kept_count > mark->kept) {
        uint32_t node = w->kept[--w->kept_count];
        w->kept_count -= w->width;
        memcpy(w->clocks + (size_t)node * w->width, w->kept + w->kept_count, w->width * sizeof *w->clocks);
    }
    while (w->edges_count > mark->edges) {
        const struct edge *e = &w->edges[--w->edges_count];
        assert(w->edge_head[e->from] == w->edges_count); /* the newest of its node */
        w->edge_head[e->from] = e->next;
    }
    while (w->couples_count > mark->couples) {
        w->demanded[w->couples[w->couples_count - 1].reader] &= (uint8_t)~NODE_BOUND;
        window_pop_couple(w);
    }
    w->couples_seen = w->couples_seen < w->couples_count ? w->couples_seen : w->couples_count;
    w->mark++;
}

/* What is before `from`, and `from`, is before `to`; true if that was news. */
static bool join(struct window *w, uint32_t from, uint32_t to)
{
    uint32_t *clock = w->clocks + (size_t)to * w->width;
    event_id e = w->events[from];
    uint32_t *own = &clock[w->columns[thread_of(w->m, e)]];

    keep(w, to);
    bool changed = row_raise(clock, node_clock(w, from), w->width);

    if (*own > w->m->position[e])
        return changed;
    *own = w->m->position[e] + 1;
    return true;
}

/* A node is before itself when its own thread's count exceeds its position. */
static bool is_cyclic(const struct window *w, uint32_t node)
{
    event_id e = w->events[node];

    return node_count(w, node, thread_of(w->m, e)) > w->m->position[e];
}

/* Notes for the next passes that the node's clock has changed. */
static void touch(struct window *w, uint32_t node)
{
    enum event_kind kind = kind_of(w->m, w->events[node]);
    uint32_t arg = arg_of(w->m, w->events[node]), run = w->run_of[node];

    w->touched[node] = w->pass;
    if (kind_writes(kind)) {
        w->variables[arg].touched = w->pass;
        if (run != RUN_NONE)
            w->write_runs[run].touched = w->pass;
    } else if (model_section_of(w->m, w->events[node]) != SECTION_NONE) {
        w->locks[arg].touched = w->pass;
        if (run != RUN_NONE)
            w->sections[run].touched = w->pass;
    } else if (kind == EVENT_POST || kind == EVENT_SEM_WAIT)
        w->semaphore_touched[arg] = w->pass;
}

/* Marks a node; returns the word its bit is in. */
static size_t mark(struct window *w, uint32_t node)
{
    event_id offset = w->events[node] - w->start - 1;

    touch(w, node);
    assert(w->events[node] > w->start && offset / 64 < w->dirty_words);
    w->dirty[offset / 64] |= (uint64_t)1 << offset % 64;
    return offset / 64;
}

void window_look_again(struct window *w, uint32_t node)
{
    size_t word = mark(w, node);

    assert(w->patient);
    w->dirty_first = word < w->dirty_first ? word : w->dirty_first;
}

/* Propagates a changed node to its successors; returns the lowest word with a new mark, or the word given. */
static size_t tell(struct window *w, uint32_t node, size_t word)
{
    thread_id t = thread_of(w->m, w->events[node]);

    w->effort += w->width / ROW_UNIT;
    if (node + 1 < w->first[t] + (w->high[t] - w->low[t]) && join(w, node, node + 1))
        mark(w, node + 1);
    for (uint32_t i = w->edge_head[node]; i != UINT32_MAX; i = w->edges[i].next) {
        w->effort += w->width / ROW_UNIT;
        if (!join(w, node, w->edges[i].to))
            continue;
        size_t marked = mark(w, w->edges[i].to);
        word = marked < word ? marked : word;
    }
    return word;
}

/* Works through the marked nodes in the observed order, which most edges follow, so that few nodes are
 * updated twice; `word` is the first with a mark. */
static bool tell_successors(struct window *w, size_t word, uint32_t from, uint32_t to, enum edge_reason reason)
{
    while (word < w->dirty_words) {
        if (w->dirty[word] == 0) {
            word++;
            continue;
        }
        unsigned bit = (unsigned)__builtin_ctzll(w->dirty[word]);
        w->dirty[word] &= w->dirty[word] - 1;
        uint32_t node = window_node(w, w->start + 1 + (event_id)(word * 64 + bit));
        if (is_cyclic(w, node) || window_is_spent(w))
            return refuse(w, from, to, reason);
        if (w->protects && !window_protect_node(w, node))
            return refuse(w, w->cycle_from, w->cycle_to, w->cycle_reason);
        if (!w->protects || !(w->dirty[word] >> bit & 1)) /* else it has changed once more */
            word = tell(w, node, word);
        word = w->dirty_first < word ? w->dirty_first : word;
        w->dirty_first = w->dirty_words;
    }
    return true;
}

bool window_add(struct window *w, uint32_t from, uint32_t to, enum edge_reason reason)
{
    assert(from < w->nodes && to < w->nodes);
    if (from == to || node_before(w, to, from))
        return refuse(w, from, to, reason);

    bool known = node_before(w, from, to);
    if (known && (reason == EDGE_LOCK || reason == EDGE_DATA || reason == EDGE_TOKEN))
        return true; /* implied by edges that are kept */
    ARRAY_PUSH(w, edges, (struct edge){from, to, w->edge_head[from], reason});
    w->edge_head[from] = (uint32_t)w->edges_count - 1;
    if (known)
        return true;
    w->changed = true;
    if (w->patient) {
        if (w->protects)
            join(w, from, to);
        window_look_again(w, w->protects ? to : from);
        return true;
    }
    join(w, from, to);
    return tell_successors(w, mark(w, to), from, to, reason);
}

bool window_raise(struct window *w, uint32_t node, const uint32_t *clock)
{
    assert(w->columns_are_threads);
    keep(w, node);
    if (!row_raise(w->clocks + (size_t)node * w->width, clock, w->width))
        return true;
    w->changed = true;
    if (w->patient) {
        window_look_again(w, node);
        return true;
    }
    return tell_successors(w, mark(w, node), node, node, EDGE_COUPLE);
}

void window_be_patient(struct window *w)
{
    assert(!w->plain);
    w->patient = true;
    w->dirty_first = w->dirty_words;
}

void window_be_eager(struct window *w)
{
    if (w->dirty_first < w->dirty_words)
        memset(w->dirty, 0, w->dirty_words * sizeof *w->dirty); /* of a saturation that failed */
    w->dirty_first = w->dirty_words;
    w->patient = false;
}

bool window_settle(struct window *w)
{
    size_t word = w->dirty_first;

    assert(w->patient);
    w->dirty_first = w->dirty_words;
    return tell_successors(w, word, NODE_OUT, NODE_OUT, EDGE_LOCK);
}
