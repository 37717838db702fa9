/* How the checker keeps what it knows of a trace, and how far it is in a run. Private to src/certify.
 *
 * A run is an observed prefix and a tail. The events of one thread have ascending numbers, so "e is in the run"
 * is "e is in the prefix, or not after the last event its thread has in the tail". */
#pragma once
#include "base/map.h"
#include "base/memory.h"
#include "certify/certify.h"

#define NOBODY    UINT32_MAX
#define NO_EFFECT UINT32_MAX /* the detail of a re-entrant acquire or release */

/* What a write leaves in its variable, or a read gets out of it. */
enum content_kind {
    CONTENT_NEW,        /* something new: equal to nothing */
    CONTENT_UNRECORDED, /* what the write `number` wrote in the trace, whatever that was */
    CONTENT_NUMBER,
    CONTENT_NAME, /* `number` is its id */
};

struct content {
    enum content_kind kind;
    uint64_t number;
};

static inline bool content_known(struct content x)
{
    return x.kind == CONTENT_NUMBER || x.kind == CONTENT_NAME;
}

static inline bool content_same(struct content x, struct content y)
{
    return x.kind != CONTENT_NEW && x.kind == y.kind && x.number == y.number;
}

/* A lock after an acquire or release that is not re-entrant. */
struct certified_hold {
    uint32_t event;
    thread_id owner;      /* of the exclusive hold, or NOBODY */
    uint32_t readers;     /* threads that hold it in shared mode */
    uint32_t also_reader; /* 1 if the event's own thread held it in shared mode just before */
};

/* A notify of a condition, or a notifyall. */
struct signal {
    uint32_t event;
    uint32_t spent_on;     /* the end of the wait that it is spent on in the trace; 0: on none */
    uint32_t last_for_all; /* the last notifyall of the condition up to here; 0: none */
};

/* A semaphore after a post or semwait. */
struct certified_tokens {
    uint32_t event;
    uint64_t count;
};

/* The exclusive section that a tryfail ran into. */
struct blocker {
    uint32_t acquire;
    uint32_t release; /* 0: never */
};

/* An outermost atomic block of one thread, both ends included. */
struct certified_block {
    uint32_t first, last;
};

struct block_list {
    struct certified_block *blocks;
    size_t blocks_count, blocks_capacity;
};

struct certify_index {
    const struct trace *trace;
    uint32_t count;
    size_t thread_count, variable_count, lock_count;

    uint32_t *before;       /* by event: the event of its thread just before it, or 0 */
    uint32_t *thread_start; /* by thread, one more at the end: where its events begin in … */
    uint32_t *thread_events;

    /* By event, depending on its kind:
     *   accesses                           where in `writes` the first write of its variable that is not before
     * it is acq rel racq rrel                  where in `holds` it is, or NO_EFFECT tryfail where in `blockers`
     * its is; 0: nothing excluded it join waitpost notify bexit semwait which list of `required` holds its
     * required predecessors; 0: none waitpre                            its waitpost, while the index is built
     */
    uint32_t *detail;

    uint32_t *forked_by; /* by thread: its fork, or 0 */
    bool *joined;        /* by thread */

    uint32_t *writes;      /* all writes, variable by variable, ascending */
    uint32_t *write_start; /* by variable, one more at the end */
    uint32_t
        *initial_reader; /* by variable: a load that recorded the initial value, or 0; NULL without values */

    /* Writes that record no value although it follows from a read and an offset: event → 1 + place in `sums`. */
    struct map summed;
    uint64_t *sums;
    size_t sums_count, sums_capacity;

    struct certified_hold *holds; /* lock by lock, ascending */
    uint32_t *hold_start;

    /* Woken waits: the event that ends one (the acquire right before its waitpost, or that itself) → its
     * waitpre; and the other way round. */
    struct map woken_at, ends_at;
    struct signal *signals; /* condition by condition, ascending */
    uint32_t *signal_start;

