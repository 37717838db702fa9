/* One candidate, decided and explained. */
#include "property/explained.h"
#include "base/memory.h"
#include "property/candidate.h"
#include "property/hinges.h"
#include "property/worker.h"
#include "solve/explain.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* What a finding of these events claims: with what was observed, and in the order that findings have. */
static struct finding claim_of(const struct model *m, enum property property, const uint32_t *events,
                               uint32_t count)
{
    struct finding claim = {.property = property, .event_count = count};

    claim.events = memory_new((size_t)count + 1, sizeof *claim.events);
    memcpy(claim.events, events, count * sizeof *events);
    if (property == PROPERTY_NONDET) {
        claim.events[1] = m->source[events[0]];
        claim.events[claim.event_count++] = events[1];
    } else if (property == PROPERTY_FINAL) {
        claim.events[0] = model_last_write(m, arg_of(m, events[0]), m->event_count);
        claim.events[claim.event_count++] = events[0];
    } else if (property == PROPERTY_RACE || property == PROPERTY_DEADLOCK || property == PROPERTY_STUCK) {
        qsort(claim.events, count, sizeof *claim.events, ascending);
    }
    return claim;
}

static enum status certify(const struct model *m, const struct finding *claim,
                           const struct check_options *options, struct error *err)
{
    struct certify_options how = {.values_ignore = options->values_ignore,
                                  .grounds_ignore = options->grounds_ignore,
                                  .atomic_locks = options->atomic_locks};
    struct certify_index *index = certify_index_new(m->trace);
    struct certifier *certifier = certifier_new(index);
    enum status status = certifier_accepts(certifier, claim, &how, err) ? HEDDLE_OK : HEDDLE_BAD_USAGE;

    certifier_free(certifier);
    certify_index_free(index);
    return status;
}

/* What is refuted only because reads must be as observed. */
static void say_hinges(const struct model *m, const struct finding *claim, const struct check_options *options,
                       const stop_flag *stop, struct buffer *why)
{
    struct hinges hinges = {0};

    hinges_find(&hinges, m, claim, options, stop);
    for (size_t i = 0; i < hinges.list_count; i++) {
        buffer_text(why, i == 0 ? "  only because " : "  and ");
        explain_event(m, hinges.list[i].read, why);
        buffer_text(why, ", must be as observed: ");
        if (hinges.list[i].by == EVENT_NONE)
            buffer_text(why, "the end of its thread depends on it");
        else
            explain_event(m, hinges.list[i].by, why);
        buffer_text(why, hinges.list[i].by == EVENT_NONE ? "" : ", depends on it");
        buffer_text(why, i + 1 < hinges.list_count ? ",\n" : "\n");
    }
    free(hinges.list);
}

static struct verdict decide(struct worker *w, const struct finding *claim, struct buffer *why)
{
    bool served = false;
    struct verdict v = claim->property == PROPERTY_STUCK
                           ? stuck_decide(w, claim->events, claim->event_count, &served)
                           : worker_decide(w, claim->property, claim->events, claim->event_count, UINT64_MAX);

    if (served)
        buffer_text(why, "in every run that leads there a notify is left for one of the threads that wait\n");
    else if (v.answer == ANSWER_INFEASIBLE)
        solver_explain(w->solver, why);
    return v;
}

enum status candidate_explain(const struct model *m, enum property property, const uint32_t *events,
                              uint32_t count, const struct check_options *options, const stop_flag *stop,
                              struct verdict *verdict, struct buffer *why, struct error *err)
{
    struct worker w = {.m = m, .options = options, .stop = stop};
    struct finding claim;

    *verdict = (struct verdict){.answer = ANSWER_UNDECIDED};
    if (candidate_check(m, property, events, count, err) != HEDDLE_OK)
        return err->status;
    claim = claim_of(m, property, events, count);
    w.solver = solver_new(m, options->budget, true, stop);
    *verdict = decide(&w, &claim, why);
    claim.schedule = verdict->schedule;
    solver_free(w.solver);
    err->status = HEDDLE_OK;
    if (verdict->answer == ANSWER_FEASIBLE && certify(m, &claim, options, err) != HEDDLE_OK) {
        free(verdict->schedule.tail);
        verdict->schedule.tail = NULL;
    } else if (verdict->answer == ANSWER_INFEASIBLE) {
        say_hinges(m, &claim, options, stop, why);
    }
    free(claim.events);
    return err->status;
}
