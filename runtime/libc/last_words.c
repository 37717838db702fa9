/* Last words: the text of a failed assertion; type and message of an exception that nobody caught. */
#include "runtime/libc/last_words.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/thrown.h"
#include "runtime/system.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool may_speak(void)
{
    return rt.ready && recording() && rt.session->pid == system_pid() &&
           session_load(&rt.session->last_words_kind) == LAST_WORDS_NONE;
}

void last_words_assertion(const char *text, const char *file, unsigned line, const char *function)
{
    if (!may_speak())
        return;
    snprintf(rt.session->last_words, sizeof rt.session->last_words, "%.120s:%u: %.120s: %.200s",
             file ? file : "", line, function ? function : "", text ? text : "");
    session_store(&rt.session->last_words_kind, LAST_WORDS_ASSERTION);
}

/* std::type_info of the GNU C++ library. */
struct type {
    const struct type_functions {
        void (*destroy[2])(void *);
        bool (*is_pointer)(const struct type *);
        bool (*is_function)(const struct type *);
        /* Can an object of the thrown type be caught as this one? If so, *object becomes that part of it. */
        bool (*catches)(const struct type *self, const struct type *thrown, void **object, unsigned outer);
    } * functions;
    const char *name;
};

/* std::exception. */
struct exception {
    const struct exception_functions {
        void (*destroy[2])(void *);
        const char *(*what)(const struct exception *);
    } * functions;
};

/* A function or object of the C++ library, if the program has that. */
union found {
    void *address;
    void *(*function)(void);
    char *(*demangle)(const char *name, char *to, size_t *room, int *status);
};

static union found find(const char *name)
{
    return (union found){dlsym(RTLD_DEFAULT, name)};
}

/* The exception that was caught last, by terminate; NULL where it is not to be found. */
static void *caught_object(void)
{
    union found globals = find("__cxa_get_globals");
    char *header = globals.address ? *(char **)globals.function() : NULL;
    struct _Unwind_Exception *unwound;

    if (!header)
        return NULL;
    unwound = (struct _Unwind_Exception *)(void *)(header + THROWN_HEADER - THROWN_COUNTED) - 1;
    return unwound->exception_class == THROWN ? unwound + 1 : NULL;
}

/* Its message, if it is a std::exception. */
static const char *message_of(const struct type *type)
{
    const struct type *base = find("_ZTISt9exception").address;
    void *object = caught_object();
    const struct exception *e;

    if (!base || !object || !base->functions->catches(base, type, &object, 1))
        return NULL;
    e = object;
    return e->functions->what(e);
}

/* The type as the source has it. */
static const char *name_of(const struct type *type)
{
    const char *name = type->name + (*type->name == '*');
    union found library = find("__cxa_demangle");
    int status = 0;
    char *plain = library.address ? library.demangle(name, NULL, NULL, &status) : NULL;

    return plain && status == 0 ? plain : name; /* the process ends: nothing is freed */
}

static bool is_cxx_library(uintptr_t caller)
{
    Dl_info about;

    return dladdr((void *)caller, &about) && about.dli_fname && strstr(about.dli_fname, "libstdc++");
}

void last_words_abort(uintptr_t caller)
{
    union found current = {NULL};
    const struct type *type;
    const char *message;
    bool inside = local.inside;

    if (may_speak() && is_cxx_library(caller))
        current = find("__cxa_current_exception_type");
    type = current.address ? current.function() : NULL;
    if (!type)
        return;
    local.inside = true; /* what building the message does is not part of the program's run */
    message = message_of(type);
    snprintf(rt.session->last_words, sizeof rt.session->last_words, "%.150s%s%.300s", name_of(type),
             message ? ": " : "", message ? message : "");
    local.inside = inside;
    session_store(&rt.session->last_words_kind, LAST_WORDS_EXCEPTION);
}
