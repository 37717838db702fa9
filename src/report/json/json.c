/* The JSON report of semantics §8, written in one pass: schedules can hold more numbers than fit a tree. */
#include "base/memory.h"
#include "finding/observed.h"
#include "report/fingerprint.h"
#include "report/json/json_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The id of a finding: "N1". */
static void put_id(struct json_writer *w, const struct finding *f)
{
    char id[16];

    snprintf(id, sizeof id, "%c%u", property_letter(f->property), f->number);
    json_text(&w->out, "id", id);
}

static void put_value(struct json_writer *w, const char *name, struct value value)
{
    char digits[32];

    if (!value_known(value))
        return;
    if (value.tag == VALUE_NAME) {
        json_text(&w->out, name, trace_name(w->trace, NAME_VALUE, (uint32_t)value.number));
    } else if (value.tag == VALUE_NEGATIVE) {
        json_negative(&w->out, name, -value.number);
    } else if (value.number <= INT64_MAX) {
        json_count(&w->out, name, value.number);
    } else { /* beyond what JSON readers keep exactly */
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)value.number);
        json_text(&w->out, name, digits);
    }
}

/* The conflicts of a cycle: pairs of events. */
static void put_edges(struct json_writer *w, const struct finding *f, uint32_t cycle)
{
    json_array_open(&w->out, "edges");
    for (uint32_t i = cycle; i + 1 < f->event_count; i += 2) {
        json_array_open(&w->out, NULL);
        json_count(&w->out, NULL, f->events[i]);
        json_count(&w->out, NULL, f->events[i + 1]);
        json_close(&w->out);
    }
    json_close(&w->out);
}

/* How the recorded run ended, and who waited for what then. */
static void put_end(struct json_writer *w)
{
    const struct trace_end *end = &w->trace->end;

    json_text(&w->out, "outcome", outcome_word(end->outcome));
    if (end->outcome == RUN_EXIT)
        json_count(&w->out, "status", end->number);
    if (end->outcome == RUN_SIGNAL)
        json_count(&w->out, "signal", end->number);
    if (end->text)
        json_text(&w->out, "text", end->text);
    json_array_open(&w->out, "waiting");
    for (size_t i = 0; i < end->waiters_count; i++) {
        const struct run_waiter *waiter = &end->waiters[i];
        json_object_open(&w->out, NULL);
        json_text(&w->out, "thread", waiter->thread);
        json_text(&w->out, "for", waiter->what);
        json_text(&w->out, "at", waiter->place);
        if (*waiter->holder)
            json_text(&w->out, "holder", waiter->holder);
        json_close(&w->out);
    }
    json_close(&w->out);
}

static void put_events(struct json_writer *w, const struct finding *f)
{
    const struct property_traits *traits = property_traits(f->property);
    uint32_t cycle = finding_cycle(f);

    if (!traits->list) {
        for (uint32_t i = 0; i < f->event_count && i < PROPERTY_FIELDS && traits->fields[i]; i++)
            json_count(&w->out, traits->fields[i], f->events[i]);
        return;
    }
    if (f->property == PROPERTY_OBSERVED)
        put_end(w);
    if (finding_is_conflict(f)) {
        json_text(&w->out, "kind", "conflict");
        json_count(&w->out, "block", f->events[0]);
        json_count(&w->out, "first", f->events[1]);
        json_count(&w->out, "second", f->events[2]);
        return;
    }
    if (f->property == PROPERTY_DETERMINISM)
        json_text(&w->out, "kind", "interference");
    json_array_open(&w->out, traits->list);
    for (uint32_t i = 0; i < (cycle ? cycle : f->event_count); i++)
        json_count(&w->out, NULL, f->events[i]);
    json_close(&w->out);
    if (cycle)
        put_edges(w, f, cycle);
}

/* A text, or null where there is none. */
static void put_optional(struct json_writer *w, const char *text)
{
    if (text && *text)
        json_text(&w->out, NULL, text);
    else
        json_nothing(&w->out, NULL);
}

