/* heddle-families FAMILY EVENTS WIDTH SEED: traces on which analysers fall off a cliff, as text on standard output.
 *
 * Each family grows one thing that programs have more of than benchmarks do: threads, locks, words copied without a lock,
 * orders in which locks are taken. WIDTH is how many threads are alive at a time. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREAD_LIFE = 21, STRUCTURE_WORDS = 100, PAIR_LOCKS = 24, HOT_VARIABLES = 4, LOCK_EVENTS = 10 };

struct job {
    uint64_t events, width, random;
    uint64_t written;
};

static uint64_t roll(struct job *j, uint64_t below)
{
    j->random ^= j->random << 13;
    j->random ^= j->random >> 7;
    j->random ^= j->random << 17;
    return (j->random >> 11) % below;
}

static void put(struct job *j, uint64_t thread, const char *operation, const char *prefix, uint64_t number,
                unsigned line)
{
    printf("T%" PRIu64 "|%s(%s%" PRIu64 ")|family.c:%u\n", thread, operation, prefix, number, line);
    j->written++;
}

static void fork_all(struct job *j)
{
    for (uint64_t t = 1; t <= j->width; t++)
        put(j, 0, "fork", "T", t, 1);
}

static void join_all(struct job *j)
{
    for (uint64_t t = 1; t <= j->width; t++)
        put(j, 0, "join", "T", t, 2);
}

static void update_under_lock(struct job *j, uint64_t t, const char *lock, uint64_t l, const char *variable,
                              uint64_t x, unsigned line)
{
    put(j, t, "acq", lock, l, line);
    put(j, t, "r", variable, x, line + 1);
    put(j, t, "w", variable, x, line + 2);
    put(j, t, "rel", lock, l, line + 3);
}

/* Threads that live for a task each; as many at a time as the trace is wide. */
static void short_threads(struct job *j)
{
    uint64_t next = 1;

    while (j->written < j->events) {
        for (uint64_t i = 0; i < j->width; i++)
            put(j, 0, "fork", "T", next + i, 1);
        for (uint64_t i = 0; i < j->width; i++) {
            uint64_t t = next + i;
            for (int k = 0; k < 8; k++) {
                put(j, t, "r", "input", roll(j, 64), 11);
                put(j, t, "w", "part", i * 16 + roll(j, 16), 12);
            }
            put(j, t, "w", "part", i * 16, 13);
            update_under_lock(j, t, "total.lock", 0, "total", 0, 14);
        }
        for (uint64_t i = 0; i < j->width; i++)
            put(j, 0, "join", "T", next + i, 2);
        put(j, 0, "w", "input", roll(j, 64), 3);
        next += j->width;
    }
}

/* Threads that all live at once, with a few locks and now and then an access without one. */
static void many_threads(struct job *j)
{
    fork_all(j);
    while (j->written + j->width < j->events) {
        uint64_t t = 1 + roll(j, j->width), l = roll(j, 8);
        update_under_lock(j, t, "lock", l, "guarded", l, 21);
        put(j, t, "w", "own", t, 25);
        put(j, t, "r", "own", t, 26);
        if (roll(j, 16) == 0)
            put(j, t, roll(j, 2) ? "w" : "r", "flag", roll(j, 4), 27);
    }
    join_all(j);
}

/* Structures that are written and read word by word, without a lock; the copies overlap. */
static void copies(struct job *j)
{
    struct copy {
        uint64_t word, structure;
        bool write;
    } *copying = calloc(j->width + 1, sizeof *copying);

    fork_all(j);
    while (copying && j->written + j->width < j->events) {
        uint64_t t = 1 + roll(j, j->width);
        struct copy *c = &copying[t];
        for (uint64_t slice = 1 + roll(j, STRUCTURE_WORDS); slice > 0; slice--) {
            if (c->word == 0)
                *c = (struct copy){0, roll(j, 2), roll(j, 2)};
            put(j, t, c->write ? "w" : "r", c->structure ? "left" : "right", c->word, c->write ? 31 : 32);
            c->word = (c->word + 1) % STRUCTURE_WORDS;
        }
    }
    join_all(j);
    free(copying);
}

