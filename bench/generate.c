/* heddle-generate SHAPE EVENTS THREADS SEED OUT: traces like those of real programs, as large as wanted.
 *
 * A small machine runs simulated threads under a seeded random scheduler. Each thread keeps a short list of
 * operations to do; when it is empty the shape is asked what the thread does next, given what it sees. */
#include "base/memory.h"
#include "trace/htr.h"
#include "trace/std.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 256, PLAN_MAX = THREADS_MAX + 16, SLICE = 24 };

struct thread {
    struct event plan[PLAN_MAX];
    unsigned next, planned;
    unsigned stage; /* the shape's own */
    uint64_t round;
    bool waiting; /* on the condition, until notified */
    bool done;
};

struct machine {
    struct trace trace;
    struct thread threads[THREADS_MAX]; /* 0 is main */
    unsigned thread_count;
    size_t target;
    uint64_t random;
    uint32_t *lock_owner; /* by lock id; 0: free, else thread + 1 */
    size_t lock_room;
    unsigned arrived, left; /* at the barrier */
    bool stopping;          /* the target is reached: no new work */
    unsigned alive;
    int stored; /* what the queue of the shapes with one holds */
    const char *file;
};

static uint64_t roll(struct machine *m, uint64_t below)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (m->random >> 11) % below;
}

static uint32_t name(struct machine *m, enum name_class class, const char *prefix, uint64_t number)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%s%" PRIu64, prefix, number);

    return names_add(&m->trace.names[class], text, (size_t)length);
}

static void plan(struct machine *m, unsigned thread, enum event_kind kind, const char *prefix, uint64_t number,
                 unsigned line)
{
    struct thread *t = &m->threads[thread];
    char place[64];
    int length = snprintf(place, sizeof place, "%s:%u", m->file, line);

    if (t->planned == PLAN_MAX) {
        fprintf(stderr, "heddle-generate: a thread plans too far ahead\n");
        exit(1);
    }
    t->plan[t->planned++] = (struct event){
        .op = op_make(kind, ORDER_NONE),
        .thread = thread,
        .arg = name(m, kind_argument(kind), prefix, number),
        .location = names_add(&m->trace.names[NAME_LOCATION], place, (size_t)length),
    };
}

static void access(struct machine *m, unsigned t, bool write, const char *prefix, uint64_t number,
                   unsigned line)
{
    plan(m, t, write ? EVENT_WRITE : EVENT_READ, prefix, number, line);
}

/* Transfers between accounts, each with its own lock, taken in order; now and then an audit. */
static void bank(struct machine *m, unsigned t)
{
    uint64_t a = roll(m, 64), b = (a + 1 + roll(m, 62)) % 64;
    uint64_t first = a < b ? a : b, second = a < b ? b : a;

    plan(m, t, EVENT_ACQUIRE, "account.lock", first, 20);
    plan(m, t, EVENT_ACQUIRE, "account.lock", second, 21);
    access(m, t, false, "account.balance", a, 22);
    access(m, t, true, "account.balance", a, 22);
    access(m, t, false, "account.balance", b, 23);
    access(m, t, true, "account.balance", b, 23);
    plan(m, t, EVENT_RELEASE, "account.lock", second, 24);
    plan(m, t, EVENT_RELEASE, "account.lock", first, 25);
    for (int i = 0; i < 4; i++) {
        access(m, t, true, "local", t * 16 + roll(m, 16), 27);
        access(m, t, false, "local", t * 16 + roll(m, 16), 28);
    }
}

/* The same transfers as declared blocks, deterministic and atomic: two-phase locking makes them serializable.
 */
static void blocks(struct machine *m, unsigned t)
{
    plan(m, t, EVENT_DET_BEGIN, "transfer", 0, 18);
    plan(m, t, EVENT_BEGIN, "transfer", 0, 19);
    bank(m, t);
    plan(m, t, EVENT_END, "transfer", 0, 29);
    plan(m, t, EVENT_DET_END, "transfer", 0, 29);
}

