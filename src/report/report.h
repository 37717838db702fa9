/* Reports: the results of a check for people (text, HTML) and for programs (JSON and others). */
#pragma once
#include "base/error.h"
#include "finding/results.h"
#include "model/model.h"
#include "report/marks.h"

#include <stdio.h>

/* What replaying a finding has shown; zero: nothing. */
struct finding_note {
    enum { CONFIRMED_UNKNOWN, CONFIRMED_YES, CONFIRMED_NO } confirmed;
    const char *outcome; /* of the replayed run, in a few words; or NULL */
    enum {
        EFFECT_NONE,
        EFFECT_VALUES,
        EFFECT_OUTPUT,
        EFFECT_FAILED
    } effect; /* on the run's end, if confirmed */
};

struct report_options {
    bool color;                /* text: as report_wants_color says, or as the user does */
    bool stats;                /* text: the table of counts; JSON: the timings, which differ from run to run */
    bool schedules;            /* JSON: print them */
    const char *trace_path;    /* text: the trace's file, as the commands it suggests name it */
    const struct marks *marks; /* fingerprints, suppressed and known findings; or NULL */
    const char *source_root;   /* SARIF, GitLab: the folder that paths are made relative to; NULL: none */
    bool source_named;         /* HTML: source is read below source_root alone, which the user named */
    char *const *more_roots;   /* HTML: other folders below which it is read then, ended by NULL; or NULL */
    size_t *left_out;          /* HTML: counts files of source that lie elsewhere; or NULL */
    const char *next;          /* text: what it ends with in place of the usual advice; or NULL */
    size_t most;               /* text: findings printed in full, the others in a line each; 0: all */
    bool full_notes;           /* text: notes are printed like problems, not in a line for each variable */
    size_t width;              /* text: lines are broken to fit this many columns; 0: they are not */
    size_t repeated[PROPERTIES];      /* findings left out because the report of an earlier trace has them */
    const struct finding_note *notes; /* one for each of results->found, or NULL */
};

/* Whether colours suit this stream: it is a terminal that has them, and NO_COLOR is not set. */
bool report_wants_color(FILE *to);

/* The columns of the terminal that the stream goes to; 0: it goes elsewhere. */
size_t report_columns(FILE *to);

/* The JSON report of semantics §8, in one pass; `path` is the trace's file as the report names it. The same
 * results give the same bytes, unless options->stats asks for timings; the published methods' statistics
 * always have them. Fails only when `to` cannot be written. */
enum status report_json(const struct results *results, const struct trace *trace, const char *path,
                        const struct report_options *options, FILE *to, struct error *err);

/* The report for people: problems, then notes, each in the order of the list. */
enum status report_text(const struct results *results, const struct model *model,
                        const struct report_options *options, FILE *to, struct error *err);

/* The id of the first finding that has a schedule and is not suppressed; "" if there is none. */
void report_leading_id(const struct results *results, const struct report_options *options, char *to,
                       size_t room);

/* The same as a page of its own, for any browser, that needs no other file and no network. Reads the source
 * files that locations name, where they are there (docs/reading-a-report.md). Takes the results of a check as
 * well as those put together from a report that was read back. */
enum status report_html(const struct results *results, const struct model *model,
                        const struct report_options *options, FILE *to, struct error *err);

/* SARIF 2.1.0 for code-scanning sites, one result a finding, cut to what they accept. */
enum status report_sarif(const struct results *results, const struct model *model,
                         const struct report_options *options, FILE *to, struct error *err);

/* The list of issues that GitLab reads as a code quality report, without what is suppressed. */
enum status report_gitlab(const struct results *results, const struct model *model,
                          const struct report_options *options, FILE *to, struct error *err);

/* Whether the finding comes with a run that shows it; others show in the observed run. */
bool finding_has_schedule(const struct finding *f);

/* The event whose variable the finding is about; EVENT_INIT if there is none. */
uint32_t finding_subject(const struct finding *f);

/* The length of the part of a variable's name that people wrote: "queue.items" of "queue.items.c._M_start", where the rest
 * is the C++ library's own bookkeeping; the whole length where there is none. */
size_t name_own_length(const char *name);

/* The location of an event as text, "" where it has none. Where that is in a library and the trace has call
 * stacks, the innermost call that the program's own code makes. */
const char *event_place(const struct trace *trace, event_id e);

/* The stack whose innermost call is that one; STACK_NONE: the location itself is the place. */
stack_id event_own_stack(const struct trace *trace, event_id e);

/* The exit status of semantics §8 where no finding counts: 0, or 3 when something is undecided or incomplete. */
int results_open_status(const struct results *results);

/* Whether candidates of `property` are left undecided, listed or counted. */
bool results_undecided(const struct results *results, enum property property);

/* Whether every candidate of `property` in the whole run was decided. What is left undecided of others does not matter. */
bool results_settled(const struct results *results, const struct trace *trace, enum property property);

/* Whether the same holds of all that can be a problem: only notes may be left undecided. */
bool results_problems_settled(const struct results *results, const struct trace *trace);
