/* The part of a query that is solved: some events of each thread, and a partial order of them that grows.
 *
 * Private to this room. Events of a window are its nodes, numbered thread by thread. Reachability is a clock
 * per node: how many events of each thread must come before it. Events before the window are either taken as
 * observed
 * (`prefix` set: all of them come first) or not looked at (a refutation must not assume them). */
#pragma once
#include "solve/solver.h"

#define NODE_BEFORE UINT32_MAX       /* the event lies before the window */
#define NODE_OUT    (UINT32_MAX - 1) /* the event is not part of the run */
#define RUN_NONE    UINT32_MAX
#define COLUMN_NONE UINT32_MAX

/* Of a read: must be as observed; is told what to see; has one write left to see, which saturation found. */
enum { NODE_DEMANDED = 1, NODE_COUPLED = 2, NODE_BOUND = 4 };

enum { ROW_UNIT = 8 }; /* rows are padded to whole vectors */

enum { WINDOW_NODE = 4 }; /* what a node costs besides its row, in vectors */

enum { SCAN_UNIT = 4 }; /* as many items are passed over for what a vector costs */

/* What the solver has decided to try: a read, or a write, comes right after this write of its variable; or the
 * wait that ends with this waitpost is ended by this notify. */
struct pin {
    event_id event, from;
    bool writes;      /* of a cas at the end of its thread: it is as observed, and writes */
    bool if_demanded; /* only in runs that demand the read */
};

enum edge_reason {
    EDGE_REQUIRED,
    EDGE_COUPLE,
    EDGE_QUERY,
    EDGE_TOKEN, /* a post without which a semaphore has no token */
    EDGE_LOCK,  /* one section before another */
    EDGE_TRY,   /* a failed try before the release that would have let it pass */
    EDGE_DATA,  /* a write kept out from between a couple */
};

struct edge {
    uint32_t from, to, next;
    enum edge_reason reason;
};

struct couple {
    event_id source; /* EVENT_INIT or a write */
    uint32_t from;   /* its node, or NODE_BEFORE */
    uint32_t reader; /* node */
    event_id read;   /* the reader's event; a write, where only what comes right before it matters */
    uint32_t next;   /* the one before it of the same source in the window, plus 1; 0: there is none */
    uint32_t also;   /* the one before it of the same reader, plus 1; 0: there is none */
    bool
        covered; /* a later read of its thread sees the same source: what is to be kept from between those says all */
};

/* What a node does. */
enum node_action {
    LOCK_NOTHING, /* re-entrant, or no lock operation */
    LOCK_TAKE,
    LOCK_GIVE,
    LOCK_TAKE_SHARED,
    LOCK_GIVE_SHARED,
    CAS_FAILED /* a cas that is not as observed: it writes nothing */
};

/* The writes of a thread to a variable, one after the other. */
struct write_run {
    uint32_t count;
    uint32_t touched; /* the last pass that touched one of them */
    uint32_t column;  /* of the thread … */
    uint32_t origin;  /* … and what makes a node of a position of it */
};

/* The same, or the sections of a thread of one lock, and whose they are: what is looked at of each to see whether there is news of it. */
struct run_place {
    uint32_t at, column; /* of its first; COLUMN_NONE is possible for sections */
};

/* The sections of one lock. */
struct lock_sections {
    uint32_t start, end;
    uint32_t runs, runs_end; /* in section_runs */
    bool mixed;              /* some are in reader mode */
};

struct window_section {
    uint32_t section;          /* of the model */
    uint32_t acquire, release; /* nodes; NODE_BEFORE and NODE_OUT are possible */
    uint32_t run;              /* at the first of an owner's run: its length … */
    uint32_t touched;          /* … and the last pass that touched one of its releases */
    thread_id owner;
    lock_id lock;
    bool shared;
    bool open;       /* stays open in this run */
    bool closable;   /* open, but a longer run could release it */
    bool used;       /* closable, and that it stays open was a reason for something */
    bool must_close; /* closable, and every run like this releases it */
    bool held;       /* while a window is linearized */
};

/* Two sections, or a write and a couple: one side or the other. */
struct choice {
    struct {
        uint32_t from, to;
    } side[2];
    enum edge_reason reason;
};

/* What a window keeps of a variable, and of a lock: together, as a window takes a few of very many. What a run keeps is
 * clean in between. */
struct window_variable {
    uint32_t stamp, start, end; /* its writes, if it is the window's stamp */
    uint32_t touched;           /* the last pass that touched one of them */
    uint32_t places, runs;      /* in run_places: how many threads they are of */
    uint32_t early;             /* the last couple with a source before the window, plus 1 */
    uint32_t pending;           /* in a run: readers still to see what was there before the window */
    uint32_t current;           /* in a run: the node last written + 1; 0: what was there before */
};

