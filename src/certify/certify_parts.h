/* How the checker keeps what it knows of a trace, and how far it is in a run. Private to src/certify.
 *
 * A run is an observed prefix and a tail. The events of one thread have ascending numbers, so "e is in the run"
 * is "e is in the prefix, or not after the last event its thread has in the tail". */
#pragma once
#include "base/map.h"
#include "base/memory.h"
#include "certify/certify.h"

#define NOBODY      UINT32_MAX
#define NO_EFFECT   UINT32_MAX /* the detail of a re-entrant acquire or release */
#define NOTHING_NEW UINT32_MAX

/* A lock after an acquire or release that is not re-entrant. */
struct hold {
    uint32_t event;
    thread_id owner;      /* of the exclusive hold, or NOBODY */
    uint32_t readers;     /* threads that hold it in shared mode */
    uint32_t also_reader; /* 1 if the event's own thread held it in shared mode just before */
};

/* The exclusive section that a tryfail ran into. */
struct blocker {
    uint32_t acquire;
    uint32_t release; /* 0: never */
};

/* An outermost atomic block of one thread, both ends included. */
struct block {
    uint32_t first, last;
};

struct block_list {
    struct block *blocks;
    size_t blocks_count, blocks_capacity;
};

struct certify_index {
    const struct trace *trace;
    uint32_t count;
    size_t thread_count, variable_count, lock_count;

    uint32_t *before; /* by event: the event of its thread just before it, or 0 */

    /* By event, depending on its kind:
     *   accesses                           where in `writes` the first write of its variable that is not before
     * it is acq rel racq rrel                  where in `holds` it is, or NO_EFFECT tryfail where in `blockers`
     * its is; 0: nothing excluded it join waitpost notify bexit semwait which list of `required` holds its
     * required predecessors; 0: none waitpre                            its waitpost, while the index is built
     */
    uint32_t *detail;

    uint32_t *forked_by; /* by thread: its fork, or 0 */

    uint32_t *writes;      /* all writes, variable by variable, ascending */
    uint32_t *write_start; /* by variable, one more at the end */
    uint32_t
        *initial_reader; /* by variable: a read that recorded the initial value, or 0; NULL without values */

    struct hold *holds; /* lock by lock, ascending */
    uint32_t *hold_start;

    struct blocker *blockers; /* the first stands for none */
    size_t blockers_count, blockers_capacity;

    uint32_t *required;
    size_t required_count, required_capacity;
    uint32_t *lists; /* where list i begins in `required`; one more at the end */
    size_t lists_count, lists_capacity;

    struct block_list *declared;      /* by thread: begin … end */
    struct block_list *deterministic; /* by thread: dbegin … dend */
    struct block_list *lock_scopes;   /* by thread: from no lock held to no lock held, without a wait */
};

/* Parts of certify_index_new with a file of their own. */
void index_accesses(struct certify_index *index);
void index_locks(struct certify_index *index);
void index_required(struct certify_index *index);
void index_blocks(struct certify_index *index);

/* What the tail has changed; entries of an older epoch are as the prefix left them. */
struct thread_state {
    uint32_t epoch;
    uint32_t last; /* its last event in the tail */
    uint32_t news; /* the write its last event read instead of what was observed, or NOTHING_NEW */
};

struct variable_state {
    uint32_t epoch;
    uint32_t last; /* write */
    bool fresh;    /* that write is an rmw that read something new */
};

struct lock_now {
    uint32_t epoch;
    thread_id owner;
    uint32_t readers;
};

struct certifier {
    const struct certify_index *index;
    struct thread_state *threads;
    struct variable_state *variables;
    struct lock_now *locks;
    uint32_t epoch;
    uint32_t prefix;
    uint32_t reads_news; /* an event of the run that read something new, or 0 */
    bool same_value;
    struct error *why; /* NULL: nobody asks */
};

static inline bool in_run(const struct certifier *c, uint32_t event)
{
    const struct thread_state *t = &c->threads[c->index->trace->thread[event]];

    return event <= c->prefix || (t->epoch == c->epoch && event <= t->last);
}

/* The write that a read of the trace read from. */
static inline uint32_t source_of(const struct certify_index *index, uint32_t read)
{
    uint32_t at = index->detail[read];

    return at > index->write_start[index->trace->arg[read]] ? index->writes[at - 1] : EVENT_INIT;
}

/* The lock that the acquire `event`, which is not in the prefix, wants, as it is at this point of the run. */
struct lock_now *lock_at(struct certifier *c, uint32_t event);

/* Runs the schedule; afterwards the certifier's state is that at its end. */
bool run_schedule(struct certifier *c, const struct schedule *schedule);

/* The same step by step: the observed prefix; one more event, which its thread has come to and which can happen
 * now. */
bool run_begin(struct certifier *c, uint32_t prefix);
bool run_step(struct certifier *c, uint32_t e);

/* The same for the schedule of synchronization events of a race (a, b): data is ignored, and what is between
 * two of these in a thread happens with the second, what is before an access of the race, with the race. */
bool run_synchronization(struct certifier *c, const struct schedule *schedule, uint32_t a, uint32_t b);

/* Where the event comes in the run, of which it is part. */
uint32_t place_of(const struct schedule *s, uint32_t e);

/* The block of the list that the event is in, or NULL. */
const struct block *block_around(const struct block_list *list, uint32_t e);

/* Whether the run that was just gone through, `s`, has the cycle of transactions that the finding claims. */
bool shows_cycle(struct certifier *c, const struct finding *f, const struct schedule *s);

/* Says what is wrong; false, so that `return reject(…)` reads well. */
bool reject(struct certifier *c, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
