/* Threads of the process that the machine does not know. */
#include "thread_look_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Threads that the machine has for itself and does not list, as the system names them: by their first 15 letters. */
static bool is_hidden(const char *name)
{
    static const char *const names[] = {"VM Thread",
                                        "VM Periodic Tas",
                                        "GC Thread#",
                                        "G1 ",
                                        "Shenandoah",
                                        "ZDriver",
                                        "ZDirector",
                                        "ZStat",
                                        "ZWorker",
                                        "RuntimeWorker#",
                                        "ZUncommitter",
                                        "ZUnmapper",
                                        "C1 CompilerThre",
                                        "C2 CompilerThre",
                                        "Service Thread",
                                        "Monitor Deflati",
                                        "Sweeper thread",
                                        "Notification Th",
                                        "StringDedup",
                                        "Signal Dispatch",
                                        NULL};

    for (const char *const *n = names; *n; n++)
        if (strncmp(name, *n, strlen(*n)) == 0)
            return true;
    return false;
}

static bool task_is_hidden(const char *task)
{
    char path[300], name[32];
    ssize_t length;
    int fd;

    snprintf(path, sizeof path, "/proc/self/task/%s/comm", task);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true; /* it has just ended */
    length = read(fd, name, sizeof name - 1);
    close(fd);
    name[length > 0 ? length : 0] = '\0';
    return is_hidden(name);
}

/* Threads of the process but the hidden ones; -1: the system does not tell. */
static int count_tasks(void)
{
    DIR *all = opendir("/proc/self/task");
    const struct dirent *task;
    int count = 0;

    if (!all)
        return -1;
    while ((task = readdir(all)) != NULL)
        count += task->d_name[0] != '.' && !task_is_hidden(task->d_name);
    closedir(all);
    return count;
}

/* The launcher of `java` has one thread more: the process's first, which waits until the machine ends. */
bool has_native_threads(JNIEnv *env)
{
    jthread *threads = NULL;
    jint count = 0;
    int listed = 1;

    if ((*looks_machine)->GetAllThreads(looks_machine, &count, &threads) != JVMTI_ERROR_NONE)
        return true;
    for (jint i = 0; i < count; i++) {
        char name[16];
        name_of_thread(env, threads[i], name, sizeof name);
        listed += !is_hidden(name);
    }
    (*looks_machine)->Deallocate(looks_machine, (unsigned char *)threads);
    return count_tasks() > listed;
}
