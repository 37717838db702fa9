/* Makes results and marks of a report. */
#include "report/json/recall.h"
#include "base/memory.h"

#include <string.h>

static uint64_t number_of(const json_t *object, const char *field)
{
    json_int_t number = json_integer_value(json_object_get(object, field));

    return number > 0 ? (uint64_t)number : 0;
}

static double seconds_of(const json_t *object, const char *field)
{
    return json_number_value(json_object_get(object, field));
}

static void recall_property(struct property_stats *to, const json_t *from)
{
    static const char *const rules[REFUTATIONS] = {"must_order", "causality_cycle", "exhausted_choices"};

    to->checked = json_is_object(from);
    to->subjects = number_of(from, "subjects");
    to->candidates = number_of(from, "candidates");
    to->feasible = number_of(from, "feasible");
    for (enum refutation why = 0; why < REFUTATIONS; why++)
        to->refuted[why] = number_of(json_object_get(from, "refuted"), rules[why]);
    to->undecided = number_of(from, "undecided");
    to->skipped = number_of(from, "skipped");
    to->seconds = seconds_of(from, "seconds");
}

static struct graph_stats recall_graph(const json_t *from)
{
    return (struct graph_stats){
        .used = json_is_object(from),
        .possible = number_of(from, "possible"),
        .cyclic = number_of(from, "cyclic"),
        .no_choice = number_of(from, "no_choice"),
        .with_choice = number_of(from, "with_choice"),
        .choice_graphs_possible = number_of(from, "choice_graphs_possible"),
        .choice_graphs_explored = number_of(from, "choice_graphs_explored"),
        .feasible = number_of(from, "feasible"),
        .infeasible = number_of(from, "infeasible"),
        .undecided = number_of(from, "undecided"),
        .seconds = seconds_of(from, "seconds"),
    };
}

static struct csp_stats recall_csp(const json_t *from)
{
    return (struct csp_stats){
        .used = from != NULL,
        .variables = number_of(from, "variables"),
        .assertions = number_of(from, "assertions"),
        .filtered = number_of(from, "filtered"),
        .checks = number_of(from, "checks"),
        .states = number_of(from, "states"),
        .transitions = number_of(from, "transitions"),
        .confirmed = number_of(from, "confirmed"),
        .other_path = number_of(from, "needs_another_path"),
        .unconfirmed = number_of(from, "unconfirmed"),
        .seconds = seconds_of(from, "seconds"),
        .confirm_seconds = seconds_of(from, "confirm_seconds"),
    };
}

static struct ucg_stats recall_ucg(const json_t *from)
{
    return (struct ucg_stats){
        .used = json_is_object(from),
        .total = number_of(from, "total"),
        .lsa = number_of(from, "lsa"),
        .mhb = number_of(from, "mhb"),
        .ucg = number_of(from, "ucg"),
        .witnesses = number_of(from, "witnesses"),
        .undecided = number_of(from, "undecided"),
        .chopped = number_of(from, "chopped"),
        .ucg_seconds = seconds_of(from, "ucg_seconds"),
        .seconds = seconds_of(from, "seconds"),
    };
}

void results_recall(struct results *results, const struct report *report)
{
    const json_t *statistics = json_object_get(report->rest, "statistics");
    const json_t *ucg = json_object_get(statistics, "ucg");

    *results = (struct results){
        .method = report->method,
        .complete = report->complete,
        .interrupted = json_is_true(json_object_get(report->rest, "interrupted")),
        .values_ignore = report->values_ignore,
        .grounds_ignore = report->grounds_ignore,
        .atomic_locks = report->atomic_locks,
        .grouped = json_is_true(json_object_get(report->rest, "grouped")),
        .found = report->found,
        .undecided = report->undecided,
        .graph = recall_graph(json_object_get(statistics, "graph")),
        .ucg_race = recall_ucg(json_object_get(ucg, "race")),
        .ucg_atomicity = recall_ucg(json_object_get(ucg, "atomicity")),
        .csp = recall_csp(json_object_get(statistics, "csp")),
        .idle_reads = number_of(statistics, "idle_reads"),
        .certified = number_of(statistics, "certified"),
        .load_seconds = seconds_of(statistics, "load_seconds"),
        .model_seconds = seconds_of(statistics, "model_seconds"),
    };
    for (enum property p = 0; p < PROPERTIES; p++)
        recall_property(&results->stats[p], json_object_get(statistics, property_title(p)));
    results_number(results);
}

void marks_recall(struct marks *marks, const struct report *report)
{
    const json_t *suppressions = json_object_get(report->rest, "suppressions");

    memset(marks, 0, sizeof *marks);
    marks->count = report->entries_count;
    marks->found = memory_new(marks->count, sizeof *marks->found);
    marks->suppressions = json_string_value(json_object_get(suppressions, "file"));
    for (size_t i = 0; i < marks->count; i++) {
        const struct report_entry *entry = &report->entries[i];
        const char *baseline = json_string_value(json_object_get(entry->rest, "baseline"));

        marks->found[i].fingerprint = entry->fingerprint;
        marks->found[i].reason = json_string_value(json_object_get(entry->rest, "suppressed"));
        marks->found[i].known = baseline && strcmp(baseline, "known") == 0;
        marks->has_baseline |= baseline != NULL;
        marks->suppressed += marks->found[i].reason != NULL;
        marks->known += marks->found[i].known;
    }
    for (size_t i = 0; i < json_array_size(json_object_get(suppressions, "stale")); i++)
        ARRAY_PUSH(marks, stale,
                   (size_t)json_integer_value(json_array_get(json_object_get(suppressions, "stale"), i)));
}

void repeated_recall(const struct report *report, size_t repeated[PROPERTIES])
{
    const json_t *counts = json_object_get(report->rest, "repeated");

    for (enum property p = 0; p < PROPERTIES; p++)
        repeated[p] = number_of(counts, property_title(p));
}

struct finding_note *notes_recall(const struct report *report)
{
    struct finding_note *notes = memory_new(report->entries_count, sizeof *notes);

    for (size_t i = 0; i < report->entries_count; i++) {
        const json_t *confirmed = json_object_get(report->entries[i].rest, "confirmed");

        if (json_is_boolean(confirmed))
            notes[i].confirmed = json_is_true(confirmed) ? CONFIRMED_YES : CONFIRMED_NO;
        if (report->found.findings[i].property == PROPERTY_OBSERVED)
            continue; /* its outcome is that of the recorded run */
        notes[i].outcome = json_string_value(json_object_get(report->entries[i].rest, "outcome"));
    }
    return notes;
}

enum status report_belongs(const struct report *report, const struct trace *trace, const char *path,
                           struct error *err)
{
    const struct {
        const char *what;
        uint64_t said, is;
    } counts[] = {
        {"events", report->events, trace->count},
        {"threads", report->threads, trace_names(trace, NAME_THREAD)},
        {"variables", report->variables, trace_names(trace, NAME_VARIABLE)},
        {"locks", report->locks, trace_names(trace, NAME_LOCK)},
    };

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].said != counts[i].is)
            return fail(
                err, HEDDLE_BAD_REPORT, "the report belongs to another trace, with %llu %s; %.200s has %llu",
                (unsigned long long)counts[i].said, counts[i].what, path, (unsigned long long)counts[i].is);
    return HEDDLE_OK;
}
