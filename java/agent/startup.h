/* The log of a thread that has been alone so far. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct java_record;

/* Takes out of `count` records of one thread, which no other has followed yet, what can make no difference to those that
 * will: reads, writes but the last of each variable, and what these stood on. What is left moves to the front; the rest is cleared.
 * `learns`: only which fields and arrays are touched matters, and in which order they are touched first.
 * `labels`: how many the thread has made. `fields`: by site, the number of a field, 0 for elements of arrays. Returns how many
 * records there are now. */
uint64_t startup_shorten(struct java_record *records, uint64_t count, uint32_t labels, const uint32_t *fields,
                         size_t fields_count, bool learns);
