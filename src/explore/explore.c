/* The exploration as a whole, and what is left of it. */
#include "explore/explore.h"
#include "base/memory.h"
#include "explore/explorer.h"
#include "explore/run_ahead.h"

#include <stdlib.h>
#include <string.h>

/* The worse the earlier. */
static int rank_of(enum change change)
{
    static const int ranks[] = {
        [CHANGE_CRASH] = 1,  [CHANGE_ASSERTION] = 2, [CHANGE_DEADLOCK] = 3, [CHANGE_HANG] = 4,
        [CHANGE_OUTPUT] = 5, [CHANGE_VALUES] = 6,    [CHANGE_NONE] = 0,
    };

    return ranks[change];
}

static int compare_outcomes(const void *a, const void *b)
{
    const struct explored_outcome *x = a, *y = b;
    int p = rank_of(x->change), q = rank_of(y->change);

    return p != q ? p - q : x->run < y->run ? -1 : x->run > y->run;
}

void explore_rank(struct exploration *x)
{
    if (x->outcomes_count > 1)
        qsort(x->outcomes, x->outcomes_count, sizeof *x->outcomes, compare_outcomes);
}

enum status explore(const struct explore_settings *settings, struct exploration *to, struct error *err)
{
    struct explorer e;
    struct run_plan none = {0};
    struct lesson lesson;
    bool grown, relearned, clean = false;
    enum status status;

    explorer_init(&e, settings, to, err);
    e.crew = ahead_crew(&e);
    if (settings->ranks && settings->ranks->rank > 0) { /* it has served, and all is over */
        explorer_free(&e);
        return HEDDLE_OK;
    }
    status = explorer_run(&e, &none, &lesson, &grown, &relearned);
    if (status == HEDDLE_OK && !to->incomplete && settings->java &&
        settings->most_runs > 1) /* is it the same? */
        status = explorer_run(&e, &none, &lesson, &grown, &relearned);
    if (status == HEDDLE_OK && !to->incomplete)
        status = explorer_search(&e, &clean);
    if (status == HEDDLE_OK && !to->incomplete && e.outlasting) /* does it still find what it found at first? */
        status = explorer_run(&e, &none, &lesson, &grown, &relearned);
    explorer_conclude(&e);
    if (e.crew) {
        to->lost = crew_lost(e.crew);
        crew_free(e.crew);
    }
    explorer_free(&e);
    explore_rank(to);
    return status;
}

void exploration_free(struct exploration *x)
{
    for (size_t i = 0; i < x->outcomes_count; i++) {
        replay_result_free(&x->outcomes[i].result);
        deeds_free(&x->outcomes[i].deeds);
    }
    free(x->outcomes);
    free(x->problems);
    memset(x, 0, sizeof *x);
}
