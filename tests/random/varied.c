/* Random programs of very different shapes. */
#include "random/varied.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

enum { NESTING_MOST = 6, EVENTS_MOST = 20000, THREADS_MOST = 1024 };

enum fork_pattern { FORK_AT_START, FORK_IN_BATCHES, FORK_ONE_BY_ONE, FORK_NONE, FORK_PATTERNS };

struct varied_program {
    uint64_t random;
    uint64_t events, threads, locks, variables, nesting, slice, burst;
    uint64_t heat;    /* percent of the accesses that go to a few variables */
    uint64_t guarded; /* percent of the accesses that take the lock of their variable */
    uint64_t life;    /* of a thread, in events, where threads come and go */
    enum fork_pattern forks;
};

struct varied_thread {
    uint64_t name;
    uint64_t held[NESTING_MOST], depth;
    uint64_t done;
    bool alive;
};

struct varied_run {
    struct varied_program p;
    FILE *out;
    uint64_t written, names;
    struct varied_thread *threads; /* 0 is main */
    uint8_t *taken;                /* by lock */
};

static uint64_t draw(struct varied_program *p, uint64_t below)
{
    p->random ^= p->random << 13;
    p->random ^= p->random >> 7;
    p->random ^= p->random << 17;
    return (p->random >> 11) % below;
}

/* A number up to `most`, each order of magnitude as likely as the others. */
static uint64_t draw_size(struct varied_program *p, uint64_t most)
{
    uint64_t limit = 2;

    while (limit < most && draw(p, 4) > 0)
        limit *= 2;
    return 1 + draw(p, limit < most ? limit : most);
}

static struct varied_program draw_program(uint64_t seed)
{
    struct varied_program p = {.random = (seed + 1) * 0x9e3779b97f4a7c15u};

    p.events = 1000 + draw(&p, EVENTS_MOST - 2 * THREADS_MOST - 1000);
    p.threads = 1 + draw_size(&p, THREADS_MOST - 1);
    if (p.events < 3 * p.threads) /* some are left besides forks and joins: a trace without any is refused */
        p.events = 3 * p.threads;
    p.locks = draw_size(&p, 4096);
    p.variables = draw_size(&p, 4096);
    p.nesting = draw(&p, NESTING_MOST);
    p.slice = draw_size(&p, 64);
    p.burst = draw(&p, 3) ? 1 : draw_size(&p, 128);
    p.heat = draw(&p, 101);
    p.guarded = draw(&p, 101);
    p.life = draw_size(&p, 512);
    p.forks = (enum fork_pattern)draw(&p, FORK_PATTERNS);
    return p;
}

static void put(struct varied_run *r, const struct varied_thread *t, const char *operation, const char *prefix,
                uint64_t number, uint64_t line)
{
    fprintf(r->out, "T%" PRIu64 "|%s(%s%" PRIu64 ")|varied.c:%" PRIu64 "\n", t->name, operation, prefix, number,
            line);
    r->written++;
}

static bool take(struct varied_run *r, struct varied_thread *t, uint64_t lock)
{
    if (t->depth == NESTING_MOST || r->taken[lock])
        return false;
    r->taken[lock] = 1;
    t->held[t->depth++] = lock;
    put(r, t, "acq", "l", lock, 10 + lock % 8);
    return true;
}

static void give(struct varied_run *r, struct varied_thread *t)
{
    uint64_t lock = t->held[--t->depth];

    r->taken[lock] = 0;
    put(r, t, "rel", "l", lock, 20 + lock % 8);
}

static void access_some(struct varied_run *r, struct varied_thread *t)
{
    bool hot = draw(&r->p, 100) < r->p.heat, write = draw(&r->p, 2), locked = false;
    uint64_t x = draw(&r->p, hot && r->p.variables > 4 ? 4 : r->p.variables);

    if (draw(&r->p, 100) < r->p.guarded) {
        locked = take(r, t, x % r->p.locks);
        if (!locked)
            return;
    }
    for (uint64_t i = 0; i < r->p.burst; i++)
        put(r, t, write ? "w" : "r", "x", (x + i) % r->p.variables, 30 + (x + i) % 16 * 2 + write);
    if (locked)
        give(r, t);
}

static void step(struct varied_run *r, struct varied_thread *t)
{
    uint64_t what = draw(&r->p, 8);

    if (what == 0 && t->depth < r->p.nesting)
        take(r, t, draw(&r->p, r->p.locks));
    else if (what <= 2 && t->depth > 0)
        give(r, t);
    else
        access_some(r, t);
    t->done++;
}

static void start(struct varied_run *r, const struct varied_thread *parent, struct varied_thread *t)
{
    *t = (struct varied_thread){.name = ++r->names, .alive = true};
    if (r->p.forks != FORK_NONE)
        put(r, parent, "fork", "T", t->name, 1);
}

static void finish(struct varied_run *r, const struct varied_thread *parent, struct varied_thread *t)
{
    while (t->depth > 0)
        give(r, t);
    t->alive = false;
    if (r->p.forks != FORK_NONE)
        put(r, parent, "join", "T", t->name, 2);
}

/* Threads come and go: main forks one for each that it joins, or all of them at once when all are over. */
static void renew(struct varied_run *r, struct varied_thread *t)
{
    bool batch = r->p.forks == FORK_IN_BATCHES;

    if (t->done < r->p.life || r->p.forks == FORK_AT_START || r->p.forks == FORK_NONE)
        return;
    for (uint64_t i = 1; i <= r->p.threads && batch; i++)
        finish(r, r->threads, &r->threads[i]);
    for (uint64_t i = 1; i <= r->p.threads && batch; i++)
        start(r, r->threads, &r->threads[i]);
    if (!batch) {
        finish(r, r->threads, t);
        start(r, r->threads, t);
    }
}

void varied_trace(FILE *out, uint64_t seed)
{
    struct varied_run r = {.p = draw_program(seed), .out = out};

    r.threads = memory_new(r.p.threads + 1, sizeof *r.threads);
    r.taken = memory_new(r.p.locks, 1);
    r.threads[0].alive = true;
    for (uint64_t i = 1; i <= r.p.threads; i++)
        start(&r, r.threads, &r.threads[i]);
    while (r.written + 2 * r.p.threads < r.p.events) {
        struct varied_thread *t = &r.threads[1 + draw(&r.p, r.p.threads)];
        for (uint64_t i = 1 + draw(&r.p, r.p.slice); i > 0 && r.written < r.p.events; i--)
            step(&r, t);
        renew(&r, t);
    }
    for (uint64_t i = 1; i <= r.p.threads; i++)
        finish(&r, r.threads, &r.threads[i]);
    free(r.threads);
    free(r.taken);
}

void varied_describe(FILE *out, uint64_t seed)
{
    struct varied_program p = draw_program(seed);

    fprintf(out,
            "%" PRIu64 " events, %" PRIu64 " threads, forks %d, life %" PRIu64 ", %" PRIu64
            " locks, nesting %" PRIu64 ", %" PRIu64 " variables, burst %" PRIu64 ", %" PRIu64 "%% hot, %" PRIu64
            "%% guarded\n",
            p.events, p.threads, p.forks, p.life, p.locks, p.nesting, p.variables, p.burst, p.heat, p.guarded);
}
