/* heddle-huge EVENTS OUT: a native trace of any length, written as it is made up. Eight threads move money between a thousand
 * accounts, each change under the lock of its account. */
#include "trace/htr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 8, ACCOUNTS = 1000, TURN = 8 };

struct writer {
    struct trace trace; /* for its names */
    struct htr_writer *out;
    uint32_t threads[WORKERS + 1], accounts[ACCOUNTS], locks[ACCOUNTS], places[8];
    uint64_t written, random;
};

static uint64_t roll(struct writer *w, uint64_t below)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (w->random >> 11) % below;
}

static uint32_t name(struct writer *w, enum name_class class, const char *prefix, unsigned number)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%s%u", prefix, number);

    return names_add(&w->trace.names[class], text, (size_t)length);
}

static void put(struct writer *w, unsigned thread, enum event_kind kind, uint32_t arg, unsigned place)
{
    struct event e = {.op = op_make(kind, ORDER_NONE),
                      .thread = w->threads[thread],
                      .arg = arg,
                      .location = w->places[place]};

    htr_append(w->out, &e);
    w->written++;
}

/* One thread has its turn. */
static void move_money(struct writer *w)
{
    unsigned thread = 1 + (unsigned)roll(w, WORKERS);

    for (int i = 0; i < TURN; i++) {
        size_t account = roll(w, ACCOUNTS);
        put(w, thread, EVENT_ACQUIRE, w->locks[account], 2);
        put(w, thread, EVENT_READ, w->accounts[account], 3);
        put(w, thread, EVENT_WRITE, w->accounts[account], 4);
        put(w, thread, EVENT_RELEASE, w->locks[account], 5);
    }
}

int main(int argc, char **argv)
{
    static struct writer w = {.random = 1};
    uint64_t events = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
    struct error err;

    if (events == 0) {
        fprintf(stderr, "usage: heddle-huge EVENTS OUT\n");
        return EXIT_FAILURE;
    }
    trace_init(&w.trace);
    for (unsigned i = 0; i <= WORKERS; i++)
        w.threads[i] = name(&w, NAME_THREAD, "T", i);
    for (unsigned i = 0; i < ACCOUNTS; i++) {
        w.accounts[i] = name(&w, NAME_VARIABLE, "balance", i);
        w.locks[i] = name(&w, NAME_LOCK, "lock", i);
    }
    for (unsigned i = 0; i < sizeof w.places / sizeof *w.places; i++)
        w.places[i] = name(&w, NAME_LOCATION, "huge.c:", i + 1);
    if (htr_create(&w.out, argv[2], HTR_USUAL, w.trace.names, &err) != HEDDLE_OK) {
        fprintf(stderr, "heddle-huge: %s\n", err.text);
        return EXIT_FAILURE;
    }
    for (unsigned i = 1; i <= WORKERS; i++)
        put(&w, 0, EVENT_FORK, w.threads[i], 0);
    while (w.written < events - WORKERS)
        move_money(&w);
    for (unsigned i = 1; i <= WORKERS; i++)
        put(&w, 0, EVENT_JOIN, w.threads[i], 1);
    enum status status = htr_close(w.out, &err);
    if (status != HEDDLE_OK)
        fprintf(stderr, "heddle-huge: %s\n", err.text);
    trace_free(&w.trace);
    return status == HEDDLE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
