/* What reads under a lock can see, whatever the order of its sections.
 *
 * Variables that only the sections of one lock change hold between sections what whole sections left there. A section that
 * has ended has seen the values it saw in the trace, where its events depend on them. So as far as the lock goes, a run is always in some state: how many of its sections each
 * thread has behind it, which write each variable holds, which waits for a notify have got one. There are few states where what
 * sections read says who can come next, as with a queue. All that can be reached are gone through, and what the
 * reads of the next sections would see is noted (docs/soundness.md, "Orders of sections"). */
#include "base/memory.h"
#include "model/guarded.h"
#include "model/model_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* What going through the states of one lock may cost, in ops looked at and numbers copied: in all, and for each section. Where
 * what sections read keeps none of them from coming next, it is given up after the first; and where so many states have the
 * same number of sections behind them: they will be more and more. */
enum { WORK_BASE = 20000, WORK_SECTION = 400, WIDTH = 256 };

/* So many sections of a lock are looked at first. */
enum { PROBED = 64 };

/* What variables hold is kept in pages, each once. */
enum { PAGE = 16 };

enum { SEEN = 1, SEEN_AS_OBSERVED = 2 };

/* With the number of a write: it may carry another number than it wrote. Traces with more events are left out. */
#define MAY_DIFFER (UINT32_C(1) << 31)

/* Blocks of numbers of one size, each once. */
struct number_set {
    uint32_t *numbers;
    size_t numbers_count, numbers_capacity; /* numbers, not blocks */
    size_t size;                            /* numbers in a block */
    uint32_t *table;                        /* of blocks, plus 1 */
    size_t table_size;
};

/* A read that is the first access of its section to the variable. */
struct ordered_read {
    event_id first; /* the first write that it was found to see, or EVENT_NONE … */
    uint8_t how;    /* … SEEN or SEEN_AS_OBSERVED */
};

struct section_orders {
    uint32_t
        *op_of; /* by event: the index of its read, plus 1, times 2; plus 1 if its section has read before */
    struct ordered_read *reads;
    size_t reads_count, reads_capacity;
    struct map seen; /* index of a read and write → SEEN or SEEN_AS_OBSERVED */
};

struct section_walk {
    const struct model *m;
    const struct guarded_lock *g;
    struct section_orders *orders;
    uint32_t base; /* the lock's first op among the orders' reads */
    struct number_set pages, states;
    size_t threads, page_count;
    uint32_t *
        next; /* room for a state: by thread, sections behind it; by thread, whether it has got a notify; pages */
    uint8_t *as_observed; /* by op, of the section that is tried: a read sees what it saw */
    bool refused;         /* some section could not come next because of what it read */
    uint64_t work, limit;
};

static size_t hash_of(const uint32_t *block, size_t size)
{
    return (size_t)XXH3_64bits(block, size * sizeof *block);
}

static void grow_table(struct number_set *s)
{
    size_t count = s->numbers_count / s->size;

    s->table_size = s->table_size ? s->table_size * 4 : 256;
    free(s->table);
    s->table = memory_new(s->table_size, sizeof *s->table);
    for (size_t i = 0; i < count; i++) {
        size_t at = hash_of(s->numbers + i * s->size, s->size) & (s->table_size - 1);
        while (s->table[at])
            at = (at + 1) & (s->table_size - 1);
        s->table[at] = (uint32_t)i + 1;
    }
}

/* The index of the block, which is added if it is not there. */
static uint32_t set_add(struct number_set *s, const uint32_t *block)
{
    size_t count = s->numbers_count / s->size;

    if (count * 2 >= s->table_size)
        grow_table(s);
    size_t at = hash_of(block, s->size) & (s->table_size - 1);
    for (; s->table[at]; at = (at + 1) & (s->table_size - 1))
        if (memcmp(s->numbers + (size_t)(s->table[at] - 1) * s->size, block, s->size * sizeof *block) == 0)
            return s->table[at] - 1;
    s->table[at] = (uint32_t)count + 1;
    s->numbers = memory_grow(s->numbers, &s->numbers_capacity, s->numbers_count + s->size, sizeof *s->numbers);
    memcpy(s->numbers + s->numbers_count, block, s->size * sizeof *block);
    s->numbers_count += s->size;
    return (uint32_t)count;
}

static void set_free(struct number_set *s)
{
    free(s->numbers);
    free(s->table);
}

/* The write that the variable holds in the state, and whether it may carry another number than it wrote (MAY_DIFFER). */
static uint32_t held(const struct section_walk *w, const uint32_t *state, uint32_t place)
{
    return w->pages.numbers[(size_t)state[2 * w->threads + place / PAGE] * PAGE + place % PAGE];
}

static void hold(struct section_walk *w, uint32_t *state, uint32_t place, uint32_t write)
{
    uint32_t page[PAGE], *at = &state[2 * w->threads + place / PAGE];

    memcpy(page, w->pages.numbers + (size_t)*at * PAGE, sizeof page);
    page[place % PAGE] = write;
    *at = set_add(&w->pages, page);
    w->work += 2;
}

