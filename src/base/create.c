/* Creates files that the user asked for. */
#include "base/create.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether others may create files in the folder of the path, and nobody but the owner may remove them. */
static bool is_sticky(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096] = ".";
    struct stat about;

    if (slash && (size_t)(slash - path) + 1 < sizeof folder) {
        memcpy(folder, path, (size_t)(slash - path) + 1);
        folder[slash - path + 1] = '\0';
    }
    return stat(folder, &about) == 0 && about.st_mode & S_ISVTX;
}

static int create(const char *path, int mode, struct error *err)
{
    int links = is_sticky(path) ? O_NOFOLLOW : 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | mode | links, 0666);

    if (fd < 0 && errno == ELOOP && links)
        fail(err, HEDDLE_IO, "%s: is a link in a folder that others can write to; not followed", path);
    else if (fd < 0)
        fail(err, HEDDLE_IO, "%s: %s", path, strerror(errno));
    return fd;
}

int create_descriptor(const char *path, struct error *err)
{
    return create(path, O_TRUNC, err);
}

int create_over(const char *path, uint64_t most, uint64_t *kept, struct error *err)
{
    int fd = create(path, 0, err);
    struct stat about;

    *kept = 0;
    if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        return fd;
    if (about.st_size >= 0 && (uint64_t)about.st_size <= most) {
        *kept = (uint64_t)about.st_size;
    } else if (ftruncate(fd, 0) != 0) {
        fail(err, HEDDLE_IO, "%s: %s", path, strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

FILE *create_stream(const char *path, struct error *err)
{
    int fd = create_descriptor(path, err);
    FILE *stream = fd >= 0 ? fdopen(fd, "w") : NULL;

    if (fd >= 0 && !stream) {
        fail(err, HEDDLE_IO, "%s: %s", path, strerror(errno));
        close(fd);
    }
    return stream;
}
