/* heddle-program NAME OUT [EVENTS]: traces of the size and make of those in the papers' tables (FMCAD'12, Table A1;
 * CAV'10, Table 1), from programs of the same kind. With a third argument, of about so many events. */
#include "script.h"
#include "trace/std.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONSTANTS = 12 };

/* Main writes what all read, forks all workers, and joins them last. */
static void fork_all(struct script *s, unsigned threads)
{
    for (unsigned i = 0; i < CONSTANTS; i++)
        script_access(s, 0, true, "constant", i, 1);
    for (unsigned t = 1; t < threads; t++)
        script_fork(s, 0, t, 1);
}

static void join_all(struct script *s, unsigned threads)
{
    for (unsigned t = 1; t < threads; t++)
        script_join(s, 0, t, 2);
}

/* Work that others do not see: looks at what main wrote, now and then writes down something of its own. */
static void work(struct script *s, unsigned t, unsigned accesses, unsigned line)
{
    for (unsigned i = 0; i < accesses; i++) {
        if (i % 12 == 11)
            script_access(s, t, true, "own", t, line);
        else
            script_access(s, t, false, "constant", script_roll(s, CONSTANTS), line);
    }
}

/* Each worker moves money between its own account and a neighbour's, both locked; the audit forgets its lock.
 */
static void account(struct script *s, unsigned threads, size_t events)
{
    unsigned accounts = threads - 1;

    fork_all(s, threads);
    for (unsigned t = 1; t < threads; t++) {
        unsigned a = t - 1, b = t % accounts, low = a < b ? a : b, high = a < b ? b : a;
        script_access(s, t, true, "name", a, 9);
        for (unsigned round = 0; round < 3; round++) {
            script_begin(s, t, 10);
            script_lock(s, t, "account", low, 10);
            script_lock(s, t, "account", high, 11);
            script_access(s, t, false, "balance", a, 12);
            script_access(s, t, true, "balance", a, 12);
            script_access(s, t, false, "balance", b, 13);
            script_access(s, t, true, "balance", b, 13);
            script_unlock(s, t, "account", high, 14);
            script_unlock(s, t, "account", low, 15);
            script_end(s, t, 15);
        }
        script_access(s, t, false, "balance", b, 17);
        script_lock(s, t, "bank", t, 18);
        script_notify(s, t, "done", t, 18);
        script_unlock(s, t, "bank", t, 18);
        size_t own = events / (threads - 1);
        work(s, t, own > script_length(s, t) + 2 ? (unsigned)(own - script_length(s, t) - 2) : 0, 19);
    }
    join_all(s, threads);
}

/* Philosophers who wait while a fork is taken. */
static void philosophers(struct script *s, unsigned threads, size_t events)
{
    unsigned forks = threads - 1;

    fork_all(s, threads);
    for (unsigned t = 1; t < threads; t++) {
        for (unsigned meal = 0; script_length(s, t) < events / forks - 40; meal++) {
            for (unsigned hand = 0; hand < 2; hand++) {
                unsigned f = (t - 1 + hand) % forks;
                script_lock(s, t, "fork", f, 20);
                script_access(s, t, false, "taken", f, 21);
                if (meal == 0 && hand == 1)
                    script_wait(s, t, "free", "fork", f, 22);
                script_access(s, t, true, "taken", f, 23);
                script_unlock(s, t, "fork", f, 24);
            }
            work(s, t, 24, 25);
            for (unsigned hand = 0; hand < 2; hand++) {
                unsigned f = (t - 1 + hand) % forks;
                script_lock(s, t, "fork", f, 26);
                script_access(s, t, true, "taken", f, 27);
                script_notify(s, t, "free", f, 28);
                script_unlock(s, t, "fork", f, 29);
            }
        }
    }
    join_all(s, threads);
}

