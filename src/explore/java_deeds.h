/* What the threads of a Java program did in one run, from the records of its machine (runtime/protocol/java_log.h).
 *
 * A thread's ticks are its records. A call that may block is a move at its return, to be made in one step with
 * its beginning when it can be; only the two halves of a wait are steps of their own. */
#pragma once
#include "explore/deeds.h"
#include "record/java/log_walk.h"

struct java_reader {
    struct history *history;
    struct deeds *to;
    struct names *names; /* of places, shared by all runs */
    struct java_stuck {  /* threads that wait for something at the end */
        uint32_t thread;
        struct move move;
    } stuck[EXPLORE_THREADS];
    size_t stuck_count;
    bool cut_off;          /* the end of the process came before that of some thread, and nobody asked for it */
    bool impossible;       /* something happened only because the machine is held up */
    char unsupported[400]; /* what cannot be explored; "": nothing */
};

void java_reader_init(struct java_reader *reader, struct history *history, struct names *names,
                      struct deeds *to);

/* As `observe_java` of struct recording. */
void java_reader_take(void *reader, struct java_converter *converter, const struct java_gate *gate);
