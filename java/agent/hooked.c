/* The hooks in the JDK. */
#include "hooked.h"
#include "rewrite.h"

const char *const hooked_classes[] = {"java/lang/Thread",
                                      "java/util/concurrent/ThreadPoolExecutor",
                                      "java/util/concurrent/ScheduledThreadPoolExecutor",
                                      "java/util/concurrent/ForkJoinTask",
                                      "java/util/TimerThread",
                                      NULL};

static const struct jdk_hook hooks[] = {
    {"java/lang/Thread", "start", "forks", NULL, 0, false},
    {"java/util/concurrent/ThreadPoolExecutor", "execute", "taskPassed", NULL, 1, false},
    {"java/util/concurrent/ThreadPoolExecutor", "runWorker", NULL, NULL, 0, true},
    {"java/util/concurrent/ScheduledThreadPoolExecutor", "delayedExecute", "taskPassed", NULL, 1, false},
    {"java/util/concurrent/ForkJoinTask", "doExec", "taskBegins", "taskPassed", 0, false},
    {"java/util/TimerThread", "mainLoop", NULL, NULL, 0, true},
};

const struct jdk_hook *jdk_hook(struct span class, struct span method)
{
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        if (span_is(class, hooks[i].class) && span_is(method, hooks[i].method))
            return &hooks[i];
    return NULL;
}

bool is_hooked(struct span name)
{
    for (const char *const *class = hooked_classes; *class; class ++)
        if (span_is(name, *class))
            return true;
    return false;
}
