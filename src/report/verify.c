/* Verifies a report: the findings one by one, the order that some of them are about for all of these at once. */
#include "report/verify.h"
#include "base/memory.h"
#include "certify/happens_before.h"
#include "report/json/context.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool claim_holds(struct certifier *certifier, const struct report *report, size_t finding,
                 const struct certify_options *options, struct error *why)
{
    const struct finding *f = &report->found.findings[finding];

    if (f->property == PROPERTY_OBSERVED)
        return certifier_end(certifier, f, why);
    if (f->property == PROPERTY_UNORDERED)
        return certifier_conflict(certifier, f, why);
    if (finding_is_conflict(f))
        return certifier_block_conflict(certifier, f, why);
    if (!report->entries[finding].has_schedule && finding_cycle(f) > 0) /* claimed of the observed run */
        return certifier_observed(certifier, f, why);
    if (!report->entries[finding].has_schedule) {
        fail(why, HEDDLE_REJECTED, "has no schedule; write the report with --schedules=full");
        return false;
    }
    if (f->synchronization && strcmp(report->method, "csp") != 0) {
        fail(why, HEDDLE_REJECTED, "its schedule ignores data, which only --method=csp may do");
        return false;
    }
    return certifier_accepts(certifier, f, options, why);
}

/* Pairs of events that findings claim to be unordered in the observed run, in the order of the findings. */
struct pairs {
    struct order_query *queries;
    size_t count, next;
};

struct verification {
    const struct report *report;
    const struct trace *trace;
    const struct verify_request *request;
    struct certifier *certifier;
    struct values values; /* of the trace */
    struct decided *decided;
    struct pairs unordered, conflicts;
    struct verified *verified;
};

static bool is_asked(const struct verification *v, size_t i)
{
    return !v->request->only || strcmp(v->report->entries[i].id, v->request->only) == 0;
}

/* The list of pairs that the finding has one in, or NULL. */
static struct pairs *pairs_of(struct verification *v, const struct finding *f)
{
    if (f->property == PROPERTY_UNORDERED)
        return &v->unordered;
    return finding_is_conflict(f) ? &v->conflicts : NULL;
}

static void collect_pairs(struct verification *v)
{
    const struct finding_list *found = &v->report->found;
    struct error why;

    v->unordered.queries = memory_new(found->findings_count, sizeof *v->unordered.queries);
    v->conflicts.queries = memory_new(found->findings_count, sizeof *v->conflicts.queries);
    for (size_t i = 0; i < found->findings_count; i++) {
        const struct finding *f = &found->findings[i];
        struct pairs *pairs = pairs_of(v, f);
        const uint32_t *pair = pairs == &v->conflicts ? f->events + 1 : f->events;
        if (pairs && is_asked(v, i) && claim_holds(v->certifier, v->report, i, &v->request->options, &why))
            pairs->queries[pairs->count++] = (struct order_query){.first = pair[0], .second = pair[1]};
    }
}

/* Whether the checker accepts all that the finding says. */
static bool holds(struct verification *v, size_t i, struct error *why)
{
    struct pairs *pairs = pairs_of(v, &v->report->found.findings[i]);

    if (!claim_holds(v->certifier, v->report, i, &v->request->options, why))
        return false;
    if (pairs) {
        const struct order_query *q = &pairs->queries[pairs->next++];
        assert(pairs->next <= pairs->count);
        if (q->ordered) {
            fail(why, HEDDLE_REJECTED, "event %u happens before event %u", q->first, q->second);
            return false;
        }
    }
    /* The numbers are right: so must be the words beside them. */
    return context_holds(v->report, i, v->trace, &v->values, v->decided, why);
}

static void judge(struct verification *v, size_t i)
{
    struct error why;

    if (holds(v, i, &why)) {
        v->verified->accepted++;
        v->verified->without_data += v->report->found.findings[i].synchronization;
        return;
    }
    v->verified->rejected++;
    if (v->request->rejected)
        v->request->rejected(v->request->context, v->report->entries[i].id, why.text);
}

void report_verify(const struct report *report, const struct trace *trace, const struct verify_request *request,
                   struct verified *verified)
{
    struct certify_index *index = certify_index_new(trace);
    struct verification v = {.report = report,
                             .trace = trace,
                             .request = request,
                             .certifier = certifier_new(index),
                             .verified = verified};

    *verified = (struct verified){0};
    values_init(&v.values, trace);
    v.decided = decided_new(trace, &report->found);
    collect_pairs(&v);
    if (v.unordered.count > 0)
        order_answer(index, v.unordered.queries, v.unordered.count);
    if (v.conflicts.count > 0)
        order_answer_deterministic(index, v.conflicts.queries, v.conflicts.count);
    for (size_t i = 0; i < report->found.findings_count; i++)
        if (is_asked(&v, i))
            judge(&v, i);
    assert(v.unordered.next == v.unordered.count && v.conflicts.next == v.conflicts.count);
    free(v.unordered.queries);
    free(v.conflicts.queries);
    values_free(&v.values);
    decided_free(v.decided);
    certifier_free(v.certifier);
    certify_index_free(index);
}
