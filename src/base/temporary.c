/* Files that are gone when they are closed. */
#include "base/temporary.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

FILE *temporary_file(void)
{
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%s/heddle-XXXXXX", folder);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return NULL;
    unlink(path);
    return fdopen(fd, "w+b");
}
