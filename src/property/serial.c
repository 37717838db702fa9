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

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NO_SLOT UINT32_MAX

struct node {
    uint32_t refs;     /* threads, variables, locks, loads that have it */
    uint32_t listed;   /* how many blocks list it */
    uint32_t slot;     /* of its own block while that is under way, or NO_SLOT */
    uint64_t blocks[]; /* under way, that reach it */
};

/* A block under way. */
struct block {
    struct node *node;
    struct node **reached; /* all nodes with its bit but its own; those without references are swept out */
    size_t reached_count, reached_capacity;
    size_t sweep_at;
};

struct reader {
    thread_id thread;
    struct node *node;
};

/* A variable or a lock: who accessed it last. NULL stands for all nodes that no block under way reaches. */
struct object {
    struct node *writer;
    struct reader *readers; /* since then, one a thread */
    size_t readers_count, readers_capacity;
};

struct pass {
    const struct model *m;
    struct transactions transactions;
    struct links *links;
    struct reentry reentry;
    size_t words;         /* of a node's set */
    struct block *blocks; /* by slot */
    struct node **now;    /* by thread */
    struct object *variables, *locks;
    struct node **free_nodes;
    size_t free_nodes_count, free_nodes_capacity;
    thread_id thread; /* of the event under way */
    bool violated;
};

static struct node *node_new(struct pass *p)
{
    struct node *n;

    if (p->free_nodes_count > 0)
        n = p->free_nodes[--p->free_nodes_count];
    else
        n = memory_resize(NULL, 1, sizeof *n + p->words * sizeof *n->blocks);
    memset(n, 0, sizeof *n + p->words * sizeof *n->blocks);
    n->refs = 1;
    n->slot = NO_SLOT;
    return n;
}

static struct node *node_share(struct node *n)
{
    if (n)
        n->refs++;
    return n;
}

static void node_retire(struct pass *p, struct node *n)
{
    if (n->refs == 0 && n->listed == 0)
        ARRAY_PUSH(p, free_nodes, n);
}

static void node_drop(struct pass *p, struct node *n)
{
    if (!n)
        return;
    assert(n->refs > 0);
    n->refs--;
    node_retire(p, n);
}

static bool has_bit(const struct node *n, uint32_t slot)
{
    return n->blocks[slot / 64] >> slot % 64 & 1;
}

static bool is_empty(const struct pass *p, const struct node *n)
{
    for (size_t i = 0; i < p->words; i++)
        if (n->blocks[i])
            return false;
    return true;
}

/* Forgets nodes nobody can come after any more; only as often as the list doubles. */
static void sweep(struct pass *p, struct block *b)
{
    size_t kept = 0;

    for (size_t i = 0; i < b->reached_count; i++) {
        struct node *n = b->reached[i];
        if (n->refs > 0) {
            b->reached[kept++] = n;
        } else {
            n->listed--;
            node_retire(p, n);
        }
    }
    b->reached_count = kept;
    b->sweep_at = 2 * kept + 64;
}

static void list(struct pass *p, uint32_t slot, struct node *n)
{
    struct block *b = &p->blocks[slot];

    if (b->reached_count >= b->sweep_at)
        sweep(p, b);
    ARRAY_PUSH(b, reached, n);
    n->listed++;
}

/* Adds the blocks of `from` to those of `n`, and lists it with the new ones. */
static void node_add(struct pass *p, struct node *n, const uint64_t *from)
{
    for (size_t i = 0; i < p->words; i++) {
        uint64_t fresh = from[i] & ~n->blocks[i];
        n->blocks[i] |= fresh;
        for (; fresh; fresh &= fresh - 1)
            list(p, (uint32_t)(i * 64 + (size_t)__builtin_ctzll(fresh)), n);
    }
}

static bool includes(const struct pass *p, const struct node *n, const struct node *other)
{
    for (size_t i = 0; i < p->words; i++)
        if (other->blocks[i] & ~n->blocks[i])
            return false;
    return true;
}

