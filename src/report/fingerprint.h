/* What a finding is called across runs and edits of the program.
 *
 * Made of its property (unordered accesses count as a race), its variable, and its places: base name of the file, function, and the line counted
 * from where the function begins. Whether an access reads or writes is not part of it: a line does both, and which
 * of them stands for the finding differs from run to run. Code that moves as a whole, other schedules,
 * other elements of an array and other heap blocks of one place do not change it; an edit inside the function
 * above the place does. Lines of the source are not looked at: reports are made where the source may not be. A
 * deadlock that happened has the fingerprint of the one that is predicted elsewhere. A trace that does not say where
 * functions begin has lines as they are. */
#pragma once
#include "finding/finding.h"
#include "trace/trace.h"

enum { FINGERPRINT_ROOM = 17 }; /* 16 hexadecimal digits and NUL */

struct fingerprints;

struct fingerprints *fingerprints_new(const struct trace *trace);
void fingerprints_free(struct fingerprints *fingerprints);

uint64_t fingerprint_of(const struct fingerprints *fingerprints, const struct finding *f);

/* As 16 digits; and back, false when it is something else. */
void fingerprint_text(uint64_t fingerprint, char to[FINGERPRINT_ROOM]);
bool fingerprint_parse(const char *text, size_t length, uint64_t *to);
