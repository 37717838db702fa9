/* How often a Java program did what its log holds, before anything is dropped: for comparison with other
 * counters. */
#pragma once
#include "base/error.h"

#include <stdint.h>

struct java_converter;

enum java_counted {
    FIELD_READS,
    FIELD_WRITES,
    STATIC_READS,
    STATIC_WRITES,
    ELEMENT_READS,
    ELEMENT_WRITES,
    MONITOR_ACQUIRES,
    MONITOR_RELEASES,
    JAVA_COUNTED
};

struct java_counts {
    uint64_t of[JAVA_COUNTED];
};

/* Counts the records of the log; objects must have been met. */
void java_count(const struct java_converter *c, struct java_counts *counts);

/* Appends the counts to the file, a line each, and the number of reads whose value is not that of the write
 * they are said to read from. One write: recordings at the same time may share the file. */
enum status java_counts_append(const char *path, const struct java_counts *counts, uint64_t mismatches,
                               struct error *err);
