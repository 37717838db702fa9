/* How a recorded run ended, for its trace. */
#pragma once
#include "record/collect/taker.h"
#include "record/record.h"

/* A run and what was taken of it. */
struct run_end_source {
    const struct recording *recording;
    const struct collection *collection;
    const struct taker *taker;
};

/* Fills `end`: what a converter calls when all events are written. `source` is a struct run_end_source. */
void run_end_fill(void *source, struct converter *converter, struct trace_end *end);

/* The same for how the process ended alone: `status` is as waitpid gives it. */
void run_end_status(struct trace_end *end, int status);
