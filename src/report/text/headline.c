/* The first lines of the text report: what was checked, what came out, what that does not cover. */
#include "finding/observed.h"
#include "report/text/narrate.h"

#include <string.h>

void say_header(struct narrator *n, const struct results *r, const char *path)
{
    bool first = true;

    say_tone(n, TONE_STRONG);
    buffer_safe(&n->out, path ? path : "the trace");
    say_tone(n, TONE_PLAIN);
    say(n, ": ");
    say_count(n, n->trace->count, "event");
    say(n, " of ");
    say_count(n, trace_names(n->trace, NAME_THREAD), "thread");
    say(n, ", ");
    say_count(n, trace_names(n->trace, NAME_VARIABLE), "variable");
    say(n, ", ");
    say_count(n, trace_names(n->trace, NAME_LOCK), "lock");
    say(n, "; checked for ");
    for (enum property p = 0; p < PROPERTIES; p++) {
        if (!r->stats[p].checked)
            continue;
        say(n, first ? "" : ", ");
        say(n, property_title(p));
        first = false;
    }
    say(n, first ? "nothing" : "");
    if (strcmp(r->method, "exact") != 0) {
        say(n, " by method ");
        say(n, r->method);
    }
    say(n, "\n");
}

/* "2 problems: 1 race, 1 deadlock"; what is suppressed is counted apart. */
static void say_kinds(struct narrator *n, const struct finding_list *list, const struct marks *marks,
                      bool problems, uint64_t count)
{
    uint64_t counts[PROPERTIES] = {0};
    bool first = true;

    for (size_t i = 0; i < list->findings_count; i++)
        counts[list->findings[i].property] +=
            finding_is_problem(&list->findings[i]) == problems && !mark_is_suppressed(marks, i);
    say_count(n, count, problems ? "problem" : "note");
    for (size_t i = 0; i < list->findings_count; i++) {
        enum property p = list->findings[i].property;
        if (finding_is_problem(&list->findings[i]) != problems || counts[p] == 0)
            continue;
        say(n, first ? ": " : ", ");
        buffer_grouped(&n->out, counts[p]);
        say(n, " ");
        say(n, property_title(p));
        counts[p] = 0;
        first = false;
    }
}

static bool all_decided(const struct results *r)
{
    return results_open_status(r) == 0;
}

/* What can be said where no problem was found: never more than was looked at. */
static void say_none(struct narrator *n, const struct results *r, bool notes, bool others)
{
    bool decided = results_problems_settled(r, n->trace);

    if (others) {
        say(n, decided ? "No other problem predicted from this run"
                       : "No other problem found, but the check is incomplete");
        return;
    }
    if (r->graph.used && r->found.findings_count == 0)
        say(n, "No feasible witness by the graph method");
    else if (decided)
        say(n, "No problem predicted from this run");
    else
        say(n, "No problem found, but the check is incomplete");
    if (!notes && all_decided(r) && r->stats[PROPERTY_NONDET].checked &&
        r->stats[PROPERTY_NONDET].feasible == 0 && !r->graph.used)
        say(n, "; deterministic: no read depends on the schedule of these events");
}

void say_summary(struct narrator *n, const struct results *r, const struct report_options *options)
{
    const struct finding_list *list = &r->found;
    const struct marks *marks = options->marks;
    uint64_t problems = 0, accepted = 0, notes = 0, repeated = 0, known = 0;

    for (enum property p = 0; p < PROPERTIES; p++)
        repeated += options->repeated[p];

    for (size_t i = 0; i < list->findings_count; i++) {
        bool problem = finding_is_problem(&list->findings[i]), suppressed = mark_is_suppressed(marks, i);
        accepted += problem && suppressed;
        known += problem && !suppressed && mark_is_known(marks, i);
        problems += problem && !suppressed;
        notes += !problem && !suppressed;
    }
    say_tone(n, problems > 0 ? TONE_ALARM : all_decided(r) ? TONE_GOOD : TONE_STRONG);
    if (problems > 0)
        say_kinds(n, list, marks, true, problems);
    else
        say_none(n, r, notes > 0, repeated + accepted > 0);
    say_tone(n, TONE_PLAIN);
    if (notes > 0) {
        say(n, "; ");
        say_kinds(n, list, marks, false, notes);
    }
    if (repeated > 0) {
        say(n, "; ");
        say_count(n, repeated, "finding");
        say(n, " of an earlier trace");
    }
    if (marks && marks->suppressed > 0) {
        say(n, "; ");
        buffer_grouped(&n->out, marks->suppressed);
        say(n, " suppressed");
    }
    if (marks && marks->has_baseline) {
        say(n, problems == known ? "; no new problem, " : "; ");
        if (problems > known) {
            say_count(n, problems - known, "new problem");
            say(n, ", ");
        }
        say_count(n, marks->known, "finding");
        say(n, " in the baseline");
    }
    say(n, "\n");
    if (problems == 0 && repeated == 0)
        say(n, "  Not covered: other inputs, code that did not run, what the recorder does not see "
               "(docs/limits.md).\n");
    if (problems == 0 && repeated == 0 && n->trace->origin.program && n->trace->count > 0 &&
        !trace_has_grounds(n->trace))
        say(n, "  The recording does not say which reads events depend on: they count as depending on all "
               "earlier ones, so less is predicted (heddle-cc(1)).\n");
}

/* What the budget did not suffice for. */
static void say_open(struct narrator *n, const struct results *r)
{
    bool first = true;

    for (enum property p = 0; p < PROPERTIES; p++) {
        if (!results_undecided(r, p))
            continue;
        say(n, first ? "some candidates of " : ", ");
        say(n, property_title(p));
        first = false;
    }
    say(n, first ? "not everything asked for was decided" : " remain undecided");
}

void say_warnings(struct narrator *n, const struct results *r)
{
    if (r->complete && !r->interrupted)
        return;
    say_tone(n, TONE_ALARM);
    say(n, "Incomplete: ");
    say_tone(n, TONE_PLAIN);
    if (r->interrupted)
        say(n, "the check was interrupted; this is what was decided so far");
    else if (n->trace->note)
        say(n, "the trace was cut short; this report covers the part that was read");
    else if (trace_incomplete(n->trace, 0))
        say(n, "the trace is not the whole run");
    else
        say_open(n, r);
    for (size_t i = 0; trace_incomplete(n->trace, i); i++) {
        say(n, i > 0 ? "; " : n->trace->note ? " (" : ": ");
        buffer_safe(&n->out, trace_incomplete(n->trace, i));
    }
    say(n, n->trace->note ? ").\n" : ".\n");
}

void say_binary(struct narrator *n, const struct finding_list *list)
{
    bool any = false;

    for (size_t i = 0; i < list->findings_count; i++)
        any |= list->findings[i].property == PROPERTY_RACE || list->findings[i].property == PROPERTY_UNORDERED;
    if (any && n->trace->origin.binary)
        say(n, "Note: recorded from a program that was not instrumented. Atomic loads and stores that compile "
               "to plain\n  instructions look like plain accesses: a race between two accesses that are atomic "
               "in the source is no race.\n");
}
