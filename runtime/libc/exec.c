/* Programs that call exec; the new program is not recorded. */
#include "runtime/sched/placement.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/real.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

/* Notes that the program calls exec, and for which file; lets the new program use all processors. */
static bool leave(const char *path, uintptr_t pc)
{
    size_t length, most = sizeof rt.session->became - 1;

    if (!sync_enter(pc))
        return false;
    length = path ? text_length(path) : 0;
    copy_bytes(rt.session->became, path, length < most ? length : most);
    session_store(&rt.session->exec, 1);
    placement_widen();
    return true;
}

/* It did not work out. */
static void stay(bool left)
{
    int error = errno;

    if (!left)
        return;
    session_store(&rt.session->exec, 0);
    clear_bytes(rt.session->became, sizeof rt.session->became);
    placement_narrow();
    sync_leave();
    errno = error;
}

#define EXEC(name, path, parameters, arguments)                                                                \
    EXPORT int name parameters                                                                                 \
    {                                                                                                          \
        bool left;                                                                                             \
        if (!real.name)                                                                                        \
            real_find();                                                                                       \
        left = leave(path, CALLER);                                                                            \
        real.name arguments;                                                                                   \
        stay(left);                                                                                            \
        return -1;                                                                                             \
    }

EXEC(execve, path, (const char *path, char *const *argv, char *const *envp), (path, argv, envp))
EXEC(execv, path, (const char *path, char *const *argv), (path, argv))
EXEC(execvp, file, (const char *file, char *const *argv), (file, argv))
EXEC(execvpe, file, (const char *file, char *const *argv, char *const *envp), (file, argv, envp))
EXEC(fexecve, NULL, (int fd, char *const *argv, char *const *envp), (fd, argv, envp))
EXEC(execveat, path, (int folder, const char *path, char *const *argv, char *const *envp, int flags),
     (folder, path, argv, envp, flags))

/* The arguments up to the last, which is NULL and counts. */
static size_t count_words(va_list words)
{
    size_t count = 1;

    while (va_arg(words, char *))
        count++;
    return count;
}

/* The same with the arguments one by one, and the environment behind them or as it is. */
#define EXEC_WORDS(name, call, path, environment)                                                              \
    EXPORT int name(const char *path, const char *first, ...)                                                  \
    {                                                                                                          \
        uintptr_t pc = CALLER;                                                                                 \
        va_list words;                                                                                         \
        bool left;                                                                                             \
        va_start(words, first);                                                                                \
        size_t count = 1 + count_words(words);                                                                 \
        va_end(words);                                                                                         \
        char *argv[count], **envp;                                                                             \
        argv[0] = (char *)first;                                                                               \
        va_start(words, first);                                                                                \
        for (size_t i = 1; i < count; i++)                                                                     \
            argv[i] = va_arg(words, char *);                                                                   \
        envp = environment;                                                                                    \
        va_end(words);                                                                                         \
        if (!real.call)                                                                                        \
            real_find();                                                                                       \
        left = leave(path, pc);                                                                                \
        real.call(path, argv, envp);                                                                           \
        stay(left);                                                                                            \
        return -1;                                                                                             \
    }

EXEC_WORDS(execl, execve, path, environ)
EXEC_WORDS(execle, execve, path, va_arg(words, char **))
EXEC_WORDS(execlp, execvpe, file, environ)
