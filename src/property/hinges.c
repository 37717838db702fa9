/* Reads that a refutation hinges on: all reads are freed, the run that this allows names those it is about, and each of these that
 * does not have to be free is taken back. */
#include "property/hinges.h"
#include "base/memory.h"
#include "property/freed.h"
#include "property/worker.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* One run may cost so much where reads are in doubt, which they are. */
enum { HINGE_WORK = 20000000 };

struct hinge_search {
    struct hinges *h;
    const struct model *m;
    const struct finding *claim;
    const struct check_options *options;
    const stop_flag *stop;
    bool *freed; /* by event */
};

/* The claim in numbers of the freed trace. The events are the caller's to free. */
static struct finding claim_in(const struct freed_trace *f, const struct finding *claim)
{
    struct finding moved = *claim;

    moved.events = memory_new(claim->event_count, sizeof *moved.events);
    for (uint32_t i = 0; i < claim->event_count; i++)
        moved.events[i] = f->number[claim->events[i]];
    moved.schedule = (struct schedule){0};
    return moved;
}

/* Whether a run shows the claim in the freed trace; then its schedule, the caller's to free. */
static bool decide(const struct hinge_search *s, const struct freed_trace *f, struct schedule *schedule)
{
    struct check_options options = *s->options;
    struct worker w = {.options = &options, .stop = s->stop};
    struct verdict v = {.answer = ANSWER_UNDECIDED};
    struct finding claim = claim_in(f, s->claim);
    struct model m;
    struct error err;
    bool served;

    options.grounds_ignore = false;
    if (model_build_with(&m, &f->trace, (struct model_options){.values_ignore = options.values_ignore}, &err) ==
        HEDDLE_OK) {
        w.m = &m;
        w.solver = solver_new(&m, options.budget, true, s->stop);
        solver_allow(w.solver, HINGE_WORK);
        v = claim.property == PROPERTY_STUCK
                ? stuck_decide(&w, claim.events, claim.event_count, &served)
                : worker_decide(&w, claim.property, claim.events, claim.event_count, UINT64_MAX);
        solver_free(w.solver);
        model_free(&m);
    }
    free(claim.events);
    *schedule = v.schedule;
    return v.answer == ANSWER_FEASIBLE;
}

/* Whether the checker accepts the schedule in the freed trace; all of these have the same numbers. If not, which read is not as it
 * must be, unless there is something else. */
static bool accepts(const struct hinge_search *s, const struct freed_trace *f, struct schedule schedule,
                    struct hinge *blamed)
{
    struct certify_options how = {.values_ignore = s->options->values_ignore,
                                  .atomic_locks = s->options->atomic_locks};
    struct certify_index *index = certify_index_new(&f->trace);
    struct certifier *certifier = certifier_new(index);
    struct finding claim = claim_in(f, s->claim);
    uint32_t read, by;

    claim.schedule = schedule;
    bool accepted = certifier_accepts(certifier, &claim, &how, NULL);
    *blamed = (struct hinge){EVENT_NONE, EVENT_NONE};
    if (!accepted && certifier_blames(certifier, &read, &by))
        *blamed = (struct hinge){f->original[read], by ? f->original[by] : EVENT_NONE};
    certifier_free(certifier);
    certify_index_free(index);
    free(claim.events);
    return accepted;
}

/* Frees what the run, which shows the claim where all reads are free, needs free; false if that is too much, or something else is
 * wrong with it. */
static bool free_needed(struct hinge_search *s, struct schedule schedule)
{
    struct hinge blamed = {0};
    bool accepted = false;

    while (!accepted && s->h->list_count <= HINGES_MOST && !*s->stop) {
        struct freed_trace f;

        freed_build(&f, s->m, s->freed, s->claim);
        accepted = accepts(s, &f, schedule, &blamed);
        freed_free(&f);
        if (accepted)
            break;
        if (blamed.read == EVENT_NONE || s->freed[blamed.read])
            return false;
        s->freed[blamed.read] = true;
        ARRAY_PUSH(s->h, list, blamed);
    }
    return accepted && s->h->list_count <= HINGES_MOST;
}

/* Takes back those that need not be free as long as the others are. */
static void take_back(struct hinge_search *s)
{
    struct hinges *h = s->h;

    for (size_t i = h->list_count; i-- > 0 && h->list_count > 1;) {
        struct schedule schedule;
        struct freed_trace f;
        struct hinge blamed;

        s->freed[h->list[i].read] = false;
        freed_build(&f, s->m, s->freed, s->claim);
        bool feasible = decide(s, &f, &schedule) && accepts(s, &f, schedule, &blamed);
        free(schedule.tail);
        freed_free(&f);
        s->freed[h->list[i].read] = !feasible;
        if (feasible)
            memmove(&h->list[i], &h->list[i + 1], (--h->list_count - i) * sizeof *h->list);
    }
}

static int by_read(const void *a, const void *b)
{
    event_id x = ((const struct hinge *)a)->read, y = ((const struct hinge *)b)->read;

    return x < y ? -1 : x > y;
}

void hinges_find(struct hinges *h, const struct model *m, const struct finding *claim,
                 const struct check_options *options, const stop_flag *stop)
{
    struct hinge_search s = {h, m, claim, options, stop, NULL};
    struct schedule schedule;
    struct freed_trace all;

    h->list_count = 0;
    freed_build(&all, m, NULL, claim);
    if (decide(&s, &all, &schedule)) {
        s.freed = memory_new((size_t)m->event_count + 1, sizeof *s.freed);
        if (free_needed(&s, schedule))
            take_back(&s);
        else
            h->list_count = 0;
        if (h->list_count > 1)
            qsort(h->list, h->list_count, sizeof *h->list, by_read);
        free(s.freed);
    }
    free(schedule.tail);
    freed_free(&all);
}
