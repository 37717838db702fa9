/* bench-certify TRACE…: how fast the certifier indexes a trace and accepts runs, by length of the tail.
 *
 * Each run is an observed prefix of random length and what was observed next, without the certifier knowing
 * that the tail is in the observed order. */
#include "certify/certify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure(struct certifier *c, const struct trace *trace, uint32_t length)
{
    struct certify_options options = {0};
    uint64_t random = 88172645463325252u, runs = 0;
    uint32_t *tail = malloc(length * sizeof *tail);
    double start = now(), seconds;

    do {
        for (int i = 0; i < 64; i++, runs++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            uint32_t prefix = (uint32_t)(random % (trace->count - length + 1));
            for (uint32_t k = 0; k < length; k++)
                tail[k] = prefix + 1 + k;
            if (!certifier_run_feasible(c, &(struct schedule){prefix, length, tail}, &options, NULL))
                abort();
        }
        seconds = now() - start;
    } while (seconds < 0.2);
    printf("  tail %5" PRIu32 "  %9.0f runs/s  %7.3f us/run  %5.1f ns/event\n", length, (double)runs / seconds,
           1e6 * seconds / (double)runs, 1e9 * seconds / (double)runs / length);
    free(tail);
}

static int bench(const char *path)
{
    static const uint32_t lengths[] = {1, 5, 20, 100, 1000};
    struct trace trace;
    struct error err;
    double start = now(), loaded, indexed;

    if (trace_load(&trace, path, &err) != HEDDLE_OK) {
        fprintf(stderr, "bench-certify: %s\n", err.text);
        return 1;
    }
    loaded = now();
    struct certify_index *index = certify_index_new(&trace);
    indexed = now();
    struct certifier *c = certifier_new(index);
    printf("%s: %zu events, loaded in %.3f s, indexed in %.3f s\n", path, trace.count, loaded - start,
           indexed - loaded);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths && lengths[i] <= trace.count; i++)
        measure(c, &trace, lengths[i]);
    certifier_free(c);
    certify_index_free(index);
    trace_free(&trace);
    return 0;
}

int main(int argc, char **argv)
{
    int status = 0;

    for (int i = 1; i < argc; i++)
        status |= bench(argv[i]);
    return status;
}
