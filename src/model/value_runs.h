/* The writes of a variable that may carry a value, thread by thread; private to this room. */
#pragma once
#include "model/model.h"

/* Writes of one thread to a variable, in order. */
struct value_run {
    const struct thread_group *group;
    const struct valued_write
        *sorted; /* those of its writes that carry one value; NULL: they are all of the group */
    uint32_t count;
};

struct valued_write {
    uint64_t value;
    uint32_t index; /* of the write in m->writes.events */
    uint32_t group; /* … the group that it is in */
};

struct value_runs {
    const struct model *m;
    struct valued_write
        *by_value;  /* parallel to m->writes.events: those of each variable by value, then in order */
    uint8_t *state; /* by variable: VARIABLE_SORTED … */
};

/* The runs of a variable that are left. */
struct runs {
    bool by_value;
    uint64_t value;
    uint32_t at, end; /* in by_value, or among the groups */
};

/* Once the writes are grouped. */
void value_runs_init(struct value_runs *v, const struct model *m);
void value_runs_free(struct value_runs *v);

/* The writes that may carry the value, or all: where some add to what was read there is no telling. */
struct runs runs_of(struct value_runs *v, variable_id x, struct known_value value);
struct runs runs_of_any(const struct value_runs *v, variable_id x);

/* The next of them; false: there is none. */
bool runs_next(const struct value_runs *v, struct runs *runs, struct value_run *next);

/* How many of the run's writes are among the first events of the thread. O(log). */
uint32_t run_up_to(const struct model *m, const struct value_run *r, uint32_t events);

/* Where the run's write is in m->writes.events. */
static inline uint32_t run_index(const struct value_run *r, uint32_t i)
{
    return r->sorted ? r->sorted[i].index : r->group->first + i;
}
