/* What the commands that check a trace share: their options, and the check itself. */
#pragma once
#include "base/stop.h"
#include "cli/command.h"
#include "cli/configured.h"
#include "method/method.h"
#include "report/format.h"
#include "report/marks.h"
#include "trace/limits.h"

/* For the option table of a command that checks. */
#define CHECK_OPTIONS                                                                                          \
    {"property", 'p', "NAME,…", PROPERTY_WORDS " all",                                                         \
     "What to check: any of " PROPERTY_LIST ", or all. Default: all but final and serializability."},          \
        {"deterministic", 0, NULL, NULL,                                                                       \
         "The program is meant to be deterministic: every read that depends on the schedule is a problem."},   \
        {"all", 0, NULL, NULL,                                                                                 \
         "Lists every finding, event by event. By default one finding stands for all with the same source "    \
         "locations."},                                                                                        \
        {"atomic", 0, "WHAT", "blocks locks",                                                                  \
         "What is meant to be atomic: blocks, from begin to end (the default); locks: also each outermost "    \
         "lock scope without a wait in it."},                                                                  \
        {"predict", 0, NULL, NULL,                                                                             \
         "Checks determinism and serializability of blocks in other runs, too, not only in the observed "      \
         "one."},                                                                                              \
        {"values", 0, "HOW", "use ignore",                                                                     \
         "With ignore, a thread goes on after a read only if the read sees the write it saw when recorded. "   \
         "By default (use) seeing the same value is enough, where the trace records values."},                 \
        {"jobs", 'j', "N", NULL,                                                                               \
         "Uses N workers; 0, the default, means one for each core. The report does not depend on it."},        \
        {"memory", 0, "SIZE", NULL,                                                                            \
         "Ends the check with what is decided when it uses more memory: a number of bytes, or of K, M, G or "  \
         "T. Default: three quarters of what is free."},                                                       \
    {                                                                                                          \
        "budget", 0, "N[s]", NULL,                                                                             \
            "Gives a candidate up as undecided after N choices (default 100000; with --method=graph, 1000 "    \
            "choice graphs; with --method=csp, 100000 states, too); with s, stops the whole check after N "    \
            "seconds and reports what is decided."                                                             \
    }

/* For commands that check and do not record. */
#define CHECK_GROUNDS_OPTION                                                                                   \
    {                                                                                                          \
        "grounds", 0, "HOW", "use ignore",                                                                     \
            "With ignore, an event depends on every earlier read of its thread. By default (use) it depends "  \
            "on the reads that the trace names for it."                                                        \
    }

/* For commands that can replay what they find. */
#define CONFIRM_OPTION                                                                                         \
    {                                                                                                          \
        "confirm", 0, NULL, NULL,                                                                              \
            "Replays every finding with the program and reports what it changes. A note whose replay fails "   \
            "or changes the output becomes a problem."                                                         \
    }

/* For commands whose exit status says what was found. */
#define VERDICT_OPTIONS                                                                                        \
    {"fail-on", 0, "NAME,…", "problems " PROPERTY_WORDS " all",                                                \
     "Which findings give exit status 2. Default: problems, which is every finding but notes. nondet and "     \
     "final make notes count, too; names of other properties restrict problems to those."},                    \
        {"baseline", 0, "REPORT", NULL,                                                                        \
         "An earlier JSON report, or the folder of a hunt: findings whose fingerprint is in it are marked as " \
         "known and do not count for the exit status."},                                                       \
        {"suppressions", 0, "FILE", NULL,                                                                      \
         "A file that lists accepted findings, each with a reason. They do not count for the exit status. "    \
         "See SUPPRESSIONS."},                                                                                 \
        {"source-root", 0, "FOLDER", NULL,                                                                     \
         "SARIF and GitLab: paths below FOLDER are written relative to it; HTML: source is read only "         \
         "below it. Default: the current folder; for HTML also that of the program."},                         \
        CONFIG_OPTION

/* For commands that print a report as text. */
#define NOTES_OPTION                                                                                           \
    {                                                                                                          \
        "notes", 0, NULL, NULL,                                                                                \
            "Prints notes one by one, with their schedules, instead of one line for each variable."            \
    }

/* What a command line asks for. */
struct check_request {
    const char *command; /* its name, for complaints */
    enum method method;
    struct check_options check;
    uint64_t seconds;   /* 0: no limit */
    uint64_t memory;    /* bytes that the process may use */
    bool match_threads; /* forked threads without events are the unforked ones that fit them by name */
    struct fail_on fail_on;
    bool deterministic; /* reads that depend on the schedule are problems */
    bool has_baseline, has_suppressions;
    uint64_t *baseline; /* fingerprints */
    size_t baseline_count, baseline_capacity;
    struct suppressions suppressions;
    const struct config *config;
    char source_root[4096];
    const struct config_names *source_roots; /* of the configuration, if that gave it; or NULL */
    bool source_named;                       /* the user gave it */
    struct trace_limits limits;
    char *const *confirm;  /* the program that findings are replayed with, or NULL */
    const char *libraries; /* folder of the runtime, for that */
};

/* Reads the options of CHECK_OPTIONS, VERDICT_OPTIONS and --method, those that the command has, and the files
 * they name; false after a complaint. Ended by request_free. */
bool request_parse(const struct command *self, const struct arguments *args, struct check_request *r);
void request_free(struct check_request *r);

/* One of the words a value may be, given as "a b c"; -1 after a complaint. */
int parse_word(const char *command, const char *option, const char *value, const char *words);

/* Parses a number. `rest` is set to its suffix, "s" or nothing; pass NULL where no suffix is allowed. False after
 * a complaint. */
bool parse_number(const char *command, const char *option, const char *text, uint64_t *number,
                  const char **rest);

/* "problems", "race,nondet": names of problems restrict those that count, names of notes add these. False after a
 * complaint. */
bool parse_fail_on(const char *command, const char *list, struct fail_on *to);

/* A check and its trace. */
struct checking {
    struct trace trace;
    struct model model;
    struct certify_index *index; /* of the trace, made while the model was built; or NULL */
    struct results results;
    struct marks marks;
    struct replay_note *replays; /* what replaying showed, one a finding; NULL: nothing was replayed */
    struct finding_note *notes;  /* the same for reports */
};

/* Loads the trace, checks it and marks the findings. Ctrl-C ends the check early, with what is decided. On
 * success ended by checking_end. */
enum status checking_run(struct checking *c, struct check_request *r, const char *path, struct error *err);
void checking_end(struct checking *c);

/* Only loads the trace and builds the model, within the memory budget that the caller began. */
enum status checking_load(struct checking *c, const struct check_request *r, const char *path,
                          struct error *err);

/* Reports suppressions that match no finding, on standard error. */
void checking_tell_stale(const struct checking *c);

/* The exit status of the command. */
int checking_status(const struct checking *c, const struct check_request *r);

/* After so many seconds, unless 0, check_stop_asked is set. */
void checking_limit_time(uint64_t seconds);

/* From here on Ctrl-C only ends a check early, even one that has not begun. */
void checking_catch_interrupt(void);

/* Set while a check runs, by Ctrl-C and when the time is up. */
extern stop_flag check_stop_asked;
