/* Files, names of files and the environment: who looked at what, and who changed it. */
#include "runtime/libc/surroundings.h"
#include "runtime/runtime.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/places.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
    STANDARD_STREAMS = 3,
    PATH_MOST = 4096,
    MEMORY_DEVICES = 1, /* the null device, zeros and random numbers */
};

uint64_t surroundings_content(int fd)
{
    struct stat about = {0};

    if (rt.instances <= 1 || fd < STANDARD_STREAMS ||
        system_call(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) != 0 || !S_ISREG(about.st_mode))
        return 0;
    return place_content(about.st_dev, about.st_ino);
}

/* Something of the kernel's that tells of others, and may tell of any file (inotify). */
static bool tells_of_files(int fd)
{
    struct stat about = {0};

    return rt.instances > 1 && system_call(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) == 0 &&
           (about.st_mode & S_IFMT) == 0;
}

void surroundings_read(int fd, uintptr_t pc)
{
    uint64_t key = rt.exploring ? 0 : surroundings_content(fd);

    if (key)
        place_look(key, pc);
    else if (!rt.exploring && tells_of_files(fd))
        place_after_all(pc);
}

void surroundings_wrote(int fd, uintptr_t pc)
{
    uint64_t key = rt.exploring ? 0 : surroundings_content(fd);

    if (key)
        place_overwrite(key, pc);
}

/* Where the folder cannot be found, the text of the path stands for itself. */
static uint64_t file_key(int folder, const char *path)
{
    char way[PATH_MOST];
    struct stat about;

    if (!place_folder(path, way, sizeof way) ||
        system_call(SYS_newfstatat, folder, (long)way, (long)&about, 0, 0, 0) != 0)
        return place_path(path);
    return place_name(about.st_dev, about.st_ino, path);
}

bool surroundings_begin(uintptr_t pc)
{
    return rt.ready && recording() && !local.inside && rt.instances > 1 && module_instrumented(pc) &&
           sync_enter(pc);
}

/* The same, where exploration has its own model of the call. A name of NULL is left to the C library to refuse. */
static bool begin(const char *name, uintptr_t pc)
{
    return name && !rt.exploring && surroundings_begin(pc);
}

static void note(uint64_t key, bool changed, uintptr_t pc)
{
    if (changed)
        place_change(key, pc);
    else
        place_look(key, pc);
}

static void end(uint64_t key, bool changed, uintptr_t pc)
{
    int error = errno;

    note(key, changed, pc);
    sync_leave();
    errno = error;
}

#define FIND(name)                                                                                             \
    if (!real.name)                                                                                            \
    real_find()

/* A call that changes what has the key if it returns 0, or one that only finds out. */
#define CALL(changes, result_type, function, parameters, arguments, name, key)                                 \
    EXPORT result_type function parameters                                                                     \
    {                                                                                                          \
        result_type result;                                                                                    \
        uint64_t of;                                                                                           \
                                                                                                               \
        FIND(function);                                                                                        \
        if (!begin(name, CALLER))                                                                              \
            return real.function arguments;                                                                    \
        of = key;                                                                                              \
        result = real.function arguments;                                                                      \
        end(of, (changes) && result == 0, CALLER);                                                             \
        return result;                                                                                         \
    }
#define IN_ENVIRONMENT(changes, type, function, parameters, arguments, name)                                   \
    CALL(changes, type, function, parameters, arguments, name, place_variable(name))
#define IN_FOLDER(changes, function, parameters, arguments, folder, path)                                      \
    CALL(changes, int, function, parameters, arguments, path, file_key(folder, path))

IN_ENVIRONMENT(false, char *, getenv, (const char *name), (name), name)
IN_ENVIRONMENT(false, char *, secure_getenv, (const char *name), (name), name)
IN_ENVIRONMENT(true, int, setenv, (const char *name, const char *value, int over), (name, value, over), name)
IN_ENVIRONMENT(true, int, unsetenv, (const char *name), (name), name)
IN_ENVIRONMENT(true, int, putenv, (char *text), (text), text)

/* All variables that anybody has looked at or set. */
EXPORT int clearenv(void)
{
    int result;

    FIND(clearenv);
    if (!begin("", CALLER))
        return real.clearenv();
    result = real.clearenv();
    place_change_all(CALLER);
    end(place_variable(""), true, CALLER);
    return result;
}

