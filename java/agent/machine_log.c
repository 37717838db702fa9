/* The files of a recorded machine. */
#include "machine_log.h"
#include "runtime/protocol/java_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
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

bool machine_log_open(struct machine_log *log, const char *folder, uint64_t records)
{
    size_t bytes = sizeof *log->header + records * sizeof(struct java_record);
    int fd = make_file(folder, "log");

    log->list = make_file(folder, "list");
    if (fd < 0 || log->list < 0)
        return false;
    log->header = MAP_FAILED;
    if (ftruncate(fd, (off_t)bytes) == 0)
        log->header = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (log->header == MAP_FAILED) {
        fprintf(stderr, "heddle: cannot allocate a log of %zu bytes: %s\n", bytes, strerror(errno));
        return false;
    }
    log->header->magic = JAVA_LOG_MAGIC;
    log->header->capacity = records;
    log->header->pid = (uint64_t)getpid();
    return true;
}

void log_list(struct machine_log *log, const struct bytes *entries)
{
    const uint8_t *at = entries->data;
    size_t left = entries->data_count;

    while (left > 0) {
        ssize_t written = write(log->list, at, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; /* the disk is full: what follows has no names */
        at += written;
        left -= (size_t)written;
    }
}