/* Lifts that look at ten floors' call buttons, and at the controller. */
static void elevator(struct script *s, unsigned threads, size_t events)
{
    fork_all(s, threads);
    for (unsigned t = 1; t < threads; t++) {
        for (unsigned floor = t; script_length(s, t) + 20 < events / (threads - 1); floor = (floor + 1) % 10) {
            work(s, t, 7, 30);
            script_lock(s, t, "floor", floor, 31);
            script_access(s, t, false, "up", floor, 32);
            if (script_roll(s, 6) == 0)
                script_access(s, t, true, "up", floor, 33);
            script_unlock(s, t, "floor", floor, 34);
            if (floor == 0) {
                script_lock(s, t, "control", 0, 35);
                script_access(s, t, false, "claims", 0, 36);
                script_access(s, t, true, "claims", 0, 37);
                script_unlock(s, t, "control", 0, 38);
            }
        }
    }
    join_all(s, threads);
}

/* A pool under one lock: wait for a connection, use it, give it back. */
static void pool(struct script *s, unsigned threads, size_t events)
{
    script_access(s, 0, true, "size", 0, 39);
    fork_all(s, threads);
    for (unsigned t = 1; t < threads; t++) {
        script_lock(s, t, "pool", 0, 40);
        script_access(s, t, false, "size", 0, 41);
        if (t == 2)
            script_wait(s, t, "returned", "pool", 0, 42);
        script_access(s, t, true, "size", 0, 43);
        script_unlock(s, t, "pool", 0, 44);
        work(s, t, (unsigned)(events / (threads - 1) - 14), 45);
        script_lock(s, t, "pool", 0, 46);
        script_access(s, t, false, "size", 0, 47);
        script_access(s, t, true, "size", 0, 47);
        script_notify(s, t, "returned", 0, 48);
        script_unlock(s, t, "pool", 0, 49);
    }
    join_all(s, threads);
}

/* A barrier made of a lock, a counter and a condition, between rounds of work on a shared array. */
static void barrier(struct script *s, unsigned threads, size_t events)
{
    fork_all(s, threads);
    for (unsigned t = 1; t < threads; t++) {
        for (unsigned round = 0; script_length(s, t) + 20 < events / (threads - 1); round++) {
            script_access(s, t, true, "cell", t, 50);
            work(s, t, 10, 51);
            script_lock(s, t, "barrier", 0, 52);
            script_access(s, t, false, "arrived", 0, 53);
            script_access(s, t, true, "arrived", 0, 54);
            script_notify(s, t, "all", 0, 55);
            if (t == round + 1)
                script_wait(s, t, "all", "barrier", 0, 56);
            script_unlock(s, t, "barrier", 0, 57);
            script_access(s, t, false, "cell", 1 + t % (threads - 1), 58);
            script_lock(s, t, "print", 0, 59);
            script_unlock(s, t, "print", 0, 59);
        }
    }
    join_all(s, threads);
}

/* Counting under a lock, over and over. */
static void synch(struct script *s, unsigned threads, size_t events)
{
    fork_all(s, threads);
    for (unsigned t = 1; t < threads; t++) {
        while (script_length(s, t) + 12 < events / (threads - 1)) {
            script_lock(s, t, "object", 0, 60);
            script_access(s, t, false, "count", 0, 61);
            script_access(s, t, true, "count", 0, 61);
            script_unlock(s, t, "object", 0, 62);
            work(s, t, 4, 63);
        }
        script_lock(s, t, "report", 1, 64);
        script_access(s, t, true, "time", 1, 65);
        script_unlock(s, t, "report", 1, 66);
    }
    join_all(s, threads);
}

/* A file system: inodes with locks of their own, a table of free blocks, a log that everybody appends to. */
static void daisy(struct script *s, unsigned threads, size_t events)
{
    unsigned inodes = 6 + (unsigned)(events / 1000);

    fork_all(s, threads);
    for (unsigned t = 1; t < threads; t++) {
        while (script_length(s, t) + 40 < events / (threads - 1)) {
            unsigned i = script_roll(s, inodes);
            bool writes = script_roll(s, 2) == 0;
            script_lock(s, t, "inode", i, 70);
            for (unsigned k = 0; k < 8; k++) {
                script_access(s, t, false, "size", i, 71);
                script_access(s, t, writes && k > 3, "data", i * 2 + k % 2, 72);
            }
            if (writes) {
                script_lock(s, t, "alloc", 0, 73);
                script_access(s, t, false, "free", 0, 74);
                script_access(s, t, true, "free", 0, 75);
                script_unlock(s, t, "alloc", 0, 76);
                script_access(s, t, true, "size", i, 77);
            }
            script_unlock(s, t, "inode", i, 78);
            for (unsigned k = 0; k < 6; k++)
                script_access(s, t, k >= 4, "log", script_roll(s, 2), 79);
            if (script_roll(s, 20) == 0) {
                script_lock(s, t, "disk", 0, 80);
                script_notify(s, t, "ready", 0, 81);
                script_unlock(s, t, "disk", 0, 82);
            }
        }
    }
    join_all(s, threads);
}

