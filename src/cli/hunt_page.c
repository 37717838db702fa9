/* What a hunt found, as a page for a browser: problems, runs as a timeline, coverage, what each run was derived from. One file
 * that needs nothing else, not even a script. */
#include "cli/hunt_page.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "cli/hunt_tell.h"
#include "record/program.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 960, LANE = 22, CHART = 180, LABELS = 110, ROWS_MOST = 2000 };

static const char *const style =
    ":root{color-scheme:light "
    "dark;--ground:#fff;--raised:#f6f7f9;--line:#d5dae1;--text:#1b222c;--quiet:#56606e;"
    "--accent:#1d4fd7;--alarm:#b3261e;--alarm-ground:#fdeceb;--good:#14692f;--open:#8a4b00;--other:#7d1aa8}"
    "@media(prefers-color-scheme:dark){:root{--ground:#14181e;--raised:#1b2129;--line:#343d4a;--text:#e6eaf0;"
    "--quiet:#a3aebd;--accent:#8fb0ff;--alarm:#ff8f86;--alarm-ground:#46201e;--good:#77d694;--open:#ffb961;"
    "--other:#d8a4f5}}"
    "body{background:var(--ground);color:var(--text);font:15px/1.5 system-ui,sans-serif;margin:0 auto;"
    "padding:1.5rem;max-width:64rem}h1{font-size:1.6rem;margin:0 0 .4rem}h2{font-size:1.2rem;margin:2rem 0 "
    ".6rem}"
    "h3{font-size:1rem;margin:0}.quiet{color:var(--quiet)}a{color:var(--accent)}"
    "code{font:.92em ui-monospace,monospace;overflow-wrap:anywhere}"
    "article{border:1px solid var(--line);border-left:4px solid var(--line);border-radius:6px;padding:.6rem "
    "1rem;"
    "margin:.6rem 0;background:var(--raised)}article.happened{border-left-color:var(--alarm)}"
    "article.predicted{border-left-color:var(--open)}article p{margin:.2rem 0}"
    ".scroll{overflow-x:auto}svg{display:block;max-width:none}svg text{fill:var(--quiet);font:12px "
    "system-ui,sans-serif}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.2rem .6rem;"
    "border-bottom:1px solid var(--line);vertical-align:top}td.number{text-align:right}"
    ".good{fill:var(--good)}.bad{fill:var(--alarm)}.else{fill:var(--open)}.cut{fill:var(--quiet)}"
    ".places{stroke:var(--good)}.pairs{stroke:var(--accent)}.sources{stroke:var(--other)}"
    "svg a:hover rect,svg a:focus rect{stroke:var(--text);stroke-width:2}"
    "article.caveats{border-left-color:var(--quiet)}tr:target{outline:2px solid var(--accent)}"
    "polyline{fill:none;stroke-width:2}tr.bad td:nth-child(4){color:var(--alarm)}";

void page_put(struct buffer *b, const char *format, ...)
{
    char line[1200];
    va_list list;

    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    buffer_text(b, line);
}

static bool ended_badly(const struct hunted_run *r)
{
    return r->end.ending != ENDED_EXIT || r->end.status != 0;
}

/* How the run stands in the timeline. */
static const char *class_of(const struct hunted_run *r)
{
    return !r->end.ran ? "cut" : ended_badly(r) ? "bad" : r->problems > 0 ? "else" : "good";
}

