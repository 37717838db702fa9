/* Methods of the JDK that start threads and run tasks: nothing in a program's own code shows these. */
#pragma once
#include "bytes.h"

#define JDK_CALL "call"

struct jdk_hook {
    const char *class, *method;
    const char *entry; /* called at its start, or NULL; "call…" has its "returned…", called at the end */
    unsigned local;    /* the local variable that it is given */
    const char *task;  /* calls of this method inside it run tasks; NULL: none */
    bool explores;     /* only in a machine that is explored */
};

/* The hook of the method, or NULL. A class or a method may end in `*`. */
const struct jdk_hook *jdk_hook(struct span class, struct span method, bool explores);

/* Whether its start and its end are told as those of a call on a collection. Exploring does not look inside such calls. */
bool jdk_hook_is_call(const struct jdk_hook *hook);

/* Those of their classes that a machine may have loaded before we see it, ended by NULL. */
extern const char *const early_classes[];
