/* Runs a program along a script, and describes the result. */
#pragma once
#include "base/stop.h"
#include "record/record.h"
#include "replay/script.h"

/* How a run ended. */
enum ending {
    ENDED_EXIT,      /* with `status` */
    ENDED_SIGNAL,    /* of `status` */
    ENDED_ASSERTION, /* abort() after a line that says so */
    ENDED_EXCEPTION, /* of a Java program: an uncaught one, in `place` */
    ENDED_DEADLOCK,  /* no thread could go on */
    ENDED_HANG,      /* the time was up */
};

struct captured_text {
    char *bytes; /* NUL after the last */
    size_t length;
};

struct outcome {
    enum ending ending;
    int status;
    int raw;                        /* as waitpid gives it */
    char place[512];                /* where it was last seen, if it died */
    struct captured_text output[2]; /* standard output and error */
};

/* Whether and why the program left the script. */
struct divergence {
    bool diverged;
    bool unseen;      /* the trace lacks a wanted access: perhaps it was not recorded */
    uint64_t step;    /* of the script, the first that did not happen */
    char text[1024];  /* expected and got */
    char reason[512]; /* a possible reason */
};

struct replay_settings {
    char *const *program;
    const char *libraries; /* folder of the runtime */
    unsigned timeout;      /* seconds, after which a run hangs */
    unsigned longest;      /* as in struct recording */
    int input_fd;          /* standard input, rewound before each run; 0: ours, or the recorded one */
    const char *keep;      /* file for the new trace, or NULL */
    bool show;             /* the program's output goes where ours goes */
    bool one_pass;         /* whatever the script says */
    bool grounds;          /* the new trace has grounds */
    bool stacks;           /* the calls around events */
    stop_flag *stop; /* set when a run is interrupted; once it is, no run begins. NULL: runs are not ended */
    struct deeds *deeds; /* as in struct recording */
    struct deed_numbers *numbers;
    struct code_reach *reach; /* likewise */
    uint64_t looks;           /* likewise */
};

struct replay_result {
    struct trace trace;     /* of the new run */
    uint64_t *ticks;        /* by event (converter_take_ticks) */
    uint32_t *bytecodes;    /* of a Java program: by event, the index of its instruction; else NULL */
    struct journal journal; /* of the new run */
    char unmodelled[700];   /* the first call that exploration cannot model, or "" */
    bool outlasting;        /* it changed files, which the next run may find changed */
    uint64_t last_tick;     /* of the thread that ran last, up to its last record */
    struct outcome outcome;
    bool shortened; /* the trace lacks its end (`looks`) */
    bool starved;   /* it hangs only because it got too little processor time */
    struct divergence divergence;
    enum script_state state;
    struct session_thread threads[64]; /* as the end found them */
};

/* Standard input as a file that every run reads from its start; a terminal's is empty. To be closed. */
enum status replay_input(int *fd, note_taker *notes, struct error *err);

/* Runs the program as the script says, then freely under the script's seed. Fails only when there was no run;
 * a divergence is a result. */
enum status replay_run(const struct replay_settings *settings, const struct schedule_script *script,
                       struct replay_result *result, struct error *err);
void replay_result_free(struct replay_result *result);

/* Runs the program without a script: a recording, with its result. */
enum status replay_free_run(const struct replay_settings *settings, uint64_t seed, uint32_t policy, bool java,
                            struct replay_result *result, struct error *err);

/* What the run read instead of what it read in the recording, in words; nothing if it read the same. */
void replay_explain_inputs(const struct recording *recording, char *to, size_t room);

/* The event of the new run that this step is; 0: it is not in its trace. */
uint32_t replay_find(const struct replay_result *result, const struct schedule_script *script,
                     const struct schedule_step *step);

/* All events that the step may be: of its kind and place, at its point of the thread. An access to several
 * variables is several. `events` is to be freed. */
struct found {
    uint32_t *events;
    size_t events_count, events_capacity;
};
struct found replay_find_all(const struct replay_result *result, const struct schedule_script *script,
                             const struct schedule_step *step);
