/* What a thread learns from outside: the time and random numbers pass through the runtime, which records them and, where a
 * script is followed, puts those of the recorded run in their place. */
#include "hook_sites.h"

#include <stdio.h>

/* A call whose result is such a value: the runtime's method takes it and gives what the program is to see. */
struct taken_input {
    const char *owner, *name, *descriptor;
    const char *taken_by;
    bool jdk; /* only inside the methods of the JDK that have hooks */
};

static const struct taken_input inputs[] = {
    {"java/lang/System", "nanoTime", "()J", "nanos", false},
    {"java/lang/System", "currentTimeMillis", "()J", "millis", false},
    {"java/util/Random", "seedUniquifier", "()J", "seed", true},
};

static void take(struct method_work *m, const char *name, const char *type)
{
    char descriptor[128];

    snprintf(descriptor, sizeof descriptor, "(%s)%s", type, type);
    need(m, 3, 0);
    hook_in(m, INPUTS_CLASS, name, descriptor);
}

void hook_input(struct method_work *m, size_t at, const struct member *called)
{
    bool jdk = is_jdk(m->work->class->name);

    if (m->code->bytes.data[at] != OP_INVOKESTATIC || m->work->rewriter->explores)
        return; /* exploration has its own idea of what comes from outside */
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (span_is(called->name, inputs[i].name) && span_is(called->owner, inputs[i].owner) &&
            span_is(called->descriptor, inputs[i].descriptor) && (jdk || !inputs[i].jdk))
            take(m, jdk && span_is(m->work->class->name, "java/util/Random") ? "seed" : inputs[i].taken_by,
                 inputs[i].descriptor + strlen("()"));
}

bool hook_random(struct method_work *m, size_t at, const struct member *called)
{
    static const struct member_text {
        const char *owner, *name, *descriptor;
    } shared[] = {
        {"java/lang/Math", "random", "()D"},
        {"java/lang/StrictMath", "random", "()D"},
        {"java/util/Collections", "shuffle", "(Ljava/util/List;)V"},
        {"java/util/concurrent/ThreadLocalRandom", "current", "()Ljava/util/concurrent/ThreadLocalRandom;"}};

    if (m->code->bytes.data[at] != OP_INVOKESTATIC || m->work->rewriter->explores)
        return false;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (span_is(called->name, shared[i].name) && span_is(called->owner, shared[i].owner) &&
            span_is(called->descriptor, shared[i].descriptor)) {
            need(m, 3, 0);
            hook_in(m, INPUTS_CLASS, shared[i].name, shared[i].descriptor);
            return true;
        }
    return false;
}

void hook_input_returned(struct method_work *m)
{
    if (span_is(m->work->class->name, "java/lang/invoke/SerializedLambda")) {
        need(m, 3, 0);
        emit_load(m, 'L', 0);
        hook_in(m, INPUTS_CLASS, "written", "(Ljava/lang/Object;)V");
        return;
    }
    if (m->work->rewriter->explores)
        return;
    if (span_is(m->work->class->name, "java/time/Clock")) {
        take(m, "instant", "Ljava/time/Instant;");
    } else if (span_is(m->work->class->name, "java/security/SecureRandom") &&
               span_is(m->method->descriptor, "([B)V")) {
        need(m, 3, 0);
        emit_load(m, 'L', 1);
        hook_in(m, INPUTS_CLASS, "bytes", "([B)V");
    }
}
