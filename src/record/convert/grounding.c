/* From labels to grounds: what records of compiled programs tell. */
#include "record/convert/grounding.h"
#include "base/memory.h"
#include "record/convert/grounding_parts.h"
#include "record/convert/walk.h"
#include "runtime/protocol/labels.h"

enum { WORD_BYTES = 4 };

struct grounding *grounding_now(struct converter *c)
{
    c->grounding.thread = c->thread;
    c->grounding.next = (uint32_t)c->result->events + 1;
    return &c->grounding;
}

static struct grounding_thread *running(struct converter *c)
{
    return grounding_thread(grounding_now(c));
}

/* Reads of another thread belong to an earlier allocation. */
static inline read_set word_reads(struct converter *c, uint64_t number)
{
    const struct grounding_word *word = grounding_word(&c->grounding, number);

    if (!word || word->reads == SET_NONE)
        return SET_NONE;
    return word->thread == c->thread ? word->reads : SET_ALL;
}

/* The reads that the contents of private memory are computed from. */
static inline read_set memory_reads(struct converter *c, uint64_t address, uint64_t length)
{
    struct grounding *g = &c->grounding;
    uint64_t at = address / WORD_BYTES, last = (address + length - 1) / WORD_BYTES;
    read_set reads;

    if (g->tainted == 0 || length == 0)
        return SET_NONE;
    for (reads = word_reads(c, at); at < last && reads != SET_ALL; at++)
        reads = set_union(&g->sets, reads, word_reads(c, at + 1));
    return reads;
}

static void put_memory(struct converter *c, uint64_t address, uint64_t length, read_set reads)
{
    struct grounding *g = &c->grounding;
    uint64_t end = address + length;

    if (reads == SET_NONE && g->tainted == 0)
        return;
    for (uint64_t at = address / WORD_BYTES; at <= (end - 1) / WORD_BYTES; at++) {
        bool whole = at * WORD_BYTES >= address && (at + 1) * WORD_BYTES <= end;
        struct grounding_word *word = reads != SET_NONE ? grounding_make_word(g, at)
                                      : whole           ? grounding_word(g, at)
                                                        : NULL;
        if (!word)
            continue;
        g->tainted -= word->reads != SET_NONE;
        if (whole || word->reads == SET_NONE)
            *word = (struct grounding_word){reads, c->thread};
        else
            word->reads = word->thread == c->thread ? set_union(&g->sets, word->reads, reads) : SET_ALL;
        word->thread = c->thread;
        g->tainted += word->reads != SET_NONE;
    }
}

static void take_comparison(struct grounding *g, const struct record *r)
{
    grounding_compare(g, (uint32_t)address_of(r),
                      &(struct comparison){.value = r->value, .constant = r->pc, .how = record_size(r->word)});
}

/* Most labels stand for nothing or for one read. */
static inline void decide_label(struct grounding *g, struct grounding_thread *t, uint32_t label)
{
    struct seen_number unused;
    read_set reads = label ? label_reads(t, label, &unused) : SET_NONE;

    if (reads != SET_NONE && set_single(reads))
        decide_read(t, set_single(reads), NULL, 0);
    else if (reads != SET_NONE)
        decide_reads(g, t, reads);
}

bool grounding_record(struct converter *c, const struct record *r)
{
    struct grounding_thread *t;
    unsigned kind = record_kind(r->word);
    struct seen_number unused;

    if (kind < RECORD_UNION || kind > RECORD_NEEDS)
        return false;
    t = running(c);
    switch (kind) {
    case RECORD_UNION:
        grounding_union(grounding_now(c), (uint32_t)address_of(r), (uint32_t)r->value);
        break;
    case RECORD_BY:
        if (record_size(r->word) & SESSION_COMPARED) {
            take_comparison(grounding_now(c), r);
            break;
        }
        decide_label(&c->grounding, t, (uint32_t)address_of(r));
        decide_label(&c->grounding, t, (uint32_t)r->value);
        break;
    case RECORD_BY_ALL:
        t->all = true;
        break;
    case RECORD_BY_MEMORY:
        for (uint64_t at = address_of(r); at < address_of(r) + r->value; at = (at | 7) + 1)
            cells_id(&c->cells, at); /* each granule has the number that the first walk gave it */
        if (cells_drop(&c->cells, address_of(r), r->value))
            decide_reads(&c->grounding, t, memory_reads(c, address_of(r), r->value));
        else
            t->all = true;
        break;
    case RECORD_LABELS:
        t->labels += (uint32_t)r->value;
        break;
    case RECORD_PRINTED:
        if (record_size(r->word) == 1)
            grounding_output(&c->grounding, 0);
        else if (record_size(r->word) == 2)
            t->printing_count = 0;
        grounding_printing(&c->grounding, label_reads(t, (uint32_t)address_of(r), &unused), 0);
        break;
    case RECORD_FROM:
        t->from = (uint32_t)address_of(r);
        t->from_how = record_size(r->word);
        t->from_old = r->value;
        break;
    case RECORD_SEM_VALUE:
        return false;
    default: /* nothing that concerns grounds */
        break;
    }
    return true;
}

bool grounding_can_skip(struct converter *c, const struct record *records, size_t count)
{
    uint32_t thread = c->thread;
    struct seen_number unused;
    bool can = c->grounding.tainted == 0;

    for (size_t i = 0; i < count && can; i++) {
        if (record_kind(records[i].word) == RECORD_THREAD)
            c->thread = (uint32_t)records[i].value;
        else if (record_kind(records[i].word) == RECORD_NEEDS)
            can = label_reads(running(c), (uint32_t)address_of(&records[i]), &unused) == SET_NONE;
    }
    c->thread = thread;
    return can;
}

