/* What calls of the JDK mean. Where nothing better is known a call is opaque: its observed order is kept. */
#include "record/java/jdk_calls.h"

#include <string.h>

static bool is_one_of(const char *text, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(text, *list) == 0)
            return true;
    return false;
}

enum { INVOKE_DYNAMIC = 186 };

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static const struct {
    const char *start;
    enum java_family family;
} families[] = {
    {"Ljava/util/concurrent/locks/ReentrantLock;", FAMILY_LOCK},
    {"Ljava/util/concurrent/locks/ReentrantReadWriteLock$ReadLock;", FAMILY_READ_LOCK},
    {"Ljava/util/concurrent/locks/ReentrantReadWriteLock$WriteLock;", FAMILY_WRITE_LOCK},
    {"Ljava/util/concurrent/locks/ReentrantReadWriteLock;", FAMILY_IMMUTABLE},
    {"Ljava/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject;", FAMILY_CONDITION},
    {"Ljava/util/concurrent/locks/AbstractQueuedLongSynchronizer$ConditionObject;", FAMILY_CONDITION},
    {"Ljava/util/concurrent/Semaphore;", FAMILY_SEMAPHORE},
    {"Ljava/util/concurrent/CyclicBarrier;", FAMILY_BARRIER},
    {"Ljava/util/concurrent/CountDownLatch;", FAMILY_LATCH},
    {"Ljava/util/concurrent/FutureTask;", FAMILY_FUTURE},
    {"Ljava/util/concurrent/ScheduledThreadPoolExecutor$ScheduledFutureTask;", FAMILY_FUTURE},
    {"Ljava/util/concurrent/ForkJoin", FAMILY_POOL},
    {"Ljava/util/concurrent/CountedCompleter", FAMILY_POOL},
    {"Ljava/util/concurrent/ThreadPoolExecutor", FAMILY_POOL},
    {"Ljava/util/concurrent/ScheduledThreadPoolExecutor", FAMILY_POOL},
    {"Ljava/util/concurrent/Executor", FAMILY_POOL},
    {"Ljava/util/concurrent/ThreadPerTaskExecutor", FAMILY_POOL},
    {"Ljava/util/concurrent/CompletableFuture", FAMILY_POOL},
    {"Ljdk/internal/net/http/common/MinimalFuture", FAMILY_POOL},
    {"Ljava/util/concurrent/StructuredTaskScope", FAMILY_POOL},
    {"Ljava/util/concurrent/SubmissionPublisher", FAMILY_POOL},
    {"Ljava/util/stream/", FAMILY_POOL},
    {"Ljava/lang/ref/Cleaner;", FAMILY_POOL},
    {"Ljava/util/Timer;", FAMILY_POOL},
    {"Ljava/util/concurrent/CopyOnWriteArray", FAMILY_CONCURRENT},
    {"Ljava/util/concurrent/ConcurrentHashMap", FAMILY_CONCURRENT},
    {"Ljava/util/concurrent/ConcurrentSkipList", FAMILY_CONCURRENT},
    {"Ljava/util/concurrent/ConcurrentLinked", FAMILY_CONCURRENT},
    {"Ljava/util/concurrent/LinkedBlocking", FAMILY_CONCURRENT},
    {"Ljava/util/concurrent/LinkedTransferQueue", FAMILY_CONCURRENT},
    {"Ljava/util/concurrent/ArrayBlockingQueue", FAMILY_CONCURRENT},
    {"Ljava/util/concurrent/PriorityBlockingQueue", FAMILY_CONCURRENT},
    {"Ljava/util/Vector", FAMILY_CONCURRENT},
    {"Ljava/util/Stack;", FAMILY_CONCURRENT},
    {"Ljava/util/Hashtable", FAMILY_CONCURRENT},
    {"Ljava/lang/StringBuffer;", FAMILY_CONCURRENT},
    {"Ljava/util/ArrayList", FAMILY_PLAIN},
    {"Ljava/util/LinkedList", FAMILY_PLAIN},
    {"Ljava/util/ArrayDeque", FAMILY_PLAIN},
    {"Ljava/util/PriorityQueue", FAMILY_PLAIN},
    {"Ljava/util/HashMap", FAMILY_PLAIN},
    {"Ljava/util/HashSet", FAMILY_PLAIN},
    {"Ljava/util/LinkedHashSet", FAMILY_PLAIN},
    {"Ljava/util/TreeMap", FAMILY_PLAIN},
    {"Ljava/util/TreeSet", FAMILY_PLAIN},
    {"Ljava/util/BitSet", FAMILY_PLAIN},
    {"Ljava/lang/StringBuilder;", FAMILY_PLAIN},
};

