/* Runs made by other processes: what they are asked, and what they tell. */
#pragma once
#include "base/packed.h"
#include "explore/explorer.h"

/* A script as the explorer makes them: no names, no modules. */
void parcel_put_script(struct buffer *to, const struct schedule_script *script);
bool parcel_take_script(struct bytes_in *from, struct schedule_script *script);

/* Numbers from these counts on; taking them makes the numbers the same, false: they cannot be. */
struct numbers_base {
    size_t threads, places;
};
struct numbers_base numbers_base_of(const struct deed_numbers *numbers);
void parcel_put_numbers(struct buffer *to, const struct deed_numbers *numbers, struct numbers_base from);
bool parcel_take_numbers(struct bytes_in *from, struct deed_numbers *numbers);

/* In a process that makes runs: makes the run of the request, checks its trace and writes the answer. */
void parcel_work(struct explorer *explorer, const unsigned char *request, size_t length, int to);

/* The run of an answer; its trace is written to the file and loaded from there. False: it is of no use, because the process died or
 * its numbers are not ours. */
bool parcel_open(struct explorer *explorer, const unsigned char *answer, size_t length, const char *path,
                 struct explored_run *run);
