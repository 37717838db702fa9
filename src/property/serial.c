/* Could the blocks have run one after the other?
 *
 * A cycle must pass through a block: unary transactions have one event, and conflicts lead forward. And of the
 * blocks on a cycle the one that ends last is under way when it closes. So it is enough to know, for whatever
 * an event may come after, from which blocks under way it is reached: a set of at most one bit a thread.
 *
 * A node is such a set, shared by all events that have it: those of a block, or a stretch of unary ones. Blocks
 * learn while they run, and what they learn late holds for all that was reached from them before: at its end, a
 * block passes what it knows on to all nodes with its bit, which it has listed, and its bit goes away. */
#include "property/serial.h"
#include "base/memory.h"
#include "property/links.h"
#include "property/reentry.h"
#include "property/serial_nodes.h"

#include <assert.h>
#include <stdlib.h>

struct serial_reader {
    thread_id thread;
    struct serial_node *node;
};

/* A variable or a lock: who accessed it last. NULL stands for all nodes that no block under way reaches. */
struct serial_object {
    struct serial_node *writer;
    struct serial_reader *readers; /* since then, one a thread */
    size_t readers_count, readers_capacity;
};

struct serial_pass {
    const struct model *m;
    struct transactions transactions;
    struct links *links;
    struct reentry reentry;
    struct nodes nodes;
    struct serial_node **now; /* by thread */
    struct serial_object *variables, *locks;
    thread_id thread; /* of the event under way */
    bool violated;
};

/* The event under way comes after what `from` stands for. */
static void learn_conflicts(struct serial_pass *p, struct serial_node *from)
{
    struct serial_node **now = &p->now[p->thread];

    if (!from || from == *now)
        return;
    assert(from->refs > 0);
    if (*now && (*now)->slot != NO_SLOT) { /* in a block */
        p->violated |= node_has(from, (*now)->slot);
        node_add(&p->nodes, *now, from);
        return;
    }
    if (*now ? node_includes(&p->nodes, *now, from) : node_empty(&p->nodes, from))
        return;
    if (!*now && from->slot == NO_SLOT) {
        *now = node_share(from);
        return;
    }
    if (!*now || (*now)->refs > 1) { /* others have the old set: it stays */
        struct serial_node *fresh = *now ? node_copy(&p->nodes, *now) : node_new(&p->nodes);
        node_drop(&p->nodes, *now);
        *now = fresh;
    }
    node_add(&p->nodes, *now, from);
}

static void enter_block(struct serial_pass *p, const struct transaction *t)
{
    struct serial_node *before = p->now[p->thread];

    p->now[p->thread] = block_begin(&p->nodes, t->slot, before);
    node_drop(&p->nodes, before);
}

/* What a thread does after it has left its block comes after it, however long others stay in it. */
static void leave_block(struct serial_pass *p, uint32_t slot, thread_id t)
{
    node_drop(&p->nodes, p->now[t]);
    p->now[t] = node_copy(&p->nodes, p->nodes.blocks[slot].node);
}

static void access_read(struct serial_pass *p, struct serial_object *x)
{
    struct serial_node *now;

    learn_conflicts(p, x->writer);
    now = p->now[p->thread];
    for (size_t i = 0; i < x->readers_count; i++) {
        if (x->readers[i].thread == p->thread) {
            if (x->readers[i].node == now)
                return;
            node_drop(&p->nodes, x->readers[i].node);
            if (now)
                x->readers[i].node = node_share(now);
            else
                x->readers[i] = x->readers[--x->readers_count];
            return;
        }
    }
    if (now)
        ARRAY_PUSH(x, readers, (struct serial_reader){p->thread, node_share(now)});
}

static void access_write(struct serial_pass *p, struct serial_object *x)
{
    learn_conflicts(p, x->writer);
    for (size_t i = 0; i < x->readers_count; i++) {
        learn_conflicts(p, x->readers[i].node);
        node_drop(&p->nodes, x->readers[i].node);
    }
    x->readers_count = 0;
    if (x->writer != p->now[p->thread]) {
        node_drop(&p->nodes, x->writer);
        x->writer = node_share(p->now[p->thread]);
    }
}

static void *load_share(void *context, void *load)
{
    (void)context;
    return node_share(load);
}

static void load_drop(void *context, void *load)
{
    node_drop(&((struct serial_pass *)context)->nodes, load);
}

static void load_take(void *context, void *load)
{
    learn_conflicts(context, load);
}