uint64_t grounding_old(struct converter *c)
{
    return running(c)->from_old;
}

/* What the record of an event itself tells. */
static inline void take_told(struct converter *c, const struct record *r)
{
    uint32_t told = r->pc & RECORD_MADE ? (uint32_t)(r->value >> RECORD_MADE_SHIFT) : 0;
    struct grounding_thread *t;

    if (!(r->pc & (RECORD_LAST_DECIDES | RECORD_MADE)))
        return;
    t = running(c);
    if (tells_union(told)) {
        grounding_union(&c->grounding, union_one(t->labels, told), union_other(t->labels, told));
        if (record_kind(r->word) == RECORD_WRITE)
            t->from = t->labels | (told & UNION_LINEAR ? LABEL_LINEAR : 0);
    } else if (r->pc & RECORD_MADE && record_kind(r->word) == RECORD_READ) {
        decide_label(&c->grounding, t, label_distance(t->labels, told));
    } else if (r->pc & RECORD_MADE) {
        t->from = label_distance(t->labels, told);
    }
    if (r->pc & RECORD_LAST_DECIDES)
        decide_label(&c->grounding, t, t->labels);
}

void grounding_begin(struct converter *c, const struct record *r)
{
    struct grounding *g = &c->grounding;

    g->bits = record_kind(r->word) == RECORD_TEXT ? 0 : r->pc & RECORD_GROUND_BITS;
    if (g->bits && record_kind(r->word) <= RECORD_LAST_EVENT)
        take_told(c, r);
    g->pc = pc_of(r);
    g->label = SET_NONE;
    g->events.count = 0;
    g->seen = (struct seen_number){TYPE_UNKNOWN, 0};
    g->split.count = 0;
}

static bool reads_memory(unsigned kind)
{
    return kind == RECORD_READ || kind == RECORD_ATOMIC_READ || kind == RECORD_RMW || kind == RECORD_CAS;
}

/* What was read is what the write before it copies. */
static void finish_copy(struct converter *c, struct grounding_thread *t, read_set reads)
{
    if (t->copy_length > 0) {
        put_memory(c, t->copy, t->copy_length, reads);
        t->copy_length = 0;
    }
}

/* What the value is made of that is written to these bytes of private memory. */
static read_set written_reads(struct grounding_thread *t, unsigned kind, uint64_t address, uint64_t length)
{
    struct seen_number unused;

    if ((t->from & LABEL_READS) == t->labels + 1 &&
        kind == RECORD_WRITE) { /* of a copy, whose read comes next */
        if (t->copy_length == 0)
            t->copy = address;
        t->copy_length = address + length - t->copy;
        return SET_NONE;
    }
    return label_reads(t, t->from, &unused);
}

/* Reads of uninstrumented code decide whatever follows, and so do the values that instrumented code passes
 * to it, which are reported. What it writes is computed from nothing else. */
void grounding_dropped(struct converter *c, const struct record *r, uint64_t address, uint64_t length)
{
    struct grounding *g = &c->grounding;
    struct grounding_thread *t = running(c);
    unsigned kind = record_kind(r->word);
    read_set own = SET_NONE, made = SET_NONE;

    if (reads_memory(kind)) {
        own = memory_reads(c, address, length);
        if (g->bits & RECORD_LABELLED)
            g->label = set_union(&g->sets, g->label, own);
        else
            decide_reads(g, t, own);
    }
    if (kind == RECORD_READ || kind == RECORD_ATOMIC_READ)
        return;
    if (g->bits & RECORD_GROUNDED) {
        made = written_reads(t, kind, address, length);
        if (t->from_how == SESSION_OF_SUM || t->from_how == SESSION_OF_BOTH)
            made = set_union(&g->sets, made, own);
    }
    put_memory(c, address, length, made);
}

void grounding_plain(struct converter *c, const struct record *r)
{
    struct grounding_thread *t = running(c);
    uint64_t address = address_of(r);
    unsigned size = record_size(r->word);
    read_set reads;

    take_told(c, r);
    if (record_kind(r->word) == RECORD_WRITE) {
        put_memory(c, address, size,
                   r->pc & RECORD_GROUNDED ? written_reads(t, RECORD_WRITE, address, size) : SET_NONE);
        t->from = 0;
        t->from_how = 0;
        return;
    }
    reads = memory_reads(c, address, size);
    if (r->pc & RECORD_LABELLED) {
        finish_copy(c, t, reads);
        add_label(t, reads, NULL);
    } else if (reads != SET_NONE) {
        decide_reads(&c->grounding, t, reads);
    }
}

void grounding_end(struct converter *c, const struct record *r)
{
    struct grounding *g = &c->grounding;
    struct grounding_thread *t = running(c);

    if (g->bits & RECORD_LABELLED) {
        read_set reads = grounding_label(g);
        finish_copy(c, t, reads);
        add_label(t, reads, set_single(reads) ? &g->seen : NULL);
        if (g->split.count > 0)
            split_keep(g, r);
    }
    if (record_kind(r->word) != RECORD_READ && record_kind(r->word) != RECORD_ATOMIC_READ) {
        t->from = 0;
        t->from_how = 0;
    }
    g->bits = 0;
}
