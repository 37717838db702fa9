/* Traces from scripts. */
#include "script.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

enum { SLICE = 12 };

struct thread {
    struct event *events;
    size_t events_count, events_capacity;
    size_t next;
    bool started, asleep;
};

struct script {
    struct thread threads[SCRIPT_THREADS];
    uint32_t *owner; /* by lock: 0 when free, else its thread, plus 1 */
    size_t owner_count, owner_capacity;
    struct trace trace;
    uint64_t random;
    const char *file;
};

struct script *script_new(uint64_t seed, const char *file)
{
    struct script *s = memory_new(1, sizeof *s);

    trace_init(&s->trace);
    s->random = (seed + 1) * 0x9e3779b97f4a7c15u;
    s->file = file;
    s->threads[0].started = true;
    for (unsigned t = 0; t < SCRIPT_THREADS; t++) {
        char name[16];
        int length = snprintf(name, sizeof name, "T%u", t);
        names_add(&s->trace.names[NAME_THREAD], name, (size_t)length);
    }
    return s;
}

void script_free(struct script *s)
{
    for (unsigned t = 0; t < SCRIPT_THREADS; t++)
        free(s->threads[t].events);
    free(s->owner);
    trace_free(&s->trace);
    free(s);
}

unsigned script_roll(struct script *s, unsigned bound)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (unsigned)((s->random >> 16) % bound);
}

size_t script_length(const struct script *s, unsigned thread)
{
    return s->threads[thread].events_count;
}

static void add(struct script *s, unsigned thread, enum event_kind kind, const char *object, unsigned number,
                unsigned line)
{
    enum name_class class = kind_argument(kind);
    struct event e = {.op = op_make(kind, ORDER_NONE), .thread = thread, .arg = ARG_NONE};
    char text[64];
    int length = snprintf(text, sizeof text, "%s%u", object, number);

    if (class == NAME_THREAD)
        e.arg = number;
    else if (class != NAME_BLOCK)
        e.arg = names_add(&s->trace.names[class], text, (size_t)length);
    length = snprintf(text, sizeof text, "%s:%u", s->file, line);
    e.location = names_add(&s->trace.names[NAME_LOCATION], text, (size_t)length);
    ARRAY_PUSH(&s->threads[thread], events, e);
}

void script_access(struct script *s, unsigned thread, bool write, const char *object, unsigned number,
                   unsigned line)
{
    add(s, thread, write ? EVENT_WRITE : EVENT_READ, object, number, line);
}

void script_lock(struct script *s, unsigned thread, const char *object, unsigned number, unsigned line)
{
    add(s, thread, EVENT_ACQUIRE, object, number, line);
    while (s->owner_count < trace_names(&s->trace, NAME_LOCK))
        ARRAY_PUSH(s, owner, 0);
}

void script_unlock(struct script *s, unsigned thread, const char *object, unsigned number, unsigned line)
{
    add(s, thread, EVENT_RELEASE, object, number, line);
}

void script_wait(struct script *s, unsigned thread, const char *condition, const char *lock, unsigned number,
                 unsigned line)
{
    add(s, thread, EVENT_WAIT_PRE, condition, number, line);
    add(s, thread, EVENT_RELEASE, lock, number, line);
    add(s, thread, EVENT_ACQUIRE, lock, number, line);
    add(s, thread, EVENT_WAIT_POST, condition, number, line);
}

void script_notify(struct script *s, unsigned thread, const char *condition, unsigned number, unsigned line)
{
    add(s, thread, EVENT_NOTIFY_ALL, condition, number, line);
}

void script_begin(struct script *s, unsigned thread, unsigned line)
{
    add(s, thread, EVENT_BEGIN, "", 0, line);
}

void script_end(struct script *s, unsigned thread, unsigned line)
{
    add(s, thread, EVENT_END, "", 0, line);
}

void script_fork(struct script *s, unsigned thread, unsigned child, unsigned line)
{
    add(s, thread, EVENT_FORK, "", child, line);
}

void script_join(struct script *s, unsigned thread, unsigned child, unsigned line)
{
    add(s, thread, EVENT_JOIN, "", child, line);
}

static bool has_ended(const struct thread *t)
{
    return t->started && t->next == t->events_count;
}

static bool may_run(const struct script *s, const struct thread *t)
{
    const struct event *e = &t->events[t->next];

    if (!t->started || t->next == t->events_count)
        return false;
    if (op_kind(e->op) == EVENT_ACQUIRE)
        return s->owner[e->arg] == 0 && !t->asleep;
    return op_kind(e->op) != EVENT_JOIN || has_ended(&s->threads[e->arg]);
}

static void take_effect(struct script *s, struct thread *t, const struct event *e)
{
    switch (op_kind(e->op)) {
    case EVENT_ACQUIRE:
        s->owner[e->arg] = e->thread + 1;
        break;
    case EVENT_RELEASE:
        s->owner[e->arg] = 0;
        break;
    case EVENT_WAIT_PRE:
        t->asleep = true;
        break;
    case EVENT_NOTIFY_ALL:
        for (unsigned u = 0; u < SCRIPT_THREADS; u++)
            s->threads[u].asleep = false;
        break;
    case EVENT_FORK:
        s->threads[e->arg].started = true;
        break;
    default:
        break;
    }
}

/* Runs a thread for a while; false when it cannot do anything. */
static bool run_slice(struct script *s, struct thread *t)
{
    unsigned left = 1 + script_roll(s, SLICE);
    bool any = false;

    for (; left > 0 && may_run(s, t); left--) {
        const struct event *e = &t->events[t->next++];
        take_effect(s, t, e);
        trace_append(&s->trace, e);
        any = true;
    }
    return any;
}

const struct trace *script_run(struct script *s)
{
    for (;;) {
        unsigned start = script_roll(s, SCRIPT_THREADS), tried = 0;
        while (tried < SCRIPT_THREADS && !run_slice(s, &s->threads[(start + tried) % SCRIPT_THREADS]))
            tried++;
        if (tried < SCRIPT_THREADS)
            continue;
        bool woken = false; /* nobody is left to notify them */
        for (unsigned t = 0; t < SCRIPT_THREADS; t++) {
            woken |= s->threads[t].asleep;
            s->threads[t].asleep = false;
        }
        if (!woken)
            return &s->trace;
    }
}
