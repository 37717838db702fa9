/* Hooks of machines in which tests run along schedules. */
#include "turn_hooks.h"
#include "calls.h"

#include <stdio.h>

static bool starts_among(struct span name, const char *const *list)
{
    for (; *list; list++)
        if (span_starts(name, *list))
            return true;
    return false;
}

bool turns_in_jdk(struct span name)
{
    return span_is(name, "java/lang/Thread") || span_starts(name, "java/util/concurrent/") ||
           span_is(name, "java/util/Timer") || span_is(name, "java/util/TimerThread");
}

bool turns_spare(struct span name)
{
    static const char *const tools[] = {
        "org/junit/",         "junit/",        "org/opentest4j/",  "org/apiguardian/",  "org/hamcrest/",
        "org/assertj/",       "org/mockito/",  "net/bytebuddy/",   "org/apache/maven/", "org/gradle/",
        "worker/org/gradle/", "com/intellij/", "org/eclipse/jdt/", "picocli/",          NULL};

    return starts_among(name, tools);
}

static void turns(struct method_work *m, const char *name, const char *descriptor)
{
    need(m, 3, 0);
    hook_in(m, TURNS_CLASS, name, descriptor);
}

/* Fields are told apart by a hash of their name: two that share one are taken for one. */
static uint32_t hash_of(struct span first, struct span second)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < first.count; i++)
        hash = (hash ^ first.data[i]) * 16777619u;
    for (size_t i = 0; i < second.count; i++)
        hash = (hash ^ second.data[i]) * 16777619u;
    return 1 + (hash ^ hash >> 16) % 0xfffeu;
}

static void step(struct method_work *m, uint32_t what, bool writes)
{
    need(m, 1, 0);
    push_integer(m, (int32_t)(what << 1 | writes));
    turns(m, "at", "(I)V");
}

/* What the machine calls in threads that start and end. */
static void enter_thread(struct method_work *m)
{
    struct span name = m->method->name;
    const char *called = span_is(name, "start")                       ? "forks"
                         : span_is(name, "exit")                      ? "ends"
                         : span_is(name, "dispatchUncaughtException") ? "uncaught"
                                                                      : NULL;

    if (!called || (m->method->access & ACCESS_STATIC))
        return;
    emit_load(m, 'L', span_is(name, "dispatchUncaughtException") ? 1 : 0);
    turns(m, called, "(Ljava/lang/Object;)V");
}

void turns_enter(struct method_work *m, bool synchronized, bool initializer)
{
    if (span_is(m->work->class->name, "java/lang/Thread"))
        enter_thread(m);
    if (synchronized) {
        bool is_static = m->method->access & ACCESS_STATIC;
        emit(m, is_static ? OP_LDC_W : OP_ALOAD_0);
        if (is_static)
            put_u2(&m->builder.out, m->work->class->this_index);
        emit(m, OP_DUP);
        turns(m, "enteringMethod", "(Ljava/lang/Object;)V");
        emit(m, OP_MONITORENTER);
    }
    if (initializer)
        turns(m, "initializes", "()V");
}

void turns_leave(struct method_work *m, bool synchronized, bool initializer)
{
    if (initializer)
        turns(m, "initialized", "()V");
    if (synchronized) {
        turns(m, "leavingMethod", "()Ljava/lang/Object;");
        emit(m, OP_MONITOREXIT);
    }
}

/* Methods that the runtime has in the place of the JDK's; the receiver, if there is one, becomes the first argument. */
struct replaced {
    const char *owner, *name, *descriptor;
    bool anywhere; /* in classes of the JDK, too */
};

static const struct replaced replaced[] = {
    {"jdk/internal/misc/Unsafe", "park", "(ZJ)V", true},
    {"jdk/internal/misc/Unsafe", "unpark", "(Ljava/lang/Object;)V", true},
    {"java/lang/System", "nanoTime", "()J", true},
    {"java/lang/System", "currentTimeMillis", "()J", true},
    {"java/lang/Thread", "sleep", "(J)V", true},
    {"java/lang/Thread", "sleep", "(JI)V", true},
    {"java/lang/Thread", "yield", "()V", false},
    {"java/lang/Thread", "onSpinWait", "()V", false},
    {"java/lang/Thread", "join", "(J)V", false},
    {"java/lang/Math", "random", "()D", false},
    {"java/util/UUID", "randomUUID", "()Ljava/util/UUID;", false},
};

static bool replace(struct method_work *m, unsigned op, const struct member *called)
{
    bool jdk = is_jdk(m->work->class->name);

    if (jdk && span_is(m->work->class->name, "java/lang/Thread"))
        return false;
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
        const struct replaced *r = &replaced[i];
        char descriptor[128];
        if (!span_is(called->name, r->name) || !span_is(called->owner, r->owner) ||
            !span_is(called->descriptor, r->descriptor) || (jdk && !r->anywhere))
            continue;
        if (op == OP_INVOKESTATIC)
            snprintf(descriptor, sizeof descriptor, "%s", r->descriptor);
        else
            snprintf(descriptor, sizeof descriptor, "(L%s;%s", r->owner, r->descriptor + 1);
        turns(m, r->name, descriptor);
        return true;
    }
    return false;
}