/* Tasks taken from a locked list, results put into slots of one's own. */
static void queue(struct machine *m, unsigned t)
{
    uint64_t task = m->threads[t].round++;

    plan(m, t, EVENT_ACQUIRE, "queue.lock", 0, 31);
    access(m, t, false, "queue.head", 0, 32);
    access(m, t, true, "queue.head", 0, 33);
    plan(m, t, EVENT_RELEASE, "queue.lock", 0, 34);
    for (int i = 0; i < 6; i++) {
        access(m, t, false, "input", roll(m, 512), 36);
        access(m, t, true, "result", t * 64 + task % 64, 37);
    }
    plan(m, t, EVENT_ACQUIRE, "total.lock", t % 4, 39);
    access(m, t, false, "total", t % 4, 40);
    access(m, t, true, "total", t % 4, 40);
    plan(m, t, EVENT_RELEASE, "total.lock", t % 4, 41);
}

/* Hot variables under a few locks, every second section on the hottest. */
static void hot(struct machine *m, unsigned t)
{
    uint64_t lock = roll(m, 2) ? 0 : roll(m, 20);

    plan(m, t, EVENT_ACQUIRE, "lock", lock, 50 + (unsigned)lock);
    for (uint64_t i = 1 + roll(m, 5); i > 0; i--) {
        uint64_t variable = lock == 0 && roll(m, 4) ? 0 : roll(m, 4);
        bool write = roll(m, 2);
        access(m, t, write, "hot", lock * 4 + variable, 100 + (unsigned)(lock * 8 + variable * 2) + write);
    }
    plan(m, t, EVENT_RELEASE, "lock", lock, 80 + (unsigned)lock);
}

/* Each worker updates its own cells from its neighbours' of the round before, between barriers. */
static void stencil(struct machine *m, unsigned t)
{
    struct thread *self = &m->threads[t];
    uint64_t workers = m->thread_count - 1, grid = self->round % 2;

    if (self->stage == 1) {
        plan(m, t, EVENT_BARRIER_EXIT, "barrier", 0, 68);
        self->stage = 0;
        return;
    }
    for (uint64_t i = 0; i < 8; i++) {
        uint64_t cell = (t - 1) * 8 + i;
        access(m, t, false, grid ? "odd" : "even", (cell + workers * 8 - 1) % (workers * 8), 62);
        access(m, t, false, grid ? "odd" : "even", (cell + 1) % (workers * 8), 63);
        access(m, t, true, grid ? "even" : "odd", cell, 64);
    }
    plan(m, t, EVENT_BARRIER_ENTER, "barrier", 0, 67);
    self->round++;
    self->stage = 1;
}

/* Workers on disjoint parts of what main wrote before it forked them. */
static void fork_join(struct machine *m, unsigned t)
{
    for (int i = 0; i < 8; i++) {
        access(m, t, false, "shared.input", roll(m, 256), 71);
        access(m, t, true, "part", t * 256 + roll(m, 256), 72);
        access(m, t, false, "part", t * 256 + roll(m, 256), 73);
    }
}

