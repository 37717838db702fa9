/* Files, names of files and the environment: who looked at what, and who changed it. */
#include "runtime/libc/surroundings.h"
#include "runtime/runtime.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACES = 512, CALLS = 32, STANDARD_STREAMS = 3 };

/* Last calls, one a thread. */
struct last_calls {
    struct channel_call calls[CALLS];
    unsigned count;
};

/* A name, or the content of a file. */
struct surrounding {
    uint64_t key; /* 0: a free slot */
    struct last_calls looks, changes;
};

static struct surrounding places[PLACES]; /* the first stands for all that there is no other room for */

static struct surrounding *surrounding_of(uint64_t key)
{
    for (unsigned i = 0; i < PLACES - 1; i++) {
        struct surrounding *p = &places[1 + (key + i) % (PLACES - 1)];
        if (p->key == 0)
            p->key = key;
        if (p->key == key)
            return p;
    }
    return &places[0];
}

static void come_after(const struct last_calls *last, uintptr_t pc)
{
    for (unsigned i = 0; i < last->count; i++)
        call_after(last->calls[i], pc);
}

/* With calls of too many threads, each new one comes after an old one and stands for both. */
static void add_call(struct last_calls *last, uintptr_t pc)
{
    unsigned at = 0;

    while (at < last->count && last->calls[at].thread != local.self->id)
        at++;
    if (at == CALLS)
        call_after(last->calls[at = 0], pc);
    last->count += at == last->count;
    last->calls[at] = call_note(pc);
}

static void look(uint64_t key, uintptr_t pc)
{
    struct surrounding *p = surrounding_of(key);

    come_after(&p->changes, pc);
    add_call(&p->looks, pc);
}

/* A change that does not find out what was there: writers need not come one after the other. */
static void overwrite(uint64_t key, uintptr_t pc)
{
    struct surrounding *p = surrounding_of(key);

    come_after(&p->looks, pc);
    add_call(&p->changes, pc);
}

static void change(uint64_t key, uintptr_t pc)
{
    struct surrounding *p = surrounding_of(key);

    come_after(&p->changes, pc);
    come_after(&p->looks, pc);
    p->changes.count = p->looks.count = 0;
    add_call(&p->changes, pc);
}

/* The key of a file's content; 0: it is no file. */
static uint64_t content_of(int fd)
{
    struct stat about = {0};

    if (rt.exploring || rt.instances <= 1 || fd < STANDARD_STREAMS ||
        system_call(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) != 0 || !S_ISREG(about.st_mode))
        return 0;
    return ((uint64_t)about.st_dev * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)about.st_ino) | 1;
}

void surroundings_read(int fd, uintptr_t pc)
{
    uint64_t key = content_of(fd);

    if (key)
        look(key, pc);
}

void surroundings_wrote(int fd, uintptr_t pc)
{
    uint64_t key = content_of(fd);

    if (key)
        overwrite(key, pc);
}

enum name_kind { NAME_FILE = 1, NAME_ENVIRONMENT };

/* Up to the end of the text, or to '=' in the environment. "./" before a file does not matter. */
static uint64_t key_of(enum name_kind kind, const char *name)
{
    uint64_t key = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)kind;

    while (kind == NAME_FILE && name[0] == '.' && name[1] == '/')
        name += 2;
    for (; *name && !(kind == NAME_ENVIRONMENT && *name == '='); name++)
        key = (key ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return key | 1;
}

/* Whether a call of the program is to be put in order; then the thread has the turn. */
static bool begin(const char *name, uintptr_t pc)
{
    return rt.ready && recording() && !local.inside && !rt.exploring && rt.instances > 1 && name &&
           module_instrumented(pc) && sync_enter(pc);
}

static void end_name(enum name_kind kind, const char *name, bool changed, uintptr_t pc)
{
    int error = errno;

    if (changed)
        change(key_of(kind, name), pc);
    else
        look(key_of(kind, name), pc);
    sync_leave();
    errno = error;
}

#define FIND(name)                                                                                             \
    if (!real.name)                                                                                            \
    real_find()

/* A call that changes what its first argument names if it returns 0. */
#define CHANGES(kind, function, parameters, arguments, name)                                                   \
    EXPORT int function parameters                                                                             \
    {                                                                                                          \
        int result;                                                                                            \
                                                                                                               \
        FIND(function);                                                                                        \
        if (!begin(name, CALLER))                                                                              \
            return real.function arguments;                                                                    \
        result = real.function arguments;                                                                      \
        end_name(kind, name, result == 0, CALLER);                                                             \
        return result;                                                                                         \
    }

