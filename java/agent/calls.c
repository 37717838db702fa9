/* Calls that matter for threads. The converter decides what each means; this file only finds them.
 */
#include "calls.h"
#include "inherited.h"
#include "opcodes.h"
#include "rewrite.h"

static bool among(struct span name, const char *const *list)
{
    for (; *list; list++)
        if (span_is(name, *list))
            return true;
    return false;
}

static bool starts_among(struct span name, const char *const *list)
{
    for (; *list; list++)
        if (span_starts(name, *list))
            return true;
    return false;
}

static bool ends_among(struct span name, const char *const *list)
{
    for (; *list; list++)
        if (name.count >= strlen(*list) &&
            memcmp(name.data + name.count - strlen(*list), *list, strlen(*list)) == 0)
            return true;
    return false;
}

/* Packages and classes of the JDK whose objects keep something that threads may share … */
static const char *const stateful[] = {"java/util/",
                                       "java/lang/StringBu",
                                       "java/lang/AbstractStringB",
                                       "java/lang/Iterable",
                                       "java/lang/ClassValue",
                                       "java/beans/",
                                       "java/lang/ref/",
                                       "java/io/Piped",
                                       "java/io/ByteArray",
                                       "java/io/StringWriter",
                                       "java/io/CharArray",
                                       "java/nio/",
                                       "java/lang/AutoCloseable",
                                       "java/lang/invoke/VarHandle",
                                       "java/lang/Runnable",
                                       NULL};
/* … but for these, which are immutable or belong to one thread or are only met by value. */
static const char *const stateless[] = {"java/util/function/",
                                        "java/util/regex/",
                                        "java/util/Objects",
                                        "java/util/Optional",
                                        "java/util/Random",
                                        "java/util/Locale",
                                        "java/util/logging/",
                                        "java/util/UUID",
                                        "java/util/Comparator",
                                        "java/util/Formatter",
                                        "java/nio/file/",
                                        "java/nio/charset/",
                                        "java/util/concurrent/TimeUnit",
                                        "java/util/concurrent/ThreadLocalRandom",
                                        NULL};

static bool is_wait(const struct member *m)
{
    return (span_is(m->name, "wait") && (span_is(m->descriptor, "()V") || span_is(m->descriptor, "(J)V") ||
                                         span_is(m->descriptor, "(JI)V"))) ||
           ((span_is(m->name, "notify") || span_is(m->name, "notifyAll")) && span_is(m->descriptor, "()V"));
}

/* Methods of the atomic variables; those of arrays that are given a function are calls like any. */
static enum call_mode atomic_mode(const struct member *m)
{
    static const char *const simple[] = {
        "java/util/concurrent/atomic/AtomicInteger", "java/util/concurrent/atomic/AtomicLong",
        "java/util/concurrent/atomic/AtomicBoolean", "java/util/concurrent/atomic/AtomicReference", NULL};
    static const char *const arrays[] = {"java/util/concurrent/atomic/AtomicIntegerArray",
                                         "java/util/concurrent/atomic/AtomicLongArray",
                                         "java/util/concurrent/atomic/AtomicReferenceArray", NULL};
    static const char *const functions[] = {"getAndUpdate", "updateAndGet", "getAndAccumulate",
                                            "accumulateAndGet", NULL};
    static const char *const others[] = {"toString", "hashCode", "equals", "length", "getClass", NULL};

    if (among(m->name, functions))
        return among(m->owner, simple) ? CALL_UPDATE : CALL_OBJECT;
    if (among(m->name, others))
        return CALL_OBJECT;
    if (among(m->owner, simple))
        return CALL_ATOMIC;
    return among(m->owner, arrays) ? CALL_ATOMIC_AT : CALL_OBJECT;
}

/* A static method that tasks of the program inherit. */
static bool is_invoke_all(const struct member *m)
{
    return span_is(m->name, "invokeAll") &&
           (span_is(m->descriptor,
                    "(Ljava/util/concurrent/ForkJoinTask;Ljava/util/concurrent/ForkJoinTask;)V") ||
            span_is(m->descriptor, "([Ljava/util/concurrent/ForkJoinTask;)V") ||
            span_is(m->descriptor, "(Ljava/util/Collection;)Ljava/util/Collection;"));
}

/* Whether the call may send something to another thread or receive it, through a pipe, a socket or a process. Which ends
 * belong together is not known. */
