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

/* The batch refers to the label. A label that the batch did not create must turn out to stand for nothing. */
static void name(struct converter *c, uint32_t label)
{
    struct survey_labels *s = &c->survey;
    struct surveyed_thread *t = running(c);

    label &= LABEL_READS;
    if (label == 0 || label == s->needed[0] || label == s->needed[1])
        return;
    if (label == LABEL_ALL) {
        s->unfit = true;
    } else if (label > t->labels) {
        t->ahead = label;
    } else if (label <= t->before) {
        s->needed[1] = s->needed[0];
        s->needed[0] = label;
        ARRAY_PUSH(c, rest, (struct record){record_word(label, RECORD_NEEDS, 0), 0, 0});
    }
}

/* What the record of an event itself tells. */
static void name_told(struct converter *c, const struct record *r)
{
    if (r->pc & RECORD_LAST_DECIDES)
        name(c, running(c)->labels);
    if (r->pc & RECORD_MADE)
        name(c, label_distance(running(c)->labels, (uint32_t)(r->value >> RECORD_MADE_SHIFT)));
}

void survey_labels_access(struct converter *c, const struct record *r)
{
    if (r->pc & (RECORD_LAST_DECIDES | RECORD_MADE))
        name_told(c, r);
    if (r->pc & RECORD_LABELLED) {
        running(c)->labels++;
        c->survey.out++;
    }
}

bool survey_labels_record(struct converter *c, const struct record *r)
{
    struct survey_labels *s = &c->survey;

    switch (record_kind(r->word)) {
    case RECORD_UNION:
        name(c, (uint32_t)address_of(r));
        name(c, (uint32_t)r->value);
        running(c)->labels++;
        s->out++;
        return true;
    case RECORD_BY:
        name(c, (uint32_t)address_of(r));
        if (!(record_size(r->word) & SESSION_COMPARED))
            name(c, (uint32_t)r->value);
        return true;
    case RECORD_PRINTED:
        name(c, (uint32_t)address_of(r));
        return true;
    case RECORD_FROM:
        name(c, (uint32_t)address_of(r));
        s->unfit |= record_size(r->word) != 0;
        return true;
    case RECORD_BY_MEMORY:
        s->unfit = true;
        return false;
    case RECORD_THREAD:
        s->needed[0] = s->needed[1] = 0;
        return false;
    default:
        if (record_kind(r->word) <= RECORD_LAST_EVENT)
            name_told(c, r);
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
