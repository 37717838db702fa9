/* The parts of the HTML report's writer.
 *
 * The page is a template with one hole; what goes into it is JSON, put together here and escaped in one place
 * on its way out (html.c), so that no name and no line of source can end the element it is in. */
#pragma once
#include "base/json_out.h"
#include "base/map.h"
#include "report/text/interleaving.h"
#include "report/text/narrate.h"
#include "trace/source.h"

enum {
    PAGE_FINDINGS_MOST = 20000,   /* listed */
    PAGE_DIAGRAMS_MOST = 2000,    /* of these, with runs */
    PAGE_STEPS_MOST = 24,         /* events shown of a run, besides those of the finding */
    PAGE_OBSERVED_STEPS = 10,     /* the same in the observed run, where there is another one to compare */
    PAGE_ACCESSES_MOST = 8,       /* further accesses to the variable */
    PAGE_GAP_MOST = 24,           /* events kept of a stretch that is collapsed */
    PAGE_GAPS_MOST = 40000,       /* events of all such stretches together */
    PAGE_WORK_MOST = 200000000,   /* events of runs gone through for all diagrams together */
    HTML_FREEING = EVENT_KINDS,   /* number of a write that frees memory, in the table of kinds */
    PAGE_OBSERVED_MOST = 1 << 15, /* observed events before the last one that a diagram can reach back to */
};

struct page {
    struct narrator n; /* its text is scratch */
    const struct results *results;
    const struct report_options *options;
    struct json_out out;

    struct map known;   /* event → 1: it is in the table of events */
    event_id *referred; /* the events of that table */
    size_t referred_count, referred_capacity;
    size_t gaps_left;   /* of PAGE_GAPS_MOST */
    uint64_t work_left; /* of PAGE_WORK_MOST */
};

/* A text from outside, made safe. `name` is that of the member, as for the functions of json_out.h. */
void page_text(struct page *p, const char *name, const char *text);

/* What the narrator has said since `from`; taken back from the narrator. */
void page_said(struct page *p, const char *name, size_t from);

/* The event's number; it is in the table of events from now on. */
void page_event(struct page *p, const char *name, event_id e);

/* A number as the name of a member; valid until the next call with the same room. */
struct page_key {
    char text[12];
};
const char *page_key(struct page_key *key, uint32_t number);

/* The runs of a finding, as members of its object: what was observed and, where there is a schedule, what could
 * happen, with lock sections, values and remarks. */
void page_runs(struct page *p, const struct finding *f);

/* The tables that findings refer to: events, threads, places and the lines of source around them. */
void page_tables(struct page *p);

/* The files behind places "FILE:LINE …": what can be read of them now. */
struct source_index;

struct source_index *source_index_new(const struct page *p);
void source_index_free(struct source_index *index);

/* Notes that the line is to be shown; returns the file's number in the table. */
uint32_t source_index_add(struct source_index *index, const struct source *line);

/* Writes the table: files with the lines around those noted. */
void source_index_write(struct source_index *index, struct page *p);

/* The page's template, in two parts around the hole. */
struct template_part {
    const char *text;
    size_t length;
};
void template_parts(struct template_part *before, struct template_part *after);
