/* Methods of the JDK that start threads and run tasks: nothing in a program's own code shows these. */
#pragma once
#include "bytes.h"

struct jdk_hook {
    const char *class, *method;
    const char *entry; /* called at its start, or NULL */
    const char *exit;  /* called at its returns, or NULL */
    unsigned local;    /* the local variable that both are given */
    bool task;         /* calls of run() inside it are tasks */
};

/* The hook of the method, or NULL. */
const struct jdk_hook *jdk_hook(struct span class, struct span method);

/* The classes that have hooks, ended by NULL. */
extern const char *const hooked_classes[];
