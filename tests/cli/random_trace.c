/* Writes random small traces as text, one file each: random-trace FIRST COUNT FOLDER STEP,
 * for the seeds FIRST, FIRST + STEP … */
#include "random/generate.h"
#include "random/print.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    uint64_t first, count, step;

    if (argc != 5)
        return EXIT_FAILURE;
    first = strtoull(argv[1], NULL, 10);
    count = strtoull(argv[2], NULL, 10);
    step = strtoull(argv[4], NULL, 10);
    for (uint64_t seed = first; seed < first + count * step; seed += step) {
        char path[4096];
        struct trace t;
        FILE *to;

        snprintf(path, sizeof path, "%s/%llu.std", argv[3], (unsigned long long)seed);
        to = fopen(path, "w");
        if (!to)
            return EXIT_FAILURE;
        random_trace(&t, seed, &shapes[seed % shapes_count]);
        trace_print_std(to, &t);
        fclose(to);
        trace_free(&t);
    }
    return EXIT_SUCCESS;
}
