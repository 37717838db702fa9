/* The JSON report of SPEC §8, written in one pass: schedules can hold more numbers than fit a tree. */
#include "report/fingerprint.h"
#include "report/json/json_parts.h"

#include <errno.h>
#include <string.h>

static void put_value(struct writer *w, const char *before, struct value value)
{
    if (!value_known(value))
        return;
    put(w, before);
    if (value.tag == VALUE_NAME)
        buffer_json(&w->out, trace_name(w->trace, NAME_VALUE, (uint32_t)value.number));
    else if (value.tag == VALUE_NEGATIVE)
        put_number(w, "-", -value.number);
    else if (value.number <= INT64_MAX)
        put_number(w, "", value.number);
    else { /* beyond what JSON readers keep exactly */
        put_number(w, "\"", value.number);
        put(w, "\"");
    }
}

static void put_events(struct writer *w, const struct finding *f)
{
    const struct property_traits *traits = property_traits(f->property);
    uint32_t cycle = finding_cycle(f);

    if (!traits->list) {
        for (uint32_t i = 0; i < f->event_count && i < PROPERTY_FIELDS && traits->fields[i]; i++) {
            put(w, ", \"");
            put(w, traits->fields[i]);
            put_number(w, "\": ", f->events[i]);
        }
        return;
    }
    if (finding_is_conflict(f)) {
        put(w, ", \"kind\": \"conflict\"");
        put_number(w, ", \"block\": ", f->events[0]);
        put_number(w, ", \"first\": ", f->events[1]);
        put_number(w, ", \"second\": ", f->events[2]);
        return;
    }
    put(w, f->property == PROPERTY_DETERMINISM ? ", \"kind\": \"interference\"" : "");
    put(w, ", \"");
    put(w, traits->list);
    put(w, "\": [");
    for (uint32_t i = 0; i < (cycle ? cycle : f->event_count); i++)
        put_number(w, i > 0 ? ", " : "", f->events[i]);
    put(w, "]");
    if (cycle) {
        put(w, ", \"edges\": [");
        for (uint32_t i = cycle; i + 1 < f->event_count; i += 2) {
            put_number(w, i > cycle ? ", [" : "[", f->events[i]);
            put_number(w, ", ", f->events[i + 1]);
            put(w, "]");
        }
        put(w, "]");
    }
}

/* For each event of the finding, in its order: its thread. The initial write has none. */
static void put_threads(struct writer *w, const struct finding *f)
{
    put(w, ", \"threads\": [");
    for (uint32_t i = 0; i < f->event_count; i++) {
        put(w, i > 0 ? ", " : "");
        if (f->events[i] == EVENT_INIT)
            put(w, "null");
        else
            buffer_json(&w->out, trace_name(w->trace, NAME_THREAD, w->trace->thread[f->events[i]]));
    }
    put(w, "]");
}

/* The same for locations. */
static void put_locations(struct writer *w, const struct finding *f)
{
    put(w, ", \"locations\": [");
    for (uint32_t i = 0; i < f->event_count; i++) {
        const char *place = event_place(w->trace, f->events[i]);
        put(w, i > 0 ? ", " : "");
        if (*place)
            buffer_json(&w->out, place);
        else
            put(w, "null");
    }
    put(w, "]");
}

/* The same for the calls around each event, the innermost first, where the trace tells them. */
static void put_callers(struct writer *w, const struct finding *f)
{
    const struct stacks *stacks = w->trace->stacks;

    if (!stacks)
        return;
    put(w, ", \"callers\": [");
    for (uint32_t i = 0; i < f->event_count; i++) {
        put(w, i > 0 ? ", [" : "[");
        for (stack_id at = trace_stack(w->trace, f->events[i]), first = at; at; at = stack_rest(stacks, at)) {
            put(w, at != first ? ", " : "");
            buffer_json(&w->out, stack_place(stacks, at));
        }
        put(w, "]");
    }
    put(w, "]");
}

/* What people need to make sense of the numbers. */
static void put_context(struct writer *w, const struct finding *f)
{
    uint32_t subject = finding_subject(f);
    bool nondet = f->property == PROPERTY_NONDET;

    if (subject != EVENT_INIT && kind_accesses(trace_kind(w->trace, subject))) {
        put(w, ", \"variable\": ");
        buffer_json(&w->out, trace_name(w->trace, NAME_VARIABLE, w->trace->arg[subject]));
    }
    put_threads(w, f);
    put_locations(w, f);
    put_callers(w, f);
    if (nondet || f->property == PROPERTY_FINAL) {
        variable_id x = w->trace->arg[subject];
        put_value(w, ", \"observed_value\": ",
                  nondet ? value_observed(&w->values, subject) : value_written(&w->values, subject, x));
        put_value(w, ", \"alternative_value\": ",
                  f->kind > 0 ? value_written(&w->values, f->events[2], x)
                              : value_in_run(&w->values, &f->schedule, f->events[nondet ? 2 : 1], x));
    }
}

/* Of a race found with data ignored only what synchronizes. */
static void put_schedule(struct writer *w, const struct finding *f)
{
    const struct schedule *s = &f->schedule;
    const char *before = "";

    put(w,
        f->synchronization ? ", \"schedule_kind\": \"synchronization\", \"schedule\": [" : ", \"schedule\": [");
    for (uint32_t e = 1; e <= s->prefix; e++) {
        if (f->synchronization && !kind_synchronizes(trace_kind(w->trace, e)))
            continue;
        put_number(w, before, e);
        before = ",";
    }
    for (uint32_t i = 0; i < s->tail_count; i++) {
        put_number(w, before, s->tail[i]);
        before = ",";
    }
    put(w, "]");
}

