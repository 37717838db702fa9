/* The text format `.std` (SPEC §7): one event a line, thread|op(argument)|location. */
#pragma once
#include "trace/input.h"
#include "trace/output.h"
#include "trace/trace.h"

/* Appends all events of the text to an empty trace, checking each against SPEC §7. */
enum status std_read(struct trace *trace, struct input *in, struct error *err);

/* Writes the trace so that std_read makes the same trace of it. Characters that the format reserves are
 * written as %XX where a recorded name has them. */
void std_write(const struct trace *trace, struct output *out);

/* One event as a line of text without its newline, cut to fit; returns the length. For messages. */
size_t std_event_text(const struct trace *trace, size_t number, char *to, size_t room);