struct window_lock {
    uint32_t fill;    /* while sections are sorted; 0 in between */
    uint32_t touched; /* the last pass that touched an acquire or release */
    uint32_t owner;   /* in a run: exclusive owner + 1 */
    uint32_t readers; /* in a run: threads that hold it in reader mode */
    uint32_t takes;   /* in a straight run: acquires still to come */
    event_id last;    /* in a straight run: the acquire that takes it last and keeps it */
};

struct window {
    const struct model *m;
    bool prefix;          /* events before the window come first, as observed */
    uint32_t *low, *high; /* by thread: the positions of its nodes */
    uint32_t *first;      /* by thread: its first node */
    thread_id *active;    /* the threads that have nodes, in order */
    size_t active_count;
    uint32_t nodes;
    event_id *events; /* by node */
    size_t events_capacity;
    uint32_t *clocks; /* by node, `width` numbers: one a column, then padding */
    uint32_t width;
    size_t clocks_capacity;
    uint32_t row;              /* the width with a column for every thread */
    uint32_t *columns;         /* by thread; COLUMN_NONE: no node's place says anything of it */
    thread_id *column_threads; /* by column */
    uint32_t columns_count;
    bool columns_are_threads; /* each has its own number */

    uint32_t *
        kept; /* since the window was marked: nodes whose clocks have changed, each with the clock that it had */
    size_t kept_count, kept_capacity;
    uint32_t *kept_by; /* by node: the last mark that has it among these … */
    size_t kept_by_capacity;
    uint32_t mark; /* … of those since the window was built; 0: there was none */

    uint32_t *edge_head; /* by node */
    size_t edge_head_capacity;
    struct edge *edges;
    size_t edges_count, edges_capacity;

    struct couple *couples;
    size_t couples_count, couples_capacity;
    size_t couples_done; /* while they are found: what these demand is known */
    uint32_t *readers;   /* by node, of a write: the last couple that has it as its source, plus 1 */
    uint32_t *couple_of; /* by node, of a reader: the last couple that is about it, plus 1 */
    size_t readers_capacity, couple_of_capacity;

    uint32_t *writes; /* nodes that write, variable by variable, thread by thread */
    size_t writes_count, writes_capacity;
    struct write_run *write_runs; /* parallel: at the first write of a thread's run */
    uint32_t *run_of; /* by node, of a write or a release: its run in `writes` or `sections`, or RUN_NONE */
    size_t write_runs_capacity, run_of_capacity;
    struct run_place *run_places; /* of write_runs, variable by variable */
    size_t run_places_count, run_places_capacity;
    struct window_variable *variables; /* by variable */
    uint32_t stamp;

    struct window_section *sections; /* lock by lock, owner by owner */
    size_t sections_count, sections_capacity;
    struct run_place *section_runs; /* lock by lock */
    size_t section_runs_count, section_runs_capacity;
    struct lock_sections *lock_sections; /* of those that threads share */
    size_t lock_sections_count, lock_sections_capacity;
    struct window_section *sorted; /* room to sort them */
    size_t sorted_capacity;
    struct window_lock *locks; /* by lock or word */

    uint8_t *actions; /* by node: enum node_action */
    size_t actions_capacity;
    uint8_t *demanded; /* by node, of a read: NODE_DEMANDED and NODE_COUPLED */
    size_t demanded_capacity;
    uint32_t *all_demanded; /* by lane: all reads of the thread of the trace that is there, before this
                               position, are demanded */
    bool *joined;           /* by thread: its join is in the run */
    event_id missing;       /* a write that the run must hold and the cut does not, or EVENT_NONE */
    event_id *assumed;      /* reads and waitposts that were only assumed to be as observed */
    size_t assumed_count, assumed_capacity;

    uint32_t *soft_nodes; /* reads that must be as observed and may see more than one write */
    size_t soft_nodes_count, soft_nodes_capacity;
    uint32_t *needs, *cover; /* room for two clocks, */
    size_t needs_capacity, cover_capacity;
    event_id *known; /* and for an event a thread */
    size_t known_capacity;
    bool may_grow; /* where the run must hold more than the cut, w->missing says what */

    uint32_t *sem_nodes; /* nodes of semwaits, where tokens are counted */
    size_t sem_nodes_count, sem_nodes_capacity;
    const uint32_t *most; /* of the query */
    int64_t *tokens;      /* by semaphore, while a window is run */
    uint8_t *token_lack;  /* by semaphore: that the run has no more posts was a reason for something */
    bool any_lack;

