/* Schedules that programs are made to follow, in memory and as text (docs/schedule-format.md).
 *
 * A step names one event: its thread, kind, object, place and position. In an exact script the position is the
 * thread's count of ticks up to and including the event, every step happens after the one before it, and a
 * thread runs only as far as its steps say. In an ordering script the position is the event's ordinal among the
 * thread's events of this kind, and only the named events are ordered. */
#pragma once
#include "base/error.h"
#include "base/names.h"
#include "runtime/protocol/session.h"
#include "trace/journal.h"
#include "trace/trace.h"

#define STEP_UNKNOWN UINT64_MAX /* position of an event without a tick of its own; it is not enforced */

struct schedule_step {
    uint32_t thread; /* as the recorder numbers them: index in `threads` */
    event_op op;
    bool any_op;       /* no event, only a position */
    bool attempt;      /* the thread gets as far as asking for the lock, and no further */
    uint32_t arg;      /* in `texts`, NAME_NONE: none */
    uint32_t location; /* in `texts`, NAME_NONE: none */
    uint64_t position;
    bool wanted;       /* of the finding itself: it counts only when the run shows it */
    uint32_t event;    /* of the recorded trace that it stands for; 0: none is known */
    uint32_t bytecode; /* index of a Java event's instruction, plus one; 0: not known */
};

struct script_name {
    uint32_t name; /* in `texts` */
    uint32_t parent, ordinal;
};

/* How the program ended where the schedule comes from: what a run of the script is compared with. */
struct expectation {
    bool known;
    uint32_t status;  /* as waitpid gives it */
    uint64_t sums[2]; /* of standard output and error */
};

struct schedule_script {
    enum script_mode mode;
    uint64_t seed;
    uint32_t policy;
    bool two_pass;
    uint64_t clocks[2];
    struct expectation expected;
    char *title;   /* what it shows, or NULL */
    char *program; /* the command line it was made for, or NULL */
    bool effects;  /* calls out of instrumented code count as steps (session.h) */
    char *java;    /* of a Java program: the settings of its agent; else NULL */
    struct names texts;
    struct script_name *threads;
    size_t threads_count, threads_capacity;
    struct journal_module *modules;
    size_t modules_count, modules_capacity;
    struct journal_input *inputs;
    size_t inputs_count, inputs_capacity;
    struct schedule_step *steps;
    size_t steps_count, steps_capacity;
    uint64_t stop;     /* the step at which a debugger wants the program, not yet done; UINT64_MAX: none */
    uint64_t stepwise; /* a debugger may stop before each step from this one on; UINT64_MAX: none */
};

void script_init(struct schedule_script *script);
void script_free(struct schedule_script *script);

/* Reads the text of a script. On failure the script is empty and the error names file and line. */
enum status script_load(struct schedule_script *script, const char *path, struct error *err);
enum status script_parse(struct schedule_script *script, const char *name, const char *text, size_t length,
                         struct error *err);

/* Writes the text: of each run of steps of one thread the last, which is what it takes to follow it. */
enum status script_write(const struct schedule_script *script, const char *path, struct error *err);

/* What a script takes over from a recorded run: settings, threads, files, inputs. `trace` has the names. */
void script_from_journal(struct schedule_script *script, const struct journal *journal,
                         const struct trace *trace);

/* A step for each slice of the run: the script that runs it again. */
void script_from_slices(struct schedule_script *script, const struct journal *journal);

/* Adds a step for the event; `ticks` as converter_take_ticks gives them, `threads` the number of each of the
 * trace's threads. */
void script_add_event(struct schedule_script *script, const struct trace *trace, const uint64_t *ticks,
                      const uint32_t *threads, uint32_t event);

/* The numbers of a trace's threads, by thread id; to be freed. Threads the journal does not know get
 * UINT32_MAX. */
uint32_t *script_thread_numbers(const struct journal *journal, const struct trace *trace);

/* The script as the runtime reads it, in a memory file; -1: there is no memory. */
int script_compile(const struct schedule_script *script);

/* By step, the step of the compiled script that it begins, which is what a debugger stops before; UINT64_MAX where the thread
 * cannot stop. To be freed. `all`: the steps of the compiled script. */
uint64_t *script_stops(const struct schedule_script *script, uint64_t *all);

/* The steps of the compiled script up to and including this step. */
uint64_t script_compiled_before(const struct schedule_script *script, uint64_t step);
