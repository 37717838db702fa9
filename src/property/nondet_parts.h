/* A read and the writes that it could see; private to the property nondeterminism. */
#pragma once
#include "property/classes.h"
#include "property/pairs.h"
#include "property/quiet.h"
#include "property/worker.h"

struct nondet_reader {
    struct worker *w;
    variable_id x;
    const struct classes *writes; /* in classes of a thread and a location, or in chains */
    uint32_t all_count;           /* writes to the variable */
    event_id latest; /* of the last writes of each class that are known: it comes after most others */
    struct class_limits limits;
    const struct class_limit *limit; /* by class: of the read's thread, at the read */
    event_id limited;                /* the read that these are about; they move on with reads in order */
    struct kept_pairs *pairs;
    uint32_t *cover; /* see find_cover; about the read `covered` */
    event_id covered;
    uint32_t *
        gone_at; /* by thread: from where on it has seen another write than the initial one; NULL: not looked at */
    struct taken_read { /* of those that this part of the unit takes, in order */
        event_id read;
        const uint32_t *base; /* as below: it is asked for once, as it lies far from that of the next one */
    } * reads;
    size_t reads_count;
    event_id read, source;
    const uint32_t *base; /* what must come before the read, its couple left out */
    event_id near, far;   /* candidates are looked at that are at least and less than so far from the read */
    struct place_key {    /* of the locations of a read, its source and a class's writes */
        uint32_t of;      /* by class: the first that has its location; the key is kept with that one … */
        event_id read;    /* … for this read */
        uint64_t key;
    } * keys;
    struct crowd {        /* where there are many classes */
        event_id *writes; /* all, in order; NULL: there are few */
        size_t count;
        uint32_t *first; /* by thread: the position of its first write; POSITION_END: it has none */
        struct map
            shown; /* the places of a read and its source: 1 where findings stand for all classes with them */
    } crowd;
    struct
        nondet_wait { /* candidates that wait until others like them were asked: writes of a class from one index on and before
                            another, before the read and after it */
        event_id read;
        uint32_t class, from, before, after, end;
    } * waits;
    size_t waits_count, waits_capacity;
    struct pass_limits {       /* by class: so many of its writes come before … */
        uint32_t from, before; /* … the first that this pass looks at before the read, and the end of these … */
        uint32_t after, end; /* … and likewise after it; as far as is known from reads before */
    } * passes;
    struct quiet_rows rows;
    struct hidden_writes {
        uint64_t candidates; /* that were looked at so far */
        lock_id lock;        /* the one under which most writes are hidden */
        event_id *shown;     /* the other writes, class by class; NULL: none is hidden */
        uint32_t *shown_in;  /* how many of these are among so many of all, class by class */
        bool looked;         /* for these */
        event_id read;
        bool holds; /* that read is in a section of the lock that excludes others */
    } hidden;
};

/* Whether the write leaves what the read saw, whatever happens: nobody notices the difference. */
bool nondet_is_same(const struct nondet_reader *r, event_id write);

/* Whether the sections of one lock refute the write at once. */
bool nondet_is_locked_out(const struct nondet_reader *r, event_id write);

/* Whether the initial write is seen by nobody when the read comes. */
bool nondet_is_initial_gone(struct nondet_reader *r);

/* The locations of the classes; the key of those of the read and a class. */
void nondet_find_places(struct nondet_reader *r);
uint64_t nondet_key(const struct nondet_reader *r, size_t class);

/* Lists the writes, where they have many classes and the check is grouped. */
void nondet_find_crowd(struct nondet_reader *r);

/* With a crowd: whether some write must come before the read. */
bool nondet_crowd_knows(const struct nondet_reader *r);

/* Whether the writes are passed over; then books those of this pass. A grouped check looks no further at what would only add to
 * counts, as with many classes that is much. */
bool nondet_passes_crowd(struct nondet_reader *r, uint64_t *settled);

/* Whether this pass looks at the write. */
static inline bool nondet_is_in_pass(const struct nondet_reader *r, event_id write)
{
    event_id distance = write < r->read ? r->read - write : write - r->read;

    return distance >= r->near && distance < r->far;
}

/* Refutes writes of the range, none of which the read's own thread does, that nobody sees who holds a lock that the read's thread holds:
 * the section of the lock in which they are writes the variable again before it ends. Returns how many. The others are in `events`,
 * and the range is about these then. */
uint64_t nondet_refute_hidden(struct nondet_reader *r, struct nondet_wait *range, const event_id **events);
void nondet_free_hidden(struct nondet_reader *r);
