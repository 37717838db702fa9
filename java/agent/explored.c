/* Calls that are recorded only in an explored machine: those that depend on or affect the outside, and those
 * whose result no schedule determines. Exploration must know of them to claim only what is true. */
#include "calls.h"
#include "opcodes.h"
#include "rewrite.h"

/* What depends on time, chance, memory or other processes; a name of NULL stands for all methods. */
static const struct {
    const char *owner, *name, *descriptor;
} outside[] = {
    {"java/lang/System", "nanoTime", NULL},
    {"java/lang/System", "currentTimeMillis", NULL},
    {"java/lang/System", "identityHashCode", NULL},
    {"java/lang/System", "setProperty", NULL},
    {"java/lang/System", "gc", NULL},
    {"java/lang/Runtime", "availableProcessors", NULL},
    {"java/lang/Runtime", "freeMemory", NULL},
    {"java/lang/Runtime", "totalMemory", NULL},
    {"java/lang/Runtime", "exec", NULL},
    {"java/lang/Runtime", "gc", NULL},
    {"java/lang/Runtime", "addShutdownHook", NULL},
    {"java/lang/ProcessBuilder", NULL, NULL},
    {"java/lang/Object", "hashCode", NULL},
    {"java/lang/Math", "random", NULL},
    {"java/lang/StrictMath", "random", NULL},
    {"java/lang/Thread", "getState", NULL},
    {"java/lang/Thread", "getId", NULL},
    {"java/lang/Thread", "threadId", NULL},
    {"java/lang/Thread", "activeCount", NULL},
    {"java/lang/Thread", "enumerate", NULL},
    {"java/lang/Thread", "getAllStackTraces", NULL},
    {"java/lang/Thread", "startVirtualThread", NULL},
    {"java/lang/Thread", "setName", NULL},
    {"java/lang/Thread", "dumpStack", NULL},
    {"java/lang/Thread", "stop", NULL},
    {"java/lang/Thread", "suspend", NULL},
    {"java/lang/Thread", "resume", NULL},
    {"java/lang/ThreadGroup", NULL, NULL},
    {"java/util/Random", "<init>", "()V"},
    {"java/util/SplittableRandom", "<init>", "()V"},
    {"java/util/concurrent/ThreadLocalRandom", NULL, NULL},
    {"java/security/SecureRandom", NULL, NULL},
    {"java/util/UUID", "randomUUID", NULL},
    {"java/util/Date", "<init>", "()V"},
    {"java/util/Calendar", "getInstance", NULL},
    {"java/util/Collections", "shuffle", "(Ljava/util/List;)V"},
    {"java/util/WeakHashMap", NULL, NULL},
    {"java/util/IdentityHashMap", NULL, NULL},
    {"java/time/Clock", NULL, NULL},
    {"java/lang/invoke/VarHandle", NULL, NULL},
    {"java/lang/reflect/Field", NULL, NULL},
    {"java/io/ObjectOutputStream", NULL, NULL},
    {"java/io/ObjectInputStream", NULL, NULL},
    {"java/lang/reflect/Array", NULL, NULL},
    {"java/util/concurrent/atomic/AtomicIntegerFieldUpdater", NULL, NULL},
    {"java/util/concurrent/atomic/AtomicLongFieldUpdater", NULL, NULL},
    {"java/util/concurrent/atomic/AtomicReferenceFieldUpdater", NULL, NULL},
};

static bool is_outside(const struct member *m)
{
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        if (span_is(m->owner, outside[i].owner) && (!outside[i].name || span_is(m->name, outside[i].name)) &&
            (!outside[i].descriptor || span_is(m->descriptor, outside[i].descriptor)))
            return true;
    if (span_is(m->name, "printStackTrace") && span_is(m->descriptor, "()V"))
        return true; /* of whatever exception */
    return (span_starts(m->owner, "java/time/") && span_is(m->name, "now")) ||
           span_starts(m->owner, "java/net/") || span_starts(m->owner, "java/nio/channels/") ||
           span_starts(m->owner, "java/lang/ref/") || span_starts(m->owner, "sun/");
}

/* Objects of the JDK that keep something and that a recording leaves out. */
static bool is_stream(const struct member *m)
{
    return span_starts(m->owner, "java/io/") || span_starts(m->owner, "java/util/Random") ||
           span_starts(m->owner, "java/util/SplittableRandom") || span_starts(m->owner, "java/util/logging/") ||
           span_starts(m->owner, "java/util/Formatter") || span_starts(m->owner, "java/util/regex/Matcher") ||
           span_starts(m->owner, "java/text/") || span_starts(m->owner, "java/lang/Appendable") ||
           span_starts(m->owner, "java/lang/Readable");
}

enum call_mode explored_mode(unsigned op, const struct member *m)
{
    enum call_mode mode = call_mode(op, m);

    if (mode == CALL_CHANNEL || mode == CALL_REFLECTED || mode == CALL_BACK || mode == CALL_HANDLE)
        mode = CALL_PASSES;
    if ((span_is(m->owner, "java/lang/System") || span_is(m->owner, "java/lang/Runtime")) &&
        (span_is(m->name, "exit") || span_is(m->name, "halt")))
        return CALL_EXIT;
    if (is_outside(m))
        return CALL_OUTSIDE;
    return mode == CALL_PASSES && op != OP_INVOKESTATIC && !span_is(m->name, "<init>") && is_stream(m)
               ? CALL_STREAM
               : mode;
}
