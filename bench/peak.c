/* bench-peak COMMAND…: runs a command, its standard output thrown away, and prints the peak memory in bytes of
 * the command itself and of the largest process that it started (0: it started none).
 *
 * Peaks are asked for once a millisecond; a process's own is a high-water mark, so that only what it takes in
 * its last moment is missed. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 64, DEPTH = 4 };

/* The high-water mark of the process, in bytes. */
static long peak_of(pid_t pid)
{
    char path[64], line[256];
    long peak = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            peak = strtol(line + 6, NULL, 10) * 1024;
    if (file)
        fclose(file);
    return peak;
}

/* Which processes the first thread of a process has started. */
static int children_of(pid_t pid, pid_t children[PROCESSES])
{
    char path[64], text[4096], *at = text, *end;
    FILE *file;
    int count = 0;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    file = fopen(path, "re");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
    for (long child = strtol(at, &end, 10); end != at && count < PROCESSES; child = strtol(at, &end, 10)) {
        children[count++] = (pid_t)child;
        at = end;
    }
    return count;
}

static void look_below(pid_t pid, long *largest, int depth)
{
    pid_t children[PROCESSES];
    int count = depth > 0 ? children_of(pid, children) : 0;

    for (int i = 0; i < count; i++) {
        long peak = peak_of(children[i]);
        *largest = peak > *largest ? peak : *largest;
        look_below(children[i], largest, depth - 1);
    }
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
    struct timespec pause = {.tv_nsec = 1000000};
    long own = 0, largest = 0, now;
    pid_t child = argc > 1 ? fork() : -1;
    int status;

    if (child == 0)
        run(argv + 1);
    if (child < 0) {
        fprintf(stderr, "usage: bench-peak COMMAND…\n");
        return 1;
    }
    while (waitpid(child, &status, WNOHANG) == 0) {
        now = peak_of(child);
        own = now > own ? now : own;
        look_below(child, &largest, DEPTH);
        nanosleep(&pause, NULL);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 1 || WEXITSTATUS(status) == 127) {
        fprintf(stderr, "bench-peak: %s failed\n", argv[1]);
        return 1;
    }
    printf("%ld %ld\n", own, largest);
    return 0;
}
