/* What two variables that one lock guards can hold together.
 *
 * A queue's length is 0 where its first entry is NULL, and nowhere else: every section that changes one of the two sees to the
 * other. So a read of the length cannot see 3 if its section has found NULL before. What sections of the lock can leave in one
 * variable while the other holds a value is found by going through all of them, in any order, until nothing is added
 * (docs/soundness.md, "Pairs under a lock"). */
#include "property/pairs.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* How far back a read is looked for; accesses of a variable that are looked at; how often the sections are gone through. */
enum { LOOK_BACK = 256, LOOK_AT = 10000, PASSES = 32 };

/* What a section of the lock does to a variable. Values that are not known have VALUE_NONE. */
struct section_deed {
    event_id acquire, release; /* of the section */
    struct known_value before; /* what it finds, if it reads first */
    struct known_value after;  /* what it leaves, if it writes */
    bool writes;
};

/* All of them, in the order of the trace. */
struct section_deeds {
    struct section_deed *list;
    size_t list_count, list_capacity;
    event_id first; /* the last write by who makes the variable, before all of these; or EVENT_INIT */
    event_id last;  /* the first write by who clears it, after all of these; or EVENT_NONE */
    bool guarded;   /* apart from that it is written in such sections alone */
};

/* Some section may find the first value and leave the second. */
struct value_step {
    struct known_value from, to;
};

/* What it is asked for by. */
struct held_key {
    lock_id lock;
    variable_id other;
    uint64_t value, tag;
    uint64_t variable;
};

/* What the one variable can hold while the other holds a value. */
struct held_values {
    struct map numbers; /* names and numbers alike: what is not there cannot be */
    bool any;
    struct held_key key;
};

struct kept_pairs {
    const struct model *m;
    struct map deeds_at; /* variable and lock → index in deeds, plus 1 */
    struct section_deeds *deeds;
    size_t deeds_count, deeds_capacity;
    struct map holds_at; /* hash of a key → index in holds, plus 1 */
    struct held_values *holds;
    size_t holds_count, holds_capacity;
    struct value_step *steps; /* room */
    size_t steps_count, steps_capacity;
};

struct kept_pairs *pairs_new(const struct model *m)
{
    struct kept_pairs *p = memory_new(1, sizeof *p);

    p->m = m;
    return p;
}

void pairs_free(struct kept_pairs *p)
{
    for (size_t i = 0; i < p->deeds_count; i++)
        free(p->deeds[i].list);
    for (size_t i = 0; i < p->holds_count; i++)
        map_free(&p->holds[i].numbers);
    map_free(&p->deeds_at);
    map_free(&p->holds_at);
    free(p->deeds);
    free(p->holds);
    free(p->steps);
    free(p);
}

/* A write outside of sections: by the thread that makes the variable, or by the one that clears it. */
static void add_outside(const struct model *m, struct section_deeds *d, event_id write)
{
    event_id known = d->list_count == 0 ? d->first : d->last;

    d->guarded = !kind_reads(kind_of(m, write)) &&
                 (known == EVENT_INIT || known == EVENT_NONE || thread_of(m, known) == thread_of(m, write));
    if (d->list_count == 0)
        d->first = write;
    else if (d->last == EVENT_NONE)
        d->last = write;
}

static struct section_deeds find_deeds(const struct model *m, lock_id lock, variable_id x)
{
    struct event_span accesses = accesses_of(m, x);
    struct section_deeds d = {.first = EVENT_INIT, .last = EVENT_NONE, .guarded = accesses.count <= LOOK_AT};

    for (size_t i = 0; i < accesses.count && d.guarded; i++) {
        event_id e = accesses.events[i];
        enum event_kind kind = kind_of(m, e);
        const struct section *s = exclusive_around(m, lock, e);
        if (!s && kind_writes(kind))
            add_outside(m, &d, e);
        if (!s)
            continue;
        d.guarded = d.last == EVENT_NONE;
        if (d.list_count == 0 || d.list[d.list_count - 1].acquire != s->acquire) {
            assert(d.list_count == 0 || d.list[d.list_count - 1].acquire < s->acquire);
            struct known_value seen = kind_reads(kind) ? model_seen(m, e) : (struct known_value){VALUE_NONE, 0};
            ARRAY_PUSH(&d, list,
                       (struct section_deed){.acquire = s->acquire, .release = s->release, .before = seen});
        }
        if (kind_writes(kind)) {
            d.list[d.list_count - 1].writes = true;
            d.list[d.list_count - 1].after = model_written(m, e, x);
        }
    }
    return d;
}

