/* Limits on the sizes in a trace from elsewhere: what exceeds them is refused before it takes memory. */
#pragma once
#include "base/error.h"

#include <stdint.h>

struct trace_limits {
    uint64_t size; /* bytes of the file, decompressed */
    uint64_t line; /* bytes of a line of text */
    uint64_t name; /* bytes of a name, value or location */
    uint64_t events;
    uint64_t block;  /* bytes of a block of the native format, decompressed */
    uint64_t window; /* no limit: of a native trace, blocks are read until there are so many events; 0: all */
};

static const struct trace_limits trace_limits_usual = {
    .size = UINT64_C(64) << 30, .line = 16 << 20, .name = 1 << 20, .events = 1000000000, .block = 256 << 20};

/* Reads "line=64K,events=5000000": parts that are not named stay as they are. */
enum status trace_limits_parse(struct trace_limits *limits, const char *text, struct error *err);

/* "%s: more than N of WHAT", and which option allows more. */
enum status trace_limits_exceeded(const char *place, const char *what, const char *option, uint64_t limit,
                                  struct error *err);