/* The event under way comes after what `from` stands for. */
static void learn(struct pass *p, struct node *from)
{
    struct node **now = &p->now[p->thread];

    if (!from || from == *now)
        return;
    if (*now && (*now)->slot != NO_SLOT) { /* in a block */
        p->violated |= has_bit(from, (*now)->slot);
        node_add(p, *now, from->blocks);
        return;
    }
    if (*now ? includes(p, *now, from) : is_empty(p, from))
        return;
    if (!*now && from->slot == NO_SLOT) {
        *now = node_share(from);
        return;
    }
    if (!*now || (*now)->refs > 1) { /* others have the old set: it stays */
        struct node *fresh = node_new(p);
        if (*now)
            node_add(p, fresh, (*now)->blocks);
        node_drop(p, *now);
        *now = fresh;
    }
    node_add(p, *now, from->blocks);
}

static void block_begin(struct pass *p, const struct transaction *t)
{
    struct block *b = &p->blocks[t->slot];
    struct node *n = node_new(p), *before = p->now[p->thread];

    b->node = node_share(n);
    b->reached_count = 0;
    b->sweep_at = 64;
    n->slot = t->slot;
    n->blocks[t->slot / 64] |= (uint64_t)1 << t->slot % 64;
    if (before)
        node_add(p, n, before->blocks);
    node_drop(p, before);
    p->now[p->thread] = n;
}

/* Everything reached from the block learns what the block knows in the end. */
static void block_end(struct pass *p, uint32_t slot)
{
    struct block *b = &p->blocks[slot];
    struct node *own = b->node;
    uint64_t bit = (uint64_t)1 << slot % 64;

    own->blocks[slot / 64] &= ~bit;
    own->slot = NO_SLOT;
    for (size_t i = 0; i < b->reached_count; i++) {
        struct node *n = b->reached[i];
        n->listed--;
        if (n->refs == 0) {
            node_retire(p, n);
            continue;
        }
        n->blocks[slot / 64] &= ~bit;
        if (n->slot != NO_SLOT)
            p->violated |= has_bit(own, n->slot);
        node_add(p, n, own->blocks);
    }
    b->reached_count = 0;
    b->node = NULL;
    node_drop(p, own);
}

/* What a thread does after it has left its block comes after it, however long others stay in it. */
static void leave_block(struct pass *p, uint32_t slot, thread_id t)
{
    struct node *own = p->blocks[slot].node, *after = node_new(p);

    node_add(p, after, own->blocks);
    node_drop(p, p->now[t]);
    p->now[t] = after;
}

static void access_read(struct pass *p, struct object *x)
{
    struct node *now;

    learn(p, x->writer);
    now = p->now[p->thread];
    for (size_t i = 0; i < x->readers_count; i++) {
        if (x->readers[i].thread == p->thread) {
            if (x->readers[i].node == now)
                return;
            node_drop(p, x->readers[i].node);
            if (now)
                x->readers[i].node = node_share(now);
            else
                x->readers[i] = x->readers[--x->readers_count];
            return;
        }
    }
    if (now)
        ARRAY_PUSH(x, readers, (struct reader){p->thread, node_share(now)});
}