/* For each event of the finding, in its order: its thread, which the initial write has none of, and its place. */
static void put_places(struct json_writer *w, const struct finding *f)
{
    json_array_open(&w->out, "threads");
    for (uint32_t i = 0; i < f->event_count; i++)
        put_optional(w, f->events[i] == EVENT_INIT
                            ? NULL
                            : trace_name(w->trace, NAME_THREAD, w->trace->thread[f->events[i]]));
    json_close(&w->out);
    json_array_open(&w->out, "locations");
    for (uint32_t i = 0; i < f->event_count; i++)
        put_optional(w, event_place(w->trace, f->events[i]));
    json_close(&w->out);
}

/* The same for the calls around each event, the innermost first, where the trace tells them. */
static void put_callers(struct json_writer *w, const struct finding *f)
{
    const struct stacks *stacks = w->trace->stacks;

    if (!stacks)
        return;
    json_array_open(&w->out, "callers");
    for (uint32_t i = 0; i < f->event_count; i++) {
        json_array_open(&w->out, NULL);
        for (stack_id at = trace_stack(w->trace, f->events[i]); at; at = stack_rest(stacks, at))
            json_text(&w->out, NULL, stack_place(stacks, at));
        json_close(&w->out);
    }
    json_close(&w->out);
}

/* What people need to make sense of the numbers. */
static void put_context(struct json_writer *w, const struct finding *f)
{
    uint32_t subject = finding_subject(f);
    bool nondet = f->property == PROPERTY_NONDET;

    if (subject != EVENT_INIT && kind_accesses(trace_kind(w->trace, subject)))
        json_text(&w->out, "variable", trace_name(w->trace, NAME_VARIABLE, w->trace->arg[subject]));
    put_places(w, f);
    put_callers(w, f);
    if (nondet || f->property == PROPERTY_FINAL) {
        variable_id x = w->trace->arg[subject];
        put_value(w, "observed_value",
                  nondet ? value_observed(&w->values, subject) : value_written(&w->values, subject, x));
        put_value(w, "alternative_value",
                  f->kind > 0 ? value_written(&w->values, f->events[2], x)
                              : value_in_run(&w->values, &f->schedule, f->events[nondet ? 2 : 1], x));
    }
}

/* What the read decides, as far as the trace tells. */
static void put_decision(struct json_writer *w, const struct finding *f)
{
    static const char *const words[] = {[DECIDES_EVENT] = "event",
                                        [DECIDES_OUTPUT] = "output",
                                        [DECIDES_VALUE] = "value",
                                        [DECIDES_NOTHING] = "nothing"};
    struct decision d;

    if (f->property != PROPERTY_NONDET)
        return;
    d = decided_by(w->decided, f->events[0]);
    if (d.kind == DECIDES_UNKNOWN)
        return;
    json_object_open(&w->out, "decides");
    json_text(&w->out, "what", words[d.kind]);
    if (d.event != EVENT_INIT) {
        json_count(&w->out, "event", d.event);
        json_text(&w->out, "location", event_place(w->trace, d.event));
        if (kind_accesses(trace_kind(w->trace, d.event)))
            json_text(&w->out, "variable", trace_name(w->trace, NAME_VARIABLE, w->trace->arg[d.event]));
    }
    json_close(&w->out);
}

void json_context(FILE *to, const struct trace *trace, const struct values *values,
                  const struct decided *decided, const struct finding *f)
{
    struct json_writer w = {.out = {.to = to}, .trace = trace, .values = *values, .decided = decided};

    json_object_open(&w.out, NULL);
    if (f->property == PROPERTY_OBSERVED)
        put_end(&w);
    put_context(&w, f);
    put_decision(&w, f);
    json_close(&w.out);
    json_end(&w.out);
}

/* The length of the observed prefix and the events after it. Of a race found with data ignored the events that
 * synchronize, in the prefix, too: what is between them is not part of the schedule. */
static void put_schedule(struct json_writer *w, const struct finding *f)
{
    const struct schedule *s = &f->schedule;
    uint32_t follows = 0; /* how much of the tail is as observed, too */

    while (!f->synchronization && follows < s->tail_count && s->tail[follows] == s->prefix + follows + 1)
        follows++;
    if (f->synchronization)
        json_text(&w->out, "schedule_kind", "synchronization");
    json_object_open(&w->out, "schedule");
    json_count(&w->out, "prefix", f->synchronization ? 0 : s->prefix + follows);
    json_array_open(&w->out, "then");
    w->out.spaced = false; /* by far the longest part */
    for (uint32_t e = 1; f->synchronization && e <= s->prefix; e++)
        if (kind_synchronizes(trace_kind(w->trace, e)))
            json_count(&w->out, NULL, e);
    for (uint32_t i = follows; i < s->tail_count; i++)
        json_count(&w->out, NULL, s->tail[i]);
    w->out.spaced = true;
    json_close(&w->out);
    json_close(&w->out);
}

