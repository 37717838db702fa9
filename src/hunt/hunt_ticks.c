/* Where the events of a run stand in their threads, kept in a file: the number of events, whether bytecodes follow, the ticks of
 * each event from 0 on, the bytecodes. Read by the same program that wrote it. */
#include "base/memory.h"
#include "hunt/hunt_job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void hunt_write_ticks(const char *path, const struct replay_result *r)
{
    uint64_t head[2] = {r->trace.count, r->bytecodes != NULL};
    FILE *to = fopen(path, "wb");

    if (!to || !r->ticks) { /* nobody can run along its findings then, which they will be told */
        if (to)
            fclose(to);
        return;
    }
    fwrite(head, sizeof head, 1, to);
    fwrite(r->ticks, sizeof *r->ticks, r->trace.count + 1, to);
    if (r->bytecodes)
        fwrite(r->bytecodes, sizeof *r->bytecodes, r->trace.count + 1, to);
    fclose(to);
}

enum status hunt_read_ticks(const char *path, size_t events, struct replay_result *to, struct error *err)
{
    FILE *from = fopen(path, "rb");
    uint64_t head[2];
    bool good;

    if (!from)
        return fail(err, HEDDLE_IO, "%s: %s", path, strerror(errno));
    good = fread(head, sizeof head, 1, from) == 1 && head[0] == events;
    if (good) {
        to->ticks = memory_new(events + 1, sizeof *to->ticks);
        good = fread(to->ticks, sizeof *to->ticks, events + 1, from) == events + 1;
    }
    if (good && head[1]) {
        to->bytecodes = memory_new(events + 1, sizeof *to->bytecodes);
        good = fread(to->bytecodes, sizeof *to->bytecodes, events + 1, from) == events + 1;
    }
    fclose(from);
    return good ? HEDDLE_OK : fail(err, HEDDLE_BAD_REPORT, "%s: is not of that run", path);
}
