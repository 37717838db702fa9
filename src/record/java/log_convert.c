/* From the log of a Java virtual machine to a trace: opening it, the walks one after the other, closing the
 * trace. */
#include "record/java/log_convert.h"
#include "base/memory.h"
#include "record/java/log_light.h"
#include "record/java/log_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_journal(struct java_converter *c)
{
    size_t length;
    unsigned char *bytes;

    if (!java_journal_end(c))
        return;
    bytes = journal_encode(c->journal, &length);
    htr_journal(c->writer, bytes, length);
    free(bytes);
}

static enum status write_trace(struct java_converter *c, const struct java_conversion_input *in,
                               struct error *err)
{
    struct trace_origin origin = {.program = memory_text(in->program, strlen(in->program))};
    enum status status;

    if (htr_create(&c->writer, in->path, c->list->grounded ? HTR_FEATURES : HTR_USUAL, c->trace.names, err) !=
        HEDDLE_OK) {
        free(origin.program);
        return err->status;
    }
    c->grounding.writer = c->writer;
    validator_init(&c->validator, &c->trace);
    for (uint64_t i = 0; i < c->count; i++) {
        const struct java_record *r = &c->records[i];
        if (java_is_work(r)) {
            java_write_record(c, r, i);
        } else if (java_is_ground(r)) {
            const struct java_thread *t = &c->threads[java_thread_of(r)];
            if (!t->ends || i < t->last) /* what comes later was taken with its end */
                java_ground_record(c, r);
        } else if (java_kind_of(r) == JAVA_INPUT) {
            java_journal_input(c, r);
        } else if (java_is_skipped(r)) {
            c->threads[java_thread_of(r)].records += r->value;
            c->result->dropped_events += r->value;
            c->result->shortened = true;
            java_ground_skipped(c, r);
        }
    }
    if (c->grounding.any)
        htr_types(c->writer, c->types, c->types_count);
    event_set_sort(&c->grounding.printed);
    htr_printed(c->writer, &c->grounding.printed);
    origin.dropped_events = c->result->dropped_events;
    origin.dropped_variables = c->result->dropped_variables;
    htr_origin(c->writer, &origin);
    if (in->end) {
        java_fill_end(c, in->end);
        htr_ending(c->writer, in->end);
    }
    write_journal(c);
    status = htr_close(c->writer, err);
    validator_free(&c->validator);
    free(origin.program);
    return status;
}

static void converter_end(struct java_converter *c)
{
    for (int i = 0; i < SPACES; i++)
        map_free(&c->variable_of[i]);
    free(c->objects);
    free(c->threads);
    free(c->variables);
    free(c->effects);
    free(c->discarded);
    map_free(&c->numbered);
    map_free(&c->generations);
    map_free(&c->depths);
    map_free(&c->places);
    map_free(&c->uses);
    java_edges_free(&c->edges);
    grounding_free(&c->grounding);
    free(c->types);
    trace_free(&c->trace);
}

/* Numbers of objects and threads that the log's own counters cannot have reached are damage. */
static enum status check_records(const struct java_converter *c, const char *name, struct error *err)
{
    for (uint64_t i = 0; i < c->count; i++) {
        const struct java_record *r = &c->records[i];
        if (java_kind_of(r) >= JAVA_KINDS || (r->object > c->count && java_kind_of(r) != JAVA_FROM) ||
            java_thread_of(r) > c->count || (java_kind_of(r) == JAVA_MADE && r->value > c->count))
            return fail(err, HEDDLE_BAD_TRACE, "%s: record %llu is malformed", name, (unsigned long long)i + 1);
    }
    return HEDDLE_OK;
}

static void tell_left(const struct java_list *list, struct java_conversion *result)
{
    result->left = list->left_count;
    if (list->left_count > 0) {
        const struct java_left *l = &list->left[0];
        snprintf(result->first_left, sizeof result->first_left, "%.200s%s%.100s: %.100s",
                 java_text(list, l->class), l->method ? "." : "", java_text(list, l->method),
                 java_text(list, l->why));
    }
}

/* Where the run was last seen. */
static void tell_last(struct java_converter *c, const struct java_conversion_input *in)
{
    *in->last_tick = 0;
    *in->last_place = '\0';
    for (uint64_t i = c->count; i-- > 0;)
        if (java_is_work(&c->records[i])) {
            *in->last_tick = c->threads[java_thread_of(&c->records[i])].records;
            snprintf(in->last_place, 512, "%.500s",
                     trace_name(&c->trace, NAME_LOCATION, java_place_name(c, c->records[i].site)));
            return;
        }
}

static enum status open_log(struct java_converter *c, const struct java_conversion_input *in, struct error *err)
{
    struct java_log_header header;

    if (in->log_bytes < sizeof header)
        return fail(err, HEDDLE_BAD_TRACE, "%s: too short for a log", in->name);
    memcpy(&header, in->log, sizeof header);
    if (header.magic != JAVA_LOG_MAGIC)
        return fail(err, HEDDLE_BAD_TRACE, "%s: not a log of a Java virtual machine", in->name);
    c->records = (const struct java_record *)(const void *)(in->log + sizeof header);
    c->count = (in->log_bytes - sizeof header) / sizeof *c->records;
    c->result->full = header.ended != 0;
    c->result->full_error = (int)header.error;
    if (header.ended)
        header.next = header.kept;
    if (c->count > header.next)
        c->count = header.next;
    c->result->records = c->count;
    c->result->stolen = header.stolen;
    for (uint64_t i = 0; i < c->count; i++)
        c->result->unfilled += c->records[i].word == 0;
    return check_records(c, in->name, err);
}

/* Whether the log of a program that is run several times is not the one to make a trace of. */
static bool needs_another_run(struct java_converter *c, const struct java_conversion_input *in)
{
    if (in->learns) {
        bool whole = !c->result->full && c->skipper == NO_THREAD && !getenv("HEDDLE_NO_TRIAL");
        if (whole || c->result->full_error)
            return false;
        java_light_learn(in->light, c);
        return true;
    }
    java_light_check(in->light, c);
    return in->light->strays > 0;
}

enum status java_convert(const struct java_conversion_input *in, struct java_conversion *result,
                         struct error *err)
{
    struct java_converter c = {.list = in->list,
                               .result = result,
                               .journal = in->journal,
                               .keep_ticks = in->ticks != NULL,
                               .partial = in->light && !in->learns};
    enum status status;

    c.wants = (struct wants){.list = in->wants, .list_count = in->wants_count};
    memset(result, 0, sizeof *result);
    if (open_log(&c, in, err) != HEDDLE_OK)
        return err->status;
    trace_init(&c.trace);
    grounding_init(&c.grounding);
    java_meet_objects(&c);
    java_follow_stamps(&c);
    java_journal_threads(&c, in->threads, in->thread_count);
    result->threads = (uint32_t)(c.threads_count ? c.threads_count - 1 : 0);
    tell_left(in->list, result);
    java_count(&c, &result->counts);
    java_survey(&c);
    result->again = in->light && needs_another_run(&c, in);
    status = result->again ? HEDDLE_OK : write_trace(&c, in, err);
    if (in->ticks) {
        tell_last(&c, in);
        *in->ticks = c.ticks;
        *in->bytecodes = c.bytecodes;
    }
    if (in->observe)
        in->observe(in->observer, &c, in->gate);
    if (in->reach)
        java_reach(&c, in->reach);
    converter_end(&c);
    return status;
}