static void put_mark(struct json_writer *w, size_t finding)
{
    const struct marks *marks = w->options->marks;
    char fingerprint[FINGERPRINT_ROOM];

    if (!marks)
        return;
    fingerprint_text(marks->found[finding].fingerprint, fingerprint);
    json_text(&w->out, "fingerprint", fingerprint);
    if (marks->has_baseline)
        json_text(&w->out, "baseline", mark_is_known(marks, finding) ? "known" : "new");
    if (mark_is_suppressed(marks, finding))
        json_text(&w->out, "suppressed", marks->found[finding].reason);
}

static void put_note(struct json_writer *w, const struct finding_note *note)
{
    if (note->confirmed != CONFIRMED_UNKNOWN)
        json_flag(&w->out, "confirmed", note->confirmed == CONFIRMED_YES);
    if (note->outcome)
        json_text(&w->out, "outcome", note->outcome);
}

/* How many findings it stands for, or the number of its group. */
static void put_counts(struct json_writer *w, const struct finding *f)
{
    char kind[16];

    if (f->kind > 0) {
        snprintf(kind, sizeof kind, "k%u", f->kind);
        json_text(&w->out, "kind", kind);
    }
    if (w->results->grouped) {
        json_count(&w->out, "count", f->count);
        json_flag(&w->out, "count_exact", f->count_is_exact);
    } else {
        json_count(&w->out, "group", f->group);
    }
    json_text(&w->out, "severity", finding_is_problem(f) ? "problem" : "note");
    if (f->reads > 0)
        json_count(&w->out, "reads", f->reads);
}

static void put_finding(struct json_writer *w, const struct finding *f, size_t at, bool decided)
{
    json_line(&w->out, 4);
    json_object_open(&w->out, NULL);
    put_id(w, f);
    json_text(&w->out, "property", property_title(f->property));
    put_events(w, f);
    put_counts(w, f);
    if (decided)
        put_mark(w, at);
    put_context(w, f);
    if (decided)
        put_decision(w, f);
    if (f->confirmation != CONFIRMATION_NONE)
        json_text(&w->out, "confirmation", confirmation_word(f->confirmation));
    if (decided && w->options->notes && f->property != PROPERTY_OBSERVED)
        put_note(w, &w->options->notes[at]);
    if (decided && w->options->schedules && finding_has_schedule(f))
        put_schedule(w, f);
    json_close(&w->out);
}

static void put_findings(struct json_writer *w, const char *name, const struct finding_list *list, bool decided)
{
    json_line(&w->out, 2);
    json_array_open(&w->out, name);
    for (size_t i = 0; i < list->findings_count; i++)
        put_finding(w, &list->findings[i], i, decided);
    json_line(&w->out, 2);
    json_close(&w->out);
}

/* JSON is UTF-8, names of files need not be: then the name stands there byte by byte, too. */
static void put_file_bytes(struct json_writer *w, const char *path)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = strlen(path);
    char *text;

    if (text_is_utf8(path))
        return;
    text = memory_new(2 * length + 1, 1);
    for (size_t i = 0; i < length; i++) {
        text[2 * i] = digits[(unsigned char)path[i] >> 4];
        text[2 * i + 1] = digits[(unsigned char)path[i] & 15];
    }
    json_text(&w->out, "file_bytes", text);
    free(text);
}

static void put_trace(struct json_writer *w, const char *path)
{
    json_line(&w->out, 2);
    json_object_open(&w->out, "trace");
    json_text(&w->out, "file", path ? path : "");
    put_file_bytes(w, path ? path : "");
    json_count(&w->out, "events", w->trace->count);
    json_count(&w->out, "threads", trace_names(w->trace, NAME_THREAD));
    json_count(&w->out, "variables", trace_names(w->trace, NAME_VARIABLE));
    json_count(&w->out, "locks", trace_names(w->trace, NAME_LOCK));
    if (w->trace->note)
        json_text(&w->out, "note", w->trace->note);
    if (w->trace->origin.binary)
        json_flag(&w->out, "binary", true);
    json_close(&w->out);
}

