/* Which events a run needs: a cut that grows until it is closed under must-order and locks can be had. */
#pragma once
#include "solve/solver.h"

/* Open sections of one lock that exclude each other: some must be released, which may be a choice. */
struct rivals {
    uint32_t *sections;
    size_t sections_count, sections_capacity;
    bool excluded; /* after CUT_IMPOSSIBLE: because none of these sections can be released in time */

    /* Room to close cuts in; made when it is first needed. */
    uint32_t *covered;          /* by thread: what so many of its events need is in the cut */
    uint32_t *hold_at, *hold;   /* by thread: its innermost hold was looked up for this position, plus 1 */
    uint32_t *guard_at, *guard; /* … with words */
    thread_id *holders;         /* threads that have a section open at the cut, since they were counted */
    uint32_t holders_count;
    uint32_t *open; /* by lock and word: sections that are open at the cut; zeros in between */
};

void rivals_free(struct rivals *r);

enum closure {
    CUT_CLOSED,
    CUT_CHOICE, /* closed as far as it is forced; `rivals` can be kept apart in more than one way */
    CUT_IMPOSSIBLE
};

/* Raises `cut` (one number a thread) to the least closed cut that holds it, within the query's limits. `closed`: NULL, or
 * a cut that is closed for this query; where both have as many events of a thread, nothing has to be looked up. */
enum closure cut_close(const struct model *m, const struct query *q, uint32_t *cut, const uint32_t *closed,
                       struct rivals *rivals);

/* The ways to keep rivals apart: one exclusive section stays open, or all readers' do. Raises `cut` so that it
 * is way number `way` (an index of rivals; the first reader stands for all); false if that is no way. */
bool cut_separate(const struct model *m, const struct query *q, uint32_t *cut, const struct rivals *rivals,
                  size_t way);

/* For assert_costly: the cut is within the query's limits and holds what must come before its events. */
bool cut_is_closed(const struct model *m, const struct query *q, const uint32_t *cut);
