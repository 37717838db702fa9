/* bench-measure RUNS COMMAND…: runs a command so many times, its standard output thrown away, and prints the
 * least CPU seconds, the least seconds on the clock and the largest peak memory in bytes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static void run(char **command)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0)
        execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

int main(int argc, char **argv)
{
    long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    double cpu = 0, wall = 0;
    long peak = 0; /* in kB */

    if (runs < 1) {
        fprintf(stderr, "usage: bench-measure RUNS COMMAND…\n");
        return 1;
    }
    for (long i = 0; i < runs; i++) {
        double start = seconds_now();
        struct rusage used;
        int status;
        pid_t child = fork();

        if (child == 0)
            run(argv + 2);
        if (child < 0 || wait4(child, &status, 0, &used) != child) {
            perror("bench-measure");
            return 1;
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status) == 1 || WEXITSTATUS(status) == 127) {
            fprintf(stderr, "bench-measure: %s failed\n", argv[2]);
            return 1;
        }
        double taken = seconds_now() - start, worked = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
        wall = i == 0 || taken < wall ? taken : wall;
        cpu = i == 0 || worked < cpu ? worked : cpu;
        peak = used.ru_maxrss > peak ? used.ru_maxrss : peak;
    }
    printf("%.4f %.4f %ld\n", cpu, wall, peak * 1024);
    return 0;
}
