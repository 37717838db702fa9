/* What the trace tests share: traces from text, refusals, files in a folder of their own, comparison. */
#pragma once
#include "trace/htr.h"
#include "trace/std.h"

/* A trace of text that must be right. */
struct trace trace_of(const char *text);

/* The same with blanks for newlines. */
struct trace trace_from_words(const char *text);

/* The text must be refused with exactly this message; the file is called "t.std" in it. */
void assert_refused(const char *text, const char *message);

/* The whole message of a refusal of these bytes, or "" when they load; valid until the next call. */
const char *refusal_of(const void *bytes, size_t length);

/* A path in a folder that is removed when the program ends; valid until the end. */
const char *scratch(const char *name);

struct bytes {
    unsigned char *at;
    size_t count;
};

/* The bytes of a file, to be freed; a file with these bytes. */
struct bytes file_read(const char *path);
void file_write(const char *path, const void *bytes, size_t count);

/* The file at `path` holds the trace in native form with these features; blocks of at most `block` events. */
void write_native(const struct trace *trace, const char *path, unsigned features, size_t block);

/* The trace as text, NUL-terminated, to be freed. */
char *text_of(const struct trace *trace);

/* The first `count` events of both are the same, names and values included. */
void assert_same_events(const struct trace *a, const struct trace *b, size_t count);

/* A random valid text trace with every kind of event, to be freed; the same for the same seed. Every third seed
 * records values. */
char *scribble(unsigned seed, unsigned events);
