/* The report for people: what was examined, what was found, what that rests on, what to do next. */
#include "base/memory.h"
#include "report/rank.h"
#include "report/text/narrate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_AT = 1 << 16 };

/* A finding in the order of the report. */
struct entry {
    const struct finding *f;
    uint32_t number;                 /* in its id */
    uint32_t rank;                   /* the most serious first */
    bool known;                      /* in the baseline: told in a line, after the others */
    const struct finding_note *note; /* what replaying showed, or NULL */
    size_t at;                       /* in the list, which decides among equals */
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;

    if (a->known != b->known)
        return a->known ? 1 : -1;
    if (a->note && b->note && a->note->weight != b->note->weight)
        return a->note->weight > b->note->weight ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static void say_id(struct narrator *n, const struct entry *entry)
{
    char letter = property_letter(entry->f->property);

    buffer_bytes(&n->out, &letter, 1);
    buffer_number(&n->out, entry->number);
    say(n, "  ");
}

static void say_header(struct narrator *n, const struct results *r, const char *path)
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

static void say_summary(struct narrator *n, const struct finding_list *list, const struct marks *marks)
{
    uint64_t counts[PROPERTIES] = {0};
    bool first = true;

    if (list->findings_count == 0)
        return;
    for (size_t i = 0; i < list->findings_count; i++)
        counts[list->findings[i].property]++;
    say_count(n, list->findings_count, "finding");
    for (enum property p = 0; p < PROPERTIES; p++) {
        if (counts[p] == 0)
            continue;
        say(n, first ? ": " : ", ");
        buffer_grouped(&n->out, counts[p]);
        say(n, " ");
        say(n, property_title(p));
        first = false;
    }
    if (marks && marks->suppressed > 0) {
        say(n, "; ");
        buffer_grouped(&n->out, marks->suppressed);
        say(n, " suppressed");
    }
    if (marks && marks->has_baseline) {
        say(n, "; ");
        buffer_grouped(&n->out, list->findings_count - marks->known);
        say(n, " new, ");
        buffer_grouped(&n->out, marks->known);
        say(n, " in the baseline");
    }
    say(n, "\n");
}

/* What the reader must know before trusting what is not listed. */
static void say_warnings(struct narrator *n, const struct results *r)
{
    if (r->complete && !r->interrupted)
        return;
    say_tone(n, TONE_ALARM);
    say(n, "Incomplete: ");
    say_tone(n, TONE_PLAIN);
    if (r->interrupted)
        say(n, "the check was interrupted; this is what was decided until then");
    else if (n->trace->note)
        say(n, "the trace was cut short; this is about the part that was read");
    else
        say(n, "not everything asked for was decided");
    if (n->trace->note) {
        say(n, " (");
        buffer_safe(&n->out, n->trace->note);
        say(n, ")");
    }
    say(n, ".\n");
}

/* Races of a program without hooks may be between accesses that are atomic in the source. */
static void say_binary(struct narrator *n, const struct finding_list *list)
{
    bool any = false;

    for (size_t i = 0; i < list->findings_count; i++)
        any |= list->findings[i].property == PROPERTY_RACE || list->findings[i].property == PROPERTY_UNORDERED;
    if (any && n->trace->origin.binary)
        say(n, "Note: recorded from a program without hooks. Atomic loads and stores that compile to plain "
               "instructions\n  cannot be told from plain ones there: no race where the source says atomic on "
               "both sides.\n");
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

static void say_entry(struct narrator *n, const struct entry *entry)
{
    say(n, "\n");
    say_tone(n, property_traits(entry->f->property)->ends_before ? TONE_ALARM : TONE_STRONG);
    say_id(n, entry);
    say_title(n, entry->f);
    say_tone(n, TONE_PLAIN);
    say(n, "\n");
    say_details(n, entry->f);
    say_more(n, entry->f);
    say_note(n, entry->note);
    if (entry->f->kind > 0) {
        say_witness(n, entry->f);
        return;
    }
    if (entry->f->synchronization) {
        say(n, "\n    Synchronization that leads to it:\n\n");
        say_synchronization(n, entry->f);
        return;
    }
    say(n,
        finding_has_schedule(entry->f) ? "\n    A schedule that shows it:\n\n" : "\n    The observed run:\n\n");
    say_interleaving(n, entry->f);
}

static void say_short(struct narrator *n, const struct entry *entry)
{
    bool first = true;

    say_id(n, entry);
    say_title(n, entry->f);
    say(n, ", ");
    for (uint32_t i = 0; i < entry->f->event_count; i++) {
        if (entry->f->events[i] == EVENT_INIT)
            continue;
        say(n, first ? "" : ", ");
        say_place(n, entry->f->events[i]);
        first = false;
    }
    if (entry->f->count > 1) {
        say(n, entry->f->count_is_exact ? ", " : ", at least ");
        buffer_grouped(&n->out, entry->f->count);
        say(n, " times");
    }
    if (entry->f->confirmation == CONFIRMATION_OTHER_PATH)
        say(n, ", needs another path");
    if (entry->known)
        say(n, " (in the baseline)");
    say(n, "\n");
}

static void flush_when_full(struct narrator *n, FILE *to)
{
    if (n->out.text_count >= FLUSH_AT)
        buffer_flush(&n->out, to);
}

/* The list in the order of the report, without what is suppressed; `numbers` holds the last number given to
 * each property. */
static struct entry *order_entries(const struct narrator *n, const struct finding_list *list, uint32_t *numbers,
                                   const struct marks *marks, const struct finding_note *notes, size_t *count)
{
    struct entry *entries = memory_new(list->findings_count, sizeof *entries);

    *count = 0;
    for (size_t i = 0; i < list->findings_count; i++) {
        const struct finding *f = &list->findings[i];
        uint32_t number = ++numbers[f->property];
        if (!mark_is_suppressed(marks, i))
            entries[(*count)++] = (struct entry){.f = f,
                                                 .number = number,
                                                 .rank = rank_of(n, f),
                                                 .known = mark_is_known(marks, i),
                                                 .note = notes ? &notes[i] : NULL,
                                                 .at = i};
    }
    if (*count > 1)
        qsort(entries, *count, sizeof *entries, compare_entries);
    return entries;
}

static void say_found(struct narrator *n, const struct finding_list *list, uint32_t *numbers,
                      const struct report_options *options, FILE *to)
{
    size_t count, full = 0;
    struct entry *entries = order_entries(n, list, numbers, options->marks, options->notes, &count);

    while (full < count && (options->most == 0 || full < options->most) && !entries[full].known)
        full++;
    for (size_t i = 0; i < count; i++) {
        if (i == full)
            say(n, "\n");
        if (i < full)
            say_entry(n, &entries[i]);
        else
            say_short(n, &entries[i]);
        flush_when_full(n, to);
    }
    free(entries);
}

static void say_undecided(struct narrator *n, const struct finding_list *list, uint32_t *numbers, size_t most,
                          FILE *to)
{
    size_t count;
    struct entry *entries = order_entries(n, list, numbers, NULL, NULL, &count);
    size_t shown = most == 0 || list->findings_count < most ? list->findings_count : most;

    if (list->findings_count > 0) {
        say(n, "\n");
        say_tone(n, TONE_ALARM);
        say(n, "Undecided: ");
        say_tone(n, TONE_PLAIN);
        say(n, "the budget ran out before it was known whether these can happen:\n\n");
    }
    for (size_t i = 0; i < shown; i++) {
        say_short(n, &entries[i]);
        flush_when_full(n, to);
    }
    if (shown < list->findings_count) {
        say(n, "and ");
        buffer_grouped(&n->out, list->findings_count - shown);
        say(n, " more; --format=json lists them all\n");
    }
    free(entries);
}

static void say_verdicts(struct narrator *n, const struct results *r)
{
    bool found[PROPERTIES] = {false};
    bool first = true;

    for (size_t i = 0; i < r->found.findings_count; i++)
        found[r->found.findings[i].property] = true;
    for (enum property p = 0; p < PROPERTIES; p++) {
        if (found[p] || !r->stats[p].checked)
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
    struct narrator n = {.model = model, .trace = model->trace, .color = options->color};
    uint32_t numbers[PROPERTIES] = {0};

    values_init(&n.values, n.trace);
    say_header(&n, results, options->trace_path);
    say_summary(&n, &results->found, options->marks);
    say_warnings(&n, results);
    say_binary(&n, &results->found);
    say_found(&n, &results->found, numbers, options, to);
    say_undecided(&n, &results->undecided, numbers, options->most, to);
    say_verdicts(&n, results);
    if (options->stats)
        say_statistics(&n, results);
    if (options->next)
        say(&n, options->next);
    else
        say_next(&n, results, options->trace_path);
    buffer_flush(&n.out, to);
    buffer_free(&n.out);
    values_free(&n.values);
    if (fflush(to) != 0 || ferror(to))
        return fail(err, HEDDLE_IO, "the report could not be written: %s", strerror(errno));
    return HEDDLE_OK;
}

void report_leading_id(const struct results *results, const struct model *model,
                       const struct report_options *options, char *to, size_t room)
{
    struct narrator n = {.model = model, .trace = model->trace};
    uint32_t numbers[PROPERTIES] = {0};
    size_t count, i = 0;
    struct entry *entries;

    values_init(&n.values, n.trace);
    entries = order_entries(&n, &results->found, numbers, options->marks, options->notes, &count);
    while (i < count && !finding_has_schedule(entries[i].f))
        i++;
    *to = '\0';
    if (i < count)
        snprintf(to, room, "%c%u", property_letter(entries[i].f->property), entries[i].number);
    free(entries);
    values_free(&n.values);
}