static bool sends_or_receives(const struct member *m)
{
    static const char *const owners[] = {
        "java/io/InputStream", "java/io/OutputStream", "java/io/Reader",
        "java/io/Writer",      "java/io/Buffered",     "java/io/Data",
        "java/io/Object",      "java/io/Filter",       "java/io/PrintWriter",
        "java/io/Piped",       "java/io/Closeable",    "java/io/Flushable",
        "java/net/",           "java/nio/channels/",   "com/sun/net/httpserver/",
        "java/util/Scanner",   "java/lang/Process",    NULL};
    static const char *const names[] = {
        "read",  "accept",  "receive", "select",        "ready", "available", "transfer", "skip",   "lines",
        "next",  "hasNext", "waitFor", "exitValue",     "write", "append",    "print",    "format", "flush",
        "close", "newLine", "connect", "finishConnect", "send",  "shutdown",  "destroy",  NULL};

    return starts_among(m->owner, owners) && starts_among(m->name, names);
}

/* What one thread leaves there another one finds, as if it were sent: system properties, drivers, providers. */
static bool is_registry(const struct member *m)
{
    static const char *const properties[] = {"getProperty",   "setProperty",   "clearProperty",
                                             "getProperties", "setProperties", "getInteger",
                                             "getLong",       "getBoolean",    NULL};
    static const char *const owners[] = {"java/lang/System", "java/lang/Integer", "java/lang/Long",
                                         "java/lang/Boolean", NULL};

    return (among(m->owner, owners) && among(m->name, properties)) ||
           span_is(m->owner, "java/sql/DriverManager") || span_is(m->owner, "java/security/Security") ||
           span_starts(m->owner, "javax/management/MBeanServer") || span_starts(m->owner, "javax/naming/");
}

/* An access by an address that orders others. */
static bool is_unsafe(const struct member *m)
{
    static const char *const owners[] = {"sun/misc/Unsafe", "jdk/internal/misc/Unsafe", NULL};
    static const char *const starts[] = {"compareAnd", "weakCompareAnd", "getAnd",    "putOrdered",
                                         "loadFence",  "storeFence",     "fullFence", NULL};
    static const char *const ends[] = {"Volatile", "Acquire", "Release", "Opaque", NULL};

    return among(m->owner, owners) && (starts_among(m->name, starts) || ends_among(m->name, ends));
}

/* Whether the JDK may call code of the program inside, under locks of its own. */
static bool calls_back(const struct member *m)
{
    return span_starts(m->owner, "java/util/logging/") || span_is(m->owner, "java/io/PrintStream");
}

/* Whether the call is one of another method, which only the machine knows. */
static bool is_by_handle(const struct member *m)
{
    static const char *const names[] = {
        "invoke", "invokeExact", "invokeWithArguments", "bindTo", "bind", "insertArguments", NULL};

    return span_starts(m->owner, "java/lang/invoke/MethodHandle") && among(m->name, names);
}

static enum call_mode static_mode(const struct member *m)
{
    if (is_by_handle(m))
        return CALL_HANDLE;
    if (is_registry(m))
        return CALL_CHANNEL;
    if (span_is(m->owner, "java/lang/System") && span_is(m->name, "arraycopy"))
        return CALL_COPY;
    if (span_is(m->owner, "java/util/Objects") && span_starts(m->name, "requireNonNull"))
        return CALL_NONE;
    if (span_is(m->owner, "java/util/concurrent/locks/LockSupport"))
        return span_is(m->name, "unpark")     ? CALL_ARGUMENT
               : span_starts(m->name, "park") ? CALL_SELF
                                              : CALL_NONE;
    if (span_is(m->owner, "java/util/concurrent/CompletableFuture") ||
        span_is(m->owner, "java/util/concurrent/ForkJoinTask") || is_invoke_all(m) ||
        (span_is(m->owner, "java/util/Arrays") && span_starts(m->name, "parallel")))
        return CALL_GLOBAL;
    return is_jdk(m->owner) ? CALL_PASSES : CALL_NONE;
}

enum call_mode call_mode(unsigned op, const struct member *m)
{
    bool jdk = is_jdk(m->owner);

