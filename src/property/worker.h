/* What one worker has while it checks: the shared model, its own solver and certifier, what it found.
 *
 * Private to this room. Work comes in batches of units (a variable, a part of the candidates of a large one, or one unit for all
 * of a property); a batch is done by one worker from start to end and knows nothing of the others, so findings do not depend on
 * how batches are spread. */
#pragma once
#include "base/map.h"
#include "base/stop.h"
#include "finding/place.h"
#include "property/check.h"
#include "property/seen_before.h"
#include "solve/solver.h"

#include <stdatomic.h>

struct blocks;

/* In a grouped check a unit asks for every candidate up to a limit, a generous one where the variable has few
 * accesses, or until that has cost its share; after that only for what may show a set of source locations that is
 * not shown yet, and counts become lower bounds. */
enum { UNIT_SMALL = 256, UNIT_ASKS_SMALL = 2000, UNIT_ASKS = 8 };

/* What a query may cost if a finding stands for its source locations already, as only a count depends on it: so much where
 * reads are in doubt; elsewhere what its unit's share of the cost leaves, and at least so much. */
enum { SHOWN_WORK = 4000 };

/* What it may cost at first if none does, and then; and the same where no read is in doubt. Those that need more are asked again
 * when the unit has nothing else left to ask: by then most of their locations are shown by others that cost little. From 200,000 to
 * 1,000,000 the first limit of the plain ones makes no difference; less, or no first limit, makes some checks take half as long again. */
enum { FIRST_WORK = 4000, SECOND_WORK = 50000, FIRST_WORK_PLAIN = 200000, SECOND_WORK_PLAIN = 20000000 };

/* How many candidates of the same source locations are asked so, each time; of others like them so many each time that their number
 * doubles, the rest waits at once. With grounds, where runs near the observed one are easily found, it pays to ask more at first. */
enum {
    FIRST_DEFERS = 8,
    SECOND_DEFERS = 4,
    FIRST_DEFERS_GROUNDS = 256,
    SECOND_DEFERS_GROUNDS = 16,
    DEFERS_PLAIN = 4
};

/* With grounds, how many candidates in a row that begin with the same event are asked at first: what the next ones need is further away. */
enum { FIRST_TRIES = 2 };

/* How many candidates of the same source locations a unit leaves undecided one by one. */
enum { DOUBTS = 8 };

enum { PAIR_KEYS = 256, KEY_EVENTS = 3 };

/* The part of a unit's candidates that is under way. Candidates have subjects (a read, say), which have numbers; those whose
 * number has this remainder belong to the part. */
struct share {
    uint32_t first, step;
};

/* What certifiers know of the trace: one worker makes it while the others begin. */
struct shared_index {
    struct certify_index *_Atomic made;
    atomic_bool exhausted; /* there was not enough memory for it, or for something else */
};

