/* What the commands that record a program share. */
#pragma once
#include "cli/command.h"
#include "record/record.h"

/* For the option table of a command that records. */
#define RECORD_OPTIONS                                                                                         \
    {"tool", 0, "TOOL", "compiler valgrind",                                                                   \
     "What records: compiler (the runtime that the program was built with) or valgrind (any dynamically "      \
     "linked program as it is). By default compiler for instrumented programs, valgrind for others."},         \
        {"seed", 0, "N", NULL,                                                                                 \
         "Seeds all scheduling choices: the same seed and input give the same trace. Without it a seed is "    \
         "drawn and printed. Threads of a Java program run freely; with a seed they are delayed now and "      \
         "then."},                                                                                             \
        {"policy", 0, "POLICY", "random pct round-robin",                                                      \
         "How the next thread is chosen: random (time slices of random length; the default), pct (random "     \
         "priorities, changed now and then), round-robin."},                                                   \
        {"passes", 0, "HOW", "one two auto",                                                                   \
         "How often the program is run: one or two, as --one-pass and --two-pass say, or auto: a run that "    \
         "nobody sees finds what threads share, and is ended before it does anything that lasts (files that "  \
         "it writes, connections, child processes, input that it takes). If it came to its end, and most was " \
         "private, the next run records just what is shared, otherwise everything. heddle run does so by "     \
         "default, heddle record runs the program once."},                                                     \
        {"one-pass", 0, NULL, NULL,                                                                            \
         "Records in one run of the program and drops what is not shared afterwards."},                        \
        {"two-pass", 0, NULL, NULL,                                                                            \
         "Runs the program again, with its output thrown away, if most of what it does in the first run is "   \
         "private: that one finds what threads share, the next records just that. For long runs of programs "  \
         "that do the same on the same input, and no harm when they do it twice."},                            \
        {"real-time", 0, NULL, NULL,                                                                           \
         "Lets sleeps and time-outs take their time. By default they cost none when nothing else can run."},   \
        {"stacks", 0, "WHEN", "on off",                                                                        \
         "Whether the trace says which calls were under way at each event (on, the default)."},                \
        {"clock", 0, "SECONDS", NULL,                                                                          \
         "Lets the program's clocks begin at SECONDS since 1970. By default they begin at the present time, "  \
         "so that the traces of a program that asks for it differ."},                                          \
        {"timeout", 0, "SECONDS", NULL,                                                                        \
         "Ends the program after that many seconds; the trace holds what it did until then, as far as it can " \
         "be written in a tenth of the time that recording took (one second at least)."},                      \
        {"java", 0, NULL, NULL,                                                                                \
         "PROGRAM starts Java virtual machines. Not needed for java, mvn, gradle and others known by name."},  \
        {"include", 0, "PATTERNS", NULL,                                                                       \
         "Java: looks only into classes whose names match one of these, separated by commas; `*` stands for "  \
         "any text. By default all but the JDK's."},                                                           \
        {"exclude", 0, "PATTERNS", NULL, "Java: does not look into classes whose names match one of these."},  \
        {"blocks", 0, "FILE", NULL,                                                                            \
         "Java: methods that are meant to be atomic or deterministic, one in a line: `atomic CLASS.METHOD` "   \
         "or `deterministic CLASS.METHOD`."},                                                                  \
    {                                                                                                          \
        "limit", 0, "MEGABYTES", NULL,                                                                         \
            "Java: size of the log at which recording ends while the program goes on; 1024 by default."        \
    }

/* For commands that record and do not check; run has an option of its own. */
#define RECORD_GROUNDS_OPTION                                                                                  \
    {                                                                                                          \
        "grounds", 0, "WHEN", "on off",                                                                        \
            "Whether the trace says which reads each event stands on, as far as gcc's plugin, the Java agent " \
            "or the Valgrind tool can tell (on, the default; see heddle-cc(1)). Without, recording is faster " \
            "and fewer findings are certain."                                                                  \
    }

/* Chooses who records, by the option or by the program, and sets `r->binary`; `r->libraries` and `r->notes` are
 * set. False after a complaint. */
bool recording_choose_tool(const struct command *self, const struct arguments *args, struct recording *r);

/* Reads the program and the options of RECORD_OPTIONS; false after a complaint. */
bool recording_parse(const struct command *self, const struct arguments *args, struct recording *r);
