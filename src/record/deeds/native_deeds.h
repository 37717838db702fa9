/* From the raw records of a run to deeds: what native programs did. */
#pragma once
#include "base/map.h"
#include "record/convert/regions.h"
#include "record/deeds.h"
#include "runtime/protocol/session.h"

/* Reads raw records. */
struct deed_reader {
    struct deed_numbers *numbers;
    struct deeds *to;
    struct regions regions;
    uint32_t thread; /* of the run */
    uint64_t tick;
    struct reader_thread {
        bool known;
        bool waiting; /* between the two halves of a condition wait */
        bool gave;    /* the mutex, in it */
        uint64_t timed;
        uint32_t number; /* in all runs */
        uint32_t children;
        uint32_t blocks;
        uint64_t ticks, told; /* its position; the same at its last deed */
        size_t wake;          /* its last MOVE_WAKE */
    } * threads;
    size_t threads_count, threads_capacity;
    struct map begun; /* what threads of this run began to do once: 1 */
};

/* `to` begins empty. */
void deed_reader_init(struct deed_reader *reader, struct deed_numbers *numbers, struct deeds *to);
void deed_reader_free(struct deed_reader *reader);

/* Takes all records of a run, in order: a store_reader. */
void deed_reader_take(void *reader, const struct record *records, size_t count);

/* Threads that were blocked at the end, as the recorder saw them: what they wait for is what they do next. */
void deed_reader_end(struct deed_reader *reader, const struct session_thread *threads, size_t count);