/* Threads that wait for each other by pairs, each pair with a lock, a flag and a condition of its own. */
static void liveness(struct script *s, unsigned threads, size_t events)
{
    fork_all(s, threads);
    for (unsigned t = 1; t < threads; t++) {
        unsigned pair = (t - 1) / 2;
        bool first = t % 2 == 1;
        for (unsigned i = 0; script_length(s, t) + 20 < events / (threads - 1); i++) {
            script_lock(s, t, "pair", pair, 120);
            script_access(s, t, !first, "flag", pair, 121);
            if (first && i == 0)
                script_wait(s, t, "flagged", "pair", pair, 122);
            if (!first)
                script_notify(s, t, "flagged", pair, 123);
            script_unlock(s, t, "pair", pair, 124);
            script_lock(s, t, "common", t % 3, 125);
            script_access(s, t, i % 2, "common", t % 3, 126);
            script_unlock(s, t, "common", t % 3, 127);
            work(s, t, 12, 128);
        }
    }
    join_all(s, threads);
}

/* A server: one thread takes requests in, the others take them out of a queue and keep a table of connections.
 */
static void thrift(struct script *s, unsigned threads, size_t events)
{
    fork_all(s, threads);
    for (unsigned t = 1; t < threads; t++) {
        for (unsigned i = 0; script_length(s, t) + 60 < events / (threads - 1); i++) {
            script_lock(s, t, "queue", 0, 130);
            script_access(s, t, t == 1, "task", i % 8, 131);
            if (t > 1 && i % 4 == 0)
                script_wait(s, t, "filled", "queue", 0, 132);
            if (t == 1)
                script_notify(s, t, "filled", 0, 133);
            script_unlock(s, t, "queue", 0, 134);
            work(s, t, 30, 135);
            script_lock(s, t, "connection", t, 136);
            script_access(s, t, true, "state", t, 137);
            script_access(s, t, false, "state", t, 138);
            script_unlock(s, t, "connection", t, 139);
        }
    }
    join_all(s, threads);
}

/* A bounded buffer: the producer fills slots, the consumer empties them; both wait now and then. */
static void buffer(struct script *s, unsigned threads, size_t events)
{
    fork_all(s, threads);
    for (unsigned t = 1; t < threads; t++) {
        for (unsigned i = 0; script_length(s, t) + 16 < events / (threads - 1); i++) {
            script_begin(s, t, 90);
            script_lock(s, t, "buffer", 0, 91);
            script_access(s, t, false, "count", 0, 92);
            script_unlock(s, t, "buffer", 0, 93);
            script_lock(s, t, "buffer", 0, 94);
            if (i == 1)
                script_wait(s, t, "changed", "buffer", 0, 94);
            script_access(s, t, t % 2 == 1, "slot", i % 4, 95);
            script_access(s, t, true, "count", 0, 96);
            script_notify(s, t, "changed", 0, 97);
            script_unlock(s, t, "buffer", 0, 98);
            script_end(s, t, 98);
        }
    }
    join_all(s, threads);
}

