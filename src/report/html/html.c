/* The HTML report: one page that needs nothing else, with everything it shows as JSON inside. */
#include "base/memory.h"
#include "finding/observed.h"
#include "report/fingerprint.h"
#include "report/html/html_parts.h"
#include "report/lack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_AT = 1 << 16 };

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
static void flush_escaped(struct page *p, FILE *to)
{
    const char *text = p->out.text;
    size_t start = 0;

    for (size_t i = 0; i < p->out.text_count;) {
        char code[7];
        size_t taken = escaped(text + i, p->out.text_count - i, code);
        if (taken == 0) {
            i++;
            continue;
        }
        fwrite(text + start, 1, i - start, to);
        fputs(code, to);
        i += taken;
        start = i;
    }
    if (p->out.text_count > start)
        fwrite(text + start, 1, p->out.text_count - start, to);
    p->out.text_count = 0;
}

/* Text that was made safe already, as a JSON string. */
static void page_text(struct page *p, const char *before, const char *text, size_t length)
{
    char *copy = memory_text(text, length);

    buffer_text(&p->out, before);
    buffer_json(&p->out, copy);
    free(copy);
}

void page_name(struct page *p, const char *before, const char *name)
{
    size_t from = p->n.out.text_count;

    buffer_safe(&p->n.out, name);
    page_said(p, before, from);
}

void page_number(struct page *p, const char *before, uint64_t number)
{
    buffer_text(&p->out, before);
    buffer_number(&p->out, number);
}

void page_said(struct page *p, const char *before, size_t from)
{
    page_text(p, before, p->n.out.text ? p->n.out.text + from : "", p->n.out.text_count - from);
    p->n.out.text_count = from;
}

void page_event(struct page *p, const char *before, event_id e)
{
    uint32_t *known = map_at(&p->known, e);

    if (!*known && e != EVENT_INIT)
        ARRAY_PUSH(p, referred, e);
    *known = 1;
    page_number(p, before, e);
}

static void put_flag(struct page *p, const char *before, bool flag)
{
    buffer_text(&p->out, before);
    buffer_text(&p->out, flag ? "true" : "false");
}

/* What the narrator said since `from`, an element a line. */
static void put_lines(struct page *p, const char *before, size_t from)
{
    const char *line = p->n.out.text ? p->n.out.text + from : "";
    size_t left = p->n.out.text_count - from;
    bool first = true;

    buffer_text(&p->out, before);
    while (left > 0) {
        const char *end = memchr(line, '\n', left);
        size_t length = end ? (size_t)(end - line) : left;
        page_text(p, first ? "[" : ",", line, length);
        first = false;
        line += length + (end != NULL);
        left -= length + (end != NULL);
    }
    buffer_text(&p->out, first ? "[]" : "]");
    p->n.out.text_count = from;
}

static void put_header(struct page *p)
{
    const struct results *r = p->results;
    const struct trace *trace = p->n.trace;

    page_name(p, "{\"format\":\"heddle-page\",\"version\":1,\"trace\":{\"file\":",
              p->options->trace_path ? p->options->trace_path : "");
    page_number(p, ",\"events\":", trace->count);
    page_number(p, ",\"threads\":", trace_names(trace, NAME_THREAD));
    page_number(p, ",\"variables\":", trace_names(trace, NAME_VARIABLE));
    page_number(p, ",\"locks\":", trace_names(trace, NAME_LOCK));
    page_number(p, ",\"dropped\":", trace->origin.dropped_events);
    if (trace->origin.program)
        page_name(p, ",\"program\":", trace->origin.program);
    if (trace->origin.binary)
        put_flag(p, ",\"binary\":", true);
    if (trace->note)
        page_name(p, ",\"note\":", trace->note);
    for (size_t i = 0; trace_incomplete(trace, i); i++)
        page_name(p, i > 0 ? "," : ",\"incomplete\":[", trace_incomplete(trace, i));
    buffer_text(&p->out, trace_incomplete(trace, 0) ? "]" : "");
    page_name(p, "},\"method\":", r->method);
    put_flag(p, ",\"complete\":", r->complete);
    put_flag(p, ",\"interrupted\":", r->interrupted);
    put_flag(p, ",\"grouped\":", r->grouped);
    put_flag(p, ",\"values_ignore\":", r->values_ignore);
    put_flag(p, ",\"grounds_ignore\":", r->grounds_ignore);
    put_flag(p, ",\"atomic_locks\":", r->atomic_locks);
    page_number(p, ",\"certified\":", r->certified);
}

