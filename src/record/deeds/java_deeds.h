/* What the threads of a Java program did in one run, from the records of its machine (runtime/protocol/java_log.h).
 *
 * A thread's ticks are its records. A call that may block is a move at its return, to be made in one step with
 * its beginning when it can be; only the two halves of a wait are steps of their own. */
#pragma once
#include "record/deeds.h"
#include "record/java/log_walk.h"

struct java_reader {
    struct deed_numbers *numbers;
    struct deeds *to;
};

/* `to` begins empty. */
void java_reader_init(struct java_reader *reader, struct deed_numbers *numbers, struct deeds *to);

/* As `observe` of struct java_conversion_input. */
void java_reader_take(void *reader, struct java_converter *converter, const struct java_gate *gate);
