/* A crew: workers that answer requests, each in a process of its own, here and, under MPI, on other machines.
 *
 * A request and its answer are bytes. Whatever happens to a worker's process costs its answer and nothing else. */
#pragma once
#include "base/error.h"
#include "base/stop.h"
#include "crew/ranks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the workers do. */
struct crew_duty {
    /* In a new process: answers the request on the descriptor. `away`: on another rank than the one that asked. */
    void (*work)(void *context, const unsigned char *request, size_t length, bool away, int to);
    /* In its parent, after that process has ended or was killed: removes what it left behind. NULL: nothing. */
    void (*clean)(void *context, const unsigned char *request, size_t length);
    /* On a rank that serves: something that all later requests build on. NULL: there is no such thing. */
    void (*learn)(void *context, const unsigned char *bytes, size_t length);
    void *context;
    double patience; /* on a rank that serves: it leaves when rank 0 is silent for so many seconds */
};

struct crew_answer {
    uint64_t id;
    unsigned char *bytes; /* to be freed */
    size_t length;        /* 0: there is none; the process or its machine died */
};

struct crew;

/* `workers` processes at a time on each rank; the duty is copied. `ranks`: NULL, or the ranks that take part; all of them make the
 * same crew. Rank 0 asks, the others serve. */
struct crew *crew_new(unsigned workers, const struct crew_duty *duty, const struct crew_ranks *ranks);

/* Ends all that is under way, and the service of other ranks. */
void crew_free(struct crew *crew);

/* How many can work at a time, on all ranks that are alive. */
unsigned crew_size(const struct crew *crew);
unsigned crew_busy(const struct crew *crew);

/* An idle worker, one of this rank if there is one; -1: all are busy. */
int crew_idle(const struct crew *crew);
bool crew_is_away(const struct crew *crew, int worker);

/* The rank of the worker. */
unsigned crew_rank(const struct crew *crew, int worker);

/* Gives the idle worker a request, which is copied. After `seconds`, if that is more than 0, it is killed. */
enum status crew_give(struct crew *crew, int worker, uint64_t id, const void *request, size_t length,
                      double seconds, struct error *err);

/* Sends all other ranks what later requests build on. */
void crew_teach(struct crew *crew, const void *bytes, size_t length);

/* Waits for an answer, at most so long; false: none came. */
bool crew_wait(struct crew *crew, int milliseconds, struct crew_answer *answer);

/* Kills all that is under way; no answer to it will come. */
void crew_stop(struct crew *crew);

/* The share of the time since crew_new that this process itself used a processor. */
double crew_load(const struct crew *crew);

/* Ranks that were lost. */
unsigned crew_lost(const struct crew *crew);

/* On a rank other than 0: works until rank 0 is done, or silent for too long, or the flag is set. */
void crew_serve(struct crew *crew, const stop_flag *stop);

/* Writes all of it, if the reader lives. */
void crew_write(int to, const void *bytes, size_t length);