static void put_property(struct page *p, enum property property, bool found)
{
    const struct property_stats *s = &p->results->stats[property];
    size_t from = p->n.out.text_count;
    char letter[2] = {property_letter(property), '\0'};

    page_name(p, "{\"letter\":", letter);
    page_name(p, ",\"name\":", property_title(property));
    put_flag(p, ",\"checked\":", s->checked);
    page_number(p, ",\"subjects\":", s->subjects);
    page_number(p, ",\"candidates\":", s->candidates);
    page_number(p, ",\"feasible\":", s->feasible);
    for (enum refutation why = 0; why < REFUTATIONS; why++)
        page_number(p, why > 0 ? "," : ",\"refuted\":[", s->refuted[why]);
    page_number(p, "],\"undecided\":", s->undecided);
    page_number(p, ",\"skipped\":", s->skipped);
    if (s->checked && !found)
        say_verdict(&p->n, p->results, property);
    put_lines(p, ",\"verdict\":", from);
    buffer_text(&p->out, "}");
}

static void put_properties(struct page *p)
{
    bool found[PROPERTIES] = {false};

    for (size_t i = 0; i < p->results->found.findings_count; i++)
        found[p->results->found.findings[i].property] = true;
    for (enum property property = 0; property < PROPERTIES; property++) {
        buffer_text(&p->out, property > 0 ? "," : ",\"properties\":[");
        put_property(p, property, found[property]);
    }
    buffer_text(&p->out, "],\"kinds\":[");
    for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++) {
        page_name(p, kind > 0 ? ",[" : "[", kind_word(kind));
        page_name(p, ",", event_verb(kind));
        page_name(p, ",", event_rest(kind));
        buffer_text(&p->out, "]");
    }
    buffer_text(&p->out, "]");
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
        page_name(p, ",\"fingerprint\":", fingerprint);
    if (marks->has_baseline)
        page_name(p, ",\"baseline\":", mark_is_known(marks, finding) ? "known" : "new");
    if (mark_is_suppressed(marks, finding))
        page_name(p, ",\"suppressed\":", marks->found[finding].reason);
}

static void put_note(struct page *p, const struct finding_note *note)
{
    if (note->confirmed != CONFIRMED_UNKNOWN)
        put_flag(p, ",\"confirmed\":", note->confirmed == CONFIRMED_YES);
    if (note->outcome)
        page_name(p, ",\"outcome\":", note->outcome);
}

/* The events of the finding, in its order, and what they are about. */
static void put_subject(struct page *p, const struct finding *f)
{
    uint32_t subject = finding_subject(f);

    buffer_text(&p->out, ",\"events\":[");
    for (uint32_t i = 0; i < f->event_count; i++)
        page_event(p, i > 0 ? "," : "", f->events[i]);
    page_number(p, "],\"cycle\":", finding_cycle(f));
    put_flag(p, ",\"conflict\":", finding_is_conflict(f));
    if (subject != EVENT_INIT && kind_accesses(trace_kind(p->n.trace, subject)))
        page_name(p, ",\"variable\":", trace_name(p->n.trace, NAME_VARIABLE, p->n.trace->arg[subject]));
    if (f->property == PROPERTY_DEADLOCK) {
        for (uint32_t i = 0; i < f->event_count; i++) {
            event_id holder = deadlock_holder(p->n.model, f, f->events[i]);
            page_number(p, i > 0 ? "," : ",\"holders\":[", holder == EVENT_NONE ? 0 : holder);
        }
        buffer_text(&p->out, "]");
    }
    if (f->property == PROPERTY_STUCK) {
        for (uint32_t i = 0; i < f->event_count; i++) {
            event_id helper = stuck_lacks(p->n.model, f, f->events[i]).event;
            page_number(p, i > 0 ? "," : ",\"helpers\":[", helper == EVENT_NONE ? 0 : helper);
        }
        buffer_text(&p->out, "]");
    }
}