struct worker {
    const struct model *m;
    const struct check_options *options;
    const stop_flag *stop;
    const struct blocks *blocks;
    struct solver *solver;
    struct shared_index *index;
    struct certifier *certifier;          /* NULL until it is needed */
    struct finding_list found, undecided; /* of the batch of units under way */
    struct map groups; /* of the batch: hash of property and locations → index in found + 1 */
    const struct map
        *shown; /* the same hash of what was found in earlier rounds → who has to find it again; or NULL */
    uint32_t number;   /* who this is there */
    struct map doubts; /* of the unit: the same hash → how many were left undecided */
    struct map tried;  /* of the batch: … although a finding stands for them */
    struct deferred {
        enum property property;
        uint32_t first, count; /* in deferred_events */
    } * deferred;              /* of the unit: candidates that need more than was allowed them so far */
    size_t deferred_count, deferred_capacity;
    uint32_t *deferred_events;
    size_t deferred_events_count, deferred_events_capacity;
    struct map waiting; /* of the unit: the same hash → how many are among them */
    enum {
        ASK_FIRST,
        ASK_AGAIN,
        ASK_LAST
    } stage; /* of the unit: how much is spent on what no finding stands for */
    uint32_t tried_event,
        tries;          /* at first: so many candidates that begin with this event were undecided in a row */
    struct share share; /* of the unit */
    uint64_t asked, ask_limit; /* of the unit */
    uint64_t
        cycle_work; /* of the unit: what deadlocks of more than two may still cost; UINT64_MAX: there is no limit */
    uint64_t
        cost_limit; /* of the batch so far: from which cost of the solver on shown locations are passed over */
    struct pair_key { /* keys of two locations that were looked up before, where these lead to */
        uint32_t a, b;
        enum property property;
        uint64_t key; /* 0: none */
    } pair_keys[PAIR_KEYS];
    struct candidate_key { /* of the candidate that was looked at last */
        enum property property;
        uint32_t count; /* 0: none */
        uint32_t events[KEY_EVENTS];
        uint64_t key;
    } last_key;
    struct property_stats stats[PROPERTIES];
    struct seen_before seen[2]; /* about a read, or about both sides of a race */
    uint8_t *
        noticed; /* by event, a bit: another thread reads what it wrote; made when it is first needed (quiet.c) */
    uint64_t certified;
    uint64_t rejected; /* schedules the certifier did not accept: a fault of the solver, left undecided */
};

/* Whether the candidates of this subject belong to the part of the unit that is under way. In a check of everything subjects are
 * numbered one after the other; in a grouped one by the place of their event, so that no two parts look for the same finding. */
static inline bool worker_takes(const struct worker *w, uint64_t number, event_id subject)
{
    uint64_t of = w->options->all || w->share.step == 1 ? number : place_of(w->m->trace, subject);

    return of % w->share.step == w->share.first;
}

/* Whether what is settled for a unit as a whole belongs to this part of it. */
static inline bool worker_is_first(const struct worker *w)
{
    return w->share.first == 0;
}

/* Whether candidates with these locations may be passed over: a finding stands for them and the unit has asked
 * enough. Then books so many of them, and that finding becomes a lower bound. */
bool worker_skips(struct worker *w, enum property property, const uint32_t *events, uint32_t count,
                  uint64_t candidates);

/* The same in two steps: whether any may be; whether those of the locations with this key (see below) are. */
bool worker_may_skip(const struct worker *w);
bool worker_skips_group(struct worker *w, enum property property, uint64_t key, uint64_t candidates);

/* In a grouped check: the finding of this batch that stands for the candidate's locations, or NULL. */
const struct finding *worker_shown(struct worker *w, enum property property, const uint32_t *events,
                                   uint32_t count);

/* Whether the unit has asked so much that it asks only for what may show more locations. */
bool worker_has_enough(const struct worker *w);

/* Whether a finding of this batch stands for the locations with this key; books so many candidates as passed over if one does: its
 * count becomes a lower bound. */
bool worker_shows(struct worker *w, uint64_t key);
void worker_pass_over(struct worker *w, enum property property, uint64_t key, uint64_t candidates);

/* Whether a finding of this batch stands for the candidate's locations by now: its count becomes a lower bound. */
bool worker_passes_over(struct worker *w, enum property property, const uint32_t *events, uint32_t count);

/* The set of source locations of a candidate, with its property, as a number. */
uint64_t locations_key(const struct model *m, enum property property, const uint32_t *events, uint32_t count);

/* The same of two events whose places are known already. */
uint64_t worker_pair_key(struct worker *w, enum property property, const uint32_t events[2], uint32_t place_a,
                         uint32_t place_b);

/* What the solver says of the candidate, which is not one of `stuck`, within this much work; nothing is booked. */
struct verdict worker_decide(struct worker *w, enum property property, const uint32_t *events, uint32_t count,
                             uint64_t most);

/* The same of one of `stuck`: the events that wait, whatever is behind them; *served: runs lead there, and in each of them a notify
 * is left for a thread that waits. */
struct verdict stuck_decide(struct worker *w, const uint32_t *events, uint32_t count, bool *served);

