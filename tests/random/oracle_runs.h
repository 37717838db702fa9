/* Exploring the feasible runs of semantics §2, one visit for all runs that lead to the same state.
 *
 * A state keeps all that decides how a run can go on and what it shows, and nothing else of how it came about.
 * Private to the oracle. */
#pragma once
#include "random/oracle_meaning.h"

struct run_state {
    event_set done;
    event_set observed; /* reads of `done` that are as observed, as long as that matters */
    event_set last;     /* the last write to each variable that was written */

    /* By condition: which of its woken waiters that still wait may have been served, whatever the choices were
     * so far. Bit S stands for the set S of waiters; with a set, all its subsets are there. */
    uint64_t served[OBJECTS];

    /* Values, as ids of the search: what the last write to each variable carries; what reads saw, as long as
     * their number matters. */
    uint8_t carried[OBJECTS];
    uint8_t seen[EVENT_SLOTS];
};

enum thread_status {
    THREAD_FINISHED, /* all its events are done */
    THREAD_OFF,      /* what it does next was not observed: condition 4 fails */
    THREAD_UNFORKED,
    THREAD_READY,   /* its next event may be added */
    THREAD_WAITING, /* for a lock, a token, a notify, a barrier or the end of a thread */
    THREAD_ASTRAY   /* its next event may not be added now, and it does not wait for that */
};

struct search {
    const struct meaning *m;

    /* Called once for each state reached, the empty run included; false: do not go on from here. */
    bool (*visit)(struct search *search, const struct run_state *s);

    /* If not 0, runs where `held_back` comes before `until` are left out; the same for `also`. */
    size_t held_back, until;
    size_t also_held_back, also_until;

    /* Reads whose numbers matter to `visit`. */
    event_set watched;

    /* By read: the events to which it matters whether it is as observed, and what number it sees; and reads
     * that the end of their thread depends on, too. */
    event_set observers[EVENT_SLOTS], measurers[EVENT_SLOTS];
    event_set kept;

    struct oracle_value *values; /* by id */
    size_t values_count, values_capacity;

    /* Scratch, kept between explorations. */
    struct run_state *states; /* reached, in the order they were */
    size_t states_count, states_capacity;
    uint32_t *slots; /* open addressing over 1 + index in `states`; 0 is free */
    size_t slot_count;
};

/* The event its thread would do next; 0 at the end of the thread. */
size_t state_next(const struct meaning *m, const struct run_state *s, size_t thread);

/* How the thread stands after the run. */
enum thread_status state_status(const struct search *search, const struct run_state *s, size_t thread);

/* Whether all events of the thread are done and its end has all of condition 4. */
bool state_ended(const struct meaning *m, const struct run_state *s, size_t thread);

/* Condition 4 for the thread's next event. */
bool state_grounded(const struct search *search, const struct run_state *s, size_t event);

/* Whether the section that begins at an acquire is open: entered and not yet left. */
bool state_section_open(const struct meaning *m, const struct run_state *s, size_t section);

/* The last write to the variable of the access, what it carries; whether a read would be as observed now. */
size_t state_source(const struct meaning *m, const struct run_state *s, size_t access);
struct oracle_value state_carried(const struct search *search, const struct run_state *s, size_t access);
bool state_as_observed(const struct search *search, const struct run_state *s, size_t read);

void search_runs(struct search *search);
void search_free(struct search *search);
