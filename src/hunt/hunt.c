/* The hunt as a whole: jobs in processes of their own, so many at a time, until there is a reason to stop. */
#include "hunt/hunt.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "hunt/hunt_job.h"
#include "hunt/isolate.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    GRACE = 1,            /* seconds that a job has beyond its time before it is killed */
    SHORTEN_SECONDS = 20, /* at most, for shorter schedules */
    SHORTEN_SHARE = 8,    /* of the hunt's time, one part in so many is kept for them once something happened */
};

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

/* The folder that an isolated run has to itself; to be freed. */
static char *own_folder(const struct hunt_job *job, pid_t hunter)
{
    const char *temporary = temporary_folder();
    size_t room = strlen(temporary) + 64;
    char *path = memory_new(room, 1);

    snprintf(path, room, "%s/heddle-hunt-%d-%u", temporary, (int)hunter, job->run);
    return path;
}

/* Takes this process away from what other runs can touch, as far as is asked for. */
static enum status isolate(struct hunt_settings *own, const struct hunt_job *job, struct error *err)
{
    char *folder = own->isolate ? own_folder(job, getppid()) : NULL, work[4200], temporary[4200];
    enum status status = own->network ? isolate_network(err) : HEDDLE_OK;

    if (folder && status == HEDDLE_OK) {
        snprintf(work, sizeof work, "%s/work", folder);
        snprintf(temporary, sizeof temporary, "%s/tmp", folder);
        if (mkdir(folder, 0700) != 0 || mkdir(temporary, 0700) != 0)
            status = fail(err, HEDDLE_IO, "%s: %s", folder, strerror(errno));
        else
            status = isolate_copy(own->isolate, work, own->folder, err);
        if (status == HEDDLE_OK && (chdir(work) != 0 || setenv("TMPDIR", temporary, 1) != 0))
            status = fail(err, HEDDLE_IO, "%s: %s", work, strerror(errno));
    }
    free(folder);
    return status;
}

/* In the new process: the run, and nothing else of the hunt. */
static _Noreturn void work(const struct hunt_settings *settings, const struct hunt_job *job, int to)
{
    struct hunt_settings own = *settings;
    struct error err;

    setpgid(0, 0);
    if (job->seconds > 0 && job->seconds < own.replay.timeout)
        own.replay.timeout = job->seconds < 1 ? 1 : (unsigned)job->seconds;
    own.check.workers = 1;
    if (isolate(&own, job, &err) == HEDDLE_OK)
        hunt_job_run(&own, job, to);
    else
        hunt_job_fail(&err, to);
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

/* Whether somebody may ask for the files of the run. */
static bool is_needed(const struct hunt *h, uint32_t run)
{
    bool needed = run == 1;

    for (size_t i = 0; i < h->problems_count && !needed; i++)
        needed = h->problems[i].run == run || h->problems[i].observed_run == run;
    for (size_t i = 0; i < h->candidates_count && !needed; i++)
        needed = h->candidates[i].run == run && h->candidates[i].left > 0;
    return needed;
}

static void discard(const struct hunt_settings *settings, uint32_t run)
{
    static const char *const endings[] = {"htr", "json", "candidates.json", "schedule", "ticks"};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path = hunt_path(settings, run, endings[i]);
        unlink(path);
        free(path);
    }
}

/* Removes what an isolated run left behind. */
static void clean(const struct hunt_settings *settings, const struct hunt_job *job)
{
    char *folder;

    if (!settings->isolate)
        return;
    folder = own_folder(job, getpid());
    isolate_remove(folder);
    free(folder);
}

static void finish(struct hunt *h, const struct hunt_settings *settings, struct hunt_process *p)
{
    struct hunt_report report;

    close(p->from);
    kill(-p->pid, SIGKILL); /* what it may have left behind */
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    p->pid = 0;
    clean(settings, &p->job);
    if (!hunt_report_read(&report, p->bytes, p->bytes_count)) {
        hunt_report_free(&report);
        snprintf(report.end.words, sizeof report.end.words, "the run was cut short");
    }
    hunt_merge(h, &p->job, &report);
    hunt_report_free(&report);
    h->runs[h->runs_count - 1].second = seconds_now() - h->started;
    if (p->job.kind != JOB_SHORTEN && !is_needed(h, p->job.run))
        discard(settings, p->job.run);
}

static bool happened(const struct hunt *h)
{
    for (size_t i = 0; i < h->problems_count; i++)
        if (h->problems[i].kind == PROBLEM_HAPPENED)
            return true;
    return false;
}