IN_FOLDER(true, mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
IN_FOLDER(true, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), folder, path)
IN_FOLDER(true, mkfifo, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
IN_FOLDER(true, rmdir, (const char *path), (path), AT_FDCWD, path)
IN_FOLDER(true, unlink, (const char *path), (path), AT_FDCWD, path)
IN_FOLDER(true, unlinkat, (int folder, const char *path, int flags), (folder, path, flags), folder, path)
IN_FOLDER(true, remove, (const char *path), (path), AT_FDCWD, path)
IN_FOLDER(true, symlink, (const char *from, const char *to), (from, to), AT_FDCWD, to)
IN_FOLDER(true, symlinkat, (const char *from, int folder, const char *to), (from, folder, to), folder, to)
IN_FOLDER(true, link, (const char *from, const char *to), (from, to), AT_FDCWD, to)
IN_FOLDER(true, linkat, (int from_folder, const char *from, int folder, const char *to, int flags),
          (from_folder, from, folder, to, flags), folder, to)
IN_FOLDER(true, chmod, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
IN_FOLDER(false, access, (const char *path, int mode), (path, mode), AT_FDCWD, path)
IN_FOLDER(false, faccessat, (int folder, const char *path, int mode, int flags), (folder, path, mode, flags),
          folder, path)

/* What is found out of a file is its size, too. */
static void looked_at(uint64_t key, const struct stat *found, uintptr_t pc)
{
    int error = errno;

    if (found && S_ISREG(found->st_mode))
        place_look(place_content(found->st_dev, found->st_ino), pc);
    place_look(key, pc);
    sync_leave();
    errno = error;
}

#define STATS(function, parameters, arguments, folder)                                                         \
    EXPORT int function parameters                                                                             \
    {                                                                                                          \
        uint64_t of;                                                                                           \
        int result;                                                                                            \
                                                                                                               \
        FIND(function);                                                                                        \
        if (!begin(path, CALLER))                                                                              \
            return real.function arguments;                                                                    \
        of = file_key(folder, path);                                                                           \
        result = real.function arguments;                                                                      \
        looked_at(of, result == 0 ? to : NULL, CALLER);                                                        \
        return result;                                                                                         \
    }

STATS(stat, (const char *restrict path, struct stat *restrict to), (path, to), AT_FDCWD)
STATS(lstat, (const char *restrict path, struct stat *restrict to), (path, to), AT_FDCWD)
STATS(fstatat, (int folder, const char *restrict path, struct stat *restrict to, int flags),
      (folder, path, to, flags), folder)

EXPORT int fstat(int fd, struct stat *to)
{
    int result;

    FIND(fstat);
    if (!begin("", CALLER))
        return real.fstat(fd, to);
    result = real.fstat(fd, to);
    surroundings_read(fd, CALLER);
    sync_leave();
    return result;
}

EXPORT int ftruncate(int fd, off_t length)
{
    int result;

    FIND(ftruncate);
    if (!begin("", CALLER))
        return real.ftruncate(fd, length);
    result = real.ftruncate(fd, length);
    surroundings_wrote(fd, CALLER);
    sync_leave();
    return result;
}

static int rename_in(int from_folder, const char *from, int folder, const char *to,
                     int (*call)(const char *, const char *),
                     int (*call_at)(int, const char *, int, const char *), uintptr_t pc)
{
    uint64_t source = file_key(from_folder, from), target = file_key(folder, to);
    int result = call ? call(from, to) : call_at(from_folder, from, folder, to), error = errno;

    note(target, result == 0, pc);
    errno = error;
    end(source, result == 0, pc);
    return result;
}

EXPORT int rename(const char *from, const char *to)
{
    FIND(rename);
    if (!to || !begin(from, CALLER))
        return real.rename(from, to);
    return rename_in(AT_FDCWD, from, AT_FDCWD, to, real.rename, NULL, CALLER);
}

EXPORT int renameat(int from_folder, const char *from, int folder, const char *to)
{
    FIND(renameat);
    if (!to || !begin(from, CALLER))
        return real.renameat(from_folder, from, folder, to);
    return rename_in(from_folder, from, folder, to, NULL, real.renameat, CALLER);
}

/* What is read from it is gone for the run that is seen: a pipe or a terminal that has a name. */
static bool is_consumed(int folder, const char *path)
{
    struct stat about;

    if (!path || system_call(SYS_newfstatat, folder, (long)path, (long)&about, 0, 0, 0) != 0)
        return false;
    if (S_ISCHR(about.st_mode))
        return major(about.st_rdev) != MEMORY_DEVICES;
    return S_ISFIFO(about.st_mode) || S_ISBLK(about.st_mode);
}

/* A confined run ends before it opens what must not be read twice: by a call that its filter does not permit, and that would do
 * nothing without one. The filter itself cannot see names. */
static void confine(int folder, const char *path)
{
    if (rt.session && rt.session->confined && is_consumed(folder, path))
        system_call(SYS_kill, 1, 0, 0, 0, 0, 0);
}

static bool is_there(int folder, const char *path)
{
    return system_call(SYS_faccessat, folder, (long)path, F_OK, 0, 0, 0) == 0;
}

EXPORT int creat(const char *path, mode_t mode)
{
    uint64_t key;
    bool was;
    int fd;

    FIND(creat);
    if (!begin(path, CALLER))
        return real.creat(path, mode);
    key = file_key(AT_FDCWD, path);
    was = is_there(AT_FDCWD, path);
    fd = real.creat(path, mode);
    end(key, fd >= 0 && !was, CALLER);
    return fd;
}

/* A named pipe that is opened to read or to write waits until the other end is opened, too. */
struct other_end {
    bool waits;
    uint64_t own, other; /* places: this end, that one */
};

static struct other_end end_awaited(int folder, const char *path, int flags)
{
    struct stat about;
    int way = flags & O_ACCMODE;
    struct other_end ends = {0};

    if (rt.session && recording() && !(flags & (O_NONBLOCK | O_PATH)) && way != O_RDWR && path &&
        system_call(SYS_newfstatat, folder, (long)path, (long)&about, 0, 0, 0) == 0 &&
        S_ISFIFO(about.st_mode)) {
        uint64_t key = place_content(about.st_dev, about.st_ino);
        ends = (struct other_end){true, key + (way == O_RDONLY), key + (way != O_RDONLY)};
    }
    return ends;
}

/* Whoever opens an end and goes on comes after those who began to open the other. The thread, which has the turn, gives it up. */
static int open_end(int folder, const char *path, int flags, const struct other_end *ends, uintptr_t pc)
{
    int fd, error;

    FIND(openat);
    place_change(ends->own, pc);
    sched_outside();
    local.inside = false;
    fd = real.openat(folder, path, flags);
    error = errno;
    local.inside = true;
    sched_inside();
    place_after_changes(ends->other, pc);
    sync_leave();
    errno = error;
    return fd;
}

/* Opening a file finds out whether it is there, and may make it. */
#define OPENS(function, parameters, arguments, folder)                                                         \
    EXPORT int function parameters                                                                             \
    {                                                                                                          \
        mode_t mode = 0;                                                                                       \
        struct other_end ends;                                                                                 \
        uint64_t key;                                                                                          \
        bool was;                                                                                              \
        int fd;                                                                                                \
                                                                                                               \
        if (flags & (O_CREAT | __O_TMPFILE)) {                                                                 \
            va_list list;                                                                                      \
            va_start(list, flags);                                                                             \
            mode = va_arg(list, mode_t);                                                                       \
            va_end(list);                                                                                      \
        }                                                                                                      \
        FIND(function);                                                                                        \
        confine(folder, path);                                                                                 \
        ends = end_awaited(folder, path, flags);                                                               \
        if (ends.waits && surroundings_begin(CALLER))                                                          \
            return open_end(folder, path, flags, &ends, CALLER);                                               \
        if (!begin(path, CALLER))                                                                              \
            return real.function arguments;                                                                    \
        key = file_key(folder, path);                                                                          \
        was = is_there(folder, path);                                                                          \
        fd = real.function arguments;                                                                          \
        end(key, fd >= 0 && flags & O_CREAT && !was, CALLER);                                                  \
        return fd;                                                                                             \
    }

OPENS(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPENS(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), folder)
OPENS(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), folder)

static int flags_of_mode(const char *mode)
{
    int also = mode && text_index(mode, 'e') >= 0 ? O_CLOEXEC : 0;

    if (!mode || text_index(mode, '+') >= 0)
        return O_RDWR;
    return (*mode == 'r' ? O_RDONLY : O_WRONLY) | also;
}

#define OPENS_STREAM(function)                                                                                 \
    EXPORT FILE *function(const char *restrict path, const char *restrict mode)                                \
    {                                                                                                          \
        struct other_end ends;                                                                                 \
        FILE *stream;                                                                                          \
        uint64_t key;                                                                                          \
        bool was;                                                                                              \
                                                                                                               \
        FIND(function);                                                                                        \
        confine(AT_FDCWD, path);                                                                               \
        ends = end_awaited(AT_FDCWD, path, flags_of_mode(mode));                                               \
        if (ends.waits && surroundings_begin(CALLER)) {                                                        \
            int fd = open_end(AT_FDCWD, path, flags_of_mode(mode), &ends, CALLER);                             \
            return fd < 0 ? NULL : fdopen(fd, mode);                                                           \
        }                                                                                                      \
        if (!begin(path, CALLER))                                                                              \
            return real.function(path, mode);                                                                  \
        key = file_key(AT_FDCWD, path);                                                                        \
        was = is_there(AT_FDCWD, path);                                                                        \
        stream = real.function(path, mode);                                                                    \
        end(key, stream && !was, CALLER);                                                                      \
        return stream;                                                                                         \
    }

OPENS_STREAM(fopen)
OPENS_STREAM(fopen64)

EXPORT FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
    FIND(freopen);
    confine(AT_FDCWD, path);
    return real.freopen(path, mode, stream);
}

EXPORT FILE *freopen64(const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
    FIND(freopen64);
    confine(AT_FDCWD, path);
    return real.freopen64(path, mode, stream);
}
