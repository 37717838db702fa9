/* Which accesses of an uninstrumented program are atomic.
 *
 * On x86 an atomic load, and an atomic store that is not sequentially consistent, is an instruction like any
 * other. An aligned access of at most 8 bytes counts as atomic when there is evidence: somebody changes these
 * bytes by an instruction with a LOCK prefix, or the debug information says that the variable's type is
 * atomic, or that the instruction comes from the C++ library's atomic header. docs/valgrind.md describes the
 * consequences. */
#pragma once
#include "base/map.h"
#include "record/convert/cells.h"
#include "record/symbols/naming.h"
#include "runtime/protocol/session.h"

struct atomics {
    struct map changed; /* granule → bytes that are changed by atomic instructions */
    struct map types;   /* variable and length of an access → enum evidence */
    struct map places;  /* pc → enum evidence */
};

enum evidence {
    EVIDENCE_UNASKED,
    EVIDENCE_NONE, /* nothing is known of it */
    EVIDENCE_PLAIN,
    EVIDENCE_ATOMIC,
};

void atomics_free(struct atomics *atomics);

/* First walk: an access. */
void atomics_survey(struct atomics *atomics, struct cells *cells, const struct record *record);

/* Second walk: what is known of a plain access to the cell, which is that variable. */
enum evidence atomics_of(struct atomics *atomics, struct cells *cells, struct naming *naming,
                         const struct record *record, const struct cell *cell, uint32_t variable);
