/* What the threads of one run did, in order, in words that all runs share (history.h). */
#pragma once
#include "explore/history.h"
#include "record/convert/regions.h"
#include "runtime/protocol/session.h"

/* A move as it was made. Values and sights beside those that depend on memory are in `result`. */
struct deed {
    struct move move;
    uint32_t thread;
    uint32_t result;
    uint64_t stored; /* by a write: the value */
    bool valued;
    bool changes; /* MOVE_ATOMIC: not a mere load */
};

struct deeds {
    struct deed *deeds;
    size_t deeds_count, deeds_capacity;
    uint32_t last;           /* thread that had the turn last */
    bool ended;              /* it came to its end */
    const char *unsupported; /* something that cannot be explored, or NULL */
};

/* Reads raw records. */
struct deed_reader {
    struct history *history;
    struct deeds *to;
    struct regions regions;
    struct names blocks; /* memory with a number of its own: who got it, as which */
    uint32_t thread;     /* of the run */
    uint64_t tick;
    struct reader_thread {
        bool known;
        bool waiting; /* between the two halves of a condition wait */
        bool gave;    /* the mutex, in it */
        uint64_t timed;
        uint32_t number; /* in the history */
        uint32_t children;
        uint32_t blocks;
        uint64_t ticks, told; /* its position; the same at its last deed */
        size_t wake;          /* its last MOVE_WAKE */
    } * threads;
    size_t threads_count, threads_capacity;
};

void deed_reader_init(struct deed_reader *reader, struct history *history, struct names *blocks,
                      struct deeds *to);
void deed_reader_free(struct deed_reader *reader, struct names *blocks);

/* As `observe` of struct recording. */
void deed_reader_take(void *reader, const struct record *records, size_t count);

/* The number that a place has in all runs. */
uint64_t deed_place(struct deed_reader *reader, uint64_t address);

void deeds_free(struct deeds *deeds);
