/* Input of a trace's bytes from a file, standard input or memory; plain, gzip or zstd. */
#pragma once
#include "base/error.h"
#include "trace/limits.h"

#include <stdbool.h>
#include <stddef.h>

struct input;

/* Opens a file ("-" is standard input) and finds out how it is compressed. */
enum status input_open(struct input **in, const char *path, struct error *err);

/* Reads from memory, uncompressed as it stands; `name` is used in errors. */
void input_open_memory(struct input **in, const char *name, const void *bytes, size_t length);

/* Up to `room` bytes; *got is 0 only at the end. */
enum status input_fill(struct input *in, void *to, size_t room, size_t *got, struct error *err);

/* Reads until `room` bytes are there or the input ends. */
enum status input_read_full(struct input *in, void *to, size_t room, size_t *got, struct error *err);

/* The first bytes without taking them, at most 16; fewer only when the input is shorter. */
enum status input_peek(struct input *in, const unsigned char **bytes, size_t *length, struct error *err);

/* Limits other than the usual ones, before anything is read; what they are. */
void input_set_limits(struct input *in, const struct trace_limits *limits);
const struct trace_limits *input_limits(const struct input *in);

const char *input_name(const struct input *in);
void input_close(struct input *in);

/* All bytes of a file within the usual limits, uncompressed, to be freed by the caller; NULL and 0 on failure. */
enum status input_load(const char *path, char **bytes, size_t *length, struct error *err);
