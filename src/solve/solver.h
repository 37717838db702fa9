/* The one question behind every property: is there a feasible run (semantics §2) that contains these events, stops
 * there, and has them in this order? And the one solver that answers it.
 *
 * A solver belongs to one worker; the model behind it is shared. */
#pragma once
#include "base/stop.h"
#include "finding/results.h"
#include "model/model.h"

/* Right before `event`, a read or write that the run holds, `from` is the last write to its variable. */
struct sight {
    event_id event, from;
};

struct order_pair {
    event_id before, after;
};

/* What a run must show of values, besides being one (semantics §3). */
enum value_test {
    TEST_NONE,
    TEST_READ_NEW, /* the read `test_read` is not as observed */
    TEST_WRITE_NEW, /* the write `test_write` carries another value than the write `test_read` left in the trace */
    TEST_UNLIKE /* `test_write` does not carry a known value equal to the one that `test_read` sees, nor a number
                       in the ranges */
};

enum { QUERY_PAIRS = 64, QUERY_SIGHTS = 4 };

/* Is there a feasible run (semantics §2) that …: fill it by the functions below where there is one. */
struct query {
    uint32_t *least; /* by thread: the run holds at least so many of its events … */
    uint32_t *most;  /* … and at most so many; POSITION_END where that is open */
    bool
        *keep; /* by thread: it stops at `most` events, and the one that comes next has all of condition 4 (with
                   all its events in the run: its end has) */
    event_id read;  /* EVENT_NONE, or the read that ends its thread and must see … */
    event_id from;  /* … this write (EVENT_INIT: the initial one) */
    event_id final; /* EVENT_NONE, or the write that must be the last to its variable */
    struct order_pair order[QUERY_PAIRS];
    unsigned order_count;
    struct sight sights[QUERY_SIGHTS];
    unsigned sight_count;
    event_id written; /* EVENT_NONE, or a cas of the run that must be as observed: it writes */
    enum value_test test;
    event_id test_read, test_write;
    const struct value_range *test_ranges;
    uint32_t test_range_count;
    event_id end;   /* EVENT_NONE, or the event that the run ends with */
    bool end_next;  /* … which comes right after the schedule and is no part of it */
    event_id start; /* a hint: nothing before this event needs to move or be left out */

    /* The solver's own: whether only runs of the observed order are looked for; what it has decided. */
    bool observed;
    const struct pin *pins;
    const uint32_t *pin_of; /* by event: the first of them that is about it, plus 1 */
    size_t pin_count;
    bool assume;         /* what is soft is as observed, too, but for … */
    const uint8_t *free; /* by event; NULL: nothing is */
};

enum answer {
    ANSWER_FEASIBLE,
    ANSWER_INFEASIBLE,
    ANSWER_UNDECIDED /* the budget ran out */
};

struct verdict {
    enum answer answer;
    enum refutation why;      /* of an infeasible query */
    struct schedule schedule; /* of a feasible one; the tail belongs to the caller */
};

struct solver;

/* `budget`: choices tried for one query before it is given up as undecided; when `stop` is set, it is at once.
 * Without `windows` every query is solved as a whole, step by step: the same answers, slower. */
struct solver *solver_new(const struct model *m, uint64_t budget, bool windows, const stop_flag *stop);
void solver_free(struct solver *s);

/* From here on queries whose reads may see other writes, or whose waits may be woken by others, may cost so much
 * together, in vectors of clocks; those that come after that are undecided unless a run of the observed order shows
 * them. Without a call there is no limit. */
void solver_allow(struct solver *s, uint64_t work);
bool solver_ran_out(const struct solver *s);   /* … and a query took all it may have of it */
bool solver_may_gain(const struct solver *s);  /* … and more may have decided such a query */
uint64_t solver_spent(const struct solver *s); /* … and so much of it is used up */

/* What queries have cost so far, in vectors of clocks. */
uint64_t solver_cost(const struct solver *s);

/* From here on no shortcuts are taken: the same answers and schedules, slower. */
void solver_be_plain(struct solver *s);

/* From here on queries about a short trace are answered by going through the states of runs alone: the same answers,
 * other schedules, slower. */
void solver_search_states(struct solver *s);

/* The solver's one query, cleared. Fill it, then ask. */
struct query *solver_query(struct solver *s);
void query_contain(const struct model *m, struct query *q, event_id e);
void query_end_with(const struct model *m, struct query *q, event_id e); /* contains e, nothing after it */
void query_write(const struct model *m, struct query *q,
                 event_id e); /* e writes: a cas has to be as observed */
void query_stop_before(const struct model *m, struct query *q,
                       event_id e); /* e is next; its thread's reads keep */
void query_order(struct query *q, event_id before, event_id after);
void query_see(const struct model *m, struct query *q, event_id e, event_id from); /* contains both */

/* The start of the outermost section around `e` in its thread, or `e`: where moving it begins. */
event_id outermost_start(const struct model *m, event_id e);

struct verdict solver_ask(struct solver *s);

/* The same, but no more than this is spent on it, whether reads are in doubt or not; that does not count as having run out. */
struct verdict solver_ask_within(struct solver *s, uint64_t most);

/* Looks for a run in strides alone, which is quick; that it finds none means nothing. Then `reach` has, by thread, how far those came
 * that could not go on because of what a variable held; POSITION_END for the others. */
struct verdict solver_stride(struct solver *s, uint32_t *reach);

/* The same of a query of which it is known that all runs of its least cut contradict themselves: infeasible,
 * and why; undecided where that cut is a matter of choice, and the query has to be asked. */
struct verdict solver_refute(struct solver *s);

/* The query that was asked last, and the model behind it; for explanations. */
const struct query *solver_last_query(const struct solver *s);
const struct model *solver_model(const struct solver *s);
