/* From raw records to a trace, in two walks over them: the first finds cells and counts, the second writes. */
#pragma once
#include "record/collect/store.h"
#include "record/symbols/naming.h"
#include "trace/journal.h"
#include "trace/trace.h"

struct converter;
struct want;

struct conversion {
    uint64_t events;         /* in the trace */
    uint64_t dropped_events; /* accesses to what only one thread touches or nobody writes */
    uint64_t dropped_variables;
    uint64_t polls;    /* reads among the dropped events that only repeat what their thread read just before */
    uint64_t beyond;   /* records that the second walk did not come to in its time */
    uint64_t refused;  /* records that no possible trace can hold, left out */
    char refusal[512]; /* why the first of them */
    uint64_t unseen;   /* reads of values that no recorded write wrote */
    char first_unseen[512];
    uint64_t untyped; /* variables of an uninstrumented program that only plain instructions touch */
    char first_untyped[512];
    char plain[1024]; /* modules whose accesses were not recorded, separated by blanks */
};

#define TICK_UNKNOWN UINT64_MAX /* of an event that stands under another thread than the one that made it */

struct converter *converter_new(void);
void converter_free(struct converter *converter);

/* The records are of an uninstrumented program: before the first of them. */
void converter_binary(struct converter *converter);

/* Before the first walk: these accesses are kept, though one thread alone may touch their bytes. The list stays
 * the caller's. */
void converter_want(struct converter *converter, const struct want *list, size_t count);

/* Before the first walk: gets the addresses that records have. */
struct code_reach;
void converter_reach(struct converter *converter, struct code_reach *reach);

/* First walk, while the program runs: a batch. Returns what is left of it without its plain accesses, or NULL
 * where these cannot be left out; valid until the next call. */
const struct batch_rest *converter_survey(struct converter *converter, const struct record *records,
                                          size_t count);

/* All that a run did, where the records are what was left of it. */
struct whole {
    uint64_t accesses;
    uint64_t granules; /* of 8 bytes, by address */
    uint64_t bare;     /* if all was recorded: accesses that have no record nevertheless */
    bool partial;      /* only what is shared was recorded */
};

/* Second walk: writes the trace to `path`. `program` is the command line. */
enum status converter_write(struct converter *converter, struct store *store, const char *path,
                            const char *program, const struct whole *whole, struct conversion *result,
                            struct error *err);

/* Before the second walk: it ends after so many seconds of processor time, with the trace up to there. */
void converter_limit(struct converter *converter, double seconds);

/* Before the second walk: what to call when all events are written, to say how the run ended. */
void converter_on_end(struct converter *converter,
                      void (*fill)(void *to, struct converter *converter, struct trace_end *end), void *to);

/* Names as the trace has them. An object that has none there is described in words. */
void converter_thread_name(struct converter *converter, uint32_t thread, char *to, size_t room);
void converter_object_name(struct converter *converter, enum name_class class, uint64_t address, uint64_t pc,
                           char *to, size_t room);

/* Whether the thread has begun to run. */
bool converter_has_started(const struct converter *converter, uint32_t thread);

/* Before the second walk: keep for each event the ticks of its thread up to and including it. */
void converter_keep_ticks(struct converter *converter);

/* After it: the ticks, by event number, to be freed; what was kept of the run. */
uint64_t *converter_take_ticks(struct converter *converter);
struct journal *converter_journal(struct converter *converter);

/* After the second walk: the ticks of the thread that ran last, up to its last record. */
uint64_t converter_last_tick(const struct converter *converter);

/* Where the last record is from, "" when there is none. */
void converter_last_place(struct converter *converter, char *to, size_t room);

/* The names found, for messages about threads and locks. */
struct naming *converter_naming(struct converter *converter);

/* The innermost place of the program's own code around `pc`, by the calls that the thread was last known to be in. */
uint64_t converter_own_place(struct converter *converter, uint32_t thread, uint64_t pc);
