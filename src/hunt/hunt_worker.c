/* What the processes of the crew do: one run each, kept apart from others as far as is asked for. */
#include "base/memory.h"
#include "base/temporary.h"
#include "hunt/hunt_job.h"
#include "hunt/isolate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder that a run has to itself, if it needs one; to be freed. */
static char *own_folder(const struct hunt_job *job, pid_t hunter)
{
    const char *temporary = temporary_folder();
    size_t room = strlen(temporary) + 64;
    char *path = memory_new(room, 1);

    snprintf(path, room, "%s/heddle-hunt-%d-%u", temporary, (int)hunter, job->run);
    return path;
}

/* A copy of the folder to work in, and a folder for temporary files. */
static enum status isolate(const struct hunt_settings *own, const char *folder, struct error *err)
{
    char work[4200], temporary[4200];
    enum status status;

    snprintf(work, sizeof work, "%s/work", folder);
    snprintf(temporary, sizeof temporary, "%s/tmp", folder);
    if (mkdir(temporary, 0700) != 0)
        return fail(err, HEDDLE_IO, "%s: %s", temporary, strerror(errno));
    status = isolate_copy(own->isolate, work, own->folder, err);
    if (status == HEDDLE_OK && (chdir(work) != 0 || setenv("TMPDIR", temporary, 1) != 0))
        status = fail(err, HEDDLE_IO, "%s: %s", work, strerror(errno));
    return status;
}

/* Standard input with a position of its own: others read it at the same time. */
static enum status own_input(struct hunt_settings *own, struct error *err)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", own->replay.input_fd);
    own->replay.input_fd = open(path, O_RDONLY | O_CLOEXEC);
    return own->replay.input_fd >= 0 ? HEDDLE_OK
                                     : fail(err, HEDDLE_IO, "cannot read standard input: %s", strerror(errno));
}

/* All that is to be done before the run. */
static enum status prepare(struct hunt_settings *own, const struct hunt_job *job, char *scratch, size_t room,
                           struct bytes_in *files, bool away, struct error *err)
{
    enum status status = own_input(own, err);
    char *folder = own_folder(job, getppid());

    if (status == HEDDLE_OK && own->network)
        status = isolate_network(err);
    if (status == HEDDLE_OK && (own->isolate || away) && mkdir(folder, 0700) != 0)
        status = fail(err, HEDDLE_IO, "%s: %s", folder, strerror(errno));
    if (status == HEDDLE_OK && away) {
        snprintf(scratch, room, "%s/files", folder);
        own->scratch = scratch;
        if (mkdir(scratch, 0700) != 0 || !hunt_take_files(own, files))
            status = fail(err, HEDDLE_IO, "%s: %s", scratch, strerror(errno));
    }
    if (status == HEDDLE_OK && own->isolate)
        status = isolate(own, folder, err);
    free(folder);
    return status;
}

static void work(void *context, const unsigned char *request, size_t length, bool away, int to)
{
    struct hunt_settings own = *(const struct hunt_settings *)context;
    struct bytes_in in = {request, length};
    struct buffer files = {0};
    struct hunt_job job;
    struct error err;
    char scratch[4200];

    if (!bytes_take(&in, &job, sizeof job))
        return;
    if (job.seconds > 0 && job.seconds < own.replay.timeout) {
        own.replay.timeout = job.seconds < 1 ? 1 : (unsigned)job.seconds;
        own.hurried = true;
    }
    if (job.seconds > 0 && job.seconds < own.replay.longest)
        own.replay.longest = (unsigned)job.seconds;
    own.check.workers = 1;
    if (prepare(&own, &job, scratch, sizeof scratch, &in, away, &err) != HEDDLE_OK) {
        hunt_job_fail(&err, to);
        return;
    }
    hunt_job_run(&own, &job, to);
    if (away) {
        hunt_put_left(&own, &job, &files);
        crew_write(to, files.text, files.text_count);
        buffer_free(&files);
    }
}

/* Removes what a run had to itself. */
static void clean(void *context, const unsigned char *request, size_t length)
{
    struct bytes_in in = {request, length};
    struct hunt_job job;
    char *folder;

    (void)context;
    if (!bytes_take(&in, &job, sizeof job))
        return;
    folder = own_folder(&job, getpid());
    if (access(folder, F_OK) == 0)
        isolate_remove(folder);
    free(folder);
}

/* Removes the folders of hunts that were killed. */
static void sweep(void)
{
    const char *temporary = temporary_folder();
    DIR *list = opendir(temporary);
    const struct dirent *entry;
    char path[4200];
    int owner;

    while (list && (entry = readdir(list)) != NULL) {
        if (sscanf(entry->d_name, "heddle-hunt-%d-", &owner) != 1 || kill(owner, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(path, sizeof path, "%s/%s", temporary, entry->d_name);
        isolate_remove(path);
    }
    if (list)
        closedir(list);
}

struct crew_duty hunt_duty(const struct hunt_settings *settings)
{
    sweep();
    return (struct crew_duty){.work = work, .clean = clean, .context = (void *)settings, .patience = 60};
}