static bool has_needs(const struct section_walk *w, uint32_t needs, const uint32_t *state)
{
    for (size_t t = 0; t < w->threads; t++)
        if (state[t] < w->g->needs[needs + t])
            return false;
    return true;
}

static void note(struct section_walk *w, uint32_t op, event_id write, uint8_t how)
{
    struct ordered_read *r = &w->orders->reads[w->base + op];

    if (r->first == EVENT_NONE)
        *r = (struct ordered_read){write, how};
    if (r->first == write) {
        r->how = how > r->how ? how : r->how;
        return;
    }
    uint32_t *known = map_at(&w->orders->seen, map_pair(w->base + op, write));
    *known = how > *known ? how : *known;
}

/* The thread's next section, or NULL. */
static const struct guarded_section *next_section(const struct section_walk *w, const uint32_t *state,
                                                  uint32_t t)
{
    uint32_t at = w->g->thread_start[t] + state[t];

    return at < w->g->thread_start[t + 1] ? &w->g->sections[w->g->by_thread[at]] : NULL;
}

/* Threads whose next section waits for the condition have got a notify. */
static void wake(const struct section_walk *w, uint32_t *state, uint32_t condition)
{
    for (uint32_t t = 0; t < w->threads; t++) {
        const struct guarded_section *s = next_section(w, state, t);
        if (s && s->waits_for == condition)
            state[w->threads + t] = 1;
    }
}

/* What a write of the section leaves, with what its reads have just been found to see. */
static uint32_t left_by(const struct section_walk *w, const struct guarded_op *write)
{
    assert(write->adds_to < w->g->ops_count || write->adds_to >= ADDS_TO_ANYTHING);
    bool differs = write->adds_to == ADDS_TO_ANYTHING ||
                   (write->adds_to != ADDS_TO_NOTHING && !w->as_observed[write->adds_to]);

    return write->event | (differs ? MAY_DIFFER : 0);
}

/* The state that the section leaves. */
static void leave(struct section_walk *w, const struct guarded_section *s)
{
    uint32_t *state = w->next;

    state[s->thread]++;
    state[w->threads + s->thread] = 0;
    for (uint32_t i = s->writes; i < s->wakes; i++)
        hold(w, state, w->g->ops[i].place, left_by(w, &w->g->ops[i]));
    for (uint32_t i = s->wakes; i < s->end; i++)
        wake(w, state, w->g->ops[i].place);
    w->work += (w->states.size + PAGE - 1) / PAGE;
    set_add(&w->states, state);
}

/* Notes what the section finds in the state; adds the one that it leaves, if it can come next. */
static void try_section(struct section_walk *w, const uint32_t *state, const struct guarded_section *s)
{
    const struct model *m = w->m;

    w->work++;
    if (!has_needs(w, s->need_begin, state) || (s->waits_for != NAME_NONE && !state[w->threads + s->thread]))
        return;
    uint32_t stop = POSITION_END; /* of the thread: because of what it saw */
    for (uint32_t i = s->reads; i < s->writes; i++) {
        event_id read = w->g->ops[i].event;
        if (m->position[read] >= stop)
            break;
        uint32_t found = held(w, state, w->g->ops[i].place);
        event_id write = found & ~MAY_DIFFER;
        struct known_value written = model_written(m, write, arg_of(m, read));
        bool fits = write == m->source[read] || known_equal(written, model_seen(m, read));
        note(w, i, write, fits || write != found ? SEEN_AS_OBSERVED : SEEN);
        w->as_observed[i] = fits && write == found;
        w->work++;
        uint32_t at = fits || write != found ? POSITION_END : guarded_stop(m, read, written);
        stop = at < stop ? at : stop;
    }
    bool goes_on = s->ends && stop > m->position[m->sections[s->section].release];
    w->refused |= s->ends && !goes_on;
    if (!goes_on || !has_needs(w, s->need_end, state))
        return;
    memcpy(w->next, state, w->states.size * sizeof *state);
    leave(w, s);
}

/* Before all sections. */
static void begin(struct section_walk *w)
{
    const struct guarded_lock *g = w->g;

    memset(w->next, 0, w->states.size * sizeof *w->next);
    for (size_t page = 0; page < w->page_count; page++) {
        uint32_t numbers[PAGE] = {0};
        for (size_t i = page * PAGE; i < (page + 1) * PAGE && i < g->variables_count; i++)
            numbers[i % PAGE] = g->variables[i].first | (g->variables[i].sum ? MAY_DIFFER : 0);
        w->next[2 * w->threads + page] = set_add(&w->pages, numbers);
    }
    set_add(&w->states, w->next);
}

/* Whether it is worth it to go on. */
static bool is_within_limits(const struct section_walk *w, size_t width)
{
    return width <= WIDTH && w->work < (w->refused ? w->limit : WORK_BASE);
}

