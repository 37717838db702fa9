/* The HTML report: one page that needs nothing else, with everything it shows as JSON inside. */
#include "base/memory.h"
#include "finding/observed.h"
#include "report/fingerprint.h"
#include "report/html/html_parts.h"
#include "report/lack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* In JSON these occur in strings only, where an escape means the same. Escaped, they cannot end the element
 * that the JSON is in, nor open a comment, nor be taken for an end of line by a script. */
static size_t escaped(const char *text, size_t left, char code[7])
{
    unsigned char c = (unsigned char)*text;

    if (c == '<' || c == '>' || c == '&') {
        snprintf(code, 7, "\\u%04x", (unsigned)c);
        return 1;
    }
    if (left >= 3 && c == 0xe2 && (unsigned char)text[1] == 0x80 && ((unsigned char)text[2] | 1) == 0xa9) {
        snprintf(code, 7, "\\u20%02x", 0x28u + ((unsigned char)text[2] & 1));
        return 3;
    }
    return 0;
}

/* All of the report's data leaves through here. */
static void drain_escaped(struct json_out *out)
{
    const char *text = out->text.text;
    size_t start = 0, count = out->text.text_count;

    for (size_t i = 0; i < count;) {
        char code[7];
        size_t taken = escaped(text + i, count - i, code);
        if (taken == 0) {
            i++;
            continue;
        }
        fwrite(text + start, 1, i - start, out->to);
        fputs(code, out->to);
        i += taken;
        start = i;
    }
    if (count > start)
        fwrite(text + start, 1, count - start, out->to);
    out->text.text_count = 0;
}

void page_text(struct page *p, const char *name, const char *text)
{
    size_t from = p->n.out.text_count;

    buffer_safe(&p->n.out, text);
    page_said(p, name, from);
}

void page_said(struct page *p, const char *name, size_t from)
{
    json_bytes(&p->out, name, p->n.out.text + from, p->n.out.text_count - from);
    p->n.out.text_count = from;
}

const char *page_key(struct page_key *key, uint32_t number)
{
    snprintf(key->text, sizeof key->text, "%" PRIu32, number);
    return key->text;
}

void page_event(struct page *p, const char *name, event_id e)
{
    uint32_t *known = map_at(&p->known, e);

    if (!*known && e != EVENT_INIT)
        ARRAY_PUSH(p, referred, e);
    *known = 1;
    json_count(&p->out, name, e);
}

/* What the narrator said since `from`, an element a line. */
static void put_lines(struct page *p, const char *name, size_t from)
{
    size_t at = from, end = p->n.out.text_count;

    json_array_open(&p->out, name);
    while (at < end) {
        const char *line = p->n.out.text + at, *stop = memchr(line, '\n', end - at);
        size_t length = stop ? (size_t)(stop - line) : end - at;
        json_bytes(&p->out, NULL, line, length);
        at += length + 1;
    }
    json_close(&p->out);
    p->n.out.text_count = from;
}

static void put_header(struct page *p)
{
    const struct results *r = p->results;
    const struct trace *trace = p->n.trace;
    struct json_out *out = &p->out;

    json_text(out, "format", "heddle-page");
    json_count(out, "version", 1);
    json_object_open(out, "trace");
    page_text(p, "file", p->options->trace_path ? p->options->trace_path : "");
    json_count(out, "events", trace->count);
    json_count(out, "threads", trace_names(trace, NAME_THREAD));
    json_count(out, "variables", trace_names(trace, NAME_VARIABLE));
    json_count(out, "locks", trace_names(trace, NAME_LOCK));
    json_count(out, "dropped", trace->origin.dropped_events);
    if (trace->origin.program)
        page_text(p, "program", trace->origin.program);
    if (trace->origin.binary)
        json_flag(out, "binary", true);
    if (trace->origin.program && trace->count > 0 && !trace_has_grounds(trace))
        json_flag(out, "groundless", true);
    if (trace->note)
        page_text(p, "note", trace->note);
    if (trace_incomplete(trace, 0)) {
        json_array_open(out, "incomplete");
        for (size_t i = 0; trace_incomplete(trace, i); i++)
            page_text(p, NULL, trace_incomplete(trace, i));
        json_close(out);
    }
    json_close(out);
    page_text(p, "method", r->method);
    json_flag(out, "complete", r->complete);
    json_flag(out, "interrupted", r->interrupted);
    json_flag(out, "settled", results_problems_settled(r, trace));
    json_flag(out, "grouped", r->grouped);
    json_flag(out, "values_ignore", r->values_ignore);
    json_flag(out, "grounds_ignore", r->grounds_ignore);
    json_flag(out, "atomic_locks", r->atomic_locks);
    json_count(out, "certified", r->certified);
}

