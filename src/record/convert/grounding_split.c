/* Reads of several variables at once, as when code compares two counts in one word with a constant. */
#include "base/memory.h"
#include "record/convert/grounding_parts.h"
#include "runtime/protocol/labels.h"

void split_add(struct split_read *s, uint32_t event, const struct accessed *what, uint64_t number)
{
    if (s->count < SPLIT_PARTS)
        s->parts[s->count] =
            (struct split_part){event, what->offset, what->length, (struct seen_number){what->type, number}};
    s->count++;
}

static uint64_t bytes_of(uint64_t value, unsigned offset, unsigned length)
{
    value >>= 8 * offset;
    return length < 8 ? value & ((UINT64_C(1) << 8 * length) - 1) : value;
}

void split_keep(struct grounding *g, const struct record *r)
{
    struct split_read *s = &g->split;
    unsigned length = 0;

    for (unsigned i = 0; i < s->count && i < SPLIT_PARTS; i++)
        length += s->parts[i].length;
    if (s->count < 2 || s->count > SPLIT_PARTS || length != record_size(r->word) || length > 8)
        return;
    if (!g->splits)
        g->splits = memory_new(SPLIT_READS, sizeof *g->splits);
    s->thread = g->thread;
    s->label = grounding_thread(g)->labels;
    s->value = bytes_of(r->value, 0, length); /* above them there may be a label */
    s->size = length;
    g->splits[s->label % SPLIT_READS] = *s;
}

static unsigned logarithm(unsigned length)
{
    return length == 8 ? 3 : length == 4 ? 2 : length == 2 ? 1 : 0;
}

/* Where the whole is not equal to the constant, it is enough that one part is not. */
bool split_compare(struct grounding *g, uint32_t label, const struct comparison *c)
{
    const struct split_read *s = g->splits ? &g->splits[(label & LABEL_READS) % SPLIT_READS] : NULL;
    unsigned operation = c->how & SESSION_OPERATION;

    if (!s || !(label & LABEL_LINEAR) || s->thread != g->thread || s->label != (label & LABEL_READS) ||
        (operation != COMPARED_EQ && operation != COMPARED_NE) || c->value != s->value ||
        c->value == c->constant || s->size != 1u << (c->how >> SESSION_SIZE_SHIFT & 3))
        return false;
    for (unsigned i = 0; i < s->count; i++) {
        const struct split_part *p = &s->parts[i];
        struct comparison part = {.value = bytes_of(c->value, p->offset, p->length),
                                  .constant = bytes_of(c->constant, p->offset, p->length),
                                  .how = COMPARED_NE | logarithm(p->length) << SESSION_SIZE_SHIFT};
        struct value_range ranges[COMPARED_RANGES];
        uint32_t count = part.value != part.constant ? compared_ranges(&p->seen, &part, ranges) : 0;
        if (count > 0) {
            decide_read(grounding_thread(g), p->event, ranges, count);
            return true;
        }
    }
    return false;
}
