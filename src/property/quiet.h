/* Accesses that a run can do without: what comes after them in their thread is left out, too, and nobody else notices. */
#pragma once
#include "property/worker.h"

/* Whether the events of a thread from access `a` up to access `b`, which comes later in it, are all quiet: reads, and, where each read
 * is bound to its source, writes that no other thread reads. A run after which b comes next, without these, is one after which a does;
 * so what cannot come next beside a cannot come next beside b. */
bool quiet_between(struct worker *w, event_id a, event_id b);

/* Reads of one variable, as they come, in rows: of one thread, with nothing in between but what is quiet. Where each read is bound to its
 * source, what the first of a row cannot see the others cannot see either. */
struct quiet_rows {
    struct worker *w;
    event_id *last; /* by thread: the read that came last, and its row; NULL: reads are not bound */
    uint32_t *row;
    uint32_t rows, now; /* how many; the one of the read under way … */
    event_id read;      /* … which is this */
    struct map refuted; /* row and write → how, plus 1 */
};

void quiet_rows_init(struct quiet_rows *r, struct worker *w);
void quiet_rows_free(struct quiet_rows *r);

/* The next read. */
void quiet_rows_enter(struct quiet_rows *r, event_id read);

/* How the solver refuted that a read of its row, this one or an earlier one, sees the write; REFUTATIONS: it did not. */
enum refutation quiet_rows_known(const struct quiet_rows *r, event_id write);

/* The solver refuted, `how`, that the read under way sees the write; or, with REFUTATIONS, did not. */
void quiet_rows_note(struct quiet_rows *r, event_id write, enum refutation how);
