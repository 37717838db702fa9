/* Ends as it is told: exit, _exit, abort, crash, kill, exec, pthread_exit, with another thread still running.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int shared;

static void *run_on(void *unused)
{
    for (;;) {
        __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
        usleep(10);
    }
    return unused;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "exit";
    pthread_t thread;

    pthread_create(&thread, NULL, run_on, NULL);
    for (int i = 0; i < 100; i++)
        __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
    if (strcmp(how, "_exit") == 0)
        _exit(7);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "crash") == 0)
        *(volatile int *)NULL = 1;
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "exec") == 0)
        execlp("sh", "sh", "-c", "exit 9", (char *)NULL);
    if (strcmp(how, "fork") == 0) {
        pid_t pid = fork();
        int status = 0;
        if (pid == 0) {
            pthread_create(&thread, NULL, run_on, NULL);
            usleep(1000);
            exit(11);
        }
        waitpid(pid, &status, 0);
        exit(WEXITSTATUS(status));
    }
    exit(6);
}