static void access_write(struct pass *p, struct object *x)
{
    learn(p, x->writer);
    for (size_t i = 0; i < x->readers_count; i++) {
        learn(p, x->readers[i].node);
        node_drop(p, x->readers[i].node);
    }
    x->readers_count = 0;
    if (x->writer != p->now[p->thread]) {
        node_drop(p, x->writer);
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
    node_drop(context, load);
}

static void load_take(void *context, void *load)
{
    learn(context, load);
}

static void synchronize(struct pass *p, event_id e, enum event_kind kind)
{
    if (kind == EVENT_JOIN) {
        learn(p, p->now[arg_of(p->m, e)]);
        return;
    }
    if (links_takes(kind))
        links_take(p->links, e);
    if (links_gives(kind))
        links_give(p->links, e, node_share(p->now[p->thread]));
}

/* The child begins with what its fork knows; in the block of its fork only where blocks span threads. */
static void start_thread(struct pass *p, thread_id child)
{
    struct node *fork = p->now[p->thread];

    node_drop(p, p->now[child]);
    if (!fork || fork->slot == NO_SLOT || p->transactions.current[child]) {
        p->now[child] = node_share(fork);
        return;
    }
    p->now[child] = node_new(p);
    node_add(p, p->now[child], fork->blocks);
}

static void do_event(struct pass *p, event_id e)
{
    enum event_kind kind = kind_of(p->m, e);
    const struct transaction *in = transactions_at(&p->transactions, e);

    p->thread = thread_of(p->m, e);
    if (in && in->first == e)
        block_begin(p, in);
    if (kind_accesses(kind)) {
        struct object *x = &p->variables[arg_of(p->m, e)];
        if (kind_writes(kind))
            access_write(p, x);
        else
            access_read(p, x);
    } else if (kind_locks(kind)) {
        struct object *l = &p->locks[arg_of(p->m, e)];
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

static void finish_event(struct pass *p, event_id e)
{
    const struct transaction *in = p->transactions.current[p->thread];
    const struct transaction *over = transactions_after(&p->transactions, e);

    if (over) {
        block_end(p, over->slot);
        if (is_empty(p, p->now[p->thread])) {
            node_drop(p, p->now[p->thread]);
            p->now[p->thread] = NULL;
        }
    } else if (in && !p->transactions.current[p->thread] && !is_thread_end(p->m, e)) {
        leave_block(p, in->slot, p->thread);
    }
}

static void pass_init(struct pass *p, const struct model *m, enum event_kind begin)
{
    static const struct link_ops ops = {.share = load_share, .drop = load_drop, .take = load_take};

    *p = (struct pass){.m = m, .words = (m->thread_count + 63) / 64};
    transactions_init(&p->transactions, m, begin);
    reentry_init(&p->reentry, m);
    p->links = links_new(m, &ops, p);
    p->blocks = memory_new(m->thread_count, sizeof *p->blocks);
    p->now = memory_new(m->thread_count, sizeof *p->now);
    p->variables = memory_new(m->variable_count, sizeof *p->variables);
    p->locks = memory_new(m->lock_count, sizeof *p->locks);
}

static void objects_free(struct pass *p, struct object *objects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        node_drop(p, objects[i].writer);
        for (size_t r = 0; r < objects[i].readers_count; r++)
            node_drop(p, objects[i].readers[r].node);
        free(objects[i].readers);
    }
    free(objects);
}

static void pass_free(struct pass *p)
{
    objects_free(p, p->variables, p->m->variable_count);
    objects_free(p, p->locks, p->m->lock_count);
    links_free(p->links);
    for (thread_id t = 0; t < p->m->thread_count; t++)
        node_drop(p, p->now[t]);
    for (uint32_t slot = 0; slot < p->m->thread_count; slot++) {
        struct block *b = &p->blocks[slot];
        node_drop(p, b->node);
        for (size_t i = 0; i < b->reached_count; i++) {
            b->reached[i]->listed--;
            node_retire(p, b->reached[i]);
        }
        free((void *)b->reached);
    }
    for (size_t i = 0; i < p->free_nodes_count; i++)
        free(p->free_nodes[i]);
    free((void *)p->free_nodes);
    free(p->blocks);
    free((void *)p->now);
    reentry_free(&p->reentry);
    transactions_free(&p->transactions);
}

event_id serial_violation(const struct model *m, enum event_kind begin, const volatile bool *stop,
                          uint64_t *blocks)
{
    event_id found = EVENT_NONE;
    struct pass p;

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
