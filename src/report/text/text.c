/* The report for people: what was examined, what was found, what that rests on, what to do next. */
#include "report/text/narrate.h"

#include <errno.h>
#include <string.h>

enum { FLUSH_AT = 1 << 16 };

static void say_id(struct narrator *n, const struct finding *f)
{
    say_finding_id(n, f);
    say(n, "  ");
}

static void say_more(struct narrator *n, const struct finding *f)
{
    if (f->count <= 1) {
        say(n, f->count_is_exact ? "" : "    there may be more like it, at the same places in the source\n");
        return;
    }
    say(n, f->count_is_exact ? "    and " : "    and at least ");
    buffer_grouped(&n->out, f->count - 1);
    say(n, " more like it, at the same places in the source\n");
}

/* The order that the graph method calls feasible; nobody has looked for a schedule. */
static void say_witness(struct narrator *n, const struct finding *f)
{
    static const char *const orders[] = {"k1: the challenger, then the read, then the write it saw",
                                         "k2: the write it saw, then the challenger, then the read",
                                         "k3: the challenger, then the read, without the write it saw"};

    say(n, "    witness ");
    say(n, orders[f->kind - 1]);
    say(n, "; by graphs alone, without a schedule\n");
}

static void say_note(struct narrator *n, const struct finding_note *note)
{
    if (!note || note->confirmed == CONFIRMED_UNKNOWN)
        return;
    say(n, note->confirmed == CONFIRMED_YES ? "    replayed: confirmed, outcome: "
                                            : "    replayed: not confirmed, ");
    buffer_safe(&n->out, note->outcome ? note->outcome : "");
    say(n, "\n");
}

/* Reads that see another write because of the race are no findings of their own. */
static void say_reads(struct narrator *n, const struct finding *f)
{
    if (f->reads == 0)
        return;
    say(n, "    and ");
    say_count(n, f->reads, "nondeterministic read");
    say(n, " of the same accesses\n");
}

static void say_entry(struct narrator *n, const struct finding *f, const struct finding_note *note)
{
    say(n, "\n");
    say_tone(n, finding_is_problem(f) ? TONE_ALARM : TONE_STRONG);
    say_id(n, f);
    say_title(n, f);
    say_tone(n, TONE_PLAIN);
    say(n, "\n");
    say_details(n, f);
    say_reads(n, f);
    say_more(n, f);
    say_note(n, note);
    if (f->kind > 0) {
        say_witness(n, f);
        return;
    }
    if (f->synchronization) {
        say(n, "\n    Synchronization that leads to it:\n\n");
        say_synchronization(n, f);
        return;
    }
    if (f->property == PROPERTY_OBSERVED && n->trace->end.waiters_count == 0)
        return;
    say(n, finding_has_schedule(f) ? "\n    A schedule that shows it:\n\n" : "\n    The observed run:\n\n");
    say_interleaving(n, f);
}

static void say_short(struct narrator *n, const struct finding *f, bool known)
{
    bool first = true;

    say_id(n, f);
    say_title(n, f);
    say(n, f->event_count > 0 ? ", " : "");
    for (uint32_t i = 0; i < f->event_count; i++) {
        if (f->events[i] == EVENT_INIT)
            continue;
        say(n, first ? "" : ", ");
        say_place(n, f->events[i]);
        first = false;
    }
    if (f->count > 1) {
        say(n, f->count_is_exact ? ", " : ", at least ");
        buffer_grouped(&n->out, f->count);
        say(n, " times");
    }
    if (f->confirmation == CONFIRMATION_OTHER_PATH)
        say(n, ", needs another path");
    if (known)
        say(n, " (in the baseline)");
    say(n, "\n");
}

static void flush_when_full(struct narrator *n, FILE *to)
{
    if (n->out.text_count >= FLUSH_AT)
        narrator_flush(n, to);
}