/* A bounded buffer: half of the workers fill it, half empty it, and they wait for each other. */
static void producer_consumer(struct machine *m, unsigned t)
{
    struct thread *self = &m->threads[t];
    bool producer = t % 2 == 1;
    unsigned line = producer ? 80 : 90;

    switch (self->stage) {
    case 0:
        access(m, t, true, "local", t, line);
        plan(m, t, EVENT_ACQUIRE, "buffer.lock", 0, line + 1);
        self->stage = 1;
        return;
    case 1: /* holds the lock */
        access(m, t, false, "buffer.count", 0, line + 2);
        if (!m->stopping && (producer ? m->stored == 16 : m->stored == 0)) {
            plan(m, t, EVENT_WAIT_PRE, "buffer.changed", 0, line + 3);
            plan(m, t, EVENT_RELEASE, "buffer.lock", 0, line + 3);
            self->stage = 2;
            return;
        }
        m->stored += producer ? 1 : m->stored > 0 ? -1 : 0;
        access(m, t, producer, "buffer.slot", (uint64_t)m->stored % 16, line + 4);
        access(m, t, true, "buffer.count", 0, line + 5);
        plan(m, t, EVENT_NOTIFY_ALL, "buffer.changed", 0, line + 6);
        plan(m, t, EVENT_RELEASE, "buffer.lock", 0, line + 7);
        self->stage = 0;
        return;
    default: /* woken */
        plan(m, t, EVENT_ACQUIRE, "buffer.lock", 0, line + 3);
        plan(m, t, EVENT_WAIT_POST, "buffer.changed", 0, line + 3);
        self->stage = 1;
        return;
    }
}

static const struct shape {
    const char *name, *file;
    void (*work)(struct machine *m, unsigned thread);
    bool in_block; /* main and its workers are one deterministic block */
} shapes[] = {
    {"bank", "bank.c", bank, false},
    {"queue", "queue.c", queue, false},
    {"stencil", "stencil.c", stencil, false},
    {"fork-join", "forkjoin.c", fork_join, false},
    {"hot", "hot.c", hot, false},
    {"producer-consumer", "buffer.c", producer_consumer, false},
    {"blocks", "transfer.c", blocks, false},
    {"team", "team.c", stencil, true},
};

/* May the thread do its next operation now? */
static bool may_run(struct machine *m, const struct thread *t)
{
    const struct event *e = &t->plan[t->next];

    switch (op_kind(e->op)) {
    case EVENT_ACQUIRE:
        return e->arg >= m->lock_room || m->lock_owner[e->arg] == 0;
    case EVENT_BARRIER_EXIT:
        return m->arrived == m->thread_count - 1;
    case EVENT_BARRIER_ENTER:
        return m->left == 0;
    case EVENT_JOIN:
        return m->threads[e->arg].done;
    default:
        return true;
    }
}

static void take_effect(struct machine *m, const struct event *e)
{
    switch (op_kind(e->op)) {
    case EVENT_ACQUIRE:
        if (e->arg >= m->lock_room) {
            size_t old = m->lock_room;
            m->lock_owner =
                memory_grow(m->lock_owner, &m->lock_room, (size_t)e->arg + 1, sizeof *m->lock_owner);
            memset(m->lock_owner + old, 0, (m->lock_room - old) * sizeof *m->lock_owner);
        }
        m->lock_owner[e->arg] = e->thread + 1;
        break;
    case EVENT_RELEASE:
        m->lock_owner[e->arg] = 0;
        break;
    case EVENT_WAIT_PRE:
        m->threads[e->thread].waiting = true;
        break;
    case EVENT_NOTIFY_ALL:
        for (unsigned t = 0; t < m->thread_count; t++)
            m->threads[t].waiting = false;
        break;
    case EVENT_BARRIER_ENTER:
        m->arrived++;
        break;
    case EVENT_BARRIER_EXIT:
        if (++m->left == m->thread_count - 1)
            m->arrived = m->left = 0;
        break;
    case EVENT_FORK:
        m->threads[e->arg].done = false;
        m->alive++;
        break;
    default:
        break;
    }
}

/* Does one operation; false when the thread cannot go on now. */
static bool step(struct machine *m, unsigned thread, const struct shape *shape)
{
    struct thread *t = &m->threads[thread];

    if (t->done)
        return false;
    if (t->waiting && t->next == t->planned && !m->stopping)
        return false;
    if (t->next == t->planned) {
        t->next = t->planned = 0;
        if (thread == 0 || (m->stopping && t->stage == 0)) {
            t->done = true;
            m->alive--;
            return false;
        }
        shape->work(m, thread);
    }
    if (!may_run(m, t))
        return false;
    take_effect(m, &t->plan[t->next]);
    trace_append(&m->trace, &t->plan[t->next++]);
    return true;
}

