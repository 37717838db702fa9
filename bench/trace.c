/* bench-trace load|model FILE: how fast a trace is read, and what reading and modelling cost.
 *
 * Prints one line: events, CPU seconds, bytes of the file and of peak memory. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    struct stat about;
    struct error err;

    if (argc != 3 || (strcmp(argv[1], "load") != 0 && strcmp(argv[1], "model") != 0)) {
        fprintf(stderr, "usage: bench-trace load|model FILE\n");
        return 1;
    }
    struct trace trace;
    struct model model;
    bool modelled = strcmp(argv[1], "model") == 0;
    double start = cpu_seconds();

    if (trace_load(&trace, argv[2], &err) != HEDDLE_OK) {
        fprintf(stderr, "bench-trace: %s\n", err.text);
        return 1;
    }
    if (modelled)
        start = cpu_seconds();
    if (modelled && model_build(&model, &trace, &err) != HEDDLE_OK)
        return 1;
    double taken = cpu_seconds() - start;
    getrusage(RUSAGE_SELF, &usage);
    if (stat(argv[2], &about) != 0)
        return 1;
    printf("%zu %.6f %lld %ld\n", trace.count, taken, (long long)about.st_size, usage.ru_maxrss * 1024);
    if (modelled)
        model_free(&model);
    trace_free(&trace);
    return 0;
}
