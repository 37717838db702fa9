/* Acquires that can be part of a cycle, in kinds and classes, and which of them can be waiting at once. */
#pragma once
#include "property/deadlock_parts.h"

/* Acquires of one kind that a grouped check does not tell apart: one thread, the same locks held. */
struct acquire_class {
    thread_id thread;
    uint64_t locks;
    uint32_t guard;         /* of the first of them */
    struct lock_marks {     /* a bit for each lock that is held, several locks may share one: */
        uint64_t all;       /* of all of them, */
        uint64_t excluding; /* and of those that are held exclusively */
    } marks;
    uint32_t first, count; /* in the acquires, which ascend */
};

struct acquire_kind {
    lock_id held, wanted;
    uint32_t place;
    uint32_t first, count; /* in the classes */
};

struct acquire_kinds {
    const struct model *m;
    struct acquire_kind *kinds; /* by lock held, lock wanted and place */
    size_t kinds_count, kinds_capacity;
    uint32_t *first; /* by lock: where the kinds begin that hold it; lock_count + 1 */
    struct acquire_class *classes;
    size_t classes_count, classes_capacity;
    event_id *acquires;
    size_t acquires_count, acquires_capacity;
    const uint32_t **rows; /* parallel: what must come before each */
    size_t rows_count, rows_capacity;
    struct met_kinds *met; /* pairs of kinds that were looked at; NULL: none was */
    uint64_t looks;        /* that this took */
};

void acquire_kinds_find(struct acquire_kinds *k, const struct deadlock_search *s);
void acquire_kinds_free(struct acquire_kinds *k);

/* Whether classes with these marks may hold a lock in modes that exclude each other. */
static inline bool marks_meet(struct lock_marks a, struct lock_marks b)
{
    return (a.all & b.excluding) != 0 || (a.excluding & b.all) != 0;
}

/* Of the class's acquires from *low to before *high, which ascend, those that must-order lets wait while the one at `at` does. These
 * are neighbours: what comes before an acquire of another thread, and what comes after it, are the ends of a thread. */
void acquires_narrow(const struct acquire_kinds *k, const struct acquire_class *c, uint32_t at, uint32_t *low,
                     uint32_t *high);

/* Whether an acquire of the one kind can be waiting while one of the other does: by another thread, without a lock in common, and with
 * neither before the other. True where that takes too long to find out. */
bool kinds_meet(struct acquire_kinds *k, uint32_t a, uint32_t b);