    /* While a window is linearized; the arrays over variables and locks are clean in between. */
    uint32_t *pending; /* by node: readers still to see this write */
    size_t pending_capacity;
    uint32_t *sees; /* by node: the node of the source it must see + 1; 0: before the window; UINT32_MAX: any */
    size_t sees_capacity;
    uint32_t *done; /* by thread: events of it in the run so far; `reached`: the same by column */
    uint32_t *reached;
    struct turn {
        event_id event; /* the next one of the thread */
        thread_id thread;
        uint32_t column, needs; /* it waits until so many events of this column's thread have run */
    } * turns; /* in a run: threads that have events left, in the order in which these were observed */
    size_t turns_count;

    struct known_value *carried, *seen; /* by node, of what has run: what it wrote, what it saw */
    size_t carried_capacity, seen_capacity;

    struct choice blame; /* what a run that got stuck points to … */
    bool has_blame;      /* … if anything */

    uint64_t *dirty; /* a bit an event after the window's start: nodes whose successors are to be told */
    size_t dirty_capacity, dirty_words;
    size_t dirty_first; /* while patient: no word before it has a mark */
    bool protects;      /* while it is settled: couples are looked at, and edges are propagated at once */
    bool patient;       /* what follows from edges is seen to when the window is settled, not at once */
    uint32_t *seen_of,
        *seen_hold; /* by thread: how many of its events are among the first `seen_start` of the trace, and its
                                      innermost hold there */
    event_id seen_start;
    bool plain; /* never patient: the definition as code, for explanations and for tests */
    event_id start;
    bool changed; /* since the flag was last cleared */

    /* What changed since: passes are numbered, and each looks only at what was touched since the last of its kind began. */
    uint32_t pass;     /* the one under way */
    uint32_t *touched; /* by node: the pass in which its clock last changed */
    size_t touched_capacity;
    uint32_t *semaphore_touched; /* by semaphore: the last pass that touched a post or semwait */
    uint32_t locks_pass, couples_pass, tokens_pass, soft_pass; /* the last of each kind; 0: there was none */
    size_t couples_seen;                                       /* couples that the last pass over them had */
    uint64_t effort; /* what building, saturating and running windows has cost, in vectors of clocks … */
    uint64_t effort_limit; /* … and may cost: what goes on beyond that fails, and proves nothing */

    bool has_closable;             /* some section is */
    bool assume_open;              /* sections that could yet be released stay open */
    bool must_close;               /* a saturation failed only because some sections must be released */
    uint32_t cycle_from, cycle_to; /* the edge that would have closed a cycle */
    enum edge_reason cycle_reason;
};

struct window *window_new(const struct model *m);
void window_free(struct window *w);

/* How many events of each thread are among the first `start`: valid until the next call. w->seen_hold has what they hold. */
const uint32_t *window_seen(struct window *w, event_id start);

/* Says which events of `cut` the window has, those after the first `start`: w->low, high, first, active and nodes. */
void window_place(struct window *w, const uint32_t *cut, event_id start);

/* Runs the events that were placed, after the first `start` as observed, without a partial order: at each step
 * the event observed first among those that may happen. Writes event numbers to `order` (room for all nodes);
 * false when that gets stuck, or is not tried. */
bool window_run_straight(struct window *w, const struct query *q, event_id start, event_id *order);

/* Fills the window with the events of `cut` after the first `start` events of the trace, and the order that
 * program order, requirements, couples and the query force. False when that is a cycle already. */
bool window_build(struct window *w, const struct query *q, const uint32_t *cut, event_id start, bool prefix);

/* Takes so many vectors for each node off what windows may cost. If that is not left nothing is taken, and the window is
 * spent. */
bool window_afford(struct window *w, uint32_t vectors);

/* Finds the reads of the placed window that must see a certain write: w->couples, and which cas fail. False when a
 * write that must be seen is not in the run: w->missing. */
bool window_bind(struct window *w, const struct query *q);

/* Whether the query assumes that the read, or the end of a wait, is as observed though it need not be; then it is
 * noted. */
bool window_assumes(struct window *w, const struct query *q, event_id e);

/* The pin of an event, or NULL. */
const struct pin *query_pin(const struct query *q, event_id e);

/* Whether the query has a place for the requirement. */
static inline bool query_requires(const struct model *m, const struct query *q, event_id e, event_id before)
{
    return q->observed || !m->relaxed || model_requires_always(m, e, before);
}

/* Lists the semwaits, unless tokens are taken as observed; part of building the window. */
void window_find_tokens(struct window *w, const struct query *q);

/* Adds the posts that must come before semwaits; false when there are too few. */
bool window_saturate_tokens(struct window *w);
bool window_token_choice(const struct window *w, struct choice *choice);

/* While a window is run: the tokens that are there before it; whether there is one for an event; its effect; of
 * what waits for one, a choice that is open. */
