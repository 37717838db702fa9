/* Labels in the first walk. */
#include "record/convert/survey_labels.h"
#include "base/memory.h"
#include "record/convert/walk.h"
#include "runtime/protocol/labels.h"

#include <stdlib.h>

void survey_labels_free(struct survey_labels *s)
{
    free(s->threads);
}

void survey_labels_begin(struct survey_labels *s)
{
    s->batch++;
    s->unfit = false;
    s->needed[0] = s->needed[1] = 0;
}

static struct surveyed_thread *begin_thread(struct converter *c)
{
    struct survey_labels *s = &c->survey;
    struct surveyed_thread *t;

    while (s->threads_count <= c->thread)
        ARRAY_PUSH(s, threads, (struct surveyed_thread){0});
    t = &s->threads[c->thread];
    t->batch = s->batch;
    t->before = t->labels;
    t->ahead = 0;
    return t;
}

static inline struct surveyed_thread *running(struct converter *c)
{
    struct survey_labels *s = &c->survey;

    return c->thread < s->threads_count && s->threads[c->thread].batch == s->batch ? &s->threads[c->thread]
                                                                                   : begin_thread(c);
}

/* A label that the batch did not create must turn out to stand for nothing. Of a batch that touches shared memory, which is
 * kept whole, nobody asks. */
static void name_older(struct converter *c, struct surveyed_thread *t, uint32_t label)
{
    struct survey_labels *s = &c->survey;

    if (label == s->needed[0] || label == s->needed[1] || !c->cells.batch_private)
        return;
    if (label == LABEL_ALL) {
        s->unfit = true;
    } else if (label > t->labels) {
        t->ahead = label;
    } else {
        s->needed[1] = s->needed[0];
        s->needed[0] = label;
        ARRAY_PUSH(c, rest, (struct record){record_word(label, RECORD_NEEDS, 0), 0, 0});
    }
}

/* The batch refers to the label, most often to one that it created. */
static inline void name(struct converter *c, struct surveyed_thread *t, uint32_t label)
{
    label &= LABEL_READS;
    if (label != 0 && (label <= t->before || label > t->labels))
        name_older(c, t, label);
}

static inline void name_union(struct converter *c, struct surveyed_thread *t, uint32_t one, uint32_t other)
{
    name(c, t, one);
    name(c, t, other);
    t->labels++;
    c->survey.out++;
}

/* What the record of an access itself tells. */
static inline void name_told(struct converter *c, struct surveyed_thread *t, uint32_t told)
{
    if (tells_union(told))
        name_union(c, t, union_one(t->labels, told), union_other(t->labels, told));
    else
        name(c, t, label_distance(t->labels, told));
}

void survey_labels_access(struct converter *c, const struct record *r)
{
    struct surveyed_thread *t;

    if (!(r->pc & (RECORD_LAST_DECIDES | RECORD_MADE | RECORD_LABELLED)))
        return;
    t = running(c);
    if (r->pc & RECORD_MADE)
        name_told(c, t, (uint32_t)(r->value >> RECORD_MADE_SHIFT));
    if (r->pc & RECORD_LAST_DECIDES)
        name(c, t, t->labels);
    if (r->pc & RECORD_LABELLED) {
        t->labels++;
        c->survey.out++;
    }
}

bool survey_labels_record(struct converter *c, const struct record *r)
{
    struct survey_labels *s = &c->survey;

    switch (record_kind(r->word)) {
    case RECORD_UNION:
        name_union(c, running(c), (uint32_t)address_of(r), (uint32_t)r->value);
        return true;
    case RECORD_BY:
        name(c, running(c), (uint32_t)address_of(r));
        if (!(record_size(r->word) & SESSION_COMPARED))
            name(c, running(c), (uint32_t)r->value);
        return true;
    case RECORD_PRINTED:
        name(c, running(c), (uint32_t)address_of(r));
        return true;
    case RECORD_FROM:
        name(c, running(c), (uint32_t)address_of(r));
        s->unfit |= record_size(r->word) != 0;
        return true;
    case RECORD_BY_MEMORY:
        s->unfit = true;
        return false;
    case RECORD_THREAD:
        s->needed[0] = s->needed[1] = 0;
        return false;
    default:
        if (record_kind(r->word) <= RECORD_LAST_EVENT && r->pc & RECORD_LAST_DECIDES)
            name(c, running(c), running(c)->labels);
        if (record_is_access(record_kind(r->word)) && r->pc & RECORD_LABELLED) {
            running(c)->labels++;
            s->unfit = true;
        }
        return false;
    }
}

void survey_labels_tell(struct converter *c)
{
    if (c->survey.out > 0)
        ARRAY_PUSH(c, rest, (struct record){record_word(0, RECORD_LABELS, 0), 0, c->survey.out});
    c->survey.out = 0;
}

bool survey_labels_fit(const struct survey_labels *s)
{
    for (size_t i = 0; i < s->threads_count; i++)
        if (s->threads[i].batch == s->batch && s->threads[i].ahead > s->threads[i].labels)
            return false;
    return !s->unfit;
}