/* What to know before judging the rest. */
static void put_caveats(struct buffer *b, const struct hunt *h)
{
    struct buffer lines = {0};
    char *rest;

    hunt_put_caveats(&lines, h);
    buffer_bytes(&lines, "", 1);
    if (*lines.text)
        buffer_text(b, "<article class=\"caveats\" aria-label=\"What to know\">");
    for (char *line = strtok_r(lines.text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        buffer_text(b, "<p>");
        buffer_markup(b, line);
        buffer_text(b, "</p>");
    }
    if (lines.text_count > 1)
        buffer_text(b, "</article>\n");
    buffer_free(&lines);
}

static void put_head(struct buffer *b, const struct hunt *h, const struct hunt_settings *s, const char *command)
{
    size_t happened = hunt_count(h, PROBLEM_HAPPENED), predicted = hunt_count(h, PROBLEM_PREDICTED);

    buffer_text(b, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                   "content=\"width=device-width\"><title>");
    buffer_markup(b, command);
    buffer_text(b, " – Heddle hunt</title><style>");
    buffer_text(b, style);
    buffer_text(b, "</style></head><body><header><h1>");
    if (happened + predicted == 0)
        buffer_text(b, "No problem found");
    else
        page_put(b, "%zu problem%s that happened, %zu predicted", happened, happened == 1 ? "" : "s",
                 predicted);
    buffer_text(b, "</h1><p><code>");
    buffer_markup(b, command);
    page_put(b, "</code></p><p class=\"quiet\">%zu runs in %.1f s, seed %llu. It ended because ", h->runs_count,
             h->seconds, (unsigned long long)s->seed);
    buffer_text(b, hunt_over_words(h->over));
    buffer_text(b, ".</p>");
    if (!s->isolate)
        buffer_text(b,
                    "<p class=\"quiet\">All runs shared one working folder: what a run leaves behind, the next "
                    "one finds.</p>");
    buffer_text(b, "</header><main>\n");
    put_caveats(b, h);
}

static void put_run_link(struct buffer *b, uint32_t run)
{
    page_put(b, "<a href=\"#run-%u\">run %u</a>", run, run);
}

static void put_waits(struct buffer *b, const struct hunt_problem *p)
{
    char line[600];

    if (!*p->waits)
        return;
    buffer_text(b, "<ul>");
    for (const char *at = p->waits; hunt_next_wait(&at, line, sizeof line);) {
        buffer_text(b, "<li>");
        buffer_markup(b, line);
        buffer_text(b, "</li>");
    }
    buffer_text(b, "</ul>");
}

static void put_happened(struct buffer *b, const struct hunt *h, const struct hunt_problem *p)
{
    char cause[1200];

    put_waits(b, p);
    page_put(b, "<p>Happened in %llu of %llu runs, %llu of them free ones, first in ",
             (unsigned long long)p->times, (unsigned long long)h->searched, (unsigned long long)p->free_times);
    put_run_link(b, p->first_run);
    hunt_cause_words(h, p->first_run, cause, sizeof cause);
    if (*cause) {
        buffer_text(b, ", which followed ");
        buffer_markup(b, cause);
    }
    page_put(b, ".</p><p>Shortest schedule: %u context switch%s, in ", p->switches,
             p->switches == 1 ? "" : "es");
    put_run_link(b, p->run);
    page_put(b, "; %u when it was first seen.</p>", p->first_switches);
}

static void put_predicted(struct buffer *b, const struct hunt *h, const struct hunt_problem *p)
{
    page_put(b, "<p>Predicted from %llu run%s, first from ", (unsigned long long)p->times,
             p->times == 1 ? "" : "s");
    put_run_link(b, p->run);
    buffer_text(b, ".");
    if (p->observed_run) {
        page_put(b, " Observed in %llu of %llu runs, first in ", (unsigned long long)p->observed_times,
                 (unsigned long long)h->searched);
        put_run_link(b, p->observed_run);
        buffer_text(b, p->towards ? ", which ran towards it." : ".");
    }
    if (p->shortened)
        page_put(b, " Its shortest schedule has %u context switch%s.", p->switches,
                 p->switches == 1 ? "" : "es");
    buffer_text(b, "</p>");
    if (*p->outcome) {
        buffer_text(b, p->confirmed ? "<p>A run along it showed it; outcome: "
                                    : "<p>A run along it did not show it: ");
        buffer_markup(b, p->outcome);
        buffer_text(b, "</p>");
    }
}

static void put_problem(struct buffer *b, const struct hunt *h, const struct hunt_settings *s,
                        const char *command, size_t i)
{
    static const char *const classes[] = {"happened", "predicted", "note"};
    const struct hunt_problem *p = &h->problems[i];
    char id[24];

    hunt_problem_id(h, i, id, sizeof id);
    page_put(b, "<article class=\"%s\" id=\"%s\" aria-labelledby=\"%s-title\"><h3 id=\"%s-title\">%s ",
             classes[p->kind], id, id, id, id);
    buffer_markup(b, p->title);
    buffer_text(b, "</h3>");
    if (*p->place && !strstr(p->title, p->place)) {
        buffer_text(b, "<p class=\"quiet\"><code>");
        buffer_markup(b, p->place);
        buffer_text(b, "</code></p>");
    }
    if (p->kind == PROBLEM_HAPPENED)
        put_happened(b, h, p);
    else
        put_predicted(b, h, p);
    buffer_text(b, "<p><code>heddle replay ");
    buffer_markup(b, s->folder);
    page_put(b, " %s -- ", id);
    buffer_markup(b, command);
    buffer_text(b, "</code></p></article>\n");
}

static void put_problems(struct buffer *b, const struct hunt *h, const struct hunt_settings *s,
                         const char *command)
{
    size_t notes = hunt_count(h, PROBLEM_NOTE);

    buffer_text(b, "<h2>Problems</h2>");
    if (notes == h->problems_count)
        buffer_text(b, "<p>None. That is no proof that there is none.</p>");
    for (size_t i = 0; i < h->problems_count; i++)
        if (h->problems[i].kind != PROBLEM_NOTE)
            put_problem(b, h, s, command, i);
    if (notes == 0)
        return;
    page_put(b, "<h2>Notes</h2><details><summary>%zu read%s that depend on the schedule</summary>", notes,
             notes == 1 ? "" : "s");
    for (size_t i = 0; i < h->problems_count; i++)
        if (h->problems[i].kind == PROBLEM_NOTE)
            put_problem(b, h, s, command, i);
    buffer_text(b, "</details>");
}

/* Of very many runs the table has those that showed something. */
static bool has_row(const struct hunt *h, size_t i)
{
    return h->runs_count <= ROWS_MOST || i == 0 || hunted_something(&h->runs[i]) ||
           h->runs[i].job.kind >= JOB_SHORTEN;
}

static double run_x(const struct hunt *h, size_t i)
{
    return LABELS +
           (double)(WIDTH - LABELS - 10) * ((double)i + 0.5) / (double)(h->runs_count ? h->runs_count : 1);
}

enum { KINDS = JOB_CONFIRM + 1 };

/* The lane of each kind of run that there is, from the top; how many there are. */
static int find_lanes(const struct hunt *h, int lanes[KINDS])
{
    bool used[KINDS] = {false};
    int count = 0;

    for (size_t i = 0; i < h->runs_count; i++)
        used[h->runs[i].job.kind] = true;
    for (int kind = 0; kind < KINDS; kind++)
        lanes[kind] = used[kind] ? count++ : -1;
    return count;
}

/* The run, with a link to its row if that is there. */
static void put_mark(struct buffer *b, const struct hunt *h, size_t i, int lane, double width)
{
    const struct hunted_run *r = &h->runs[i];
    bool linked = has_row(h, i);

    if (linked) {
        page_put(b, "<a href=\"#run-%u\" aria-label=\"run %u: ", r->job.run, r->job.run);
        buffer_markup(b, r->end.words);
        buffer_text(b, "\">");
    }
    page_put(b,
             "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>run %u: ", class_of(r),
             run_x(h, i) - width / 2, lane * LANE + 4, width, LANE - 6, r->job.run);
    buffer_markup(b, r->end.words);
    buffer_text(b, "</title></rect>");
    if (linked)
        buffer_text(b, "</a>");
}

/* A lane for each kind of run, a mark for each run. */
static void put_timeline(struct buffer *b, const struct hunt *h)
{
    static const char *const names[KINDS] = {"free",        "repetition", "along findings", "candidates",
                                             "along reads", "shortening", "confirming"};
    double width = (double)(WIDTH - LABELS) / (double)(h->runs_count ? h->runs_count : 1);
    int lanes[KINDS], count = find_lanes(h, lanes);

    width = width > 14 ? 12 : width < 3 ? 2 : width - 1;
    page_put(
        b,
        "<h2>Runs</h2><p class=\"quiet\">From left to right in the order they ended: green ended well, red "
        "badly, orange well with a new prediction, grey could not be made.</p><div class=\"scroll\" "
        "tabindex=\"0\" role=\"group\" aria-label=\"Timeline of runs\"><svg width=\"%d\" height=\"%d\" "
        "role=\"group\" aria-label=\"%zu runs by kind and outcome; the table below lists them\">",
        WIDTH, count * LANE + 4, h->runs_count);
    for (int kind = 0; kind < KINDS; kind++)
        if (lanes[kind] >= 0)
            page_put(b, "<text x=\"0\" y=\"%d\">%s</text>", lanes[kind] * LANE + 16, names[kind]);
    for (size_t i = 0; i < h->runs_count; i++)
        put_mark(b, h, i, lanes[h->runs[i].job.kind], width);
    buffer_text(b, "</svg></div>\n");
}

static void put_line(struct buffer *b, const struct hunt *h, enum coverage what, const char *class,
                     uint64_t top)
{
    uint64_t sum = 0;

    page_put(b, "<polyline class=\"%s\" points=\"", class);
    for (size_t i = 0; i < h->runs_count; i++) {
        sum += h->runs[i].covered[what];
        page_put(b, "%.1f,%.1f ", run_x(h, i), CHART - 20 - (double)(CHART - 40) * (double)sum / (double)top);
    }
    buffer_text(b, "\"/>");
}

static void put_coverage(struct buffer *b, const struct hunt *h)
{
    static const char *const classes[] = {"places", "pairs", "sources"};
    enum { LINES = sizeof classes / sizeof *classes };
    uint64_t top = 1;
    size_t tried, happened;

    hunt_count_candidates(h, &tried, &happened);
    for (int i = 0; i < LINES; i++)
        top = h->cover_count[i] > top ? h->cover_count[i] : top;
    page_put(
        b,
        "<h2>Coverage</h2><p>Green: %llu places reached. Blue: %llu pairs of conflicting accesses, one right "
        "after "
        "the other. Violet: %llu pairs of a write and its reader; %zu more are predicted and were never "
        "seen.</p>",
        (unsigned long long)h->cover_count[COVER_PLACES], (unsigned long long)h->cover_count[COVER_PAIRS],
        (unsigned long long)h->cover_count[COVER_SOURCES], hunt_unseen_sources(h));
    if (h->code_count > 0)
        page_put(
            b,
            "<p>Of %zu places at which the program's code reads or writes memory, %zu were never reached.</p>",
            h->code_count, hunt_count_unreached(h));
    if (h->candidates_count > 0)
        page_put(b, "<p>Candidates that only reads rule out: %zu, of which %zu were run and %zu happened.</p>",
                 h->candidates_count, tried, happened);
    page_put(b,
             "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Coverage\"><svg width=\"%d\" "
             "height=\"%d\" role=\"img\" aria-label=\"Coverage grows with the runs, up to the numbers "
             "above\"><text x=\"0\" y=\"26\">%llu</text><text x=\"0\" y=\"%d\">0</text>",
             WIDTH, CHART, (unsigned long long)top, CHART - 16);
    for (int i = 0; i < LINES; i++)
        put_line(b, h, (enum coverage)i, classes[i], top);
    buffer_text(b, "</svg></div>\n");
}

static void put_row(struct buffer *b, const struct hunt *h, const struct hunted_run *r)
{
    static const char *const kinds[] = {"free",         "repetition", "along a finding", "towards a candidate",
                                        "along a read", "shortening", "confirming"};
    char cause[1200];

    hunt_cause_words(h, r->job.run, cause, sizeof cause);
    page_put(b, "<tr id=\"run-%u\" class=\"%s\"><td class=\"number\">%u</td><td>%s</td><td>", r->job.run,
             class_of(r), r->job.run, kinds[r->job.kind]);
    if (r->job.kind == JOB_FREE)
        page_put(b, "seed %llu", (unsigned long long)r->job.seed);
    else
        put_run_link(b, r->job.parent);
    if (*cause) {
        buffer_text(b, ": ");
        buffer_markup(b, cause);
    }
    buffer_text(b, "</td><td>");
    buffer_markup(b, r->end.words);
    page_put(b, "%s</td><td class=\"number\">%u</td><td class=\"number\">%u</td></tr>\n",
             r->end.diverged ? ", left its schedule" : "", r->problems,
             r->covered[COVER_PLACES] + r->covered[COVER_PAIRS] + r->covered[COVER_SOURCES] +
                 r->covered[COVER_CODE]);
}

/* What each run was derived from. */
static void put_table(struct buffer *b, const struct hunt *h)
{
    page_put(b,
             "<h2>%s</h2><div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table of "
             "runs\"><table><thead><tr>"
             "<th scope=\"col\">Run</th><th scope=\"col\">Kind</th><th scope=\"col\">Derived from</th><th "
             "scope=\"col\">Outcome</th><th scope=\"col\">New problems</th><th scope=\"col\">New "
             "coverage</th></tr></thead><tbody>\n",
             h->runs_count <= ROWS_MOST ? "All runs" : "Runs that showed something new");
    for (size_t i = 0; i < h->runs_count; i++)
        if (has_row(h, i))
            put_row(b, h, &h->runs[i]);
    buffer_text(b, "</tbody></table></div></main></body></html>\n");
}

void hunt_put_page(const struct hunt *h, const struct hunt_settings *s, FILE *to)
{
    char *command = program_command_line(s->replay.program);
    struct buffer b = {0};

    put_head(&b, h, s, command);
    put_problems(&b, h, s, command);
    put_timeline(&b, h);
    put_coverage(&b, h);
    page_unseen(&b, h);
    put_table(&b, h);
    buffer_flush(&b, to);
    buffer_free(&b);
    free(command);
}