/* Findings told one by one: the first ones in full, the others and what the baseline knows in a line each. */
static void say_list(struct narrator *n, const struct results *r, const struct report_options *options,
                     bool problems, size_t *full, FILE *to)
{
    bool listing = false;

    for (size_t i = 0; i < r->found.findings_count; i++) {
        const struct finding *f = &r->found.findings[i];
        bool known = mark_is_known(options->marks, i);
        if (finding_is_problem(f) != problems || mark_is_suppressed(options->marks, i))
            continue;
        if (!known && (options->most == 0 || *full < options->most)) {
            say_entry(n, f, options->notes ? &options->notes[i] : NULL);
            ++*full;
        } else {
            say(n, listing ? "" : "\n");
            say_short(n, f, known);
            listing = true;
        }
        flush_when_full(n, to);
    }
}

/* Whether only notes were asked for: then they are what the reader wants to see. */
static bool only_notes(const struct results *r)
{
    for (enum property p = 0; p < PROPERTIES; p++)
        if (r->stats[p].checked && severity_is_problem(property_traits(p)->severity))
            return false;
    return true;
}

static void say_found(struct narrator *n, const struct results *r, const struct report_options *options,
                      FILE *to)
{
    size_t full = 0;

    say_list(n, r, options, true, &full, to);
    if (options->full_notes || only_notes(r))
        say_list(n, r, options, false, &full, to);
    else
        say_notes(n, r, options);
}

static void say_undecided(struct narrator *n, const struct finding_list *list, size_t most, FILE *to)
{
    size_t shown = most == 0 || list->findings_count < most ? list->findings_count : most;

    if (list->findings_count > 0) {
        say(n, "\n");
        say_tone(n, TONE_ALARM);
        say(n, "Undecided: ");
        say_tone(n, TONE_PLAIN);
        say(n, "the budget ran out before it was decided whether these can happen:\n\n");
    }
    for (size_t i = 0; i < shown; i++) {
        say_short(n, &list->findings[i], false);
        flush_when_full(n, to);
    }
    if (shown < list->findings_count) {
        say(n, "and ");
        buffer_grouped(&n->out, list->findings_count - shown);
        say(n, " more; --format=json lists them all\n");
    }
}

static void say_verdicts(struct narrator *n, const struct results *r, const struct report_options *options)
{
    bool found[PROPERTIES] = {false};
    bool first = true;

    for (size_t i = 0; i < r->found.findings_count; i++) {
        found[r->found.findings[i].property] = true;
        found[PROPERTY_NONDET] |= r->found.findings[i].reads > 0;
    }
    for (enum property p = 0; p < PROPERTIES; p++) {
        if (found[p] || options->repeated[p] > 0 || !r->stats[p].checked)
            continue;
        say(n, first ? "\n" : "");
        say_verdict(n, r, p);
        first = false;
    }
}

static void say_next(struct narrator *n, const struct results *r, const char *path)
{
    if (r->found.findings_count == 0 || !path || r->graph.used)
        return;
    say(n, "\nNext: all schedules in full, and each one checked again:\n  heddle check ");
    say(n, r->csp.used ? "--method=csp " : "");
    say(n, "--format=json -o report.json ");
    buffer_shell(&n->out, path);
    say(n, "\n  heddle verify ");
    buffer_shell(&n->out, path);
    say(n, " report.json\n");
}

enum status report_text(const struct results *results, const struct model *model,
                        const struct report_options *options, FILE *to, struct error *err)
{
    struct narrator n = {
        .model = model, .trace = model->trace, .color = options->color, .width = options->width};

    struct decided *decided = decided_new(n.trace, &results->found);

    n.decided = decided;
    values_init(&n.values, n.trace);
    say_header(&n, results, options->trace_path);
    say_summary(&n, results, options);
    say_warnings(&n, results);
    say_binary(&n, &results->found);
    say_found(&n, results, options, to);
    say_undecided(&n, &results->undecided, options->most, to);
    say_verdicts(&n, results, options);
    if (options->stats)
        say_statistics(&n, results);
    if (options->next)
        say(&n, options->next);
    else
        say_next(&n, results, options->trace_path);
    narrator_flush(&n, to);
    buffer_free(&n.out);
    values_free(&n.values);
    decided_free(decided);
    if (fflush(to) != 0 || ferror(to))
        return fail(err, HEDDLE_IO, "the report could not be written: %s", strerror(errno));
    return HEDDLE_OK;
}