/* Whether all states could be gone through. */
static bool walk_states(struct section_walk *w)
{
    size_t size = w->states.size, width = 1, end = 0; /* of states with one number of sections behind them */
    uint32_t *state = memory_new(size, sizeof *state);

    begin(w);
    for (size_t at = 0; at < w->states.numbers_count && is_within_limits(w, width); at += size) {
        if (at == end) {
            end = w->states.numbers_count;
            width = (end - at) / size;
        }
        memcpy(state, w->states.numbers + at, size * sizeof *state);
        for (uint32_t t = 0; t < w->threads; t++) {
            const struct guarded_section *s = next_section(w, state, t);
            if (s)
                try_section(w, state, s);
        }
    }
    free(state);
    return is_within_limits(w, width);
}

/* From here on it is known what the lock's reads can see. */
static void publish(const struct section_walk *w)
{
    const struct guarded_lock *g = w->g;
    uint32_t *op_of = w->orders->op_of;

    for (size_t i = 0; i < g->sections_count; i++)
        for (uint32_t k = g->sections[i].reads; k < g->sections[i].writes; k++)
            op_of[g->ops[k].event] = (w->base + k + 1) * 2;
    for (size_t i = 0; i < g->again_count; i++) {
        event_id read = g->again[i].read, first = g->ops[g->again[i].op].event;
        bool demanded = read_plain_at(w->m, first) <= w->m->position[read];
        if (demanded || known_equal(model_seen(w->m, first), model_seen(w->m, read)))
            op_of[read] = (w->base + g->again[i].op + 1) * 2 + demanded;
    }
}

/* Goes through the states that sections before event `until` make, of a lock with so many sections in all, or through all of them
 * (EVENT_NONE): then it is known what the lock's reads see. Whether that could be done. */
static bool walk_lock(const struct model *m, struct section_orders *o, const struct guarded_variable *variables,
                      size_t count, event_id until, size_t sections)
{
    struct guarded_lock g;

    guarded_collect(m, variables, count, until, &g);
    struct section_walk w = {.m = m,
                             .g = &g,
                             .orders = o,
                             .base = (uint32_t)o->reads_count,
                             .pages = {.size = PAGE},
                             .threads = g.threads_count,
                             .page_count = (count + PAGE - 1) / PAGE,
                             .limit = WORK_BASE + (uint64_t)WORK_SECTION * sections};
    w.states.size = 2 * w.threads + w.page_count;
    w.next = memory_new(w.states.size, sizeof *w.next);
    w.as_observed = memory_new(g.ops_count, sizeof *w.as_observed);
    for (size_t i = 0; i < g.ops_count; i++)
        ARRAY_PUSH(o, reads, (struct ordered_read){EVENT_NONE, 0});
    bool done = walk_states(&w);
    if (done && until == EVENT_NONE)
        publish(&w);
    set_free(&w.pages);
    set_free(&w.states);
    free(w.next);
    free(w.as_observed);
    guarded_free(&g);
    return done;
}

static void forget(struct section_orders *o)
{
    free(o->op_of);
    free(o->reads);
    map_free(&o->seen);
}

/* Whether it is known what the reads of sections of the lock see. Most locks are given up soon: then most of their sections need
 * not be looked at. */
static bool look_at_lock(const struct model *m, struct section_orders *o,
                         const struct guarded_variable *variables, size_t count)
{
    uint32_t first = m->section_start[variables->lock];
    size_t sections = m->section_start[variables->lock + 1] - first;
    struct section_orders some = {0};
    bool worth_it = sections <= PROBED ||
                    walk_lock(m, &some, variables, count, m->sections[first + PROBED].acquire, sections);

    forget(&some);
    return worth_it && walk_lock(m, o, variables, count, EVENT_NONE, sections);
}

void orders_find(struct model *m)
{
    struct guarded_variables found = {0};
    bool known = false;

    if (m->event_count < MAY_DIFFER)
        found = guarded_find(m);

    if (found.list_count > 0) {
        m->orders = memory_new(1, sizeof *m->orders);
        m->orders->op_of = memory_new((size_t)m->event_count + 1, sizeof *m->orders->op_of);
    }
    for (size_t i = 0, end; i < found.list_count; i = end) {
        bool decides = false; /* else sections can come in any order */
        for (end = i; end < found.list_count && found.list[end].lock == found.list[i].lock; end++)
            decides |= found.list[end].decides;
        if (decides)
            known |= look_at_lock(m, m->orders, found.list + i, end - i);
    }
    free(found.list);
    if (!known) {
        orders_free(m->orders);
        m->orders = NULL;
    }
}

void orders_free(struct section_orders *o)
{
    if (o)
        forget(o);
    free(o);
}

bool orders_let_see(const struct section_orders *o, event_id read, event_id write, bool as_observed)
{
    uint32_t op = o->op_of[read];

    if (op == 0)
        return true;
    const struct ordered_read *r = &o->reads[op / 2 - 1];
    uint32_t how = r->first == write ? r->how : map_get(&o->seen, map_pair(op / 2 - 1, write));
    return how >= (as_observed || op % 2 ? SEEN_AS_OBSERVED : SEEN);
}