/* Two tellers who enter a balance and read it back. With the bug, each in a section of its own. */
static void bank(struct script *s, unsigned threads, size_t events, bool bug)
{
    unsigned entries = bug ? 5 : 8;

    fork_all(s, threads);
    for (unsigned t = 1; t < threads; t++) {
        for (unsigned i = 0; i < entries; i++) {
            script_begin(s, t, 100);
            script_lock(s, t, "bank", 0, 101);
            script_access(s, t, true, "balance", i % 2, 102);
            if (bug) {
                script_unlock(s, t, "bank", 0, 103);
                script_lock(s, t, "bank", 0, 104);
            }
            script_access(s, t, false, "balance", i % 2, 105);
            script_unlock(s, t, "bank", 0, 106);
            script_end(s, t, 107);
            if (bug)
                script_access(s, t, true, "last", 0, 108);
            work(s, t, (unsigned)(events / (threads - 1) / entries - 10), 109);
        }
    }
    join_all(s, threads);
}

/* As without the bug, but the second teller waits for the first one's signal before it begins. */
static void bank_in_turn(struct script *s, unsigned threads, size_t events)
{
    script_lock(s, 2, "bank", 0, 110);
    script_wait(s, 2, "open", "bank", 0, 111);
    script_unlock(s, 2, "bank", 0, 112);
    script_lock(s, 1, "bank", 0, 113);
    script_notify(s, 1, "open", 0, 114);
    script_unlock(s, 1, "bank", 0, 115);
    bank(s, threads, events, true);
}

static void bank_with_bug(struct script *s, unsigned threads, size_t events)
{
    bank(s, threads, events, true);
}

static void bank_without_bug(struct script *s, unsigned threads, size_t events)
{
    bank(s, threads, events, false);
}

static const struct program {
    const char *name, *file;
    void (*write)(struct script *s, unsigned threads, size_t events);
    unsigned threads;
    size_t events;
} programs[] = {
    {"conpool", "pool.c", pool, 4, 97},
    {"account1", "account.c", account, 11, 902},
    {"account2", "account.c", account, 21, 1747},
    {"philo", "philo.c", philosophers, 6, 1141},
    {"Barrier1", "barrier.c", barrier, 10, 653},
    {"Barrier2", "barrier.c", barrier, 13, 805},
    {"liveness", "liveness.c", liveness, 7, 283},
    {"ThriftTrace1", "thrift.c", thrift, 4, 2406},
    {"ThriftTrace3", "thrift.c", thrift, 10, 4844},
    {"SynchBench", "synch.c", synch, 16, 1510},
    {"Elevator1", "elevator.c", elevator, 4, 3004},
    {"Elevator2", "elevator.c", elevator, 4, 5001},
    {"Elevator3", "elevator.c", elevator, 4, 8004},
    {"DaisyTest1", "daisy.c", daisy, 3, 2998},
    {"DaisyTest2", "daisy.c", daisy, 3, 4998},
    {"DaisyTest3", "daisy.c", daisy, 3, 7999},
    {"atom002a", "buffer.c", buffer, 3, 462},
    {"banking-av", "bank.c", bank_with_bug, 3, 748},
    {"banking-sav", "bank.c", bank_in_turn, 3, 852},
    {"banking-noav2", "bank.c", bank_without_bug, 3, 856},
};

int main(int argc, char **argv)
{
    size_t count = sizeof programs / sizeof *programs, i = 0;
    struct output *out;
    struct error err;

    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (; i < count; i++)
            printf("%s\n", programs[i].name);
        return 0;
    }
    while ((argc == 3 || argc == 4) && i < count && strcmp(programs[i].name, argv[1]) != 0)
        i++;
    size_t events = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
    if (argc < 3 || argc > 4 || i == count || (argc == 4 && events == 0)) {
        fprintf(stderr,
                "usage: heddle-program NAME OUT [EVENTS], or --list for the names; - is standard output\n");
        return 1;
    }
    struct script *s = script_new(7, programs[i].file);
    programs[i].write(s, programs[i].threads, events ? events : programs[i].events);
    if (output_open(&out, argv[2], &err) != HEDDLE_OK) {
        fprintf(stderr, "heddle-program: %s\n", err.text);
        return 1;
    }
    std_write(script_run(s), out);
    script_free(s);
    if (output_close(out, &err) != HEDDLE_OK) {
        fprintf(stderr, "heddle-program: %s\n", err.text);
        return 1;
    }
    return 0;
}
