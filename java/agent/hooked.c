/* The hooks in the JDK: where a thread is started, a task handed on, begun, done.
 *
 * The end of a task is recorded before any thread can learn of it from the JDK. */
#include "hooked.h"
#include "rewrite.h"

const char *const early_classes[] = {"java/lang/Thread",
                                     "java/lang/VirtualThread",
                                     "java/util/concurrent/ThreadPoolExecutor",
                                     "java/util/concurrent/ScheduledThreadPoolExecutor",
                                     "java/util/concurrent/FutureTask",
                                     "java/util/concurrent/ForkJoinTask",
                                     "java/util/concurrent/CompletableFuture",
                                     "java/util/concurrent/CountedCompleter",
                                     "jdk/internal/ref/CleanerImpl",
                                     "jdk/internal/ref/CleanerImpl$PhantomCleanableRef",
                                     "java/util/Timer",
                                     "java/util/TimerThread",
                                     NULL};

#define CONCURRENT "java/util/concurrent/"

static const struct jdk_hook hooks[] = {
    {"java/lang/Thread", "start", "forks", 0, NULL, false},
    {"java/lang/Thread", "interrupt", "interrupts", 0, NULL, false},
    {"java/lang/Thread", "dispatchUncaughtException", "dies", 0, NULL, true},
    {"java/lang/Thread", "dispatchUncaughtException", "uncaught", 1, NULL,
     false}, /* where that one is not wanted */
    {"java/lang/Thread", "exit", "ends", 0, NULL, false},
    {"java/lang/VirtualThread", "start", "forks", 0, NULL, false},
    {CONCURRENT "ThreadPoolExecutor", "execute", "taskGiven", 1, NULL, false},
    {CONCURRENT "ThreadPoolExecutor", "runWorker", NULL, 0, "run", false},
    {CONCURRENT "ThreadPoolExecutor", "getTask", "taskPassed", 0, NULL,
     false}, /* after afterExecute; a worker that gets none no longer counts */
    {CONCURRENT "ThreadPoolExecutor", "processWorkerExit", "taskPassed", 1, NULL, false},
    {CONCURRENT "ThreadPoolExecutor", "tryTerminate", NULL, 0, "terminated", false},
    {CONCURRENT "ThreadPerTaskExecutor", "taskComplete", "taskPassed", 1, NULL, false},
    {CONCURRENT "ScheduledThreadPoolExecutor", "delayedExecute", "taskGiven", 1, NULL, false},
    {CONCURRENT "ScheduledThreadPoolExecutor", "reExecutePeriodic", "taskPassed", 1, NULL, false},
    {CONCURRENT "FutureTask", "set", "taskPassed", 0, NULL, false},
    {CONCURRENT "FutureTask", "setException", "taskPassed", 0, NULL, false},
    {CONCURRENT "FutureTask", "cancel", "taskPassed", 0, NULL, false},
    {CONCURRENT "ForkJoinTask", "fork", "taskGiven", 0, NULL, false},
    {CONCURRENT "ForkJoinTask", "doExec", NULL, 0, "exec", false},
    {CONCURRENT "ForkJoinTask", "setDone", "taskPassed", 0, NULL, false},
    {CONCURRENT "ForkJoinTask", "trySetThrown", "taskPassed", 0, NULL, false},
    {CONCURRENT "ForkJoinTask", "trySetException", "taskPassed", 0, NULL, false},
    {CONCURRENT "CompletableFuture", "internalComplete", "taskPassed", 0, NULL, false},
    {CONCURRENT "CompletableFuture", "completeValue", "taskPassed", 0, NULL, false},
    {CONCURRENT "CompletableFuture", "completeNull", "taskPassed", 0, NULL, false},
    {CONCURRENT "CompletableFuture", "completeThrowable", "taskPassed", 0, NULL, false},
    {CONCURRENT "CompletableFuture", "completeRelay", "taskPassed", 0, NULL, false},
    {CONCURRENT "CompletableFuture$*", "tryFire", "taskBegins", 0, NULL, false},
    {CONCURRENT "CountedCompleter", "tryComplete", "taskPassed", 0, NULL, false},
    {CONCURRENT "SubmissionPublisher$BufferedSubscription", "consumeNext", "taskBegins", 0, NULL, false},
    {CONCURRENT "SubmissionPublisher$BufferedSubscription", "takeItems", "taskTurns", 0, NULL, false},
    {CONCURRENT "SubmissionPublisher$BufferedSubscription", "consumeComplete", "taskTurns", 0, NULL, false},
    {CONCURRENT "StructuredTaskScopeImpl", "onComplete", "taskPassed", 1, NULL, false},
    {"jdk/internal/ref/CleanerImpl", "run", NULL, 0, "clean", false},
    {"jdk/internal/ref/CleanerImpl$PhantomCleanableRef", "performCleanup", "cleaningBegins", 0, NULL, false},
    {"java/util/stream/*", "onCompletion", "taskBegins", 0, NULL, false},
    /* Here the JDK itself calls on a collection that threads share, which calls the program: to compare, to merge. */
    {CONCURRENT "PriorityBlockingQueue", "offer", "call", 0, NULL, false},
    {CONCURRENT "PriorityBlockingQueue", "dequeue", "call", 0, NULL, false},
    {CONCURRENT "PriorityBlockingQueue", "removeAt", "call", 0, NULL, false},
    {"java/util/stream/ReferencePipeline", "lambda$collect$*", "call", 1, NULL, false},
    {"java/util/stream/DistinctOps$1", "lambda$opEvaluateParallel$*", "call", 1, NULL, false},
    {"java/util/stream/StreamSpliterators$DistinctSpliterator", "lambda$forEachRemaining$*", "callSeen", 0,
     NULL, false},
    {"java/util/Timer", "sched", "taskGiven", 1, NULL, false},
    {"java/util/TimerThread", "mainLoop", NULL, 0, "run", false},
    {"sun/nio/ch/Invoker", "invokeUnchecked", "taskBegins", 0, NULL, false},
    {"com/sun/net/httpserver/Filter$Chain", "doFilter", "taskBegins", 0, NULL, false},
    /* Of these, what they learn from outside is recorded (hook_inputs.c). */
    {"java/util/Random", "<init>", NULL, 0, NULL, false},
    {"java/util/Date", "<init>", NULL, 0, NULL, false},
    {"sun/util/locale/provider/CalendarProviderImpl", "getInstance", NULL, 0, NULL, false},
    {"java/util/GregorianCalendar", "<init>", NULL, 0, NULL, false},
    {"java/time/Clock", "currentInstant", NULL, 0, NULL, false},
    {"java/time/Clock$SystemClock", "millis", NULL, 0, NULL, false},
    {"java/security/SecureRandom", "nextBytes", NULL, 0, NULL, false},
    /* A stream must not see our methods (references.c). */
    {"java/lang/invoke/SerializedLambda", "<init>", NULL, 0, NULL, false},
};

static bool is_like(struct span name, const char *pattern)
{
    size_t length = strlen(pattern);

    if (pattern[length - 1] != '*')
        return span_is(name, pattern);
    return name.count >= length - 1 && memcmp(name.data, pattern, length - 1) == 0;
}

bool jdk_hook_is_call(const struct jdk_hook *hook)
{
    return hook->entry && strncmp(hook->entry, JDK_CALL, strlen(JDK_CALL)) == 0;
}

const struct jdk_hook *jdk_hook(struct span class, struct span method, bool explores)
{
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        if (is_like(class, hooks[i].class) && is_like(method, hooks[i].method) &&
            (explores ? !jdk_hook_is_call(&hooks[i]) : !hooks[i].explores))
            return &hooks[i];
    return NULL;
}

bool is_hooked(struct span name)
{
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        if (is_like(name, hooks[i].class))
            return true;
    return false;
}