    if (op == OP_INVOKESTATIC)
        return static_mode(m);
    if (span_is(m->name, "<init>"))
        return jdk ? CALL_PASSES : CALL_NONE;
    if (is_wait(m))
        return CALL_ANY;
    if (span_is(m->name, "clone") && span_is(m->descriptor, "()Ljava/lang/Object;"))
        return CALL_CLONE;
    if (span_is(m->name, "join") ||
        ((span_is(m->name, "start") || span_is(m->name, "interrupt")) && span_is(m->descriptor, "()V")) ||
        (span_is(m->name, "isAlive") && span_is(m->descriptor, "()Z")) ||
        (span_is(m->name, "getState") && span_is(m->descriptor, "()Ljava/lang/Thread$State;")))
        return CALL_OBJECT;
    if (span_starts(m->owner, "java/util/concurrent/atomic/Atomic"))
        return atomic_mode(m);
    if (sends_or_receives(m) || is_registry(m))
        return CALL_CHANNEL;
    if (is_by_handle(m))
        return CALL_HANDLE;
    if (is_unsafe(m))
        return CALL_OBJECT;
    if (calls_back(m))
        return CALL_BACK;
    if (span_is(m->owner, "java/lang/reflect/Method") && span_is(m->name, "invoke"))
        return CALL_REFLECTED;
    if (jdk)
        return starts_among(m->owner, stateful) && !starts_among(m->owner, stateless) ? CALL_OBJECT
                                                                                      : CALL_PASSES;
    return m->owner.data[0] != '[' && is_inherited(m->name) ? CALL_OBJECT : CALL_NONE;
}

/* One type of a descriptor at the cursor: its letter, 0 when malformed. */
static char next_type(struct cursor *in)
{
    bool array = false;

    for (;;) {
        char letter = (char)read_u1(in);
        switch (letter) {
        case '[':
            array = true;
            continue;
        case 'L':
            while (!in->bad && read_u1(in) != ';')
                ;
            return 'L';
        case 'B':
        case 'C':
        case 'S':
        case 'Z':
        case 'I':
            return array ? 'L' : 'I';
        case 'J':
        case 'F':
        case 'D':
            return (char)(array ? 'L' : letter);
        default:
            return 0;
        }
    }
}

int call_arguments(struct span descriptor, char *letters, char *result)
{
    struct cursor in = cursor_over(descriptor);
    int count = 0;

    if (read_u1(&in) != '(')
        return -1;
    while (!in.bad && in.at < in.end && *in.at != ')') {
        char letter = next_type(&in);
        if (letter == 0 || count == ARGUMENTS_MOST)
            return -1;
        letters[count++] = letter;
    }
    if (read_u1(&in) != ')' || in.at == in.end)
        return -1;
    *result = (char)(*in.at == 'V' ? 'V' : next_type(&in));
    return in.bad || *result == 0 ? -1 : count;
}

/* The descriptor from this argument on. */
static struct span argument_at(struct span descriptor, int argument)
{
    struct cursor in = cursor_over(descriptor);

    read_u1(&in);
    while (argument-- > 0)
        next_type(&in);
    return (struct span){in.at, (size_t)(in.end - in.at)};
}

bool passes_array(struct span descriptor, int argument)
{
    return span_starts(argument_at(descriptor, argument), "[");
}

bool passes_object(struct span descriptor, int argument)
{
    struct span rest = argument_at(descriptor, argument);

    return span_starts(rest, "L") && !span_starts(rest, "Ljava/lang/String;");
}

bool reads_arrays(const struct member *m)
{
    static const char *const keeping[] = {"wrap", "asList", NULL};

    return !span_starts(m->owner, "java/lang/invoke/") && !among(m->name, keeping);
}

static bool returns_array(struct span descriptor)
{
    for (size_t i = 0; i + 1 < descriptor.count; i++)
        if (descriptor.data[i] == ')')
            return descriptor.data[i + 1] == '[';
    return false;
}

bool fills_arrays(const struct member *m)
{
    static const char *const starts[] = {"read",    "next",     "fill",     "sort",    "set",
                                         "get",     "parallel", "copyInto", "inflate", "deflate",
                                         "doFinal", "digest",   NULL};

    if (span_is(m->name, "toArray"))
        return true;
    return starts_among(m->name, starts) && !returns_array(m->descriptor) && reads_arrays(m) &&
           !span_starts(m->owner, "java/lang/Class");
}

bool passes_collection(struct span descriptor, int argument)
{
    struct span rest = argument_at(descriptor, argument);

    return span_starts(rest, "Ljava/util/") && !span_starts(rest, "Ljava/util/function/") &&
           !span_starts(rest, "Ljava/util/Comparator");
}