enum java_family java_family(const char *signature)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (starts(signature, families[i].start))
            return families[i].family;
    return FAMILY_OTHER;
}

/* Methods of plain collections that never change them. */
static const char *const looking[] = {"get",
                                      "size",
                                      "isEmpty",
                                      "contains",
                                      "containsKey",
                                      "containsValue",
                                      "containsAll",
                                      "peek",
                                      "peekFirst",
                                      "peekLast",
                                      "element",
                                      "getFirst",
                                      "getLast",
                                      "first",
                                      "last",
                                      "indexOf",
                                      "lastIndexOf",
                                      "iterator",
                                      "listIterator",
                                      "hasNext",
                                      "next",
                                      "hasPrevious",
                                      "previous",
                                      "nextIndex",
                                      "previousIndex",
                                      "keySet",
                                      "values",
                                      "entrySet",
                                      "getKey",
                                      "getValue",
                                      "toArray",
                                      "toString",
                                      "hashCode",
                                      "equals",
                                      "getOrDefault",
                                      "forEach",
                                      "stream",
                                      "subList",
                                      "headMap",
                                      "tailMap",
                                      "subMap",
                                      "floorKey",
                                      "ceilingKey",
                                      "lowerKey",
                                      "higherKey",
                                      "firstKey",
                                      "lastKey",
                                      "firstEntry",
                                      "lastEntry",
                                      "floorEntry",
                                      "ceilingEntry",
                                      "lowerEntry",
                                      "higherEntry",
                                      "floor",
                                      "ceiling",
                                      "lower",
                                      "higher",
                                      "headSet",
                                      "tailSet",
                                      "subSet",
                                      "descendingIterator",
                                      "descendingMap",
                                      "navigableKeySet",
                                      "length",
                                      "charAt",
                                      "substring",
                                      "cardinality",
                                      "nextSetBit",
                                      "nextClearBit",
                                      "spliterator",
                                      "forEachRemaining",
                                      "hasMoreElements",
                                      "nextElement",
                                      "clone",
                                      NULL};

/* Calls on a collection that threads may share. What is not known to change nothing changes something. */
static enum java_effect concurrent_effect(const char *name)
{
    static const char *const steps[] = {"next",       "previous", "nextElement", "forEachRemaining",
                                        "tryAdvance", "trySplit", NULL};
    static const char *const more[] = {"keySet",       "values",        "entrySet",
                                       "keys",         "elements",      "elementAt",
                                       "firstElement", "lastElement",   "mappingCount",
                                       "capacity",     "nextIndex",     "remainingCapacity",
                                       "indexOf",      "previousIndex", NULL};

    if (is_one_of(name, steps))
        return EFFECT_STEPS;
    return is_one_of(name, looking) || is_one_of(name, more) ? EFFECT_LOOKS : EFFECT_OPAQUE;
}

static enum java_effect lock_effect(const char *name, const char *descriptor)
{
    static const char *const takes[] = {"lock", "lockInterruptibly", NULL};

    if (is_one_of(name, takes))
        return EFFECT_LOCK;
    if (strcmp(name, "tryLock") == 0)
        return strcmp(descriptor, "()Z") == 0 ? EFFECT_TRY_LOCK : EFFECT_TRY_LOCK_TIMED;
    return strcmp(name, "unlock") == 0 ? EFFECT_UNLOCK : EFFECT_NONE;
}

static enum java_effect condition_effect(const char *name)
{
    if (starts(name, "await"))
        return EFFECT_WAIT;
    return strcmp(name, "signal") == 0      ? EFFECT_NOTIFY
           : strcmp(name, "signalAll") == 0 ? EFFECT_NOTIFY_ALL
                                            : EFFECT_NONE;
}