static void put_mark(struct writer *w, size_t finding)
{
    const struct marks *marks = w->options->marks;
    char fingerprint[FINGERPRINT_ROOM];

    if (!marks)
        return;
    fingerprint_text(marks->found[finding].fingerprint, fingerprint);
    put(w, ", \"fingerprint\": \"");
    put(w, fingerprint);
    put(w, "\"");
    if (marks->has_baseline)
        put(w, mark_is_known(marks, finding) ? ", \"baseline\": \"known\"" : ", \"baseline\": \"new\"");
    if (mark_is_suppressed(marks, finding)) {
        put(w, ", \"suppressed\": ");
        buffer_json(&w->out, marks->found[finding].reason);
    }
}

static void put_note(struct writer *w, const struct finding_note *note)
{
    if (note->confirmed != CONFIRMED_UNKNOWN)
        put(w, note->confirmed == CONFIRMED_YES ? ", \"confirmed\": true" : ", \"confirmed\": false");
    if (note->outcome) {
        put(w, ", \"outcome\": ");
        buffer_json(&w->out, note->outcome);
    }
}

static void put_findings(struct writer *w, const struct finding_list *list, bool decided)
{
    for (size_t i = 0; i < list->findings_count; i++) {
        const struct finding *f = &list->findings[i];
        char id[2] = {property_letter(f->property), '\0'};

        put(w, i > 0 ? ",\n    {\"id\": \"" : "\n    {\"id\": \"");
        put(w, id);
        put_number(w, "", f->number);
        put(w, "\", \"property\": \"");
        put(w, property_title(f->property));
        put(w, "\"");
        put_events(w, f);
        if (f->kind > 0) {
            put_number(w, ", \"kind\": \"k", f->kind);
            put(w, "\"");
        }
        if (w->results->grouped) {
            put_number(w, ", \"count\": ", f->count);
            put(w, f->count_is_exact ? ", \"count_exact\": true" : ", \"count_exact\": false");
        } else {
            put_number(w, ", \"group\": ", f->group);
        }
        put(w, finding_is_problem(f) ? ", \"severity\": \"problem\"" : ", \"severity\": \"note\"");
        if (f->reads > 0)
            put_number(w, ", \"reads\": ", f->reads);
        if (decided)
            put_mark(w, i);
        put_context(w, f);
        if (f->confirmation != CONFIRMATION_NONE) {
            put(w, ", \"confirmation\": \"");
            put(w, confirmation_word(f->confirmation));
            put(w, "\"");
        }
        if (decided && w->options->notes)
            put_note(w, &w->options->notes[i]);
        if (decided && w->options->schedules && finding_has_schedule(f))
            put_schedule(w, f);
        put(w, "}");
    }
    put(w, list->findings_count > 0 ? "\n  ]" : "]");
}

static void put_header(struct writer *w, const char *path)
{
    put(w, "{\n  \"format\": \"heddle-report\",\n  \"version\": 1,\n  \"trace\": {\"file\": ");
    buffer_json(&w->out, path ? path : "");
    put_number(w, ", \"events\": ", w->trace->count);
    put_number(w, ", \"threads\": ", trace_names(w->trace, NAME_THREAD));
    put_number(w, ", \"variables\": ", trace_names(w->trace, NAME_VARIABLE));
    put_number(w, ", \"locks\": ", trace_names(w->trace, NAME_LOCK));
    if (w->trace->note) {
        put(w, ", \"note\": ");
        buffer_json(&w->out, w->trace->note);
    }
    if (w->trace->origin.binary)
        put(w, ", \"binary\": true");
    put(w, "},\n  \"method\": ");
    buffer_json(&w->out, w->results->method);
    put(w, w->results->complete ? ",\n  \"complete\": true" : ",\n  \"complete\": false");
    put(w, w->results->interrupted ? ",\n  \"interrupted\": true" : ",\n  \"interrupted\": false");
    put(w, w->results->grouped ? ",\n  \"grouped\": true" : ",\n  \"grouped\": false");
    put(w, ",\n  \"options\": {");
    if (w->results->values_ignore)
        put(w, "\"values\": \"ignore\", ");
    if (w->results->grounds_ignore)
        put(w, "\"grounds\": \"ignore\", ");
    put(w, w->results->atomic_locks ? "\"atomic_locks\": true}" : "\"atomic_locks\": false}");
}

/* The file of suppressions: how many findings it is about, which of its lines about none. */
static void put_suppressions(struct writer *w)
{
    const struct marks *marks = w->options->marks;

    if (!marks || !marks->suppressions)
        return;
    put(w, ",\n  \"suppressions\": {\"file\": ");
    buffer_json(&w->out, marks->suppressions);
    put_number(w, ", \"suppressed\": ", marks->suppressed);
    put(w, ", \"stale\": [");
    for (size_t i = 0; i < marks->stale_count; i++)
        put_number(w, i > 0 ? ", " : "", marks->stale[i]);
    put(w, "]}");
}

enum status report_json(const struct results *results, const struct trace *trace, const char *path,
                        const struct report_options *options, FILE *to, struct error *err)
{
    struct writer w = {.to = to, .results = results, .trace = trace, .options = options};

    values_init(&w.values, trace);
    put_header(&w, path);
    put_suppressions(&w);
    put(&w, ",\n  \"findings\": [");
    put_findings(&w, &results->found, true);
    put(&w, ",\n  \"undecided\": [");
    put_findings(&w, &results->undecided, false);
    put_statistics(&w);
    put(&w, "\n}\n");
    buffer_flush(&w.out, to);
    buffer_free(&w.out);
    values_free(&w.values);
    if (fflush(to) != 0 || ferror(to))
        return fail(err, HEDDLE_IO, "the report could not be written: %s", strerror(errno));
    return HEDDLE_OK;
}
