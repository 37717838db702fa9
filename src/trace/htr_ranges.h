/* A native trace file read by ranges: every block once when it is opened, then each when it is asked for, and never more than
 * one in memory. */
#pragma once
#include "trace/limits.h"
#include "trace/trace.h"

struct htr_ranges;

/* The events of one block: those of the trace after the first `before`, in `events` from 1 on, without grounds and stacks. */
struct htr_window {
    const struct trace *events; /* all names of the file up to here are in it */
    uint64_t before;
};

/* Called for every block in turn when the file is opened. */
typedef void htr_visit(void *context, const struct htr_ranges *ranges, const struct htr_window *window);

/* Opens a native file that is not compressed as a whole, and checks its events as trace_load does. HEDDLE_UNSUPPORTED: it is
 * not such a file. On success ended by htr_ranges_close. */
enum status htr_ranges_open(struct htr_ranges **ranges, const char *path, const struct trace_limits *limits,
                            htr_visit *visit, void *context, struct error *err);
void htr_ranges_close(struct htr_ranges *ranges);

/* Known from the beginning, for the visitor, too: counts of whole blocks. */
uint64_t htr_ranges_events(const struct htr_ranges *ranges);
size_t htr_ranges_blocks(const struct htr_ranges *ranges);

/* The block of the event, which is in the file. */
size_t htr_ranges_block_of(const struct htr_ranges *ranges, uint64_t event);

/* The names of the whole file. */
const struct trace *htr_ranges_names(const struct htr_ranges *ranges);

/* Whether the file was cut short. */
bool htr_ranges_cut(const struct htr_ranges *ranges);

/* Reads the block; what it holds stays until the next one is read. Fails when the file has changed. */
enum status htr_ranges_read(struct htr_ranges *ranges, size_t block, struct htr_window *window,
                            struct error *err);
