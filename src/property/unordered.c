/* Unordered accesses: conflicting ones that C11 happens-before does not order in the observed run (semantics §3).
 *
 * One pass. Of each variable it keeps, per thread, location and kind, the newest access: what is unordered with
 * an older one of these is unordered with the newest, too, so these tell for every pair of locations. For every
 * pair of accesses it keeps the newest per thread and kind and goes back from there, up to the first that is ordered.
 *
 * Where many threads use a variable, that is many to look at for each access. A grouped check stops doing so for what only adds to
 * the counts of findings. */
#include "base/map.h"
#include "base/memory.h"
#include "property/c11.h"
#include "property/worker.h"

#include <assert.h>
#include <stdlib.h>
#include <xxhash.h>

struct unordered_variable {
    struct newest_access { /* one for each thread, kind and, in a grouped check, location */
        event_id event;
        thread_id thread;
        uint32_t position;
        enum event_kind kind;
        uint32_t place;
    } * newest;
    size_t newest_count, newest_capacity;
    struct like_groups *groups; /* where there are many of these; or NULL */
};

struct like_groups {
    struct like_accesses { /* one for each kind and location */
        enum event_kind kind;
        uint32_t place;
        event_id event; /* one of them */
    } * likes;
    size_t likes_count, likes_capacity;
};

/* From so many on accesses are put into groups; how many are looked at before some are passed over. */
enum { MANY = 64, LOOKS = 1 << 17 };

struct unordered_pass {
    struct worker *w;
    const struct model *m;
    struct unordered_variable *variables;
    uint64_t looks; /* so many entries were looked at */
    struct map own; /* where variables have groups: what an entry is for → its index, plus 1 */
    event_id *
        older; /* by access, where every pair is asked for: the one of its thread, kind and variable before it */
};

static bool is_unordered(const struct model *m, event_id a, event_id b, const uint32_t *clock)
{
    return thread_of(m, a) != thread_of(m, b) && m->position[a] >= clock[thread_of(m, a)] &&
           kinds_race(kind_of(m, a), kind_of(m, b));
}

/* Whether one entry of `newest` stands for both accesses, which one thread made. */
static bool is_alike(const struct unordered_pass *p, event_id a, event_id b)
{
    const struct trace *trace = p->m->trace;

    return op_kind(trace->op[a]) == op_kind(trace->op[b]) &&
           (p->older || trace->location[a] == trace->location[b]);
}

/* The accesses that the entry stands for, the newest first, as far as they are not ordered; it is known of the newest. */
static void check_entry(struct unordered_pass *p, const struct newest_access *entry,
                        const struct newest_access *access, const uint32_t *clock)
{
    event_id other = entry->event, e = access->event;

    assert(is_unordered(p->m, other, e, clock));
    if (!p->older) {
        uint32_t pair[] = {other, e};
        worker_observe_in(p->w, PROPERTY_UNORDERED,
                          worker_pair_key(p->w, PROPERTY_UNORDERED, pair, entry->place, access->place), pair,
                          2);
        return;
    }
    for (; other != EVENT_INIT && is_unordered(p->m, other, e, clock); other = p->older[other])
        worker_observe(p->w, PROPERTY_UNORDERED, (uint32_t[]){other, e}, 2);
}

/* What the entry of an access is for, as a number. */
static uint64_t own_key(const struct unordered_pass *p, const struct newest_access *access)
{
    struct {
        uint32_t variable, thread, location, kind;
    } key = {arg_of(p->m, access->event), access->thread, p->m->trace->location[access->event],
             (uint32_t)access->kind};

    return XXH3_64bits(&key, sizeof key);
}

static void add_to_group(struct like_groups *g, const struct newest_access *access)
{
    size_t i = 0;

    while (i < g->likes_count && (g->likes[i].kind != access->kind || g->likes[i].place != access->place))
        i++;
    if (i == g->likes_count)
        ARRAY_PUSH(g, likes, (struct like_accesses){access->kind, access->place, access->event});
}