/* One that only finds out. */
#define LOOKS(kind, result_type, function, parameters, arguments, name)                                        \
    EXPORT result_type function parameters                                                                     \
    {                                                                                                          \
        result_type result;                                                                                    \
                                                                                                               \
        FIND(function);                                                                                        \
        if (!begin(name, CALLER))                                                                              \
            return real.function arguments;                                                                    \
        result = real.function arguments;                                                                      \
        end_name(kind, name, false, CALLER);                                                                   \
        return result;                                                                                         \
    }

LOOKS(NAME_ENVIRONMENT, char *, getenv, (const char *name), (name), name)
LOOKS(NAME_ENVIRONMENT, char *, secure_getenv, (const char *name), (name), name)
CHANGES(NAME_ENVIRONMENT, setenv, (const char *name, const char *value, int over), (name, value, over), name)
CHANGES(NAME_ENVIRONMENT, unsetenv, (const char *name), (name), name)
CHANGES(NAME_ENVIRONMENT, putenv, (char *text), (text), text)

CHANGES(NAME_FILE, mkdir, (const char *path, mode_t mode), (path, mode), path)
CHANGES(NAME_FILE, rmdir, (const char *path), (path), path)
CHANGES(NAME_FILE, unlink, (const char *path), (path), path)
CHANGES(NAME_FILE, remove, (const char *path), (path), path)
CHANGES(NAME_FILE, symlink, (const char *from, const char *to), (from, to), to)
CHANGES(NAME_FILE, link, (const char *from, const char *to), (from, to), to)
LOOKS(NAME_FILE, int, access, (const char *path, int mode), (path, mode), path)
LOOKS(NAME_FILE, int, stat, (const char *restrict path, struct stat *restrict to), (path, to), path)
LOOKS(NAME_FILE, int, lstat, (const char *restrict path, struct stat *restrict to), (path, to), path)

EXPORT int rename(const char *from, const char *to)
{
    int result;

    FIND(rename);
    if (!begin(from, CALLER))
        return real.rename(from, to);
    result = real.rename(from, to);
    if (result == 0)
        change(key_of(NAME_FILE, to), CALLER);
    else
        look(key_of(NAME_FILE, to), CALLER);
    end_name(NAME_FILE, from, result == 0, CALLER);
    return result;
}

static bool is_there(const char *path)
{
    return system_call(SYS_faccessat, AT_FDCWD, (long)path, F_OK, 0, 0, 0) == 0;
}

EXPORT int creat(const char *path, mode_t mode)
{
    bool was;
    int fd;

    FIND(creat);
    if (!begin(path, CALLER))
        return real.creat(path, mode);
    was = is_there(path);
    fd = real.creat(path, mode);
    end_name(NAME_FILE, path, fd >= 0 && !was, CALLER);
    return fd;
}

/* Opening a file finds out whether it is there, and may make it. */
#define OPENS(function)                                                                                        \
    EXPORT int function(const char *path, int flags, ...)                                                      \
    {                                                                                                          \
        mode_t mode = 0;                                                                                       \
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
        if (!begin(path, CALLER))                                                                              \
            return real.function(path, flags, mode);                                                           \
        was = is_there(path);                                                                                  \
        fd = real.function(path, flags, mode);                                                                 \
        end_name(NAME_FILE, path, fd >= 0 && flags & O_CREAT && !was, CALLER);                                 \
        return fd;                                                                                             \
    }

OPENS(open)
OPENS(open64)

#define OPENS_STREAM(function)                                                                                 \
    EXPORT FILE *function(const char *restrict path, const char *restrict mode)                                \
    {                                                                                                          \
        FILE *stream;                                                                                          \
        bool was;                                                                                              \
                                                                                                               \
        FIND(function);                                                                                        \
        if (!begin(path, CALLER))                                                                              \
            return real.function(path, mode);                                                                  \
        was = is_there(path);                                                                                  \
        stream = real.function(path, mode);                                                                    \
        end_name(NAME_FILE, path, stream && !was, CALLER);                                                     \
        return stream;                                                                                         \
    }

OPENS_STREAM(fopen)
OPENS_STREAM(fopen64)
