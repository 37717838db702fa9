/* heddle replay: what its files share. */
#pragma once
#include "replay/confirm.h"

/* What is replayed, for people; NULL where it is not known. */
struct replay_subject {
    const char *report, *trace, *id;
    const struct finding *finding;
};

/* What the command line asks for. */
struct replaying {
    struct replay_settings settings;
    char folder[4096];
    bool force, quiet, gdb;
    const char *script;
    uint64_t loop;
    int kept_input; /* what the program read when it was recorded, for gdb; 0: not known, or nothing */
    uint64_t to;    /* event, 0: to the end of the schedule */
    struct replay_subject about;
};

/* Makes the finding `id` happen, as often as asked, and tells what came of it; the exit status of the command.
 */
int replay_finding(const struct replaying *r, struct replay_case *c, const char *id, const struct finding *f);

/* Tells that the program left the schedule of `what`, and why that may be; the exit status of the command. */
int tell_divergence(const char *what, const char *text, const char *reason);

/* Runs the program in gdb under the script, up to where that says to stop; the exit status of the command. The script is
 * made one that can be followed step by step. */
int replay_in_gdb(struct replaying *r, struct schedule_script *script);
