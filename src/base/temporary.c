/* Where temporary files go, and those without a name. */
#include "base/temporary.h"

#include <fcntl.h>
#include <stdlib.h>
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