/* The deeds of the lock's sections on the variable: valid until those on another one are asked for the first time. */
static const struct section_deeds *deeds_of(struct kept_pairs *p, lock_id lock, variable_id x)
{
    uint32_t *at = map_at(&p->deeds_at, map_pair(lock, x));

    if (*at == 0) {
        *at = (uint32_t)p->deeds_count + 1;
        ARRAY_PUSH(p, deeds, find_deeds(p->m, lock, x));
    }
    return &p->deeds[*at - 1];
}

static const struct section_deed *deed_in(const struct section_deeds *d, event_id acquire)
{
    size_t low = 0, high = d->list_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->list[middle].acquire < acquire)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->list_count && d->list[low].acquire == acquire ? &d->list[low] : NULL;
}

/* Returns whether that is new. */
static bool holds_add(struct held_values *h, struct known_value v)
{
    if (v.tag == VALUE_NONE)
        h->any = true;
    if (v.tag == VALUE_NONE || map_get(&h->numbers, v.number))
        return false;
    *map_at(&h->numbers, v.number) = 1;
    return true;
}

static bool is_other(struct known_value a, struct known_value b)
{
    return a.tag != VALUE_NONE && b.tag != VALUE_NONE && !known_equal(a, b);
}

/* What one section leaves while the other variable holds the value, whatever was there; or a step. */
static void add_section(struct kept_pairs *p, struct held_values *h, struct known_value value,
                        const struct section_deed *other, const struct section_deed *own)
{
    static const struct known_value unknown = {VALUE_NONE, 0};
    bool writes = own && own->writes;

    if (other && other->writes) {
        if (!is_other(other->after, value))
            holds_add(h, writes ? own->after : own ? own->before : unknown);
    } else if (writes && !(other && is_other(other->before, value))) {
        ARRAY_PUSH(p, steps, (struct value_step){own->before, own->after});
    }
}

static void take_steps(struct kept_pairs *p, struct held_values *h)
{
    bool news = p->steps_count > 0;

    for (int pass = 0; news && !h->any; pass++) {
        news = false;
        for (size_t i = 0; i < p->steps_count; i++) {
            const struct value_step *s = &p->steps[i];
            if (s->from.tag == VALUE_NONE || map_get(&h->numbers, s->from.number))
                news |= holds_add(h, s->to);
        }
        h->any |= pass == PASSES;
    }
}

/* Whether in every run the one write comes before all of the sections, and the other one after them. */
static bool are_around(const struct model *m, event_id first, event_id last, const struct section_deeds *d)
{
    for (size_t i = 0; i < d->list_count; i++) {
        const struct section_deed *s = &d->list[i];
        if (first != EVENT_INIT && (first > s->acquire || !must_before(m, first, s->acquire)))
            return false;
        if (last != EVENT_NONE &&
            (s->release == EVENT_NONE || s->release > last || !must_before(m, s->release, last)))
            return false;
    }
    return true;
}

/* Whether nothing but sections changes the two variables while there are sections that use one of them. */
static bool are_kept(const struct model *m, const struct section_deeds *a, const struct section_deeds *b)
{
    return are_around(m, a->first, a->last, a) && are_around(m, a->first, a->last, b) &&
           are_around(m, b->first, b->last, a) && are_around(m, b->first, b->last, b);
}