static void put_property(struct page *p, enum property property, bool found)
{
    const struct property_stats *s = &p->results->stats[property];
    struct json_out *out = &p->out;
    size_t from = p->n.out.text_count;

    json_object_open(out, NULL);
    json_bytes(out, "letter", (char[]){property_letter(property)}, 1);
    page_text(p, "name", property_title(property));
    json_flag(out, "checked", s->checked);
    json_flag(out, "settled", results_settled(p->results, p->n.trace, property));
    json_count(out, "subjects", s->subjects);
    json_count(out, "candidates", s->candidates);
    json_count(out, "feasible", s->feasible);
    json_count(out, "repeated", p->options->repeated[property]);
    json_array_open(out, "refuted");
    for (enum refutation why = 0; why < REFUTATIONS; why++)
        json_count(out, NULL, s->refuted[why]);
    json_close(out);
    json_count(out, "undecided", s->undecided);
    json_count(out, "skipped", s->skipped);
    if (s->checked && !found && p->options->repeated[property] == 0)
        say_verdict(&p->n, p->results, property);
    put_lines(p, "verdict", from);
    json_close(out);
}

static void put_kind(struct page *p, enum event_kind kind, const char *verb)
{
    json_array_open(&p->out, NULL);
    page_text(p, NULL, kind_word(kind));
    page_text(p, NULL, verb);
    page_text(p, NULL, event_rest(kind));
    json_close(&p->out);
}

static void put_properties(struct page *p)
{
    struct json_out *out = &p->out;
    bool found[PROPERTIES] = {false};

    for (size_t i = 0; i < p->results->found.findings_count; i++) {
        const struct finding *f = &p->results->found.findings[i];
        found[f->property] = true;
        found[PROPERTY_NONDET] |= f->reads > 0;
    }
    json_array_open(out, "properties");
    for (enum property property = 0; property < PROPERTIES; property++)
        put_property(p, property, found[property]);
    json_close(out);
    json_array_open(out, "kinds");
    for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++)
        put_kind(p, kind, event_verb(kind));
    put_kind(p, EVENT_WRITE, VERB_FREES); /* its number is HTML_FREEING */
    json_close(out);
}

/* Its fingerprint, whether it is new or accepted; what replaying it has shown. */
static void put_mark(struct page *p, size_t finding)
{
    const struct marks *marks = p->options->marks;
    char fingerprint[FINGERPRINT_ROOM];

    if (!marks)
        return;
    fingerprint_text(marks->found[finding].fingerprint, fingerprint);
    if (marks->found[finding].fingerprint != 0)
        page_text(p, "fingerprint", fingerprint);
    if (marks->has_baseline)
        page_text(p, "baseline", mark_is_known(marks, finding) ? "known" : "new");
    if (mark_is_suppressed(marks, finding))
        page_text(p, "suppressed", marks->found[finding].reason);
}

static void put_note(struct page *p, const struct finding_note *note)
{
    if (note->confirmed != CONFIRMED_UNKNOWN)
        json_flag(&p->out, "confirmed", note->confirmed == CONFIRMED_YES);
    if (note->outcome)
        page_text(p, "outcome", note->outcome);
}