void window_start_tokens(struct window *w);
bool window_has_token(const struct window *w, event_id e);
void window_move_token(struct window *w, event_id e);
bool window_token_blame(const struct window *w, uint32_t node, struct choice *choice);

/* Lists the soft reads; part of building the window. */
void window_find_soft(struct window *w, const struct query *q);

/* Adds what follows from what soft reads may see; false when one has nothing to see, or when w->missing is missing. */
bool window_saturate_soft(struct window *w);

/* Finds the sections of locks that the window has to order; part of building it. */
void window_find_sections(struct window *w, const struct query *q);

/* The node of an event, NODE_BEFORE or NODE_OUT. */
uint32_t window_node(const struct window *w, event_id e);

/* Adds an edge between nodes and all that follows from it; false on a cycle. */
bool window_add(struct window *w, uint32_t from, uint32_t to, enum edge_reason reason);

/* So many events of each thread come before the node; all that follows, false on a cycle. */
bool window_raise(struct window *w, uint32_t node, const uint32_t *clock);

/* A state of the window to come back to. */
struct window_mark {
    size_t kept, edges, couples;
};

/* From here on what changes is kept, until … */
struct window_mark window_mark(struct window *w);
/* … the window is as it was when it was marked; what it goes through from there is kept again. Marks are a stack. */
void window_return(struct window *w, const struct window_mark *mark);

/* From here on edges are only noted, until … */
void window_be_patient(struct window *w);
/* … the window is settled, which sees to what follows from them (false on a cycle); and so on until … */
bool window_settle(struct window *w);
/* … the window is eager again. What was not settled is forgotten. */
void window_be_eager(struct window *w);

/* From here on, sections that could yet be released stay open, and the cut does not grow. */
void window_assume_open(struct window *w);

/* Adds what mutual exclusion and couples force, to a fixpoint; false on a cycle. */
bool window_saturate(struct window *w);

/* Adds what mutual exclusion forces, to a fixpoint; false on a cycle. */
bool window_saturate_locks(struct window *w);

/* Notes the couples with their sources, once all are there that the window is built with. */
void window_find_readers(struct window *w);
/* One more; couples are a stack. */
void window_push_couple(struct window *w, struct couple couple);
void window_pop_couple(struct window *w);

/* Adds what couples force, as far as something was touched since the last time; false on a cycle. */
bool window_saturate_couples(struct window *w);

/* The same of a patient window, and settles it: nodes are looked at in the observed order, so that most clocks are known when they
 * are needed. */
bool window_protect(struct window *w);
/* What follows for the couples of a node whose clock has changed. */
bool window_protect_node(struct window *w, uint32_t node);
/* The node is looked at when the window is settled. */
void window_look_again(struct window *w, uint32_t node);

/* Finds a choice that is still open: what the last run got stuck at, or else any, the observed order first.
 * False when there is none. */
bool window_choice(const struct window *w, struct choice *choice);

/* Runs the nodes in an order that fits the partial order and the rules of semantics §2, preferring the observed one.
 * Writes event numbers to `order` (room for all nodes); false when it gets stuck. */
bool window_linearize(struct window *w, event_id *order);

/* For assert_costly: clocks say what edges and program order say, and nothing is before itself; a run of the
 * window's events keeps program order; and the partial order, too. */
bool window_is_ordered(const struct window *w);
bool run_keeps_order(struct window *w, const event_id *order);
bool run_keeps_edges(struct window *w, const event_id *order);

/* While a window with soft reads is linearized: what is known of values. Whether the node sees what it must as far as
 * that is known; its effect. */
void window_start_values(struct window *w);
bool window_sees_fit(const struct window *w, uint32_t node);
void window_run_values(struct window *w, uint32_t node);

/* The limit of effort is passed: what failed since means nothing. */
static inline bool window_is_spent(const struct window *w)
{
    return w->effort > w->effort_limit;
}

/* Whether an access of the window writes. */
static inline bool node_writes(const struct window *w, uint32_t node)
{
    return kind_writes(kind_of(w->m, w->events[node])) && w->actions[node] != CAS_FAILED;
}

static inline const uint32_t *node_clock(const struct window *w, uint32_t node)
{
    return w->clocks + (size_t)node * w->width;
}

/* How many events of a thread come before the node; the thread has a column. */
static inline uint32_t node_count(const struct window *w, uint32_t node, thread_id t)
{
    assert(w->columns[t] != COLUMN_NONE);
    return node_clock(w, node)[w->columns[t]];
}

/* Whether node a comes before node b. */
static inline bool node_before(const struct window *w, uint32_t a, uint32_t b)
{
    event_id e = w->events[a];

    return node_count(w, b, thread_of(w->m, e)) > w->m->position[e];
}
