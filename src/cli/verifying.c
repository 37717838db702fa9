/* heddle verify: the findings of a report, one by one, against the trace. */
#include "cli/verifying.h"
#include "base/memory.h"
#include "certify/happens_before.h"
#include "cli/command.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_asked(const struct verification *v, size_t i)
{
    return !v->only || strcmp(v->report->entries[i].id, v->only) == 0;
}

/* Names of the trace come with whatever bytes they had. */
static void print_safe(const char *text)
{
    for (; *text; text++)
        putchar(iscntrl((unsigned char)*text) ? '?' : *text);
}

static void count_rejected(struct verification *v, size_t i, const char *why)
{
    v->rejected++;
    if (v->quiet)
        return;
    print_safe(v->report->entries[i].id);
    printf(": rejected: ");
    print_safe(why);
    putchar('\n');
}

/* The numbers are right: so must be the words beside them. */
static void count_accepted(struct verification *v, size_t i)
{
    struct error why;

    if (!context_holds(v->report, i, v->trace, &v->values, &why)) {
        count_rejected(v, i, why.text);
        return;
    }
    v->accepted++;
    v->without_data += v->report->found.findings[i].synchronization;
}

/* A cycle without a schedule is claimed of the observed run. */
static void verify_cycle(struct verification *v, size_t i)
{
    struct error why;

    if (certifier_observed(v->certifier, &v->report->found.findings[i], &why))
        count_accepted(v, i);
    else
        count_rejected(v, i, why.text);
}

static void verify_end(struct verification *v, size_t i)
{
    const struct finding *f = &v->report->found.findings[i];
    struct error why;

    if (certifier_end(v->certifier, f, &why))
        count_accepted(v, i);
    else
        count_rejected(v, i, why.text);
}

static void verify_finding(struct verification *v, size_t i)
{
    const struct finding *f = &v->report->found.findings[i];
    struct error why;

    if (!v->report->entries[i].has_schedule && finding_cycle(f) > 0)
        verify_cycle(v, i);
    else if (!v->report->entries[i].has_schedule)
        count_rejected(v, i, "has no schedule; write the report with --schedules=full");
    else if (f->synchronization && strcmp(v->report->method, "csp") != 0)
        count_rejected(v, i, "its schedule ignores data, which only --method=csp may do");
    else if (certifier_accepts(v->certifier, f, &v->options, &why))
        count_accepted(v, i);
    else
        count_rejected(v, i, why.text);
}

/* What is claimed of the observed order itself: all at once. */
static void verify_order(struct verification *v, bool in_blocks)
{
    const struct finding_list *found = &v->report->found;
    struct order_query *queries = memory_new(found->findings_count, sizeof *queries);
    size_t *finding = memory_new(found->findings_count, sizeof *finding), count = 0;
    struct error why;

    for (size_t i = 0; i < found->findings_count; i++) {
        const struct finding *f = &found->findings[i];
        const uint32_t *pair = in_blocks ? f->events + 1 : f->events;
        if (!is_asked(v, i) || (in_blocks ? !finding_is_conflict(f) : f->property != PROPERTY_UNORDERED))
            continue;
        if (in_blocks ? !certifier_block_conflict(v->certifier, f, &why)
                      : !certifier_conflict(v->certifier, f, &why)) {
            count_rejected(v, i, why.text);
            continue;
        }
        queries[count] = (struct order_query){.first = pair[0], .second = pair[1]};
        finding[count++] = i;
    }
    if (count > 0 && in_blocks)
        order_answer_deterministic(v->index, queries, count);
    else if (count > 0)
        order_answer(v->index, queries, count);
    for (size_t i = 0; i < count; i++) {
        if (!queries[i].ordered) {
            count_accepted(v, finding[i]);
            continue;
        }
        fail(&why, HEDDLE_REJECTED, "event %u happens before event %u", queries[i].first, queries[i].second);
        count_rejected(v, finding[i], why.text);
    }
    free(queries);
    free(finding);
}

static void verify_all(struct verification *v)
{
    for (size_t i = 0; i < v->report->found.findings_count; i++) {
        const struct finding *f = &v->report->found.findings[i];
        if (!is_asked(v, i))
            continue;
        if (f->property == PROPERTY_OBSERVED)
            verify_end(v, i);
        else if (!property_traits(f->property)->observed_only && !finding_is_conflict(f))
            verify_finding(v, i);
    }
    verify_order(v, false);
    verify_order(v, true);
}

static void print_summary(const struct verification *v)
{
    size_t count = v->report->found.findings_count;
    char claims[80];

    if (v->rejected > 0)
        printf("%zu finding%s, %zu accepted, %zu rejected", count, count == 1 ? "" : "s", v->accepted,
               v->rejected);
    else
        printf("%zu finding%s, all accepted", count, count == 1 ? "" : "s");
    if (v->without_data > 0)
        printf(" (%zu by synchronization alone, data ignored)", v->without_data);
    if (v->options.values_ignore || v->options.grounds_ignore)
        printf(" (%s ignored)", !v->options.grounds_ignore ? "values"
                                : v->options.values_ignore ? "values and grounds"
                                                           : "grounds");
    putchar('\n');
    if (*context_unchecked(v->report, claims, sizeof claims))
        printf("not checked, because the trace cannot show it: %s\n", claims);
}

int verify_report(struct verification *v)
{
    v->index = certify_index_new(v->trace);
    v->certifier = certifier_new(v->index);
    values_init(&v->values, v->trace);
    verify_all(v);
    values_free(&v->values);
    certifier_free(v->certifier);
    certify_index_free(v->index);
    if (!v->quiet)
        print_summary(v);
    return v->rejected > 0 ? EXIT_ERROR : EXIT_SUCCESS;
}