/* The events of the finding, in its order, and what they are about. */
static void put_subject(struct page *p, const struct finding *f)
{
    bool deadlock = f->property == PROPERTY_DEADLOCK;
    uint32_t subject = finding_subject(f);
    struct json_out *out = &p->out;

    json_array_open(out, "events");
    for (uint32_t i = 0; i < f->event_count; i++)
        page_event(p, NULL, f->events[i]);
    json_close(out);
    json_count(out, "cycle", finding_cycle(f));
    json_flag(out, "conflict", finding_is_conflict(f));
    if (subject != EVENT_INIT && kind_accesses(trace_kind(p->n.trace, subject)))
        page_text(p, "variable", trace_name(p->n.trace, NAME_VARIABLE, p->n.trace->arg[subject]));
    if (!deadlock && f->property != PROPERTY_STUCK)
        return;
    json_array_open(out, deadlock ? "holders" : "helpers");
    for (uint32_t i = 0; i < f->event_count; i++) {
        event_id other = deadlock ? deadlock_holder(p->n.model, f, f->events[i])
                                  : stuck_lacks(p->n.model, f, f->events[i]).event;
        json_count(out, NULL, other == EVENT_NONE ? 0 : other);
    }
    json_close(out);
}

/* `at` is its index among those that were found. */
static void put_finding(struct page *p, const struct finding *f, size_t at, bool decided, bool with_runs)
{
    struct json_out *out = &p->out;
    size_t from = p->n.out.text_count;

    json_object_open(out, NULL);
    json_count(out, "property", f->property);
    say_finding_id(&p->n, f);
    page_said(p, "id", from);
    say_title(&p->n, f);
    page_said(p, "title", from);
    say_details(&p->n, f);
    say_confirmation(&p->n, f);
    put_lines(p, "details", from);
    json_count(out, "count", f->count);
    json_flag(out, "exact", f->count_is_exact);
    json_flag(out, "problem", finding_is_problem(f));
    json_count(out, "reads", f->reads);
    json_count(out, "witness_kind", f->kind);
    if (f->synchronization)
        json_flag(out, "synchronization", true);
    if (f->confirmation != CONFIRMATION_NONE)
        page_text(p, "confirmation", confirmation_word(f->confirmation));
    put_subject(p, f);
    if (decided)
        put_mark(p, at);
    if (decided && p->options->notes)
        put_note(p, &p->options->notes[at]);
    if (with_runs && f->event_count > 0)
        page_runs(p, f);
    json_close(out);
}

static void put_findings(struct page *p, const char *name, const struct finding_list *list, bool decided)
{
    size_t shown = list->findings_count < PAGE_FINDINGS_MOST ? list->findings_count : PAGE_FINDINGS_MOST;

    json_line(&p->out, 0);
    json_object_open(&p->out, name);
    json_array_open(&p->out, "list");
    for (size_t i = 0; i < shown; i++) {
        if (i > 0)
            json_line(&p->out, 0);
        put_finding(p, &list->findings[i], i, decided, decided && i < PAGE_DIAGRAMS_MOST);
    }
    json_close(&p->out);
    json_count(&p->out, "more", list->findings_count - shown);
    json_close(&p->out);
}

static void put_data(struct page *p)
{
    json_object_open(&p->out, NULL);
    put_header(p);
    put_properties(p);
    put_findings(p, "findings", &p->results->found, true);
    put_findings(p, "undecided", &p->results->undecided, false);
    page_tables(p);
    json_close(&p->out);
    json_end(&p->out);
}

enum status report_html(const struct results *results, const struct model *model,
                        const struct report_options *options, FILE *to, struct error *err)
{
    struct page p = {.n = {.model = model, .trace = model->trace},
                     .results = results,
                     .options = options,
                     .out = {.to = to, .drain = drain_escaped},
                     .gaps_left = PAGE_GAPS_MOST,
                     .work_left = PAGE_WORK_MOST};
    struct template_part before, after;

    struct decided *decided = decided_new(p.n.trace, &results->found);

    p.n.decided = decided;
    template_parts(&before, &after);
    values_init(&p.n.values, p.n.trace);
    fwrite(before.text, 1, before.length, to);
    put_data(&p);
    fwrite(after.text, 1, after.length, to);
    values_free(&p.n.values);
    decided_free(decided);
    buffer_free(&p.n.out);
    map_free(&p.known);
    free(p.referred);
    if (fflush(to) != 0 || ferror(to))
        return fail(err, HEDDLE_IO, "the report could not be written: %s", strerror(errno));
    return HEDDLE_OK;
}