static enum java_effect semaphore_effect(const char *name, const char *descriptor)
{
    if ((strcmp(name, "acquire") == 0 || strcmp(name, "acquireUninterruptibly") == 0) &&
        strcmp(descriptor, "()V") == 0)
        return EFFECT_SEMAPHORE_WAIT;
    if (strcmp(name, "release") == 0 && strcmp(descriptor, "()V") == 0)
        return EFFECT_POST;
    if (strcmp(name, "tryAcquire") == 0 &&
        (strcmp(descriptor, "()Z") == 0 || strcmp(descriptor, "(JLjava/util/concurrent/TimeUnit;)Z") == 0))
        return EFFECT_SEMAPHORE_TRY;
    return EFFECT_OPAQUE;
}

static enum java_effect pool_effect(const char *name)
{
    static const char *const gives[] = {"submit",      "execute",
                                        "schedule",    "scheduleAtFixedRate",
                                        "shutdown",    "fork",
                                        "complete",    "completeExceptionally",
                                        "shutdownNow", "scheduleWithFixedDelay",
                                        "cancel",      NULL};
    static const char *const takes[] = {"awaitTermination", "isTerminated", "get",  "join", "getNow",
                                        "isDone",           "take",         "poll", NULL};

    return is_one_of(name, gives)   ? EFFECT_POOL_GIVES
           : is_one_of(name, takes) ? EFFECT_POOL_TAKES
                                    : EFFECT_POOL;
}

/* Methods of java.lang.Object and Thread, which every class may have. */
static enum java_effect common_effect(const char *name, const char *descriptor)
{
    if (strcmp(name, "wait") == 0 && (strcmp(descriptor, "()V") == 0 || starts(descriptor, "(J")))
        return EFFECT_WAIT;
    if (strcmp(name, "notify") == 0 && strcmp(descriptor, "()V") == 0)
        return EFFECT_NOTIFY;
    return strcmp(name, "notifyAll") == 0 && strcmp(descriptor, "()V") == 0 ? EFFECT_NOTIFY_ALL : EFFECT_NONE;
}

static enum java_effect family_effect(enum java_family family, const char *name, const char *descriptor)
{
    switch (family) {
    case FAMILY_PLAIN:
        return is_one_of(name, looking) ? EFFECT_READS : EFFECT_WRITES;
    case FAMILY_CONCURRENT:
        return concurrent_effect(name);
    case FAMILY_LOCK:
    case FAMILY_READ_LOCK:
    case FAMILY_WRITE_LOCK:
        return lock_effect(name, descriptor);
    case FAMILY_CONDITION:
        return condition_effect(name);
    case FAMILY_SEMAPHORE:
        return semaphore_effect(name, descriptor);
    case FAMILY_BARRIER:
        return strcmp(name, "await") == 0 ? EFFECT_BARRIER : EFFECT_OPAQUE;
    case FAMILY_LATCH:
        return strcmp(name, "countDown") == 0 ? EFFECT_GIVES : EFFECT_TAKES;
    case FAMILY_FUTURE:
        return strcmp(name, "run") == 0 ? EFFECT_OPAQUE : EFFECT_TAKES;
    case FAMILY_POOL:
        return pool_effect(name);
    case FAMILY_IMMUTABLE:
        return EFFECT_NONE;
    default:
        return EFFECT_OPAQUE;
    }
}

enum java_effect java_effect(const struct java_list *list, const struct java_site_info *site,
                             enum java_family family, bool derived)
{
    const char *name = java_text(list, site->name), *descriptor = java_text(list, site->descriptor);
    const char *owner = java_text(list, site->owner);
    enum java_effect common = common_effect(name, descriptor);

    if (common != EFFECT_NONE)
        return common;
    if (strcmp(name, "start") == 0 && strcmp(descriptor, "()V") == 0)
        return EFFECT_START;
    if (strcmp(name, "interrupt") == 0 && strcmp(descriptor, "()V") == 0)
        return EFFECT_GIVES;
    if (starts(owner, "java/util/concurrent/locks/LockSupport"))
        return strcmp(name, "unpark") == 0 ? EFFECT_GIVES : EFFECT_PARK;
    return derived ? EFFECT_OPAQUE : family_effect(family, name, descriptor);
}

