/* Exploring the feasible runs of SPEC §2, one visit for all runs that lead to the same state.
 *
 * A state keeps all that decides how a run can go on, and nothing of how it came about. Private to the oracle.
 */
#pragma once
#include "random/oracle_meaning.h"

struct run_state {
    event_set done;
    event_set fresh; /* reads that read something new: their threads stop; an rmw's write is new */
    event_set last;  /* the last write to each variable that was written */
};

/* The event its thread would do next; 0 at the end of the thread or where it has stopped. */
size_t state_next(const struct meaning *m, const struct run_state *s, size_t thread);

/* Whether all required predecessors of `event` have been. */
bool state_ready(const struct meaning *m, const struct run_state *s, size_t event);

/* Whether the section that begins at an acquire is open: entered and not yet left. */
bool state_section_open(const struct meaning *m, const struct run_state *s, size_t section);

/* The write that the access would read from. */
size_t state_source(const struct meaning *m, const struct run_state *s, size_t access);

/* Whether the read would read what it read in the trace, so that its thread may go on. */
bool state_keeps(const struct meaning *m, const struct run_state *s, size_t read);

struct search {
    const struct meaning *m;

    /* Called once for each state reached, the empty run included; false: do not go on from here. */
    bool (*visit)(struct search *search, const struct run_state *s);

    /* If not 0, runs where `held_back` comes before `until` are left out; the same for `also`. */
    size_t held_back, until;
    size_t also_held_back, also_until;

    /* Scratch, kept between explorations. */
    struct run_state *states; /* reached, in the order they were */
    size_t states_count, states_capacity;
    uint32_t *slots; /* open addressing over 1 + index in `states`; 0 is free */
    size_t slot_count;
};

void search_runs(struct search *search);
void search_free(struct search *search);
