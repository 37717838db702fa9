/* Where temporary files go, and those without a name. */
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *temporary_folder(void)
{
    const char *chosen = getenv("TMPDIR");

    return chosen && *chosen ? chosen : "/tmp";
}

FILE *temporary_file(void)
{
    char path[4096];
    FILE *file;
    int fd;

    snprintf(path, sizeof path, "%s/heddle-XXXXXX", temporary_folder());
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return NULL;
    unlink(path);
    file = fdopen(fd, "w+b");
    if (!file)
        close(fd);
    return file;
}

int temporary_memory(const char *purpose, uint64_t bytes, struct error *err)
{
    int fd = memfd_create("heddle", MFD_CLOEXEC), error;

    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0)
        return fd;
    error = errno;
    if (fd >= 0)
        close(fd);
    if (error == EFBIG)
        fail(err, HEDDLE_IO, "the limit of file sizes (ulimit -f) is below the %" PRIu64 " bytes that %s needs",
             bytes, purpose);
    else if (error == EMFILE)
        fail(err, HEDDLE_IO, "%s needs a descriptor, and the limit of open files (ulimit -n) is reached",
             purpose);
    else
        fail(err, HEDDLE_IO, "no memory for %s: %s", purpose, strerror(error));
    return -1;
}
