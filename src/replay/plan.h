/* From a finding to the script that makes it happen. */
#pragma once
#include "certify/certify.h"
#include "replay/run.h"

/* A recorded run that findings are about, run again to know where each of its events stands and how it ends. */
struct replay_case {
    const char *path; /* of the trace */
    struct trace trace;
    struct journal journal;
    struct replay_settings settings;
    int input_fd;                   /* what the runs read, opened here; 0: the settings' own */
    struct replay_result reference; /* the recorded schedule, now */
    struct replay_result again;     /* the same once more, … */
    bool has_again, no_again;       /* … once it is needed; it could not be run */
    uint32_t same;                  /* events from the first that are the recorded ones */
    char difference[1024];          /* what the next one is instead; "": nothing differs */
    struct certify_index *index;    /* of the trace, for minimising schedules */
    struct certifier *certifier;
    struct certify_options options;
};

/* The recorded schedule, run a second time, which shows what differs from run to run by itself; NULL if it cannot be run. */
const struct replay_result *replay_again(struct replay_case *c);

/* Loads a trace with its journal; fails for traces that were not recorded by `heddle record`. */
enum status replay_journal(const char *path, struct trace *trace, struct journal *journal, struct error *err);

/* Refuses a program, as given on a command line, that does not match the modules: the first is the program
 * itself, the others its libraries. */
enum status replay_same_build(const char *program, const struct journal_module *modules, size_t count,
                              struct error *err);

/* Loads the trace and runs the program as recorded, with the standard input it had if that was kept, else with
 * the settings' or ours. `force`: even if it is another build. */
enum status replay_open(struct replay_case *c, const char *path, const struct replay_settings *settings,
                        bool force, const struct certify_options *options, struct error *err);
void replay_close(struct replay_case *c);

/* The script for a finding of the case's trace. Of a race there are two variants: 0, its first event comes
 * first; 1, its second. Fails when the run of now left the recorded one before the schedule's last event. */
enum status replay_plan(struct replay_case *c, const struct finding *finding, int variant,
                        struct schedule_script *script, struct error *err);

/* The number of context switches in a schedule. */
uint32_t schedule_switches(const struct trace *trace, const struct schedule *schedule);