/* Puts what was kept so far into groups when it has become much. */
static void keep_groups(struct unordered_pass *p, struct unordered_variable *x, uint32_t newest)
{
    bool first = !x->groups;

    if (first)
        x->groups = memory_new(1, sizeof *x->groups);
    for (uint32_t i = first ? 0 : newest; i < x->newest_count; i++) {
        *map_at(&p->own, own_key(p, &x->newest[i])) = i + 1;
        add_to_group(x->groups, &x->newest[i]);
    }
}

static uint64_t key_with_group(const struct unordered_pass *p, const struct like_accesses *g,
                               const struct newest_access *access)
{
    uint32_t pair[] = {g->event, access->event};

    return worker_pair_key(p->w, PROPERTY_UNORDERED, pair, g->place, access->place);
}

/* The entry of an access of which nothing is asked because findings stand for all that it may be unordered with; or NULL. */
static struct newest_access *passed_over(struct unordered_pass *p, struct unordered_variable *x,
                                         const struct newest_access *access)
{
    const struct like_groups *g = x->groups;
    uint32_t at = g && p->looks > LOOKS ? map_get(&p->own, own_key(p, access)) : 0;
    struct newest_access *own = at > 0 && at <= x->newest_count ? &x->newest[at - 1] : NULL;

    if (!own || own->thread != access->thread || !is_alike(p, own->event, access->event))
        return NULL;
    for (size_t i = 0; i < g->likes_count; i++)
        if (kinds_race(g->likes[i].kind, access->kind) &&
            !worker_shows(p->w, key_with_group(p, &g->likes[i], access)))
            return NULL;
    for (size_t i = 0; i < g->likes_count; i++)
        if (kinds_race(g->likes[i].kind, access->kind))
            worker_pass_over(p->w, PROPERTY_UNORDERED, key_with_group(p, &g->likes[i], access), 1);
    return own;
}

/* Looks at all entries; the index of the one for the access, or how many there are. */
static size_t check_entries(struct unordered_pass *p, const struct unordered_variable *x,
                            const struct newest_access *access, const uint32_t *clock)
{
    size_t mine = x->newest_count;

    p->looks += x->newest_count;
    for (size_t i = 0; i < x->newest_count; i++) {
        const struct newest_access *other = &x->newest[i];
        if (other->thread == access->thread)
            mine = is_alike(p, other->event, access->event) ? i : mine;
        else if (other->position >= clock[other->thread] && kinds_race(other->kind, access->kind))
            check_entry(p, other, access, clock);
    }
    return mine;
}

static void check_access(struct unordered_pass *p, struct unordered_variable *x, event_id e,
                         const uint32_t *clock)
{
    struct newest_access access = {e, thread_of(p->m, e), p->m->position[e], kind_of(p->m, e),
                                   place_of(p->m->trace, e)};
    struct newest_access *own = passed_over(p, x, &access);

    if (!own) {
        size_t mine = check_entries(p, x, &access, clock);
        if (mine == x->newest_count) {
            ARRAY_PUSH(x, newest, access);
            if (!p->older && x->newest_count >= MANY)
                keep_groups(p, x, (uint32_t)mine);
            return;
        }
        own = &x->newest[mine];
    }
    assert(own->event < e);
    if (p->older)
        p->older[e] = own->event;
    *own = access;
}

void unordered_all(struct worker *w)
{
    const struct model *m = w->m;
    struct c11 *order = c11_new(m);
    struct unordered_pass p = {.w = w, .m = m, .variables = memory_new(m->variable_count, sizeof *p.variables)};

    if (w->options->all)
        p.older = memory_new((size_t)m->event_count + 1, sizeof *p.older);
    for (event_id e = 1; e <= m->event_count && !*w->stop; e++) {
        const uint32_t *clock = c11_event(order, e);
        if (!kind_accesses(kind_of(m, e)))
            continue;
        struct unordered_variable *x = &p.variables[arg_of(m, e)];
        w->stats[PROPERTY_UNORDERED].subjects++;
        check_access(&p, x, e, clock);
    }
    for (variable_id x = 0; x < m->variable_count; x++) {
        if (p.variables[x].groups)
            free(p.variables[x].groups->likes);
        free(p.variables[x].groups);
        free(p.variables[x].newest);
    }
    map_free(&p.own);
    free(p.variables);
    free(p.older);
    c11_free(order);
}
