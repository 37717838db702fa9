/* Which writes may make a read fit; private to this room. */
#pragma once
#include "model/model_parts.h"
#include "model/value_runs.h"

/* What is known while the soft reads are looked for. */
struct finder {
    struct model *m;
    struct value_runs runs;
    lock_id *guard; /* by variable: a lock that is held exclusively at all its writes, or NAME_NONE */
    uint8_t *guard_known;
    uint32_t *write_section; /* parallel to m->writes.events: the guard's section around the write */

    event_id *shown, *range_shown; /* by read, by range demand: see struct wanted */

    /* Of the read that is looked at: */
    const uint32_t *row;          /* how many events of each thread must come before it */
    const struct section *around; /* the guard's section around it, or NULL */
    struct known_run {
        struct value_run run;
        uint32_t known; /* so many of its writes must come before the read; at least one */
    } * known;
    size_t known_count;
    bool covered; /* these are known: see find_cover */
    uint32_t *cover, *section_cover;
    uint32_t *before,
        *common; /* what must come before the read; and before whatever it sees: see start_common */
};

/* What makes the read fit: its value, or a number in ranges. */
struct wanted {
    event_id read;
    struct known_value value;
    const struct value_range *ranges;
    uint32_t range_count; /* 0: the value */
    event_id *shown; /* a write that an earlier look ended with, as nothing was in common then; or EVENT_INIT */
};

/* Of each thread the first write that may make the read fit and may be seen by it, but for its source. Only some of these
 * where they have nothing in common that must come before the read's source and all of them, but what must come before the
 * read. */
struct fitting {
    bool common;
    event_id *events;
    size_t events_count, events_capacity;
};

void finder_init(struct finder *f, struct model *m);
void finder_free(struct finder *f);

/* There are more guards than before. */
void finder_forget_guards(struct finder *f);

/* Fills `found` with these writes, and with EVENT_INIT where that is one. */
void finder_look(struct finder *f, const struct wanted *w, struct fitting *found);

/* What must have come for the read that was looked at to see the write: the write itself, or the end of its section, if the
 * read is in a section of the same lock of another thread. */
event_id finder_come_for(const struct finder *f, event_id write);

/* A lock or word that is held exclusively at all writes of the variable, which has some; or NAME_NONE. */
lock_id finder_guard(struct finder *f, variable_id x);

/* Whether the read sees a write of its own thread, made in the same section of that lock: it always does. */
bool finder_sees_own_section(struct finder *f, event_id read);

/* Finds the sums that are sure to be seen as they were in the trace. */
void told_find(struct finder *f);
