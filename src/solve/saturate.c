/* Adds what mutual exclusion and couples force, to a fixpoint (FMCAD'12 §III.A for locks; docs/soundness.md,
 * "Saturation"). What couples force is in protect.c. */
#include "base/memory.h"
#include "solve/window.h"

#include <assert.h>

#define LOCK_PLACED (1u << 31)

static void section_add(struct window *w, const struct query *q, uint32_t section)
{
    const struct section *s = &w->m->sections[section];
    struct window_section added = {
        .section = section,
        .acquire = window_node(w, s->acquire),
        .release = s->release == EVENT_NONE ? NODE_OUT : window_node(w, s->release),
        .owner = s->owner,
        .lock = section_lock(s),
        .shared = s->shared,
    };

    added.closable =
        added.release == NODE_OUT && s->release != EVENT_NONE && w->m->position[s->release] < q->most[s->owner];
    added.open = added.release == NODE_OUT && !added.closable;
    w->has_closable |= added.closable;
    bool acts = !lock_is_word(w->m, added.lock);
    if (added.acquire < NODE_OUT && acts)
        w->actions[added.acquire] = s->shared ? LOCK_TAKE_SHARED : LOCK_TAKE;
    if (added.release < NODE_OUT && acts)
        w->actions[added.release] = s->shared ? LOCK_GIVE_SHARED : LOCK_GIVE;
    ARRAY_PUSH(w, sections, added);
}

/* Puts the sections, which come owner by owner, lock by lock: a place is counted out for each lock. */
static void sort_sections(struct window *w)
{
    w->sorted = memory_grow(w->sorted, &w->sorted_capacity, w->sections_count, sizeof *w->sorted);
    for (size_t i = 0; i < w->sections_count; i++)
        w->locks[w->sections[i].lock].fill++;
    for (size_t i = 0, at = 0; i < w->sections_count; i++) {
        uint32_t *fill = &w->locks[w->sections[i].lock].fill;
        if (!(*fill & LOCK_PLACED)) {
            uint32_t count = *fill;
            *fill = (uint32_t)at | LOCK_PLACED;
            w->locks[w->sections[i].lock].touched = 0;
            at += count;
        }
        w->sorted[(*fill)++ & ~LOCK_PLACED] = w->sections[i];
    }
    for (size_t i = 0; i < w->sections_count; i++)
        w->locks[w->sections[i].lock].fill = 0;

    struct window_section *unsorted = w->sections;
    size_t capacity = w->sections_capacity;
    w->sections = w->sorted;
    w->sections_capacity = w->sorted_capacity;
    w->sorted = unsorted;
    w->sorted_capacity = capacity;
}

/* The words' sections that the thread has begun before the window, and those that it begins there; of both, where it goes
 * on after the take. */
static void find_word_sections(struct window *w, const struct query *q, thread_id t)
{
    const struct model *m = w->m;
    uint32_t stands = w->high[t] + (q->keep[t] && w->high[t] == q->most[t]); /* so many have condition 4 */
    uint32_t i = m->word_start[t], end = m->word_start[t + 1];

    for (uint32_t h = w->prefix ? model_guard_at(m, t, w->low[t]) : HOLD_NONE; h != HOLD_NONE;
         h = m->holds[h].outer) {
        const struct section *s = &m->sections[m->holds[h].section];
        if (lock_is_word(m, s->lock) && m->position[s->acquire] + 1 < stands)
            section_add(w, q, m->holds[h].section);
    }
    for (uint32_t high = end; i < high;) {
        uint32_t middle = i + (high - i) / 2;
        if (m->position[m->sections[m->word_sections[middle]].acquire] < w->low[t])
            i = middle + 1;
        else
            high = middle;
    }
    for (; i < end && m->position[m->sections[m->word_sections[i]].acquire] + 1 < stands; i++)
        section_add(w, q, m->word_sections[i]);
}

/* Lists the locks that several threads hold, with the runs of each. */
static void list_locks(struct window *w)
{
    w->lock_sections_count = w->section_runs_count = 0;
    for (uint32_t start = 0, end; start < w->sections_count; start = end) {
        struct lock_sections l = {.start = start, .runs = (uint32_t)w->section_runs_count};
        for (end = start; end < w->sections_count && w->sections[end].lock == w->sections[start].lock; end++) {
            const struct window_section *s = &w->sections[end];
            l.mixed |= s->shared;
            if (end == start || s[-1].owner != s->owner)
                ARRAY_PUSH(w, section_runs, (struct run_place){end, w->columns[s->owner]});
        }
        l.end = end;
        l.runs_end = (uint32_t)w->section_runs_count;
        assert(l.runs < l.runs_end && l.runs_end - l.runs <= l.end - l.start);
        if (l.runs_end - l.runs > 1)
            ARRAY_PUSH(w, lock_sections, l);
    }
}