/* Barriers come in rounds: all workers must stop after the same one. */
static bool round_is_even(const struct machine *m)
{
    for (unsigned t = 2; t < m->thread_count; t++)
        if (m->threads[t].round != m->threads[1].round)
            return false;
    return m->arrived == 0;
}

static void simulate(struct machine *m, const struct shape *shape)
{
    for (unsigned t = 0; t < m->thread_count; t++)
        name(m, NAME_THREAD, "T", t);
    if (shape->in_block)
        plan(m, 0, EVENT_DET_BEGIN, "main", 0, 9);
    for (uint64_t i = 0; i < 16; i++)
        access(m, 0, true, "shared.input", i, 10);
    for (unsigned t = 1; t < m->thread_count; t++) {
        m->threads[t].done = true;
        plan(m, 0, EVENT_FORK, "T", t, 11);
    }
    m->alive = 1;
    while (step(m, 0, shape) && m->threads[0].next < m->threads[0].planned)
        ;
    while (m->alive > 1) {
        unsigned t = 1 + (unsigned)roll(m, m->thread_count - 1);
        for (uint64_t slice = 1 + roll(m, SLICE); slice > 0; slice--)
            if (!step(m, t, shape))
                break;
        if (!m->stopping && m->trace.count >= m->target && (shape->work != stencil || round_is_even(m)))
            m->stopping = true;
    }
    for (unsigned t = 1; t < m->thread_count; t++)
        plan(m, 0, EVENT_JOIN, "T", t, 12);
    if (shape->in_block)
        plan(m, 0, EVENT_DET_END, "main", 0, 13);
    while (step(m, 0, shape))
        ;
}

static enum status save(const struct trace *trace, const char *path, struct error *err)
{
    size_t length = strlen(path);

    if (length > 4 && strcmp(path + length - 4, ".htr") == 0) {
        struct htr_writer *writer;
        if (htr_create(&writer, path, HTR_NAMES | HTR_LOCATIONS, trace->names, err) != HEDDLE_OK)
            return err->status;
        for (size_t number = 1; number <= trace->count; number++) {
            struct event e = trace_event(trace, number);
            htr_append(writer, &e);
        }
        return htr_close(writer, err);
    }
    struct output *out;
    if (output_open(&out, path, err) != HEDDLE_OK)
        return err->status;
    std_write(trace, out);
    return output_close(out, err);
}

int main(int argc, char **argv)
{
    static struct machine m;
    struct error err;
    size_t i = 0;

    while (argc == 6 && i < sizeof shapes / sizeof *shapes && strcmp(shapes[i].name, argv[1]) != 0)
        i++;
    unsigned long workers = argc == 6 ? strtoul(argv[3], NULL, 10) : 0;
    if (argc != 6 || i == sizeof shapes / sizeof *shapes || workers < 2 || workers >= THREADS_MAX) {
        fprintf(stderr,
                "usage: heddle-generate bank|queue|stencil|fork-join|hot|producer-consumer|blocks|team EVENTS "
                "WORKERS SEED OUT\n       2 to 255 workers; OUT ends in .std or .htr, - is standard output\n");
        return 1;
    }
    trace_init(&m.trace);
    m.file = shapes[i].file;
    m.target = strtoull(argv[2], NULL, 10);
    m.thread_count = (unsigned)workers + 1;
    m.random = (strtoull(argv[4], NULL, 10) + 1) * 0x9e3779b97f4a7c15u;
    simulate(&m, &shapes[i]);
    if (save(&m.trace, argv[5], &err) != HEDDLE_OK) {
        fprintf(stderr, "heddle-generate: %s\n", err.text);
        return 1;
    }
    trace_free(&m.trace);
    free(m.lock_owner);
    return 0;
}
