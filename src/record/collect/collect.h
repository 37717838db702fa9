/* Runs a program under the recorder and takes its records while it runs. */
#pragma once
#include "base/error.h"
#include "record/collect/harmless.h"
#include "record/feed.h"
#include "record/printed.h"
#include "runtime/protocol/session.h"

#include <stdbool.h>
#include <stddef.h>

struct collection {
    char *const *program;  /* NULL-terminated */
    const char *libraries; /* folder with the runtime under the names the loader may ask for */
    const char *binary;    /* folder of the Valgrind tool when that is to record, or NULL */
    uint64_t seed;
    enum session_mode mode;
    enum session_policy policy;
    bool real_time;
    bool grounds;                    /* record grounds, where the code is compiled for it */
    bool stacks;                     /* record which calls are under way at each event */
    bool trial;                      /* with SESSION_ALL: may switch to SESSION_MARK during the run */
    bool silent;                     /* its output is not shown */
    const struct harmless *confined; /* what must not happen twice ends it, and so does a long wait; or NULL */
    note_taker *unseen;              /* is told if a run that nobody sees takes long, or NULL */
    unsigned timeout;                /* seconds until the program is ended; 0: never */
    unsigned longest;                /* as in struct recording */
    uint64_t
        looks;     /* records in a row in which threads only look, after which no more are taken; 0: no limit */
    uint64_t most; /* records that are taken, further ones are lost; 0: no limit */
    int shadow_fd; /* marks of shared memory, or -1 */
    int input_fd;  /* what the program reads as standard input, or -1: ours */
    int script_fd; /* a script to follow, or 0 */
    bool effects;  /* calls out of instrumented code are recorded (session.h) */
    struct printed *outputs; /* where standard output and error go, or NULL: where ours go */
    struct feed *feed;       /* passes its standard input on */
    int log_fd;              /* kept by collection_run */

    /* The clocks at the start of the first pass, so that all passes see the same; 0: not known yet. */
    uint64_t realtime, monotonic;
    bool steady; /* the clocks count what is hooked and nothing else */
    /* Leaps of the clock in the first pass, which later ones repeat; NULL: none. */
    struct clock_leap *leaps;
    uint32_t leaps_count;

    /* Called once the program has been started; or NULL. */
    void (*started)(void *started_to);
    /* Called with the records in the order of the run. */
    void (*take)(void *to, const struct record *records, size_t count);
    /* Called when nothing has moved for a while, or the time is up: the session shows who waits for what. */
    void (*stuck)(void *to, const struct session *session, const char *why);
    void *to;
    void *started_to;        /* what `started` is called with */
    const uint64_t *changes; /* updated by `take`: records so far other than reads in busy-wait loops */

    /* What came of it. */
    struct session *session; /* stays mapped until collection_end */
    int status;              /* as waitpid gives it */
    bool timed_out, starved;
    uint64_t idle;     /* records in which threads only looked, up to the last one */
    bool too_many;     /* it made more records than `most` or `looks` allows */
    bool abandoned;    /* it was confined, and only waited, or was sent a signal */
    int late_signal;   /* what a confined run was sent instead of the one that is seen, or 0 */
    uint64_t late_by;  /* after how many milliseconds */
    bool cut_short;    /* it was confined, and ended before it did again what the shown run had done */
    bool unread;       /* a run that came to its end did not read standard input */
    char trouble[512]; /* messages of Valgrind */
    bool impatient;    /* then the program is killed */
    bool interrupted;  /* the user asked us, or the program, to end */
};

/* Starts the program, waits for its end. Fails only when it could not be started. */
enum status collection_run(struct collection *collection, struct error *err);
void collection_end(struct collection *collection);