/* Asks the solver whether this candidate is feasible and books the outcome; now or, unless this is the last stage, when the unit has no
 * other candidates left. How it was refuted, if it was now; else REFUTATIONS. */
enum refutation worker_ask(struct worker *w, enum property property, const uint32_t *events, uint32_t count);
void worker_ask_deferred(struct worker *w);

/* The same in steps, for candidates that are not handed over one by one: whether so many of the locations with this key wait
 * for the next stage, as many like them do; the next stage begins, with what waits for it. */
bool worker_waits(struct worker *w, uint64_t key, uint64_t candidates);
void worker_next_stage(struct worker *w);

/* The same for a verdict that came in another way than by one query. Takes the schedule over. */
void worker_conclude(struct worker *w, enum property property, const uint32_t *events, uint32_t count,
                     struct verdict v);

/* Books a candidate that a rule refutes in the solver's place, by what saturation would find: it counts as
 * asked for. How it was refuted now; REFUTATIONS: it was not. */
enum refutation worker_answer(struct worker *w, enum property property, const uint32_t *events, uint32_t count);

/* Books a candidate as undecided: the budget ran out. */
void worker_give_up(struct worker *w, enum property property, const uint32_t *events, uint32_t count);

/* Books a finding that needs no schedule: it is observed. */
void worker_observe(struct worker *w, enum property property, const uint32_t *events, uint32_t count);
/* The same in a grouped check; the key of its locations is known already. */
void worker_observe_in(struct worker *w, enum property property, uint64_t key, const uint32_t *events,
                       uint32_t count);

/* Whether the certifier accepts the finding's schedule. */
bool worker_certifies(struct worker *w, const struct finding *claim);

/* Books candidates that a rule refutes without a query. */
void worker_refute(struct worker *w, enum property property, enum refutation why, uint64_t candidates);

/* Whether two accesses of one variable race by their kinds: one writes, not both are atomic. */
static inline bool kinds_race(enum event_kind a, enum event_kind b)
{
    return (kind_writes(a) || kind_writes(b)) && !(kind_atomic(a) && kind_atomic(b));
}

/* Whether both threads hold a lock or word at these points in modes that exclude each other. */
bool share_lock(const struct model *m, event_id a, event_id b);
/* The same of what is held by then. */
bool guards_exclude(const struct model *m, uint32_t ours, uint32_t theirs);

/* How many of the accesses, all of one thread and in order, are among its first `position` events. */
uint32_t accesses_before(const struct model *m, const event_id *accesses, uint32_t count, uint32_t position);

/* What must come before the access `e`: one number a thread; that for its own thread means nothing. */
const uint32_t *base_row(const struct model *m, event_id e);

/* What the update, an rmw or cas, sees in every run that holds the first `count` events of its thread; EVENT_INIT where that is
 * open. `seen`: the last of these events is there because something must come after it. */
event_id kept_source(const struct model *m, event_id update, uint32_t count, bool seen);

/* Whether the write comes before the update in every such run, because it comes no later than what the update saw. */
bool comes_before_source(const struct model *m, event_id write, event_id update, uint32_t count, bool seen);

/* The units of each property. */
void nondet_variable(struct worker *w, variable_id x);
void final_variable(struct worker *w, variable_id x);
/* Whether the last write to a variable that one thread uses may be another, or carry another value. */
bool final_may_differ(const struct model *m, variable_id x);
void race_variable(struct worker *w, variable_id x);
void atomicity_variable(struct worker *w, variable_id x);
void stale_variable(struct worker *w, variable_id x);
void deadlock_all(struct worker *w);
void stuck_all(struct worker *w);
void unordered_all(struct worker *w);
void determinism_all(struct worker *w);
void serializability_all(struct worker *w);

/* Books what keeps the blocks that begin with this kind from having run one after the other. */
void serial_blocks(struct worker *w, enum property property, enum event_kind begin);

/* Asks what could keep them from it in other runs. */
void predict_blocks(struct worker *w, enum property property, enum event_kind begin);
