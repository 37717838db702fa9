/* The process that stands between a rank and its launcher, which would end all ranks when one of them dies. */
#include "crew/ranks.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t guarded; /* the child */
static volatile sig_atomic_t
    ended; /* by the launcher: it does so to all ranks when rank 0 has found a problem */

static void pass_on(int signal)
{
    ended = 1;
    if (guarded > 0)
        kill((pid_t)guarded, signal);
}

/* The number of this rank, as far as the environment says it: "3"; NULL: it does not. */
static const char *rank_text(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
    const char *text = NULL;

    for (size_t i = 0; i < sizeof ranks / sizeof *ranks && !text; i++)
        text = getenv(ranks[i]);
    return text;
}

/* Until the launcher ends this process, or is gone itself. */
__attribute__((noreturn)) static void wait_for_launcher(pid_t launcher)
{
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    while (getppid() == launcher)
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    _exit(EXIT_FAILURE);
}

void ranks_guard(note_taker *notes)
{
    const char *rank = ranks_expected() ? rank_text() : NULL;
    pid_t launcher = getppid(), own = getpid();
    sigset_t stops, before;
    int status = 0;

    if (!rank || strcmp(rank, "0") == 0)
        return;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGINT);
    sigprocmask(SIG_BLOCK, &stops, &before);
    guarded = fork();
    if (guarded <= 0) { /* where there is no second process, there is no guard */
        if (guarded == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != own)
                _exit(EXIT_FAILURE);
        }
        sigprocmask(SIG_SETMASK, &before, NULL);
        return;
    }
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = pass_on, .sa_flags = SA_RESTART}, NULL);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = pass_on, .sa_flags = SA_RESTART}, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    while (waitpid((pid_t)guarded, &status, 0) < 0)
        continue;
    guarded = 0;
    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    if (!ended)
        note_add(notes, NOTE_NEWS, "rank %s was killed by signal %d", rank, WTERMSIG(status));
    wait_for_launcher(launcher);
}