/* Why the trace is not the whole run. */
static void put_incomplete(struct json_writer *w)
{
    if (!trace_incomplete(w->trace, 0))
        return;
    json_line(&w->out, 2);
    json_array_open(&w->out, "incomplete");
    for (size_t i = 0; trace_incomplete(w->trace, i); i++)
        json_text(&w->out, NULL, trace_incomplete(w->trace, i));
    json_close(&w->out);
}

void json_incomplete(FILE *to, const struct trace *trace)
{
    struct json_writer w = {.out = {.to = to}, .trace = trace};

    json_object_open(&w.out, NULL);
    put_incomplete(&w);
    json_close(&w.out);
    json_end(&w.out);
}

static void put_header(struct json_writer *w, const char *path)
{
    json_line(&w->out, 2);
    json_text(&w->out, "format", "heddle-report");
    json_line(&w->out, 2);
    json_count(&w->out, "version", REPORT_VERSION);
    put_trace(w, path);
    json_line(&w->out, 2);
    json_text(&w->out, "method", w->results->method);
    json_line(&w->out, 2);
    json_flag(&w->out, "complete", w->results->complete);
    put_incomplete(w);
    json_line(&w->out, 2);
    json_flag(&w->out, "interrupted", w->results->interrupted);
    json_line(&w->out, 2);
    json_flag(&w->out, "grouped", w->results->grouped);
    json_line(&w->out, 2);
    json_object_open(&w->out, "options");
    if (w->results->values_ignore)
        json_text(&w->out, "values", "ignore");
    if (w->results->grounds_ignore)
        json_text(&w->out, "grounds", "ignore");
    json_flag(&w->out, "atomic_locks", w->results->atomic_locks);
    json_close(&w->out);
}

/* Of a report among several: findings left out because the report of an earlier trace has them. */
static void put_repeated(struct json_writer *w)
{
    bool any = false;

    for (enum property p = 0; p < PROPERTIES; p++)
        any |= w->options->repeated[p] > 0;
    if (!any)
        return;
    json_line(&w->out, 2);
    json_object_open(&w->out, "repeated");
    for (enum property p = 0; p < PROPERTIES; p++)
        if (w->options->repeated[p] > 0)
            json_count(&w->out, property_title(p), w->options->repeated[p]);
    json_close(&w->out);
}

/* The file of suppressions: how many findings it is about, which of its lines about none. */
static void put_suppressions(struct json_writer *w)
{
    const struct marks *marks = w->options->marks;

    if (!marks || !marks->suppressions)
        return;
    json_line(&w->out, 2);
    json_object_open(&w->out, "suppressions");
    json_text(&w->out, "file", marks->suppressions);
    json_count(&w->out, "suppressed", marks->suppressed);
    json_array_open(&w->out, "stale");
    for (size_t i = 0; i < marks->stale_count; i++)
        json_count(&w->out, NULL, marks->stale[i]);
    json_close(&w->out);
    json_close(&w->out);
}

enum status report_json(const struct results *results, const struct trace *trace, const char *path,
                        const struct report_options *options, FILE *to, struct error *err)
{
    struct json_writer w = {
        .out = {.to = to, .spaced = true}, .results = results, .trace = trace, .options = options};

    struct decided *decided = decided_new(trace, &results->found);

    w.decided = decided;
    values_init(&w.values, trace);
    json_object_open(&w.out, NULL);
    put_header(&w, path);
    put_repeated(&w);
    put_suppressions(&w);
    put_findings(&w, "findings", &results->found, true);
    put_findings(&w, "undecided", &results->undecided, false);
    put_statistics(&w);
    json_line(&w.out, 0);
    json_close(&w.out);
    json_end(&w.out);
    fputc('\n', to);
    values_free(&w.values);
    decided_free(decided);
    if (fflush(to) != 0 || ferror(to))
        return fail(err, HEDDLE_IO, "the report could not be written: %s", strerror(errno));
    return HEDDLE_OK;
}