static void synchronize(struct serial_pass *p, event_id e, enum event_kind kind)
{
    if (kind == EVENT_JOIN) {
        learn_conflicts(p, p->now[arg_of(p->m, e)]);
        return;
    }
    if (links_takes(kind))
        links_take(p->links, e);
    if (links_gives(kind))
        links_give(p->links, e, node_share(p->now[p->thread]));
}

/* The child begins with what its fork knows; in the block of its fork only where blocks span threads. */
static void start_thread(struct serial_pass *p, thread_id child)
{
    struct serial_node *fork = p->now[p->thread];

    if (thread_length(p->m, child) == 0)
        return; /* nothing comes after the fork, nor before a join */
    node_drop(&p->nodes, p->now[child]);
    if (!fork || fork->slot == NO_SLOT || p->transactions.current[child]) {
        p->now[child] = node_share(fork);
        return;
    }
    p->now[child] = node_copy(&p->nodes, fork);
}

static void do_event(struct serial_pass *p, event_id e)
{
    enum event_kind kind = kind_of(p->m, e);
    const struct transaction *in = transactions_at(&p->transactions, e);

    p->thread = thread_of(p->m, e);
    if (in && in->first == e)
        enter_block(p, in);
    if (kind_accesses(kind)) {
        struct serial_object *x = &p->variables[arg_of(p->m, e)];
        if (kind_writes(kind))
            access_write(p, x);
        else
            access_read(p, x);
    } else if (kind_locks(kind)) {
        struct serial_object *l = &p->locks[arg_of(p->m, e)];
        if (!reentry_effective(&p->reentry, p->m, e))
            return;
        if (kind_locks_exclusively(kind))
            access_write(p, l);
        else
            access_read(p, l);
    } else if (kind == EVENT_FORK) {
        start_thread(p, arg_of(p->m, e));
    } else {
        synchronize(p, e, kind);
    }
}

static void finish_event(struct serial_pass *p, event_id e)
{
    const struct transaction *in = p->transactions.current[p->thread];
    const struct transaction *over = transactions_after(&p->transactions, e);

    if (over) {
        p->violated |= block_end(&p->nodes, over->slot);
        if (node_empty(&p->nodes, p->now[p->thread])) {
            node_drop(&p->nodes, p->now[p->thread]);
            p->now[p->thread] = NULL;
        }
    } else if (in && !p->transactions.current[p->thread] && !is_thread_end(p->m, e)) {
        leave_block(p, in->slot, p->thread);
    }
}

static void pass_init(struct serial_pass *p, const struct model *m, enum event_kind begin)
{
    static const struct link_ops ops = {.share = load_share, .drop = load_drop, .take = load_take};

    *p = (struct serial_pass){.m = m};
    transactions_init(&p->transactions, m, begin);
    reentry_init(&p->reentry, m);
    p->links = links_new(m, &ops, p);
    nodes_init(&p->nodes, m->thread_count);
    p->now = memory_new(m->thread_count, sizeof *p->now);
    p->variables = memory_new(m->variable_count, sizeof *p->variables);
    p->locks = memory_new(m->lock_count, sizeof *p->locks);
}

static void objects_free(struct serial_pass *p, struct serial_object *objects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        node_drop(&p->nodes, objects[i].writer);
        for (size_t r = 0; r < objects[i].readers_count; r++)
            node_drop(&p->nodes, objects[i].readers[r].node);
        free(objects[i].readers);
    }
    free(objects);
}

static void pass_free(struct serial_pass *p)
{
    objects_free(p, p->variables, p->m->variable_count);
    objects_free(p, p->locks, p->m->lock_count);
    links_free(p->links);
    for (thread_id t = 0; t < p->m->thread_count; t++)
        node_drop(&p->nodes, p->now[t]);
    nodes_free(&p->nodes);
    free((void *)p->now);
    reentry_free(&p->reentry);
    transactions_free(&p->transactions);
}

event_id serial_violation(const struct model *m, enum event_kind begin, const stop_flag *stop, uint64_t *blocks)
{
    event_id found = EVENT_NONE;
    struct serial_pass p;

    *blocks = 0;
    if (transactions_begins(m, begin) == 0)
        return EVENT_NONE;
    pass_init(&p, m, begin);
    for (event_id e = 1; e <= m->event_count && found == EVENT_NONE && !*stop; e++) {
        do_event(&p, e);
        finish_event(&p, e);
        if (p.violated)
            found = e;
    }
    *blocks = p.transactions.count;
    pass_free(&p);
    return found;
}
