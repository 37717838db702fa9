/* Counts of a trace's events and objects: the columns of the papers' tables. */
#pragma once
#include "trace/trace.h"

struct trace_counts {
    size_t threads;            /* that have events, or are forked or joined */
    size_t kinds[EVENT_KINDS]; /* events by kind */
    size_t accesses;           /* plain and atomic */
    size_t lock_events;        /* all operations on locks */
    size_t wait_notify_events; /* waitpre, waitpost, notify, notifyall */
    size_t shared_variables;   /* touched by two threads, at least one of them writing */
    size_t local_variables;    /* the others */
    size_t grounded;           /* events with grounds */
};

void trace_count(const struct trace *trace, struct trace_counts *counts);