/* An object with a lock of its own for every ten events. */
static void many_locks(struct job *j)
{
    uint64_t locks = j->events / LOCK_EVENTS + 1;

    fork_all(j);
    while (j->written + j->width < j->events) {
        uint64_t t = 1 + roll(j, j->width), l = roll(j, locks);
        update_under_lock(j, t, "object.lock", l, "object", l, 41);
        put(j, t, "w", "own", t, 45);
    }
    join_all(j);
}

/* Two locks at a time, in any order. */
static void lock_pairs(struct job *j)
{
    fork_all(j);
    while (j->written + j->width < j->events) {
        uint64_t t = 1 + roll(j, j->width), a = roll(j, PAIR_LOCKS),
                 b = (a + 1 + roll(j, PAIR_LOCKS - 1)) % PAIR_LOCKS;
        unsigned line = 50 + 10 * (unsigned)roll(j, 8);
        put(j, t, "acq", "lock", a, line);
        put(j, t, "acq", "lock", b, line + 1);
        put(j, t, "w", "both", a, line + 2);
        put(j, t, "rel", "lock", b, line + 3);
        put(j, t, "rel", "lock", a, line + 4);
    }
    join_all(j);
}

/* Rounds between barriers; in each, every thread writes its own cells and reads what its neighbours wrote before. */
static void barriers(struct job *j)
{
    fork_all(j);
    for (uint64_t round = 0; j->written + j->width < j->events; round++) {
        for (uint64_t t = 1; t <= j->width; t++) {
            for (uint64_t i = 0; i < 4; i++) {
                put(j, t, "r", round % 2 ? "odd" : "even", (t + j->width + i - 2) % j->width, 61);
                put(j, t, "w", round % 2 ? "even" : "odd", t - 1, 62);
            }
            put(j, t, "w", "round", 0, 63);
            put(j, t, "benter", "barrier", 0, 64);
        }
        for (uint64_t t = 1; t <= j->width; t++)
            put(j, t, "bexit", "barrier", 0, 65);
    }
    join_all(j);
}

/* A handful of variables that everybody uses without a lock. */
static void hot_races(struct job *j)
{
    fork_all(j);
    while (j->written + j->width < j->events) {
        uint64_t t = 1 + roll(j, j->width), x = roll(j, HOT_VARIABLES);
        if (roll(j, 4) == 0) {
            update_under_lock(j, t, "lock", x, "guarded", x, 71);
        } else {
            bool write = roll(j, 2);
            put(j, t, write ? "w" : "r", "hot", x, 75 + (unsigned)roll(j, 4) * 2 + write);
        }
    }
    join_all(j);
}

static const struct family {
    const char *name;
    void (*write)(struct job *j);
} families[] = {
    {"short-threads", short_threads},
    {"threads", many_threads},
    {"copies", copies},
    {"locks", many_locks},
    {"pairs", lock_pairs},
    {"barriers", barriers},
    {"hot-races", hot_races},
};

int main(int argc, char **argv)
{
    enum { COUNT = sizeof families / sizeof *families };
    size_t i = 0;

    while (argc == 5 && i < COUNT && strcmp(families[i].name, argv[1]) != 0)
        i++;
    struct job job = {.events = argc == 5 ? strtoull(argv[2], NULL, 10) : 0,
                      .width = argc == 5 ? strtoull(argv[3], NULL, 10) : 0,
                      .random = argc == 5 ? (strtoull(argv[4], NULL, 10) + 1) * 0x9e3779b97f4a7c15u : 1};
    if (argc != 5 || i == COUNT || job.events == 0 || job.width < 2) {
        fprintf(
            stderr,
            "usage: heddle-families short-threads|threads|copies|locks|pairs|barriers|hot-races EVENTS WIDTH "
            "SEED >TRACE.std\n       at least 2 threads wide\n");
        return 1;
    }
    families[i].write(&job);
    return 0;
}
