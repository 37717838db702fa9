/* Recording a program: from the command line to a trace. */
#pragma once
#include "base/error.h"
#include "base/note.h"
#include "record/code_reach.h"
#include "record/convert/convert.h"
#include "record/convert/wants.h"
#include "record/deeds.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Options for a Java program; all but `wanted` may be NULL or 0. */
struct java_options {
    bool wanted;
    const char *include; /* patterns of class names separated by commas; NULL: all but the JDK's */
    const char *exclude;
    const char *blocks;                         /* file that lists methods that are blocks */
    char *const *atomic, *const *deterministic; /* without it: methods, as patterns, ended by NULL; or NULL */
    uint64_t megabytes;                         /* the log's limit */
    bool delays;                                /* threads are delayed now and then, as seed and policy say */
    const char *words; /* of a run that is repeated: the agent's settings, instead of the above */
    /* Set while a program is run several times. */
    unsigned pass; /* 1: the first of two, 2: a later one; 0: everything is recorded */
    bool silent;   /* its output is thrown away */
};

/* How often a program is run to be recorded. */
enum recording_passes {
    PASSES_ONE,
    PASSES_TWO, /* again if most of what it does is private */
    PASSES_AUTO, /* the same, if that does no harm: the run that only marks what is shared comes first, and unseen */
};

struct recording {
    char *const *program;
    const char *output;
    const char *libraries; /* folder of the runtime */
    char binary[4200];     /* folder of the Valgrind tool when that is to record, or "" */
    uint64_t seed;
    enum session_policy policy;
    enum recording_passes passes;
    bool real_time;
    bool grounds; /* record which reads events depend on, where the program's code reports it (semantics §1) */
    bool stacks;  /* the calls around each event */
    uint64_t clock;   /* nanoseconds since 1970 that it shows at the start; 0: the time it is */
    unsigned timeout; /* seconds, 0: none */
    unsigned
        longest; /* if more than that: real time, of which time without a processor does not count (patience.h) */
    note_taker *notes; /* receives notes, or NULL */
    struct java_options java;

    int input_fd;                /* its standard input, which can be rewound; 0: ours */
    int script_fd;               /* a script to follow (session.h); 0: the policy chooses */
    bool effects;                /* calls out of instrumented code are looked at (session.h) */
    struct printed *outputs;     /* where standard output and error go, two of them; NULL: where ours go */
    const struct journal *again; /* a run whose clocks and inputs are used again, or NULL */
    bool keep_ticks;
    bool impatient;           /* a signal that is to end us ends the program at once */
    const struct want *wants; /* accesses that the trace keeps in any case (wants.h) */
    size_t wants_count;
    struct deeds *deeds;          /* empty; gets what the threads did. NULL: not wanted */
    struct deed_numbers *numbers; /* of all runs; with `deeds` */
    uint64_t
        looks; /* records in a row in which threads only look, after which no more are taken; 0: no limit */
    struct code_reach
        *reach; /* gets the places that the run reached, if it is recorded in one pass. NULL: not wanted */

    /* The result. */
    bool announced;   /* the trace's file was begun when the program had started */
    int status;       /* exit status for the command */
    int signal;       /* that the program died of; 0: none */
    bool timed_out;   /* it was ended because its time was up */
    bool starved;     /* … and that only because it got too little processor time */
    double took;      /* seconds of its runs, without writing the trace */
    bool interrupted; /* a signal came that was to end it, or us */
    bool shortened;   /* records were left out at its end, because of `looks` */
    bool deadlocked;  /* the program ended because no thread could continue */
    struct conversion conversion;
    int ended; /* as waitpid gives it */
    enum script_state script_state;
    enum script_trouble script_trouble;
    uint64_t script_at;                /* steps done */
    struct session_thread threads[64]; /* as the program's end found the first of them */
    uint64_t other_inputs;             /* reads of something else than the repeated run read */
    char other_place[512];             /* of the first */
    char other_file[256];              /* what it read there, if that is known */
    bool outlasting;        /* with `effects`: it changed files, which the next run may find changed */
    char unmodelled[700];   /* with `effects`: the first call that exploration cannot model, or "" */
    uint64_t last_tick;     /* of the thread that ran last */
    char last_place[512];   /* of the last record: where it was when it ended */
    uint64_t *ticks;        /* keep_ticks: by event, as converter_take_ticks gives them */
    uint32_t *bytecodes;    /* keep_ticks, of a Java program: by event, its instruction's index */
    struct journal journal; /* to be freed */
};

void recording_free(struct recording *recording);

/* Runs the program and writes the trace. On failure after the program ran, `status` still holds its status. */
enum status record_program(struct recording *recording, struct error *err);