void window_find_sections(struct window *w, const struct query *q)
{
    const struct model *m = w->m;

    w->sections_count = 0;
    w->has_closable = false;
    for (thread_id t = 0; t < m->thread_count; t++) {
        size_t first = w->sections_count;
        for (uint32_t h = w->prefix ? w->seen_hold[t] : HOLD_NONE; h != HOLD_NONE; h = m->holds[h].outer)
            section_add(w, q, m->holds[h].section);
        for (size_t low = first, high = w->sections_count; low + 1 < high; low++, high--) { /* oldest first */
            struct window_section swapped = w->sections[low];
            w->sections[low] = w->sections[high - 1];
            w->sections[high - 1] = swapped;
        }
        for (uint32_t node = w->first[t]; node < w->first[t] + (w->high[t] - w->low[t]); node++) {
            event_id e = w->events[node];
            if (model_section_of(m, e) != SECTION_NONE && m->sections[model_section_of(m, e)].acquire == e)
                section_add(w, q, model_section_of(m, e));
        }
        if (m->word_count > 0)
            find_word_sections(w, q, t);
    }
    sort_sections(w);
    for (size_t i = w->sections_count; i-- > 0;) {
        struct window_section *s = &w->sections[i], *next = s + 1;
        bool same = i + 1 < w->sections_count && next->lock == s->lock && next->owner == s->owner;
        s->run = same ? next->run + 1 : 1;
    }
    for (uint32_t run = 0; run < w->sections_count; run += w->sections[run].run)
        for (uint32_t i = run; i < run + w->sections[run].run && !lock_is_word(m, w->sections[i].lock); i++)
            if (w->sections[i].release < NODE_OUT)
                w->run_of[w->sections[i].release] = run;
    list_locks(w);
}

/* Whether section p is known to begin before section q ends. A section that could yet be released counts as
 * open only once that is assumed. */
static bool begins_before_end(const struct window *w, const struct window_section *p,
                              const struct window_section *q)
{
    if (q->release == NODE_OUT)
        return q->open || (q->closable && w->assume_open);
    if (q->release == NODE_BEFORE)
        return false;
    return p->acquire == NODE_BEFORE || node_before(w, p->acquire, q->release);
}

static bool refuse_sections(struct window *w)
{
    w->cycle_from = w->cycle_to = NODE_OUT;
    w->cycle_reason = EDGE_LOCK;
    return false;
}

/* p begins before q ends, so it must end before q begins. */
static bool order_sections(struct window *w, struct window_section *p, struct window_section *q)
{
    if (p->release == NODE_OUT && p->closable && !w->assume_open) {
        p->must_close = w->must_close = true; /* a longer run is needed; what else follows is seen there */
        return true;
    }
    if (p->release == NODE_OUT) {
        p->used |= p->closable;
        q->used |= q->closable;
        return refuse_sections(w);
    }
    if (q->acquire == NODE_BEFORE)
        return refuse_sections(w);
    if (q->closable && !node_before(w, p->release, q->acquire))
        q->used = true;
    return window_add(w, p->release, q->acquire, EDGE_LOCK);
}

/* Orders p before the first section of another owner's run that it begins before the end of: the later ones
 * follow by program order. In exclusive mode ends grow along the run, so that first one is found by halving; the last one may have no
 * end yet. */
