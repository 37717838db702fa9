/* The wording of the text report: threads, places, values and events.
 *
 * Everything that comes from the trace is made safe for a terminal. */
#pragma once
#include "base/buffer.h"
#include "model/model.h"
#include "report/decided.h"
#include "report/report.h"
#include "report/value.h"

struct narrator {
    const struct model *model;
    const struct trace *trace;
    struct values values;
    const struct decided *decided; /* what the reads of findings decide; NULL: nothing is said of it */
    bool color;
    size_t width; /* of the terminal that the text is for; 0: lines are as long as they get */
    struct buffer out;
};

enum tone { TONE_PLAIN, TONE_STRONG, TONE_ALARM, TONE_QUIET, TONE_MARK, TONE_GOOD };

/* What follows is printed in this tone, until the next call; nothing where colours are off. */
void say_tone(struct narrator *n, enum tone tone);

void say(struct narrator *n, const char *text);

/* "1,204 events"; the plural is made by an s, es or ies. */
void say_count(struct narrator *n, uint64_t count, const char *noun);

/* The thread of an event; the name of its argument. */
void say_thread(struct narrator *n, event_id e);
void say_argument(struct narrator *n, event_id e);

/* "counter.c:9 (event 10)", "event 10" where the place is not known. */
void say_place(struct narrator *n, event_id e);
/* The label, then "T2 reads counter at counter.c:9". */
void say_done(struct narrator *n, const char *label, event_id e);

/* Lines that list the callers of the function that the event is in, innermost first, each after `indent`;
 * nothing where the trace has no stacks. */
void say_callers(struct narrator *n, const char *indent, event_id e);

void say_value(struct narrator *n, struct value value);

/* The words around the name of what an event is about: "takes ", " (shared)". */
const char *event_verb(enum event_kind kind);

/* In place of the verb, of a write that frees the memory. */
#define VERB_FREES "frees "

const char *event_rest(enum event_kind kind);

/* What the thread does at `e`, without the thread: "reads counter = 0"; no value if it is not known. */
void say_event(struct narrator *n, event_id e, struct value value);

/* Who holds the lock that the acquire e waits for, in the deadlock f: another of its acquires. */
event_id deadlock_holder(const struct model *m, const struct finding *f, event_id e);

/* Of a finding about a read or a final state: the value in its run, and the one that was observed. */
struct value alternative_value(const struct narrator *n, const struct finding *f);
struct value observed_value(const struct narrator *n, const struct finding *f);

/* What it says of the two values, after `can_be`: "0 instead of 1"; `otherwise` where they are not known. */
void say_difference(struct narrator *n, const struct finding *f, const char *can_be, const char *otherwise);

/* One line: what can go wrong. Then what it is about: who, where, which values. */
void say_title(struct narrator *n, const struct finding *f);
void say_details(struct narrator *n, const struct finding *f);

/* "decides whether stock is written at shop.c:20 sell", between `before` and `after`; nothing if nothing is known. */
void say_decision(struct narrator *n, const char *before, struct decision decision, const char *after);

/* The same for findings about declared blocks. */
void say_block_title(struct narrator *n, const struct finding *f);
void say_block_details(struct narrator *n, const struct finding *f);

/* The same for stale reads and for threads that wait forever. */
void say_stale_title(struct narrator *n, const struct finding *f);
void say_stale_details(struct narrator *n, const struct finding *f);
void say_observed_title(struct narrator *n, const struct finding *f);
void say_observed_details(struct narrator *n, const struct finding *f);
void say_stuck_title(struct narrator *n, const struct finding *f);
void say_stuck_details(struct narrator *n, const struct finding *f);

/* "waits forever: T1 holds it": what the waiting event of a stuck run lacks. */
void say_stuck_mark(struct narrator *n, const struct finding *f, event_id e);

/* What the event means to such a finding, beside its place in the run; false if there is nothing to say. */
bool say_block_mark(struct narrator *n, const struct finding *f, event_id e);

/* What the event means to the finding, beside its place in the run or, for what could come next, after it;
 * false if there is nothing to say. */
bool say_mark(struct narrator *n, const struct finding *f, event_id e, bool after_run);

/* The schedule of the finding, cut down to what matters; the observed run for those without one. */
void say_interleaving(struct narrator *n, const struct finding *f);

/* The same for a schedule of synchronization events; and what exact says of a race found that way. */
void say_synchronization(struct narrator *n, const struct finding *f);
void say_confirmation(struct narrator *n, const struct finding *f);

/* The table of --stats; what the numbers say about a property without findings. */
void say_statistics(struct narrator *n, const struct results *r);
/* The rows of the published methods' own tables, where they were used. */
void say_tables(struct narrator *n, const struct results *r);
void say_verdict(struct narrator *n, const struct results *r, enum property property);

/* The first lines: the trace and what it was checked for; what was found and what a clean report does not cover;
 * why the check is incomplete, if it is; what the recording of an uninstrumented program does not show. */
void say_header(struct narrator *n, const struct results *r, const char *path);
void say_summary(struct narrator *n, const struct results *r, const struct report_options *options);
void say_warnings(struct narrator *n, const struct results *r);
void say_binary(struct narrator *n, const struct finding_list *list);

/* The notes in a section of their own, a line for each variable. */
void say_notes(struct narrator *n, const struct results *r, const struct report_options *options);

/* "N1". */
void say_finding_id(struct narrator *n, const struct finding *f);

/* Writes what has been said, its lines broken to fit the terminal. */
void narrator_flush(struct narrator *n, FILE *to);
