/* Threads that a trace forks or joins under another name than their events have: some tools write fork(1) for
 * T1. */
#pragma once
#include "trace/trace.h"

/* A thread that is forked and has no event, and the one that fits it by name: it has events, and nobody forks
 * it. */
struct thread_match {
    thread_id forked, meant;
};

/* The first such pair of the trace; false when there is none. */
bool trace_mismatched_thread(const struct trace *trace, struct thread_match *match);

/* Merges every such pair into one thread. Fails if that makes the trace impossible. */
enum status trace_match_threads(struct trace *trace, const char *path, struct error *err);