static bool order_in_run(struct window *w, struct window_section *p, struct window_section *run)
{
    const struct window_section *last = &run[run->run - 1];
    uint32_t low = 0, ends = run->run - (last->closable && !w->assume_open), high = ends;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (begins_before_end(w, p, &run[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low == ends || order_sections(w, p, &run[low]);
}

/* The same where some are in reader mode: two readers need no order, and a thread's own modes may overlap. */
static bool order_in_mixed_run(struct window *w, struct window_section *p, struct window_section *run)
{
    for (uint32_t i = 0; i < run->run; i++)
        if (!(p->shared && run[i].shared) && begins_before_end(w, p, &run[i]) && !order_sections(w, p, &run[i]))
            return false;
    return true;
}

/* p, an owner's last section that begins before q ends, comes before q, and with it the owner's earlier ones. One that has to be
 * released in a longer run comes before nothing here: the one before it does. */
static bool order_last(struct window *w, struct window_section *run, uint32_t last, struct window_section *q)
{
    if (!order_sections(w, &run[last], q))
        return false;
    return !run[last].must_close || last == 0 || order_sections(w, &run[last - 1], q);
}

/* How many of the run's sections begin before a node with this clock; those that began before the window do. */
static uint32_t sections_before(const struct window *w, const struct window_section *run, uint32_t known)
{
    uint32_t start = w->low[run->owner], bound = w->first[run->owner] + (known > start ? known - start : 0),
             low = 0, high = run->run;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (run[middle].acquire == NODE_BEFORE || run[middle].acquire < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Orders before q what is known to begin before it ends. Where the section before it in its run knows as much of a thread, that is
 * seen to there. */
static bool order_before(struct window *w, const struct lock_sections *l, struct window_section *q, bool first)
{
    const uint32_t *clock = node_clock(w, q->release),
                   *known = first || q[-1].release >= NODE_OUT ? NULL : node_clock(w, q[-1].release);

    for (uint32_t i = l->runs; i < l->runs_end; i++) {
        uint32_t column = w->section_runs[i].column;
        if (known && (column == COLUMN_NONE || known[column] >= clock[column]))
            continue;
        struct window_section *run = &w->sections[w->section_runs[i].at];
        if (run->owner == q->owner)
            continue;
        uint32_t count = sections_before(w, run, column != COLUMN_NONE ? clock[column] : 0);
        if (count > 0 && !order_last(w, run, count - 1, q))
            return false;
    }
    return true;
}

/* The same where q stays open: all come before it. */
static bool order_before_open(struct window *w, const struct lock_sections *l, struct window_section *q)
{
    for (uint32_t i = l->runs; i < l->runs_end; i++) {
        struct window_section *run = &w->sections[w->section_runs[i].at];
        if (run->owner != q->owner && !order_last(w, run, run->run - 1, q))
            return false;
    }
    return true;
}

/* Of exclusive sections that are no reasons. What follows depends on the clocks of releases alone, so releases that were not touched
 * since pass `last` began are passed over. */
static bool saturate_exclusive(struct window *w, const struct lock_sections *l, uint32_t last)
{
    for (uint32_t i = l->start; i < l->end; i++) {
        struct window_section *q = &w->sections[i];
        bool first = i == l->start || q[-1].owner != q->owner;
        if (q->release == NODE_BEFORE ||
            (q->release == NODE_OUT ? last > 0 || !q->open : w->touched[q->release] < last))
            continue;
        if (!(q->release == NODE_OUT ? order_before_open(w, l, q) : order_before(w, l, q, first)))
            return false;
    }
    return true;
}

/* The same of any sections, one after the other; and runs in which no release was touched are passed over. */
static bool saturate_lock(struct window *w, const struct lock_sections *l, uint32_t last)
{
    for (uint32_t i = l->start; i < l->end; i++) {
        struct window_section *p = &w->sections[i];
        for (uint32_t r = l->runs; r < l->runs_end; r++) {
            struct window_section *run = &w->sections[w->section_runs[r].at];
            if (run->owner != p->owner && run->touched >= last &&
                !(l->mixed ? order_in_mixed_run(w, p, run) : order_in_run(w, p, run)))
                return false;
        }
    }
    return true;
}

/* The last pass that touched an acquire or release of the lock; of a word, any write. */
static uint32_t lock_touched(const struct window *w, lock_id lock)
{
    assert(lock < w->m->lock_count + w->m->word_count);
    if (!lock_is_word(w->m, lock))
        return w->locks[lock].touched;
    if (lock - w->m->lock_count >= w->m->take_words)
        return w->pass; /* its reads are not followed */
    variable_id x = w->m->words[lock - w->m->lock_count];
    return w->variables[x].stamp == w->stamp ? w->variables[x].touched : 0;
}

static bool saturate_locks(struct window *w)
{
    uint32_t last = w->locks_pass;

    w->locks_pass = ++w->pass;
    w->effort += w->sections_count / SCAN_UNIT;
    for (size_t i = 0; i < w->lock_sections_count; i++) {
        const struct lock_sections *l = &w->lock_sections[i];
        lock_id lock = w->sections[l->start].lock;
        if (lock_touched(w, lock) < last)
            continue;
        w->effort += (l->end - l->start) * (w->width / ROW_UNIT);
        bool word = lock_is_word(w->m, lock);
        if (window_is_spent(w) ||
            !(l->mixed || w->plain || w->assume_open ? saturate_lock(w, l, word ? 0 : last)
                                                     : saturate_exclusive(w, l, last)))
            return false;
    }
    return true;
}

/* One section after the other; each edge is propagated to all its successors at once. */
static bool saturate_eagerly(struct window *w)
{
    do {
        w->changed = false;
        if (!saturate_locks(w) || !window_saturate_couples(w) || !window_saturate_tokens(w))
            return false;
        if (!w->changed && !window_saturate_soft(w))
            return false;
    } while (w->changed);
    return true;
}

/* The same fixpoint, but edges are propagated once per pass: in a large window most edges have many
 * successors in common. */
static bool saturate_patiently(struct window *w, bool couples)
{
    bool fits;

    window_be_patient(w);
    do {
        do {
            w->changed = false;
            fits = saturate_locks(w) && window_settle(w);
        } while (fits && w->changed);
        fits = fits && (!couples || (window_protect(w) && window_saturate_tokens(w) && window_settle(w)));
        if (fits && couples && !w->changed && w->soft_nodes_count > 0)
            fits = window_saturate_soft(w) && window_settle(w);
    } while (fits && w->changed);
    window_be_eager(w);
    return fits;
}

void window_assume_open(struct window *w)
{
    w->assume_open = w->has_closable;
    w->may_grow = false;
    w->locks_pass = w->soft_pass = 0; /* other rules hold: everything is looked at once more */
}

bool window_saturate(struct window *w)
{
    /* Which open sections are a reason for something depends on the order in which edges come. */
    bool eager = w->plain || (w->assume_open && w->has_closable);
    bool fits = eager ? saturate_eagerly(w) : saturate_patiently(w, true);

    w->must_close &= fits;
    return fits && !w->must_close;
}

bool window_saturate_locks(struct window *w)
{
    bool fits = saturate_patiently(w, false);

    w->must_close &= fits;
    return fits;
}

static bool lock_choice(const struct window *w, struct choice *choice)
{
    for (size_t start = 0, end; start < w->sections_count; start = end) {
        for (end = start; end < w->sections_count && w->sections[end].lock == w->sections[start].lock;)
            end += w->sections[end].run;
        for (size_t i = start; i < end; i++) {
            for (size_t j = i + 1; j < end; j++) {
                const struct window_section *p = &w->sections[i], *q = &w->sections[j];
                if (p->owner == q->owner || (p->shared && q->shared) || p->acquire == NODE_BEFORE ||
                    q->acquire == NODE_BEFORE || p->release == NODE_OUT || q->release == NODE_OUT ||
                    node_before(w, p->release, q->acquire) || node_before(w, q->release, p->acquire))
                    continue;
                bool swap = q->section < p->section;
                choice->reason = EDGE_LOCK;
                choice->side[swap].from = p->release;
                choice->side[swap].to = q->acquire;
                choice->side[!swap].from = q->release;
                choice->side[!swap].to = p->acquire;
                return true;
            }
        }
    }
    return false;
}

static bool data_choice(const struct window *w, struct choice *choice)
{
    for (size_t i = 0; i < w->couples_count; i++) {
        const struct couple *c = &w->couples[i];
        variable_id x = arg_of(w->m, w->events[c->reader]);
        uint32_t source = c->from;

        if (w->variables[x].stamp != w->stamp || source == NODE_BEFORE)
            continue;
        for (uint32_t j = w->variables[x].start; j < w->variables[x].end; j++) {
            uint32_t other = w->writes[j];
            if (other == source || other == c->reader || node_before(w, other, source) ||
                node_before(w, c->reader, other))
                continue;
            bool later = w->events[other] > w->events[c->reader];
            choice->reason = EDGE_DATA;
            choice->side[later].from = other;
            choice->side[later].to = source;
            choice->side[!later].from = c->reader;
            choice->side[!later].to = other;
            return true;
        }
    }
    return false;
}

bool window_choice(const struct window *w, struct choice *choice)
{
    if (w->has_blame) {
        *choice = w->blame;
        return true;
    }
    return lock_choice(w, choice) || data_choice(w, choice) || window_token_choice(w, choice);
}
