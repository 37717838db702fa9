/* bench-blocks FILE: how fast declared blocks are checked, and in how much memory besides trace and model.
 *
 * Prints one line: events; CPU seconds of conflict freedom, of serializability of deterministic and of atomic
 * blocks, of the graph that serializability does without; peak bytes of the passes, and of the graph. */
#include "property/conflicts.h"
#include "property/cycles.h"
#include "property/serial.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static size_t bytes_now, bytes_most;

#if !defined(__SANITIZE_ADDRESS__)
/* Every allocation of the program comes by here. */
void *__libc_malloc(size_t size);             /* NOLINT(bugprone-reserved-identifier) */
void *__libc_calloc(size_t n, size_t size);   /* NOLINT(bugprone-reserved-identifier) */
void *__libc_realloc(void *old, size_t size); /* NOLINT(bugprone-reserved-identifier) */
void __libc_free(void *block);                /* NOLINT(bugprone-reserved-identifier) */

static void *count(void *block)
{
    bytes_now += block ? malloc_usable_size(block) : 0;
    bytes_most = bytes_now > bytes_most ? bytes_now : bytes_most;
    return block;
}

void *malloc(size_t size)
{
    return count(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return count(__libc_calloc(n, size));
}

void *realloc(void *old, size_t size)
{
    bytes_now -= old ? malloc_usable_size(old) : 0;
    return count(__libc_realloc(old, size));
}

void free(void *block)
{
    bytes_now -= block ? malloc_usable_size(block) : 0;
    __libc_free(block);
}
#endif

static const stop_flag never;

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void on_conflict(void *context, event_id block, event_id first, event_id second)
{
    fprintf(stderr, "bench-blocks: block %u: events %u and %u conflict\n", block, first, second);
    ++*(int *)context;
}

static double time_serial(const struct model *m, enum event_kind begin)
{
    double start = cpu_seconds();
    uint64_t blocks;

    if (serial_violation(m, begin, &never, &blocks) != EVENT_NONE) {
        fprintf(stderr, "bench-blocks: %s: not serializable\n", kind_word(begin));
        exit(1);
    }
    return cpu_seconds() - start;
}

int main(int argc, char **argv)
{
    struct trace trace;
    struct model model;
    struct error err;
    int found = 0;

    if (argc != 2) {
        fprintf(stderr, "usage: bench-blocks FILE\n");
        return 1;
    }
    if (trace_load(&trace, argv[1], &err) != HEDDLE_OK || model_build(&model, &trace, &err) != HEDDLE_OK) {
        fprintf(stderr, "bench-blocks: %s\n", err.text);
        return 1;
    }
    size_t before = bytes_most = bytes_now;
    double start = cpu_seconds();
    conflicts_find(&model, false, &never, on_conflict, &found);
    double conflicts = cpu_seconds() - start;
    double deterministic = time_serial(&model, EVENT_DET_BEGIN), atomic = time_serial(&model, EVENT_BEGIN);
    size_t passes = bytes_most - before;

    start = cpu_seconds();
    bytes_most = bytes_now;
    cycles_free(cycles_new(&model, EVENT_DET_BEGIN, &never));
    printf("%zu %.6f %.6f %.6f %.6f %zu %zu\n", trace.count, conflicts, deterministic, atomic,
           cpu_seconds() - start, passes, bytes_most - before);
    model_free(&model);
    trace_free(&trace);
    return found > 0;
}