static struct held_values find_holds(struct kept_pairs *p, const struct section_deeds *others,
                                     const struct section_deeds *own, const struct held_key *key)
{
    struct known_value value = {(enum value_tag)key->tag, key->value};
    struct held_values h = {.any = !are_kept(p->m, others, own), .key = *key};
    size_t i = 0, k = 0;

    p->steps_count = 0;
    if (!is_other(model_written(p->m, others->first, key->other), value))
        holds_add(&h, model_written(p->m, own->first, (variable_id)key->variable));
    while ((i < others->list_count || k < own->list_count) && !h.any) {
        const struct section_deed *a = i < others->list_count ? &others->list[i] : NULL;
        const struct section_deed *b = k < own->list_count ? &own->list[k] : NULL;
        event_id acquire = !b || (a && a->acquire < b->acquire) ? a->acquire : b->acquire;
        a = a && a->acquire == acquire ? a : NULL;
        b = b && b->acquire == acquire ? b : NULL;
        i += a != NULL;
        k += b != NULL;
        add_section(p, &h, value, a, b);
    }
    take_steps(p, &h);
    return h;
}

/* Whether the variable of the read can hold the value at the start of its section, where the other one held this. */
static bool can_hold(struct kept_pairs *p, lock_id lock, variable_id other, struct known_value found,
                     variable_id x, struct known_value value)
{
    struct held_key key = {lock, other, found.number, found.tag, x};
    uint32_t *at = map_at(&p->holds_at, XXH3_64bits(&key, sizeof key));

    if (*at == 0) {
        *at = (uint32_t)p->holds_count + 1;
        ARRAY_PUSH(p, holds,
                   find_holds(p, deeds_of(p, lock, other), deeds_of(p, lock, x), &key)); /* both are known */
    }
    const struct held_values *h = &p->holds[*at - 1];
    bool same = memcmp(&h->key, &key, sizeof key) == 0; /* else it is another with the same hash */
    return !same || h->any || map_get(&h->numbers, value.number);
}

/* Whether the section has written the variable before the event. */
static bool has_written(const struct model *m, const struct section *s, variable_id x, event_id e)
{
    struct event_span accesses = accesses_of(m, x);

    for (size_t i = events_up_to(accesses.events, accesses.count, s->acquire);
         i < accesses.count && accesses.events[i] < e; i++)
        if (thread_of(m, accesses.events[i]) == s->owner && kind_writes(kind_of(m, accesses.events[i])))
            return true;
    return false;
}

/* Whether something that the section read before the read does not go with what the write leaves. */
static bool contradicts(struct kept_pairs *p, const struct section *s, event_id read,
                        struct known_value written)
{
    const struct model *m = p->m;
    lock_id lock = section_lock(s);
    uint32_t stop = m->position[s->acquire] + 1, position = m->position[read];
    variable_id x = arg_of(m, read);

    stop = position > stop + LOOK_BACK ? position - LOOK_BACK : stop;
    while (position-- > stop) {
        event_id e = event_at(m, s->owner, position);
        if (m->source[e] == EVENT_NONE || arg_of(m, e) == x || kind_writes(kind_of(m, e)))
            continue;
        const struct section_deeds *others = deeds_of(p, lock, arg_of(m, e));
        const struct section_deed *mine = others->guarded ? deed_in(others, s->acquire) : NULL;
        if (mine && mine->before.tag != VALUE_NONE &&
            !can_hold(p, lock, arg_of(m, e), mine->before, x, written))
            return true;
    }
    return false;
}

bool pairs_refute(struct kept_pairs *p, event_id read, event_id write)
{
    const struct model *m = p->m;
    variable_id x = arg_of(m, read);

    if (!m->values || m->grounds || write == EVENT_INIT || model_written(m, write, x).tag == VALUE_NONE)
        return false;
    for (uint32_t h = model_guard_at(m, thread_of(m, read), m->position[read]); h != HOLD_NONE;
         h = m->holds[h].outer) {
        const struct section *s = &m->sections[m->holds[h].section];
        if (s->shared || exclusive_around(m, section_lock(s), write) == s ||
            !deeds_of(p, section_lock(s), x)->guarded || has_written(m, s, x, read))
            continue;
        if (contradicts(p, s, read, model_written(m, write, x)))
            return true;
    }
    return false;
}
