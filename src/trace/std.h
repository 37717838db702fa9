/* The text format `.std` (semantics §7): one event a line, thread|op(argument)|location. */
#pragma once
#include "trace/input.h"
#include "trace/output.h"
#include "trace/trace.h"

/* Appends all events of the text to an empty trace, checking each against semantics §7. */
enum status std_read(struct trace *trace, struct input *in, struct error *err);

/* The same, line by line: for an empty trace, of a file of that name, which must stay. What the whole trace has to agree
 * on is checked at the end. After a line that is refused both can only be freed. */
struct std_reader;

struct std_reader *std_reader_new(struct trace *trace, const char *name);
void std_reader_free(struct std_reader *reader);
enum status std_reader_line(struct std_reader *reader, const char *line, size_t length, struct error *err);
enum status std_reader_end(struct std_reader *reader, struct error *err);

/* Writes the trace so that std_read makes the same trace of it. Characters that the format reserves are
 * written as %XX where a recorded name has them. */
void std_write(const struct trace *trace, struct output *out);

/* One event as a line of text without its newline, cut to fit; returns the length. For messages. */
size_t std_event_text(const struct trace *trace, size_t number, char *to, size_t room);

/* The lists of an event, "by 2,4[..-1;1..] from 6+1", cut to fit; returns the length of the whole, 0 when it has
 * none. */
size_t std_grounds_text(const struct trace *trace, uint32_t event, char *to, size_t room);
