/* Runs a program under Valgrind, and finds out which thread waits for which. */
#include "record/binary.h"
#include "base/memory.h"
#include "record/program.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool binary_recorder(const char *libraries, char *folder, size_t room)
{
    char file[4352];

    snprintf(folder, room, "%s/valgrind", libraries);
    snprintf(file, sizeof file, "%.4000s/heddle-amd64-linux", folder);
    if (access(file, X_OK) != 0)
        return false;
    return program_find("valgrind", file, sizeof file);
}

char *const *binary_command(char *const *program, int log_fd)
{
    static char log[32];
    static const char *const options[] = {"valgrind",
                                          "--tool=heddle",
                                          "-q",
                                          "--vgdb=no",
                                          "--fair-sched=try",
                                          "--max-threads=1000",
                                          "--run-libc-freeres=no",
                                          "--child-silent-after-fork=yes",
                                          log,
                                          "--"};
    size_t count = sizeof options / sizeof *options, arguments = 0;
    const char **command;

    while (program[arguments])
        arguments++;
    snprintf(log, sizeof log, "--log-fd=%d", log_fd);
    command = memory_new(count + arguments + 1, sizeof *command);
    memcpy(command, options, sizeof options);
    memcpy(command + count, program, arguments * sizeof *program);
    return (char *const *)command;
}

/* Whether the thread with this kernel id sleeps. Its state is the letter after its name, which may contain
 * any character. */
static bool sleeps(pid_t pid, const char *thread)
{
    char path[128], text[512] = "";
    FILE *file;
    const char *state;

    snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", (int)pid, thread);
    file = fopen(path, "re");
    if (!file)
        return false;
    if (!fgets(text, sizeof text, file))
        *text = '\0';
    fclose(file);
    state = strrchr(text, ')');
    return state && state[1] == ' ' && state[2] == 'S';
}

static bool all_sleep(pid_t pid)
{
    char path[64];
    struct dirent *entry;
    bool sleeping = true;
    DIR *folder;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    folder = opendir(path);
    while (folder && sleeping && (entry = readdir(folder)))
        if (isdigit((unsigned char)entry->d_name[0]))
            sleeping = sleeps(pid, entry->d_name);
    if (folder)
        closedir(folder);
    return folder && sleeping;
}

bool binary_deadlocked(const struct session *session, pid_t pid)
{
    unsigned waiting = 0;

    for (int i = 0; i < SESSION_THREADS; i++) {
        const struct session_thread *t = &session->threads[i];
        uint32_t state = session_load(&t->state);
        if (session_load(&t->id) == 0 || state == STATE_FREE || state == STATE_ENDED)
            continue;
        if (state != STATE_BLOCKED)
            return false;
        waiting++;
    }
    return waiting > 0 && all_sleep(pid);
}
