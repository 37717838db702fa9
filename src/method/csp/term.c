/* Terms: made once, found again by what they are made of. */
#include "method/csp/process_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 256 };

static uint64_t term_hash(const struct term *t)
{
    uint32_t parts[4] = {(uint32_t)t->op, t->a, t->b, t->c};

    return XXH3_64bits(parts, sizeof parts);
}

static bool term_equal(const struct term *s, const struct term *t)
{
    return s->op == t->op && s->a == t->a && s->b == t->b && s->c == t->c;
}

/* The slot that has the term, or the free one where it belongs. */
static uint32_t *slot_of(const struct csp *c, const struct term *t)
{
    size_t mask = c->slot_count - 1;

    for (size_t at = (size_t)term_hash(t) & mask;; at = (at + 1) & mask)
        if (c->slots[at] == 0 || term_equal(&c->terms[c->slots[at] - 1], t))
            return &c->slots[at];
}

static void grow_slots(struct csp *c)
{
    free(c->slots);
    c->slot_count *= 2;
    c->slots = memory_new(c->slot_count, sizeof *c->slots);
    for (size_t i = 0; i < c->terms_count; i++)
        *slot_of(c, &c->terms[i]) = (uint32_t)i + 1;
}

static process_id intern(struct csp *c, struct term t)
{
    uint32_t *slot = slot_of(c, &t);

    if (*slot)
        return *slot - 1;
    t.body = NOT_UNFOLDED;
    ARRAY_PUSH(c, terms, t);
    *slot = (uint32_t)c->terms_count;
    if (2 * c->terms_count > c->slot_count)
        grow_slots(c);
    return (process_id)c->terms_count - 1;
}

struct csp *csp_new(csp_unfold unfold, void *context)
{
    struct csp *c = memory_new(1, sizeof *c);

    c->unfold = unfold;
    c->context = context;
    c->slot_count = FIRST_SLOTS;
    c->slots = memory_new(c->slot_count, sizeof *c->slots);
    return c;
}

void csp_free(struct csp *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->sets_count; i++)
        free(c->sets[i].bits);
    free(c->sets);
    free(c->terms);
    free(c->slots);
    free(c);
}

size_t csp_terms(const struct csp *c)
{
    return c->terms_count;
}

csp_set csp_set_new(struct csp *c)
{
    ARRAY_PUSH(c, sets, (struct event_bits){0});
    return (csp_set)c->sets_count - 1;
}

void csp_set_add(struct csp *c, csp_set set, csp_event event)
{
    struct event_bits *s = &c->sets[set];
    size_t wanted = (size_t)event / 8 + 1;

    assert(event >= CSP_FIRST);
    if (wanted > s->bits_count) {
        if (wanted > s->bits_capacity)
            s->bits = memory_grow(s->bits, &s->bits_capacity, wanted, 1);
        memset(s->bits + s->bits_count, 0, wanted - s->bits_count);
        s->bits_count = wanted;
    }
    s->bits[event / 8] |= (uint8_t)(1u << event % 8);
}

bool csp_set_has(const struct csp *c, csp_set set, csp_event event)
{
    const struct event_bits *s = &c->sets[set];

    return event / 8 < s->bits_count && (s->bits[event / 8] >> event % 8 & 1);
}

process_id csp_stop(struct csp *c)
{
    return intern(c, (struct term){.op = TERM_STOP});
}

process_id csp_skip(struct csp *c)
{
    return intern(c, (struct term){.op = TERM_SKIP});
}

process_id csp_prefix(struct csp *c, csp_event event, process_id then)
{
    assert(event >= CSP_FIRST);
    return intern(c, (struct term){.op = TERM_PREFIX, .a = event, .b = then});
}

process_id csp_choice(struct csp *c, process_id p, process_id q)
{
    return intern(c, (struct term){.op = TERM_CHOICE, .a = p, .b = q});
}

process_id csp_choice_over(struct csp *c, csp_set set, process_id then)
{
    return intern(c, (struct term){.op = TERM_CHOICE_OVER, .a = set, .b = then});
}

process_id csp_interleave(struct csp *c, process_id p, process_id q)
{
    return intern(c, (struct term){.op = TERM_INTERLEAVE, .a = p, .b = q});
}

process_id csp_parallel(struct csp *c, process_id p, csp_set set, process_id q)
{
    return intern(c, (struct term){.op = TERM_PARALLEL, .a = p, .b = q, .c = set});
}

process_id csp_interrupt(struct csp *c, process_id p, process_id q)
{
    return intern(c, (struct term){.op = TERM_INTERRUPT, .a = p, .b = q});
}

process_id csp_hide(struct csp *c, process_id p, csp_set set)
{
    return intern(c, (struct term){.op = TERM_HIDE, .a = p, .b = set});
}

process_id csp_sequence(struct csp *c, process_id p, process_id q)
{
    return intern(c, (struct term){.op = TERM_SEQUENCE, .a = p, .b = q});
}

process_id csp_call(struct csp *c, uint32_t definition, uint32_t a, uint32_t b)
{
    return intern(c, (struct term){.op = TERM_CALL, .a = a, .b = b, .c = definition});
}

process_id term_unfold(struct csp *c, process_id call)
{
    struct term t = *term_of(c, call);

    assert(t.op == TERM_CALL);
    if (t.body == NOT_UNFOLDED) {
        t.body = c->unfold(c, c->context, t.c, t.a, t.b);
        c->terms[call].body = t.body;
    }
    return t.body;
}
