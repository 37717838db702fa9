/* Methods of the JDK that start threads and run tasks: nothing in a program's own code shows these. */
#pragma once
#include "bytes.h"

struct jdk_hook {
    const char *class, *method;
    const char *entry; /* called at its start, or NULL */
    unsigned local;    /* the local variable that it is given */
    const char *task;  /* calls of this method inside it run tasks; NULL: none */
    bool explores;     /* only in a machine that is explored */
};

/* The hook of the method, or NULL. A class may end in `*`. */
const struct jdk_hook *jdk_hook(struct span class, struct span method, bool explores);

/* Those of their classes that a machine may have loaded before we see it, ended by NULL. */
extern const char *const early_classes[];
