/* The files of runs, sent from rank to rank: nothing is taken for granted about a folder that all machines share. */
#include "base/memory.h"
#include "hunt/hunt_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_TRACE, FILE_REPORT, FILE_CANDIDATES, FILE_READS, FILE_SCHEDULE, FILE_TICKS, FILES };
static const char *const endings[] = {"htr", "json", "candidates.json", "reads.json", "schedule", "ticks"};

struct file_head {
    uint32_t run, ending;
    uint64_t length;
};

/* Puts the file, if it is there. */
static void put_file(const struct hunt_settings *settings, uint32_t run, uint32_t ending, struct buffer *to)
{
    char *path = hunt_path(settings, run, endings[ending]), part[1 << 14];
    FILE *from = fopen(path, "rb");
    size_t start = to->text_count, got;
    struct file_head head = {run, ending, 0};

    if (from) {
        bytes_put(to, &head, sizeof head);
        while ((got = fread(part, 1, sizeof part, from)) > 0)
            bytes_put(to, part, got);
        fclose(from);
        head.length = to->text_count - start - sizeof head;
        memcpy(to->text + start, &head, sizeof head);
    }
    free(path);
}

void hunt_put_needed(const struct hunt_settings *settings, const struct hunt_job *job, struct buffer *to)
{
    bool findings = job->kind == JOB_FINDING || job->kind == JOB_CANDIDATE || job->kind == JOB_READ ||
                    job->kind == JOB_CONFIRM;

    if (findings || job->kind == JOB_REPEAT)
        put_file(settings, job->parent, FILE_TRACE, to);
    if (findings) {
        put_file(settings, job->parent,
                 job->kind == JOB_CANDIDATE ? FILE_CANDIDATES
                 : job->kind == JOB_READ    ? FILE_READS
                                            : FILE_REPORT,
                 to);
        put_file(settings, job->parent, FILE_TICKS, to);
    }
    if (job->kind == JOB_SHORTEN || (job->kind == JOB_FREE && job->parent))
        put_file(settings, job->parent, FILE_SCHEDULE, to);
}

void hunt_put_left(const struct hunt_settings *settings, const struct hunt_job *job, struct buffer *to)
{
    for (uint32_t i = 0; i < FILES; i++)
        put_file(settings, job->run, i, to);
}

bool hunt_take_files(const struct hunt_settings *settings, struct bytes_in *from)
{
    while (from->left > 0) {
        struct file_head head;
        char *path;
        bool good;
        FILE *to;
        if (!bytes_take(from, &head, sizeof head) || head.ending >= FILES || head.length > from->left)
            return false;
        path = hunt_path(settings, head.run, endings[head.ending]);
        to = fopen(path, "wb");
        good = to && fwrite(from->at, 1, head.length, to) == head.length;
        good = (to && fclose(to) == 0) && good;
        free(path);
        if (!good)
            return false;
        from->at += head.length;
        from->left -= head.length;
    }
    return true;
}

void hunt_discard(const struct hunt_settings *settings, uint32_t run)
{
    for (size_t i = 0; i < FILES; i++) {
        char *path = hunt_path(settings, run, endings[i]);
        unlink(path);
        free(path);
    }
}
