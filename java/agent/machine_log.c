/* The files of a recorded machine. */
#include "machine_log.h"
#include "runtime/protocol/java_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int make_file(const char *folder, const char *kind)
{
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%s/%ld.%s", folder, (long)getpid(), kind);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0600);
    if (fd < 0)
        fprintf(stderr, "heddle: cannot create %s: %s\n", path, strerror(errno));
    return fd;
}

unsigned machine_number(const char *folder)
{
    char path[4096], text[32];
    int length = snprintf(text, sizeof text, "%ld", (long)getpid());

    for (unsigned number = 1; number < 1u << 16; number++) {
        snprintf(path, sizeof path, "%s/" JAVA_MACHINE "%u", folder, number);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno == EEXIST)
            continue;
        bool done = fd >= 0 && write(fd, text, (size_t)length) == length;
        if (fd >= 0)
            close(fd);
        return done ? number : 0;
    }
    return 0;
}

enum { FIRST_BYTES = 1 << 20, MOST_BYTES = 64 << 20 };

/* Makes the file so long, with room on the disk; returns 0 or an errno. A limit of the size of files is no reason to
 * end the program, which the signal about it would do. */
static int allocate(int fd, uint64_t bytes)
{
    const struct timespec at_once = {0};
    sigset_t limit, before;
    struct stat about;
    int error;

    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    error = fstat(fd, &about) == 0 ? posix_fallocate(fd, about.st_size, (off_t)bytes - about.st_size) : errno;
    if (error == EFBIG && !sigismember(&before, SIGXFSZ))
        sigtimedwait(&limit, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static size_t bytes_for(uint64_t records)
{
    return sizeof(struct java_log_header) + records * sizeof(struct java_record);
}

/* The header says so once and for all; threads that ask for a slot are sent here. */
static void end_log(struct machine_log *log, int error)
{
    struct java_log_header *header = log->header;
    uint64_t next = atomic_fetch_or((_Atomic uint64_t *)&header->next, JAVA_LOG_ENDED);

    if (next & JAVA_LOG_ENDED)
        return;
    header->kept = next < log->ready ? next : log->ready;
    header->error = (uint64_t)error;
    header->ended = 1;
}

bool machine_log_open(struct machine_log *log, const char *folder, uint64_t records)
{
    size_t bytes = bytes_for(records);
    int error;

    log->file = make_file(folder, "log");
    log->list = make_file(folder, "list");
    if (log->file < 0 || log->list < 0)
        return false;
    log->ready = (FIRST_BYTES - bytes_for(0)) / sizeof(struct java_record);
    if (log->ready > records)
        log->ready = records;
    error = allocate(log->file, bytes_for(log->ready));
    log->header = MAP_FAILED;
    if (error == 0) {
        log->header = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, log->file, 0);
        error = errno;
    }
    if (log->header == MAP_FAILED) {
        fprintf(stderr, "heddle: cannot allocate a log in %s: %s (set TMPDIR to a folder with enough space)\n",
                folder, strerror(error));
        return false;
    }
    log->header->capacity = records;
    log->header->pid = (uint64_t)getpid();
    log->header->magic = JAVA_LOG_MAGIC;
    return true;
}

uint64_t machine_log_grow(struct machine_log *log, uint64_t record)
{
    while (log->ready <= record && !log->header->ended) {
        uint64_t more =
            bytes_for(log->ready) < MOST_BYTES ? log->ready : MOST_BYTES / sizeof(struct java_record);
        uint64_t ready = log->ready + more < log->header->capacity ? log->ready + more : log->header->capacity;
        int error = ready > log->ready ? allocate(log->file, bytes_for(ready)) : 0;
        if (error || ready == log->ready)
            end_log(log, error);
        else
            log->ready = ready;
    }
    return log->ready;
}

void log_list(struct machine_log *log, const struct bytes *entries)
{
    const uint8_t *at = entries->data;
    size_t left = entries->data_count;

    while (left > 0 && !log->header->ended) {
        ssize_t written = write(log->list, at, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) { /* what follows would have no names */
            end_log(log, written < 0 ? errno : ENOSPC);
            return;
        }
        at += written;
        left -= (size_t)written;
    }
}
