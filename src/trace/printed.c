/* A sorted list of event numbers. */
#include "trace/printed.h"
#include "base/memory.h"
#include "trace/trace.h"

#include <stdlib.h>

void printed_add(struct printed_reads *p, uint32_t read)
{
    if (p->reads_count == 0 || p->reads[p->reads_count - 1] != read)
        ARRAY_PUSH(p, reads, read);
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return a < b ? -1 : a > b;
}

void printed_sort(struct printed_reads *p)
{
    size_t kept = 0;

    if (p->reads_count > 1)
        qsort(p->reads, p->reads_count, sizeof *p->reads, compare_numbers);
    for (size_t i = 0; i < p->reads_count; i++)
        if (kept == 0 || p->reads[kept - 1] != p->reads[i])
            p->reads[kept++] = p->reads[i];
    p->reads_count = kept;
}

void printed_free(struct printed_reads *p)
{
    free(p->reads);
    *p = (struct printed_reads){0};
}

void trace_settle_printed(struct trace *trace)
{
    struct printed_reads *p = &trace->printed;
    size_t kept = 0;

    printed_sort(p);
    for (size_t i = 0; i < p->reads_count; i++) {
        uint32_t read = p->reads[i];
        if (read != EVENT_INIT && read <= trace->count && kind_reads(trace_kind(trace, read)))
            p->reads[kept++] = read;
    }
    p->reads_count = kept;
}

bool trace_is_printed(const struct trace *trace, uint32_t event)
{
    const struct printed_reads *p = &trace->printed;

    return p->reads_count > 0 && bsearch(&event, p->reads, p->reads_count, sizeof *p->reads, compare_numbers);
}
