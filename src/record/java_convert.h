/* From the log of a Java virtual machine to a trace. */
#pragma once
#include "record/java_counts.h"
#include "record/java_list.h"
#include "trace/trace.h"

struct java_conversion {
    uint64_t events;
    uint64_t dropped_events, dropped_variables;
    uint64_t records;    /* in the log */
    uint64_t unfilled;   /* slots taken and never filled */
    uint64_t mismatches; /* reads of a value that differs from the write they are said to read from */
    char first_mismatch[512];
    uint64_t refused;
    char refusal[512];
    bool full;       /* the log reached its limit */
    uint64_t stolen; /* stripes */
    uint32_t threads;
    size_t left; /* classes and methods left as they were */
    char first_left[512];
    struct java_counts counts;
};

/* Converts the log in memory. `name` stands for it in errors. */
enum status java_convert(const char *name, const uint8_t *log, size_t log_bytes, struct java_list *list,
                         const char *path, const char *program, struct java_conversion *result,
                         struct error *err);