/* Whether it is time to stop searching, and why. */
static bool is_over(struct hunt *h, const struct hunt_settings *settings)
{
    double kept = happened(h) ? settings->seconds / SHORTEN_SHARE : 0;

    if (*settings->stop)
        h->over = OVER_STOPPED;
    else if (settings->seconds > 0 && seconds_now() - h->started >= settings->seconds - kept)
        h->over = OVER_TIME;
    else if (settings->most_runs > 0 && h->runs_count >= settings->most_runs)
        h->over = OVER_RUNS;
    else if (settings->stop_at_first && happened(h))
        h->over = OVER_FIRST;
    else
        return false;
    return true;
}

/* Waits for the processes to say something, at most a moment. */
static void wait_for(struct hunt *h, const struct hunt_settings *settings, struct hunt_process *processes,
                     unsigned count, hunt_progress *progress)
{
    struct pollfd *fds = memory_new(count, sizeof *fds);

    for (unsigned i = 0; i < count; i++)
        fds[i] = (struct pollfd){.fd = processes[i].pid ? processes[i].from : -1, .events = POLLIN};
    if (poll(fds, count, 200) >= 0)
        for (unsigned i = 0; i < count; i++) {
            if (!processes[i].pid || !fds[i].revents || !receive(&processes[i]))
                continue;
            finish(h, settings, &processes[i]);
            if (progress)
                progress(h, settings);
        }
    for (unsigned i = 0; i < count; i++)
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

static void stop_all(const struct hunt_settings *settings, struct hunt_process *processes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (!processes[i].pid)
            continue;
        kill(-processes[i].pid, SIGKILL);
        close(processes[i].from);
        while (waitpid(processes[i].pid, NULL, 0) < 0 && errno == EINTR)
            ;
        processes[i].pid = 0;
        clean(settings, &processes[i].job);
    }
}

/* Runs parts of the schedules of what happened, one at a time, until they are short or the time is up. */
static void shorten(struct hunt *h, const struct hunt_settings *settings, struct hunt_process *p,
                    hunt_progress *progress, double end_time, struct error *err)
{
    struct hunt_shortening state = {0};
    struct hunt_job job;

    while (!*settings->stop && seconds_now() < end_time && hunt_shorten_next(h, &state, &job)) {
        uint32_t base = h->problems[state.problem].run;
        job.run = (uint32_t)h->runs_count + 1;
        job.seed = settings->seed;
        job.seconds = end_time - seconds_now();
        if (start(settings, &job, p, err) != HEDDLE_OK)
            return;
        while (p->pid)
            wait_for(h, settings, p, 1, progress);
        hunt_shorten_take(h, &state, &job, &h->runs[h->runs_count - 1].end);
        if (!is_needed(h, job.run) && state.base != job.run)
            discard(settings, job.run);
        else if (!is_needed(h, base) && state.base != base)
            discard(settings, base);
    }
}

/* Searches until there is a reason to stop. */
static void search(struct hunt *h, const struct hunt_settings *settings, struct hunt_process *processes,
                   hunt_progress *progress, struct error *err)
{
    double end_time = settings->seconds > 0 ? h->started + settings->seconds : 0;

    while (!is_over(h, settings)) {
        if (!hand_out(h, settings, processes, end_time, err))
            break;
        wait_for(h, settings, processes, settings->workers, progress);
        if (h->runs_count > 0 && !h->runs[0].end.ran) {
            fail(err, HEDDLE_IO, "%s", h->failure);
            break;
        }
    }
    stop_all(settings, processes, settings->workers);
}

enum status hunt_program(const struct hunt_settings *settings, struct hunt *h, hunt_progress *progress,
                         struct error *err)
{
    struct hunt_process *processes = memory_new(settings->workers, sizeof *processes);
    double end_time;

    memset(h, 0, sizeof *h);
    h->started = seconds_now();
    err->status = HEDDLE_OK;
    search(h, settings, processes, progress, err);
    h->searched = h->runs_count;
    end_time = seconds_now() + SHORTEN_SECONDS;
    if (settings->seconds > 0 && end_time > h->started + settings->seconds)
        end_time = h->started + settings->seconds;
    if (err->status == HEDDLE_OK)
        shorten(h, settings, processes, progress, end_time, err);
    stop_all(settings, processes, 1);
    for (unsigned i = 0; i < settings->workers; i++)
        free(processes[i].bytes);
    free(processes);
    h->seconds = seconds_now() - h->started;
    return err->status;
}
