/* Temporary files, named and unnamed. */
#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX "heddle-run-"

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

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about;
    (void)type;
    (void)where;
    remove(path);
    return 0;
}

/* Identifies the process id namespace: containers may share a folder but have process ids of their own. */
static unsigned long long process_space(void)
{
    struct stat about;

    return stat("/proc/self/ns/pid", &about) == 0 ? (unsigned long long)about.st_ino : 0;
}

/* The process that a file name of ours belongs to; 0: it is no such name, or was made in another namespace. */
static pid_t owner_of(const char *name)
{
    unsigned long long space;
    int owner, end = 0;

    if (sscanf(name, PREFIX "%llu-%d-%n", &space, &owner, &end) != 2 || end == 0 || strlen(name + end) != 6 ||
        space != process_space() || owner <= 0)
        return 0;
    return owner;
}

/* The process that waits for the end of another, which held the other end of the pipe. It must not hold anything else
 * of that process: somebody may wait for the end of its output. */
static _Noreturn void guard(const char *folder, int end)
{
    char byte;

    setsid();
    dup2(end, STDIN_FILENO);
    close_range(STDOUT_FILENO, ~0U, 0);
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
        ;
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    _exit(0);
}

int temporary_guard(const char *folder)
{
    sigset_t all, before;
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before); /* the guard is not to end by what ends us */
    pid = fork();
    if (pid == 0) {
        if (fork() == 0)
            guard(folder, ends[0]);
        _exit(0);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (pid < 0) {
        close(ends[1]);
        return -1;
    }
    return ends[1];
}

/* Removes what is ours and has no living owner. */
static void sweep(const char *folder)
{
    DIR *all = opendir(folder);
    const struct dirent *entry;
    struct stat about;

    while (all && (entry = readdir(all))) {
        pid_t owner = owner_of(entry->d_name);
        char path[4096];
        if (owner == 0 || kill(owner, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (lstat(path, &about) == 0 && about.st_uid == geteuid() && !S_ISLNK(about.st_mode))
            nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
    if (all)
        closedir(all);
}

void temporary_pattern(char *to, size_t room)
{
    sweep(temporary_folder());
    snprintf(to, room, "%s/" PREFIX "%llu-%ld-XXXXXX", temporary_folder(), process_space(), (long)getpid());
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
        fail(err, HEDDLE_IO, "the file size limit (ulimit -f) is below the %" PRIu64 " bytes that %s needs",
             bytes, purpose);
    else if (error == EMFILE)
        fail(err, HEDDLE_IO, "%s needs a file descriptor, but the limit of open files (ulimit -n) is reached",
             purpose);
    else
        fail(err, HEDDLE_IO, "cannot allocate memory for %s: %s", purpose, strerror(error));
    return -1;
}