/* wait, notify and notifyAll, whatever the receiver. */
static bool replace_wait(struct method_work *m, unsigned op, const struct member *called)
{
    bool waits = span_is(called->name, "wait"),
         notifies = span_is(called->name, "notify") || span_is(called->name, "notifyAll");
    char name[16], descriptor[64];

    if (op == OP_INVOKESTATIC || op == OP_INVOKEINTERFACE ||
        !((notifies && span_is(called->descriptor, "()V")) ||
          (waits && (span_is(called->descriptor, "()V") || span_is(called->descriptor, "(J)V") ||
                     span_is(called->descriptor, "(JI)V")))))
        return false;
    snprintf(name, sizeof name, "%.*s", (int)called->name.count, (const char *)called->name.data);
    snprintf(descriptor, sizeof descriptor, "(Ljava/lang/Object;%.*s", (int)called->descriptor.count - 1,
             (const char *)called->descriptor.data + 1);
    turns(m, name, descriptor);
    return true;
}

/* `new Random()`: it gets its seed from the runtime. */
static bool seed_random(struct method_work *m, const struct member *called)
{
    uint16_t index;

    if (!span_is(called->owner, "java/util/Random") || !span_is(called->name, "<init>") ||
        !span_is(called->descriptor, "()V") || span_is(m->method->name, "<init>"))
        return false;
    turns(m, "seed", "()J");
    index = pool_add_method(m->work->pool, "java/util/Random", "<init>", "(J)V");
    m->builder.failed |= index == 0;
    emit(m, OP_INVOKESPECIAL);
    put_u2(&m->builder.out, index);
    return true;
}

/* Calls on objects of the JDK that threads may share: a step each. */
static bool is_step(unsigned op, const struct member *called)
{
    static const char *const owned[] = {"java/lang/StringBu", "java/lang/AbstractStringB", "java/util/Iterator",
                                        NULL};

    if (starts_among(called->owner, owned))
        return false;
    switch (call_mode(op, called)) {
    case CALL_OBJECT:
    case CALL_ATOMIC:
    case CALL_ATOMIC_AT:
    case CALL_UPDATE:
    case CALL_COPY:
    case CALL_ARGUMENT:
    case CALL_GLOBAL:
    case CALL_CHANNEL:
        return true;
    default:
        return false;
    }
}

static void call(struct method_work *m, size_t at, const struct member *called)
{
    unsigned op = m->code->bytes.data[at];
    bool jdk = is_jdk(m->work->class->name);

    if (replace(m, op, called) ||
        ((!jdk || span_starts(m->work->class->name, "java/util/Timer")) && replace_wait(m, op, called)))
        return;
    if (!jdk && seed_random(m, called))
        return;
    if (!jdk && is_step(op, called)) {
        if (span_is(called->name, "join") && span_is(called->descriptor, "()V") && op != OP_INVOKESTATIC) {
            emit(m, OP_DUP);
            turns(m, "joining", "(Ljava/lang/Object;)V");
        } else {
            step(m, hash_of(called->owner, (struct span){NULL, 0}), true);
        }
    }
    builder_copy(&m->builder, at);
}

void turns_member(struct method_work *m, size_t at, const struct member *member, size_t whole)
{
    unsigned op = m->code->bytes.data[at];

    if (op >= OP_INVOKEVIRTUAL) {
        call(m, at, member);
        return;
    }
    if (!is_jdk(m->work->class->name) && !is_jdk(member->owner) && at >= whole)
        step(m, hash_of(member->name, member->descriptor), op == OP_PUTFIELD || op == OP_PUTSTATIC);
    builder_copy(&m->builder, at);
}

void turns_instruction(struct method_work *m, size_t at)
{
    unsigned op = m->code->bytes.data[at];
    bool loads = op >= OP_IALOAD && op <= OP_SALOAD, stores = op >= OP_IASTORE && op <= OP_SASTORE;

    if (is_jdk(m->work->class->name)) {
        builder_copy(&m->builder, at);
        return;
    }
    if (loads || stores) {
        uint8_t kind = (uint8_t)('0' + op - (loads ? OP_IALOAD : OP_IASTORE));
        step(m, hash_of((struct span){&kind, 1}, (struct span){NULL, 0}), stores);
    } else if (op == OP_MONITORENTER || op == OP_MONITOREXIT) {
        emit(m, OP_DUP);
        turns(m, op == OP_MONITORENTER ? "entering" : "leaving", "(Ljava/lang/Object;)V");
    }
    builder_copy(&m->builder, at);
}
