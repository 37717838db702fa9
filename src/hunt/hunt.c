/* The hunt as a whole: jobs in processes of their own, so many at a time, until there is a reason to stop. */
#include "hunt/hunt.h"
#include "base/memory.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRACE = 2 }; /* seconds that a job has beyond its time before it is killed */

struct hunt_process {
    pid_t pid; /* 0: the slot is free */
    int from;
    struct hunt_job job;
    double deadline;
    unsigned char *bytes;
    size_t bytes_count, bytes_capacity;
};

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* In the new process: the run, and nothing else of the hunt. */
static _Noreturn void work(const struct hunt_settings *settings, const struct hunt_job *job, int to)
{
    struct hunt_settings own = *settings;

    setpgid(0, 0);
    if (job->seconds > 0 && job->seconds < own.replay.timeout)
        own.replay.timeout = job->seconds < 1 ? 1 : (unsigned)job->seconds;
    own.check.workers = 1;
    hunt_job_run(&own, job, to);
    close(to);
    _exit(0);
}

static enum status start(const struct hunt_settings *settings, const struct hunt_job *job,
                         struct hunt_process *p, struct error *err)
{
    int ends[2];

    if (pipe(ends) != 0)
        return fail(err, HEDDLE_IO, "cannot create a pipe: %s", strerror(errno));
    fflush(NULL);
    p->pid = fork();
    if (p->pid == 0) {
        close(ends[0]);
        work(settings, job, ends[1]);
    }
    close(ends[1]);
    if (p->pid < 0) {
        p->pid = 0;
        close(ends[0]);
        return fail(err, HEDDLE_IO, "cannot fork: %s", strerror(errno));
    }
    p->from = ends[0];
    p->job = *job;
    p->deadline = job->seconds > 0 ? seconds_now() + job->seconds + GRACE : 0;
    p->bytes_count = 0;
    return HEDDLE_OK;
}

/* Takes what the process sent; true when it has ended. */
static bool receive(struct hunt_process *p)
{
    unsigned char part[1 << 16];
    ssize_t got = read(p->from, part, sizeof part);

    if (got < 0 && errno == EINTR)
        return false;
    if (got <= 0)
        return true;
    p->bytes = memory_grow(p->bytes, &p->bytes_capacity, p->bytes_count + (size_t)got, 1);
    memcpy(p->bytes + p->bytes_count, part, (size_t)got);
    p->bytes_count += (size_t)got;
    return false;
}

static void finish(struct hunt *h, const struct hunt_settings *settings, struct hunt_process *p)
{
    struct hunt_report report;

    close(p->from);
    kill(-p->pid, SIGKILL); /* what it may have left behind */
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    p->pid = 0;
    if (!hunt_report_read(&report, p->bytes, p->bytes_count)) {
        hunt_report_free(&report);
        snprintf(report.end.words, sizeof report.end.words, "the run was cut short");
    }
    hunt_merge(h, &p->job, &report);
    hunt_report_free(&report);
    struct hunted_run *run = &h->runs[h->runs_count - 1];
    if (run->problems == 0 && run->pairs == 0 && p->job.run > 1) { /* nobody will ask for it */
        static const char *const endings[] = {"htr", "json", "schedule"};
        for (size_t i = 0; i < 3; i++) {
            char *path = hunt_path(settings, p->job.run, endings[i]);
            unlink(path);
            free(path);
        }
    }
}

/* Whether it is time to stop, and why. */
static bool is_over(struct hunt *h, const struct hunt_settings *settings, double start_time)
{
    if (*settings->stop)
        h->over = OVER_STOPPED;
    else if (settings->seconds > 0 && seconds_now() - start_time >= settings->seconds)
        h->over = OVER_TIME;
    else if (settings->most_runs > 0 && h->runs_count >= settings->most_runs)
        h->over = OVER_RUNS;
    else
        return false;
    return true;
}

static bool happened(const struct hunt *h)
{
    for (size_t i = 0; i < h->problems_count; i++)
        if (h->problems[i].kind == PROBLEM_HAPPENED)
            return true;
    return false;
}

/* Waits for the processes to say something, at most a moment. */
static void wait_for(struct hunt *h, const struct hunt_settings *settings, struct hunt_process *processes,
                     hunt_progress *progress)
{
    struct pollfd *fds = memory_new(settings->workers, sizeof *fds);

    for (unsigned i = 0; i < settings->workers; i++)
        fds[i] = (struct pollfd){.fd = processes[i].pid ? processes[i].from : -1, .events = POLLIN};
    if (poll(fds, settings->workers, 200) >= 0)
        for (unsigned i = 0; i < settings->workers; i++) {
            if (!processes[i].pid || !fds[i].revents || !receive(&processes[i]))
                continue;
            finish(h, settings, &processes[i]);
            if (progress)
                progress(h, settings);
        }
    for (unsigned i = 0; i < settings->workers; i++)
        if (processes[i].pid && processes[i].deadline > 0 && seconds_now() > processes[i].deadline)
            kill(-processes[i].pid, SIGKILL);
    free(fds);
}

static unsigned busy(const struct hunt_process *processes, unsigned count)
{
    unsigned n = 0;

    for (unsigned i = 0; i < count; i++)
        n += processes[i].pid != 0;
    return n;
}

/* Gives each idle process a job; false when nothing is left to do. */
static bool hand_out(struct hunt *h, const struct hunt_settings *settings, struct hunt_process *processes,
                     double end_time, struct error *err)
{
    static const struct hunt_job none;
    uint32_t under_way = busy(processes, settings->workers);

    for (unsigned i = 0; i < settings->workers; i++) {
        struct hunt_job job = none;
        if (processes[i].pid)
            continue;
        if (under_way > 0 && h->runs_count < 2) /* the first runs decide what the others are compared with */
            return true;
        if (!hunt_next(h, settings, &job)) {
            h->over = OVER_NOTHING_NEW;
            return under_way > 0;
        }
        job.run += under_way;
        job.seconds = end_time > 0 ? end_time - seconds_now() : 0;
        if (job.kind == JOB_FREE)
            job.seed += under_way;
        if (start(settings, &job, &processes[i], err) != HEDDLE_OK)
            return false;
        under_way++;
    }
    return true;
}

static void stop_all(struct hunt_process *processes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (!processes[i].pid)
            continue;
        kill(-processes[i].pid, SIGKILL);
        close(processes[i].from);
        while (waitpid(processes[i].pid, NULL, 0) < 0 && errno == EINTR)
            ;
        processes[i].pid = 0;
    }
}

enum status hunt_program(const struct hunt_settings *settings, struct hunt *h, hunt_progress *progress,
                         struct error *err)
{
    struct hunt_process *processes = memory_new(settings->workers, sizeof *processes);
    double start_time = seconds_now(), end_time = settings->seconds > 0 ? start_time + settings->seconds : 0;

    memset(h, 0, sizeof *h);
    err->status = HEDDLE_OK;
    for (;;) {
        if (is_over(h, settings, start_time))
            break;
        if (settings->stop_at_first && happened(h)) {
            h->over = OVER_FIRST;
            break;
        }
        if (!hand_out(h, settings, processes, end_time, err))
            break;
        wait_for(h, settings, processes, progress);
        if (h->runs_count > 0 && !h->runs[0].end.ran) {
            fail(err, HEDDLE_IO, "%s", h->failure);
            break;
        }
    }
    stop_all(processes, settings->workers);
    for (unsigned i = 0; i < settings->workers; i++)
        free(processes[i].bytes);
    free(processes);
    h->seconds = seconds_now() - start_time;
    return err->status;
}
