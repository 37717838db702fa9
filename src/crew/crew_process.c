/* Workers of this rank: processes that answer one request each. */
#include "crew/crew_process.h"
#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void crew_write(int to, const void *bytes, size_t length)
{
    while (length > 0) {
        ssize_t done = write(to, bytes, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return;
        bytes = (const char *)bytes + done;
        length -= (size_t)done;
    }
}

enum status crew_process_start(struct crew_process *p, const struct crew_duty *duty, uint64_t id,
                               const void *request, size_t length, double seconds, bool away, struct error *err)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) /* a program that outlives its run must not keep it open */
        return fail(err, HEDDLE_IO, "cannot create a pipe: %s", strerror(errno));
    free(p->request);
    p->request = memory_new(length + 1, 1);
    p->request_length = length;
    memcpy(p->request, request, length);
    fflush(NULL);
    p->pid = fork();
    if (p->pid == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody else would clean up after it */
        close(ends[0]);
        duty->work(duty->context, p->request, length, away, ends[1]);
        close(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    if (p->pid < 0) {
        p->pid = 0;
        close(ends[0]);
        return fail(err, HEDDLE_IO, "cannot fork: %s", strerror(errno));
    }
    setpgid(p->pid, p->pid); /* whoever of the two is first */
    p->from = ends[0];
    p->id = id;
    p->deadline = seconds > 0 ? seconds_now() + seconds : 0;
    p->bytes_count = 0;
    return HEDDLE_OK;
}

bool crew_process_read(struct crew_process *p)
{
    unsigned char part[1 << 16];
    ssize_t got = read(p->from, part, sizeof part);

    if (got < 0 && errno == EINTR)
        return false;
    if (got <= 0)
        return true;
    if (p->bytes_count + (size_t)got > p->bytes_capacity)
        p->bytes = memory_grow(p->bytes, &p->bytes_capacity, p->bytes_count + (size_t)got, 1);
    memcpy(p->bytes + p->bytes_count, part, (size_t)got);
    p->bytes_count += (size_t)got;
    return false;
}

void crew_process_end(struct crew_process *p, const struct crew_duty *duty)
{
    kill(-p->pid, SIGKILL); /* it, or what it may have left behind */
    close(p->from);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    p->pid = 0;
    if (duty->clean)
        duty->clean(duty->context, p->request, p->request_length);
}
