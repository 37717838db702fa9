/* A state of a run and what leads from one to the next; private to the search over states. */
#pragma once
#include "solve/states.h"

/* What a variable holds. */
struct state_content {
    event_id write;  /* the last one, or EVENT_INIT */
    bool as_written; /* it carries what it wrote in the trace */
    struct known_value value;
};

/* A read of the run that is not as observed, and what it saw. */
struct sighting {
    bool changed;
    struct known_value value;
};

/* What happened, and how to take it back. */
struct state_step {
    event_id event;
    struct state_content before; /* of a write: what the variable held */
    size_t changed;              /* the lane's reads that were not as observed … */
    uint32_t changed_from;       /* … and the first that counts */
    size_t woken;                /* threads whose waits had got a notify */
    bool was_served;             /* its own had */
};

/* Classes of events whose last ones are known. */
enum to_come { COME_READ, COME_WRITE, COME_TAKE, COME_TRY, COME_TOKEN, COME_WAIT, COMINGS };

/* What the events of each class are on. */
extern const enum name_class states_object[COMINGS];

/* Whether it matters which write to a variable was the last, not only what it carries: no; to reads whose value, or that of their write, is not
 * known; to the query. */
enum { BY_VALUE, BY_WRITE, BY_WRITE_ALWAYS };

struct changed_list {
    event_id *reads;
    size_t reads_count, reads_capacity;
    uint32_t from; /* those before are of threads of the trace that are over */
};

struct states {
    const struct model *m;
    const struct query *q;
    const stop_flag *stop;
    const uint32_t *least;
    uint32_t *most; /* by thread, never more than it has */

    uint32_t *position;
    struct state_content *content; /* by variable */
    struct sighting *sighting;     /* by event, of reads of the run */
    struct changed_list *changed;
    uint32_t *lock_owner, *lock_readers; /* as in a window */
    int64_t *tokens;
    uint8_t *served; /* by thread: the wait that it is in got a notify */
    struct state_step *steps;
    size_t steps_count, steps_capacity;
    thread_id *woken; /* whose waits got a notify, in the order of the run */
    size_t woken_count, woken_capacity;
    event_id *run;
    size_t run_capacity;

    uint32_t
        *last[COMINGS];  /* by object and thread: the position after the last such event that a run may have */
    uint32_t *last_use;  /* by event, of a read: … after the last event that may depend on it */
    uint32_t *last_all;  /* by thread of the trace: … that may depend on every read */
    uint8_t *by_write;   /* by variable */
    variable_id *shared; /* variables that are both read and written, or that the query is about */
    size_t shared_count;

    uint32_t *keys; /* of states that lead nowhere, one after the other, each with its length first */
    size_t keys_count, keys_capacity;
    size_t *slots; /* places in `keys`, plus 1; 0: empty */
    size_t slot_count, known;
    uint32_t *key; /* of the state at hand */
    size_t key_count, key_capacity;

    uint64_t work;
    bool out; /* of work */
};

/* Looks through the query: which events may be to come, which reads matter. */
void states_prepare(struct states *s);

/* Whether an event of the class on the object may come in another thread. */
bool states_to_come(const struct states *s, enum to_come what, uint32_t object, thread_id except);

/* Whether something may still depend on the read, which is in the run. */
bool states_matters(const struct states *s, event_id read);

/* The state before all events. */
void states_begin(struct states *s);

/* Whether the next event of the thread can happen; whether it never can, as condition 4 does not hold for it. */
bool states_may_step(const struct states *s, thread_id t);
bool states_is_over(const struct states *s, thread_id t);

/* Whether the next event of the thread, which can happen, may as well happen at once: whatever run there is from here,
 * there is one that begins with it. */
bool states_is_free(const struct states *s, thread_id t);

/* The event happens; a notify serves the thread's wait, unless that is NAME_NONE. False if the query has no answer
 * after it. */
bool states_step(struct states *s, thread_id t, thread_id serve);
void states_step_back(struct states *s);

/* Whether a notify can serve the wait of the thread. */
bool states_is_waiting(const struct states *s, uint32_t condition, thread_id t);

/* Whether the run answers the query. */
bool states_is_answer(const struct states *s);

/* Whether the state was known before; it is afterwards. */
bool states_know(struct states *s);
void states_forget(struct states *s);