    struct certified_tokens *tokens; /* semaphore by semaphore, ascending */
    uint32_t *token_start;
    uint64_t *initial_tokens; /* by semaphore */
    uint32_t *seminit;        /* by semaphore, or 0 */

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
void index_threads(struct certify_index *index);
void index_accesses(struct certify_index *index);
void index_values(struct certify_index *index);
void index_locks(struct certify_index *index);
void index_tokens(struct certify_index *index);
void index_signals(struct certify_index *index);
void index_required(struct certify_index *index);
void index_blocks(struct certify_index *index);

/* Turns counts, kept one slot up, into where each group starts; returns the slots of all groups. */
uint32_t starts_from_counts(uint32_t *start, size_t groups);

/* The event that ends the wait of this waitpost: the acquire right before it, or itself. */
uint32_t wait_end(const struct certify_index *index, uint32_t waitpost);

/* A read of the tail that is not as observed. */
struct news {
    uint32_t read;
    uint32_t source; /* the write it sees */
    struct content seen;
};

/* What the tail has changed; entries of an older epoch are as the prefix left them. */
struct thread_state {
    uint32_t epoch;
    uint32_t last;     /* its last event in the run, or 0 */
    uint32_t gave_up;  /* its cas that was not as observed: it does nothing more; or 0 */
    struct news *news; /* ascending */
    size_t news_count, news_capacity;
};

struct certified_variable {
    uint32_t epoch;
    uint32_t last; /* write */
    struct content content;
};

struct certified_lock {
    uint32_t epoch;
    thread_id owner;
    uint32_t readers;
};

struct semaphore_now {
    uint32_t epoch;
    uint64_t count;
};

/* A notify of the tail, by its place in the run. */
struct late_signal {
    uint32_t place;
    bool spent;
};

struct condition_now {
    uint32_t epoch;
    uint32_t *spent; /* notifies of the prefix that are spent on waits that end in the tail */
    size_t spent_count, spent_capacity;
    struct late_signal *late;
    size_t late_count, late_capacity;
    uint32_t last_for_all; /* place of the tail's last notifyall; 0: none */
};

/* A woken wait that began in the tail. */
struct open_wait {
    uint32_t end;   /* the event that ends it */
    uint32_t place; /* of its waitpre */
};

/* A read that is not as observed and an event of its thread that stands on it; 0: the thread's end. */
struct blamed_read {
    uint32_t read, event;
};

struct certifier {
    const struct certify_index *index;
    struct thread_state *threads;
    struct certified_variable *variables;
    struct certified_lock *locks;
    struct semaphore_now *semaphores;
    struct condition_now *conditions;
    struct open_wait *waits;
    size_t waits_count, waits_capacity;
    uint32_t epoch;
    uint32_t prefix;
    uint32_t place; /* of the event that comes next */
    struct certify_options options;
    struct error *why;         /* NULL: nobody asks */
    struct blamed_read blamed; /* the last that condition 4 failed for; zeros: none */
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

/* The thread, brought into the tail if it has nothing there yet. */
struct thread_state *thread_at(struct certifier *c, thread_id t);

/* The event that the thread does next, or 0 if it has done all. */
uint32_t next_of(const struct certifier *c, thread_id t);

/* What a write wrote in the trace, in x; what a read saw there. */
struct content content_written(const struct certifier *c, uint32_t write, variable_id x);
struct content content_read(const struct certifier *c, uint32_t read);

/* The number that `write` makes of what the read of its `from` sees; CONTENT_NEW if it makes none. */
struct content content_sum(const struct certifier *c, uint32_t write, struct content seen);

/* What a read gets now, from which write, and whether that is as observed. */
struct certified_sight {
    uint32_t source;
    struct content seen;
    bool as_observed;
};

struct certified_sight sight_of(struct certifier *c, uint32_t read);

/* The last write to the variable of the access, which is not in the prefix, and what it carries. */
struct certified_variable *variable_at(struct certifier *c, uint32_t access);

/* Lets a write of the tail happen, whose own read, if it has one, is known. */
void write_variable(struct certifier *c, uint32_t write);

/* Lets a read of the tail happen. */
void read_variable(struct certifier *c, struct thread_state *t, uint32_t read);

/* The news of the read in this run, or NULL: it is as observed. */
const struct news *news_of(const struct certifier *c, uint32_t read);

/* Condition 4 for `e`: the reads of its thread that it stands on. */
bool grounds_hold(struct certifier *c, uint32_t e);

/* Whether the end of the thread has all of condition 4; all its events are in the run. */
bool end_holds(struct certifier *c, thread_id t);

/* Whether the read is in `by` or `from` of the event. A list that is not given has all earlier reads. */
bool stands_on(const struct certifier *c, uint32_t e, uint32_t read, bool from);

/* Conditions and semaphores along the tail. The checks change nothing. */
bool token_there(struct certifier *c, uint32_t semwait);
bool signal_there(struct certifier *c, uint32_t end);
void take_token(struct certifier *c, uint32_t semwait);
void add_token(struct certifier *c, uint32_t post);
void certifier_begin_wait(struct certifier *c, uint32_t waitpre);
void certifier_end_wait(struct certifier *c, uint32_t end);
void add_signal(struct certifier *c, uint32_t notify);

/* Whether the event ends a woken wait. */
static inline bool certified_ends_wait(const struct certifier *c, uint32_t e)
{
    return c->index->woken_at.entries > 0 && map_get(&c->index->woken_at, e) != 0;
}

/* The lock that the acquire `event`, which is not in the prefix, wants, as it is at this point of the run. */
struct certified_lock *lock_at(struct certifier *c, uint32_t event);

/* Runs the schedule; afterwards the certifier's state is that at its end. */
bool run_schedule(struct certifier *c, const struct schedule *schedule);

/* The same step by step: the observed prefix; one more event, which its thread has come to and which can happen
 * now. */
bool run_begin(struct certifier *c, uint32_t prefix);
bool run_step(struct certifier *c, uint32_t e);

/* The same for the schedule of synchronization events of a race (a, b): data is ignored, and what is between
 * two of these in a thread happens with the second, what is before an access of the race, with the race. */
bool run_synchronization(struct certifier *c, const struct schedule *schedule, uint32_t a, uint32_t b);

/* Whether the event, which its thread has come to and which has all of condition 4, can happen now. */
bool can_happen(struct certifier *c, uint32_t e);

/* Shows a stuck run: the definition has a file of its own. */
bool shows_stuck(struct certifier *c, const struct finding *f);

/* The event is what its thread does next, in a thread that has begun, and has all of condition 4. */
bool is_next(struct certifier *c, uint32_t e);

/* The thread that holds the lock that the acquire wants, exclusively, or NOBODY. */
thread_id holder_of(struct certifier *c, uint32_t acquire);

/* Where the event comes in the run, of which it is part. */
uint32_t claimed_place(const struct schedule *s, uint32_t e);

/* The block of the list that the event is in, or NULL. */
const struct certified_block *block_around(const struct block_list *list, uint32_t e);

/* Whether the run that was just gone through, `s`, has the cycle of transactions that the finding claims. */
bool shows_cycle(struct certifier *c, const struct finding *f, const struct schedule *s);

/* Says what is wrong; false, so that `return reject(…)` reads well. */
bool reject(struct certifier *c, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