bool java_is_by_handle(const struct java_list *list, const struct java_site_info *site)
{
    const char *owner = java_text(list, site->owner);

    return starts(owner, "java/lang/invoke/MethodHandle") || starts(owner, "java/lang/reflect/Method") ||
           site->kind == INVOKE_DYNAMIC;
}

/* Of what is kept for all threads: properties, drivers, providers. */
static enum java_effect registry_effect(const char *owner, const char *name)
{
    if (!starts(owner, "java/lang/"))
        return EFFECT_EXCHANGES;
    return starts(name, "set") || starts(name, "clear") ? EFFECT_SENDS : EFFECT_RECEIVES;
}

static enum java_effect logging_effect(const char *name)
{
    return starts(name, "set") || starts(name, "add") || starts(name, "remove") ? EFFECT_REGISTERS
                                                                                : EFFECT_CALLS_BACK;
}

enum java_effect java_global_effect(const struct java_list *list, const struct java_site_info *site)
{
    static const char *const registries[] = {"java/lang/System",
                                             "java/lang/Integer",
                                             "java/lang/Long",
                                             "java/lang/Boolean",
                                             "java/sql/DriverManager",
                                             "java/security/Security",
                                             NULL};
    static const char *const sends[] = {"write",          "append",  "print", "println", "printf",
                                        "format",         "flush",   "close", "newLine", "send",
                                        "shutdownOutput", "destroy", NULL};
    static const char *const both[] = {"transfer", "connect", "finishConnect", "shutdown", NULL};
    const char *owner = java_text(list, site->owner), *name = java_text(list, site->name);

    if (java_is_by_handle(list, site))
        return EFFECT_BY_HANDLE;
    if (starts(owner, "java/util/logging/"))
        return logging_effect(name);
    if (strcmp(owner, "java/io/PrintStream") == 0)
        return EFFECT_SENDS;
    if (is_one_of(owner, registries))
        return registry_effect(owner, name);
    if (starts(owner, "javax/management/") || starts(owner, "javax/naming/") ||
        starts(owner, "java/net/http/") || starts(owner, "java/nio/channels/Asynchronous"))
        return EFFECT_EXCHANGES;
    if (strcmp(name, "runAsync") == 0 || strcmp(name, "supplyAsync") == 0) /* of CompletableFuture */
        return EFFECT_POOL_GIVES;
    if (!starts(owner, "com/sun/net/httpserver/") && !starts(owner, "java/io/") &&
        !starts(owner, "java/net/") && !starts(owner, "java/nio/") && !starts(owner, "java/util/Scanner") &&
        !starts(owner, "java/lang/Process"))
        return EFFECT_POOL;
    for (const char *const *b = both; *b; b++)
        if (starts(name, *b))
            return EFFECT_EXCHANGES;
    return is_one_of(name, sends) || starts(name, "write") ? EFFECT_SENDS : EFFECT_RECEIVES;
}

enum java_atomic java_atomic(const char *method)
{
    if (strcmp(method, "get") == 0 || starts(method, "getPlain") || starts(method, "getAcquire") ||
        starts(method, "getOpaque") || strcmp(method, "intValue") == 0 || strcmp(method, "longValue") == 0 ||
        strcmp(method, "doubleValue") == 0 || strcmp(method, "floatValue") == 0)
        return ATOMIC_LOADS;
    if (strcmp(method, "set") == 0 || strcmp(method, "lazySet") == 0 || starts(method, "setPlain") ||
        starts(method, "setRelease") || starts(method, "setOpaque"))
        return ATOMIC_STORES;
    return ATOMIC_CHANGES;
}

/* Updates by a function consist of reads and compare-and-set attempts. */
bool java_atomic_compares(const char *method)
{
    return starts(method, "compareAnd") || starts(method, "weakCompareAnd") ||
           strcmp(method, "attemptMark") == 0 || strcmp(method, "attemptStamp") == 0 ||
           strcmp(method, "getAndUpdate") == 0 || strcmp(method, "updateAndGet") == 0 ||
           strcmp(method, "getAndAccumulate") == 0 || strcmp(method, "accumulateAndGet") == 0;
}
