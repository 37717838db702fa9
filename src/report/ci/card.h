/* A finding on a card: what other tools show of it, as text. Made from a trace or, with less detail, from a
 * report alone. */
#pragma once
#include "base/json_out.h"
#include "report/json/read.h"
#include "report/text/interleaving.h"
#include "report/text/narrate.h"

enum { SARIF_RESULTS_MOST = 5000 }; /* shown by GitHub of 25,000 it takes */

struct card_place {
    event_id event;
    char *location; /* as in the trace; "" where it is not known */
    char *words;    /* "T2 reads counter" */
};

struct card_step {
    struct card_place place;
    char *thread;
    uint32_t position; /* in the run */
    enum importance importance;
    enum event_kind kind;
};

struct card {
    char *id; /* "R1" */
    enum property property;
    enum severity severity;
    char *title;
    char *details; /* a few lines; "" from a report alone */
    bool has_schedule;
    enum confirmation confirmation; /* of a race found with data ignored */
    uint64_t count;                 /* as in struct finding */
    bool count_is_exact;
    struct card_place
        *places; /* of the finding's events, without the initial write; the first is the one to show */
    size_t places_count, places_capacity;
    struct card_step *steps; /* of its run, in order; none from a report alone */
    size_t steps_count, steps_capacity;
};

/* Findings to be made cards of, one at a time. */
struct deck {
    const struct finding_list *found;
    const struct marks *marks; /* or NULL */
    const char *trace_path;    /* stands for places that are not known */
    const char *source_root;   /* folder that paths are made relative to; NULL: none */
    bool complete;
    bool binary; /* recorded from a program that was not instrumented */
    size_t undecided;
    void (*deal)(const struct deck *deck, size_t finding, struct card *card);
    struct narrator *narrator;   /* for those from a trace */
    struct decided *decided;     /* what it knows of reads */
    const struct report *report; /* for those from a report */
};

/* From results and their model; ends with deck_free. */
void deck_from_results(struct deck *deck, const struct results *results, const struct model *model,
                       const struct report_options *options);
/* From a report alone. */
void deck_from_report(struct deck *deck, const struct report *report, const struct report_options *options);
void deck_free(struct deck *deck);

/* Writes cards in a format of their own; deck_report and deck_recall make the deck for it, of results or of a report. */
typedef void deck_writer(const struct deck *deck, struct json_out *out);
enum status deck_report(const struct results *results, const struct model *model,
                        const struct report_options *options, deck_writer *write, FILE *to, struct error *err);
enum status deck_recall(const struct report *report, const struct report_options *options, deck_writer *write,
                        FILE *to, struct error *err);

void card_free(struct card *card);

/* The most telling place that has a line, in the program's own code if there is one; else the first, which then
 * stands for the trace. */
size_t card_main_place(const struct card *card);

/* The path of a location relative to the deck's root, percent-encoded where `as_uri`; line is 0 and the path
 * the trace's where the location is no line of a file. */
void card_path(const struct deck *deck, const char *location, bool as_uri, struct buffer *path, uint32_t *line);