/* `at` is its index among those that were found. */
static void put_finding(struct page *p, const struct finding *f, size_t at, bool decided, bool with_runs)
{
    size_t from = p->n.out.text_count;

    page_number(p, "{\"property\":", f->property);
    say_finding_id(&p->n, f);
    page_said(p, ",\"id\":", from);
    say_title(&p->n, f);
    page_said(p, ",\"title\":", from);
    say_details(&p->n, f);
    say_confirmation(&p->n, f);
    put_lines(p, ",\"details\":", from);
    page_number(p, ",\"count\":", f->count);
    put_flag(p, ",\"exact\":", f->count_is_exact);
    put_flag(p, ",\"problem\":", finding_is_problem(f));
    page_number(p, ",\"reads\":", f->reads);
    page_number(p, ",\"witness_kind\":", f->kind);
    if (f->synchronization)
        put_flag(p, ",\"synchronization\":", true);
    if (f->confirmation != CONFIRMATION_NONE)
        page_name(p, ",\"confirmation\":", confirmation_word(f->confirmation));
    put_subject(p, f);
    if (decided)
        put_mark(p, at);
    if (decided && p->options->notes)
        put_note(p, &p->options->notes[at]);
    if (with_runs && f->event_count > 0)
        page_runs(p, f);
    buffer_text(&p->out, "}");
}

static void put_findings(struct page *p, const char *before, const struct finding_list *list, bool decided,
                         FILE *to)
{
    size_t shown = list->findings_count < PAGE_FINDINGS_MOST ? list->findings_count : PAGE_FINDINGS_MOST;

    buffer_text(&p->out, before);
    for (size_t i = 0; i < shown; i++) {
        buffer_text(&p->out, i > 0 ? ",\n" : "");
        put_finding(p, &list->findings[i], i, decided, decided && i < PAGE_DIAGRAMS_MOST);
        if (p->out.text_count >= FLUSH_AT)
            flush_escaped(p, to);
    }
    page_number(p, "],\"more\":", list->findings_count - shown);
    buffer_text(&p->out, "}");
}

static void put_data(struct page *p, FILE *to)
{
    put_header(p);
    put_properties(p);
    put_findings(p, ",\n\"findings\":{\"list\":[", &p->results->found, true, to);
    put_findings(p, ",\n\"undecided\":{\"list\":[", &p->results->undecided, false, to);
    page_tables(p);
    buffer_text(&p->out, "}");
    flush_escaped(p, to);
}

enum status report_html(const struct results *results, const struct model *model,
                        const struct report_options *options, FILE *to, struct error *err)
{
    struct page p = {.n = {.model = model, .trace = model->trace},
                     .results = results,
                     .options = options,
                     .gaps_left = PAGE_GAPS_MOST,
                     .work_left = PAGE_WORK_MOST};
    struct template_part before, after;

    template_parts(&before, &after);
    values_init(&p.n.values, p.n.trace);
    fwrite(before.text, 1, before.length, to);
    put_data(&p, to);
    fwrite(after.text, 1, after.length, to);
    values_free(&p.n.values);
    buffer_free(&p.n.out);
    buffer_free(&p.out);
    map_free(&p.known);
    free(p.referred);
    if (fflush(to) != 0 || ferror(to))
        return fail(err, HEDDLE_IO, "the report could not be written: %s", strerror(errno));
    return HEDDLE_OK;
}
