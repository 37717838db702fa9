/* The state of an exploration, for its files. */
#pragma once
#include "crew/crew.h"
#include "explore/explore.h"

/* A step to be made to happen. */
struct planned {
    uint32_t thread;
    uint32_t node;     /* the thread is to be there afterwards; NODE_NONE: nobody knows where */
    uint64_t position; /* in ticks; UINT64_MAX: to the end of the process */
    uint8_t kind;      /* of the step's last move that waits or takes a lock again, else MOVE_READ */
};

struct run_plan {
    struct planned *steps;
    size_t steps_count, steps_capacity;
};

/* Deeds that are kept at most, of all runs; one takes 64 bytes, and the nodes for it more. */
enum { EXPLORER_KEEPS = 1 << 24 };

struct explorer {
    const struct explore_settings *settings;
    struct exploration *to;
    struct history history;
    struct deed_numbers numbers;
    struct deeds *runs; /* all so far */
    size_t runs_count, runs_capacity;
    uint8_t *ends; /* of each: enum lesson_end */
    size_t ends_count, ends_capacity;
    uint64_t kept;         /* deeds of all these */
    struct map seen;       /* sums of behaviours that were run */
    struct map ways;       /* the same → how they ended */
    struct map problems;   /* fingerprint → place in the list, plus one */
    char limit[500];       /* why all that is left to do cannot make it complete; "": nothing */
    uint32_t asked;        /* thread, plus one, whose last place in the next run is wanted; 0: none */
    char asked_place[512]; /* … and that place */
    uint64_t clocks[2];
    bool clocks_known;
    bool outlasting; /* runs change files: the next one may find them changed */
    struct error *err;
    struct crew *crew; /* makes runs ahead; NULL: all are made here */
    struct {
        size_t threads, places;
    } taught; /* to other ranks: so many of the numbers */
};

/* Whether a behaviour of that sum was run. The second remembers that it was, and returns whether it was before.
 */
bool explorer_seen(struct explorer *explorer, uint64_t sum);
bool explorer_remember(struct explorer *explorer, uint64_t sum);

/* A run that was made. */
struct explored_run {
    struct replay_result result;
    struct deeds deeds;
    bool looked;     /* its trace was checked: … */
    bool complete;   /* … in full, */
    uint64_t *marks; /* … with these problems, by fingerprint */
    size_t marks_count, marks_capacity;
};
void explored_run_free(struct explored_run *run);

/* Runs the program along the script; `path`: where its trace goes, or "". */
enum status explorer_execute(struct explorer *explorer, const struct schedule_script *script, const char *path,
                             struct explored_run *run);

/* Where this process keeps the trace of the run it looks at; "": nowhere. */
void explorer_trace_path(const struct explorer *explorer, char *to, size_t room);

/* Adds what the run shows, and frees it. `*grown`: that was something new. `*relearned`: nodes have new numbers. */
void explorer_absorb(struct explorer *explorer, struct explored_run *run, struct lesson *lesson, bool *grown,
                     bool *relearned);

/* Makes the plan happen, lets the program go on freely, and adds what it shows. */
enum status explorer_run(struct explorer *explorer, const struct run_plan *plan, struct lesson *lesson,
                         bool *grown, bool *relearned);

/* The same for a run that may have been made elsewhere: `ready` is freed. NULL: it is made now, along the script. */
enum status explorer_take(struct explorer *explorer, const struct schedule_script *script,
                          struct explored_run *ready, struct lesson *lesson, bool *grown, bool *relearned);

/* Says why not everything is explored, unless something was said before. */
void explorer_miss(struct explorer *explorer, enum incomplete why, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* explored_problems.c: checks the trace of a run, which is in the file, and keeps what is new with it. */
void explorer_check(struct explorer *explorer, const struct explored_run *run, const char *path);

/* explored_problems.c: the same, but only notes in the run which problems there are. */
void explorer_look(struct explorer *explorer, struct explored_run *run);

/* plan_script.c: the script that makes the plan happen. */
void explorer_script(const struct explorer *explorer, const struct run_plan *plan,
                     struct schedule_script *script);

/* java_runs.c: remembers the first thing that cannot be explored; the rest can, and what is found is so. */
void explorer_limit(struct explorer *explorer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* java_runs.c: whether runs in which all threads saw the same end the same way. */
void explorer_compare(struct explorer *explorer, const struct lesson *lesson, const struct outcome *outcome);

/* java_runs.c: what a run of a Java program shows beside what it teaches. */
void explorer_note_java(struct explorer *explorer, const struct deeds *deeds, const struct outcome *outcome,
                        const struct lesson *lesson);

/* java_runs.c: says at the end what was met that cannot be explored. */
void explorer_conclude(struct explorer *explorer);

void explorer_init(struct explorer *explorer, const struct explore_settings *settings, struct exploration *to,
                   struct error *err);
void explorer_free(struct explorer *explorer);

/* explore.c: puts outcomes into their order. */
void explore_rank(struct exploration *exploration);

/* state_search.c: goes through all runs that are possible as far as is known; false: there is something to say of why
 * it stopped. */
enum status explorer_search(struct explorer *explorer, bool *clean);
