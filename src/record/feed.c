/* The program's standard input: passed on and kept. */
#include "record/feed.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PART = 65536, PIPE_BYTES = 1 << 20, COPY_MOST = 256 << 20, PATIENCE_MILLISECONDS = 2000 };

void feed_open(struct feed *f, int fd, bool pass_on)
{
    struct stat about;
    int ends[2];

    *f = (struct feed){.fd = -1, .to = -1};
    f->start = fd >= 0 ? 0 : lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (!pass_on || fd >= 0 || fstat(STDIN_FILENO, &about) != 0 || !S_ISFIFO(about.st_mode) ||
        pipe2(ends, O_CLOEXEC) != 0)
        return;
    f->fd = ends[0];
    f->to = ends[1];
    fcntl(f->to, F_SETFL, O_NONBLOCK);
    fcntl(f->to, F_SETPIPE_SZ, PIPE_BYTES); /* if it may */
}

/* Takes more from our input, into the bytes that are not passed on yet. */
static void take_more(struct feed *f)
{
    struct pollfd one = {.fd = STDIN_FILENO, .events = POLLIN};
    ssize_t got;

    if (f->ended || f->given < f->bytes_count || poll(&one, 1, 0) <= 0)
        return;
    if (f->bytes_count > FEED_MOST) { /* it will not be kept: only what is on the way is needed */
        f->too_long = true;
        f->bytes_count = f->given = 0;
    }
    if (f->bytes_count + PART > f->bytes_capacity)
        f->bytes = memory_grow(f->bytes, &f->bytes_capacity, f->bytes_count + PART, 1);
    got = read(STDIN_FILENO, f->bytes + f->bytes_count, PART);
    f->ended = got <= 0;
    f->bytes_count += got > 0 ? (size_t)got : 0;
}

void feed_step(struct feed *f)
{
    ssize_t put = 1;

    while (f->to >= 0 && put > 0) {
        take_more(f);
        put = f->given < f->bytes_count ? write(f->to, f->bytes + f->given, f->bytes_count - f->given) : 0;
        f->given += put > 0 ? (size_t)put : 0;
        if (f->ended && f->given == f->bytes_count) {
            close(f->to);
            f->to = -1;
        }
    }
}

/* What came through our pipe: all of it if its end was seen, else what the program took. */
static bool keep_passed(struct feed *f, struct journal *j)
{
    int left = 0;

    if (f->too_long)
        return false;
    if (!f->ended) {
        ioctl(f->fd, FIONREAD, &left);
        f->bytes_count = f->given - (size_t)left;
    }
    j->standard_input = f->bytes;
    j->standard_input_length = f->bytes_count;
    f->bytes = NULL;
    return true;
}

/* A file from where it was; nothing if the program did not read it. */
static bool keep_file(struct feed *f, int fd, off_t start, struct journal *j)
{
    off_t now = lseek(fd, 0, SEEK_CUR), end = lseek(fd, 0, SEEK_END);
    size_t have = 0, length = now != start && end > start ? (size_t)(end - start) : 0;

    lseek(fd, now, SEEK_SET);
    f->too_long = length > FEED_MOST;
    if (now < 0 || start < 0 || f->too_long)
        return false;
    j->standard_input = memory_new(length + 1, 1);
    for (ssize_t got = 1; have < length && got > 0; have += got > 0 ? (size_t)got : 0)
        got = pread(fd, j->standard_input + have, length - have, start + (off_t)have);
    j->standard_input_length = have;
    return true;
}

void feed_keep(struct feed *f, int fd, struct journal *j)
{
    off_t start = fd < 0 ? f->start : 0;
    struct stat about;

    if (fd < 0)
        fd = STDIN_FILENO;
    if (f->fd >= 0)
        j->has_standard_input = keep_passed(f, j);
    else if (fstat(fd, &about) != 0)
        j->has_standard_input = false;
    else if (S_ISREG(about.st_mode))
        j->has_standard_input = keep_file(f, fd, start, j);
    else
        j->has_standard_input = S_ISCHR(about.st_mode) && about.st_rdev == makedev(1, 3); /* the null device */
}

void feed_close(struct feed *f)
{
    if (f->fd >= 0)
        close(f->fd);
    if (f->to >= 0)
        close(f->to);
    free(f->bytes);
}

int feed_file(const struct journal *j)
{
    int fd = memfd_create("heddle-input", MFD_CLOEXEC);
    size_t put = 0;

    while (fd >= 0 && put < j->standard_input_length) {
        ssize_t now = write(fd, j->standard_input + put, j->standard_input_length - put);
        if (now <= 0) {
            close(fd);
            return -1;
        }
        put += (size_t)now;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

/* Says so once if nothing comes for a while: the end of a pipe that is never closed never comes. */
static void await_input(bool *told, note_taker *notes)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

    if (*told || poll(&in, 1, PATIENCE_MILLISECONDS) != 0)
        return;
    note_add(notes, NOTE_NEWS,
             "waiting for the end of standard input, which each run is given; use </dev/null if the program "
             "reads none");
    *told = true;
}

/* Copies what comes through the pipe. */
static enum status copy_input(int to, note_taker *notes, struct error *err)
{
    char part[PART];
    size_t copied = 0;
    bool told = false;

    for (;;) {
        await_input(&told, notes);
        ssize_t got = read(STDIN_FILENO, part, sizeof part);
        if (got <= 0)
            return HEDDLE_OK;
        copied += (size_t)got;
        if (copied > COPY_MOST)
            return fail(err, HEDDLE_UNSUPPORTED,
                        "standard input is a pipe with more than %d MB, too much to keep a copy for each run: "
                        "write it to a file and use <FILE",
                        COPY_MOST >> 20);
        if (write(to, part, (size_t)got) != got)
            return fail(err, HEDDLE_IO, "cannot store a copy of standard input: %s", strerror(errno));
    }
}

enum status feed_repeatable(int *fd, note_taker *notes, struct error *err)
{
    enum status status;

    if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0) {
        *fd = -1;
        return HEDDLE_OK;
    }
    if (isatty(STDIN_FILENO))
        return fail(err, HEDDLE_BAD_USAGE, "two passes need an input that can be read twice, not a terminal");
    *fd = memfd_create("heddle-input", MFD_CLOEXEC);
    if (*fd < 0)
        return HEDDLE_OK;
    status = copy_input(*fd, notes, err);
    if (status != HEDDLE_OK) {
        close(*fd);
        *fd = -1;
        return status;
    }
    lseek(*fd, 0, SEEK_SET);
    return HEDDLE_OK;
}
