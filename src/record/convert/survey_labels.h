/* Labels in the first walk: whether a batch can be kept without its plain accesses, if these are all private.
 *
 * What such a batch tells about labels matters only if one of them stands for some read, and then it must come
 * from outside the batch: a label that it needs. */
#pragma once
#include "runtime/protocol/session.h"

#include <stdbool.h>
#include <stddef.h>

struct survey_labels {
    struct surveyed_thread {
        uint32_t labels; /* so far */
        uint32_t before; /* when the batch began */
        uint32_t batch;
        uint32_t ahead; /* the highest label that was named before it was given */
    } * threads;
    size_t threads_count, threads_capacity;
    uint32_t batch;
    uint32_t needed[2]; /* the last that were told, of the running thread */
    uint64_t out;       /* labels given since the last record that stays */
    bool unfit;         /* something else depends on labels of this batch */
};

struct converter;

void survey_labels_free(struct survey_labels *labels);
void survey_labels_begin(struct survey_labels *labels);

/* A plain access; any other record. True: the record is not to stay. */
void survey_labels_access(struct converter *converter, const struct record *record);
bool survey_labels_record(struct converter *converter, const struct record *record);

/* Before a record that stays. */
void survey_labels_tell(struct converter *converter);

/* Whether the batch that has come to its end can do without. */
bool survey_labels_fit(const struct survey_labels *labels);
