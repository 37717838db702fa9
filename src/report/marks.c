/* Marks on findings. */
#include "report/marks.h"
#include "base/memory.h"
#include "report/fingerprint.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

void marks_init(struct marks *m, const struct results *results, const struct trace *trace)
{
    struct fingerprints *fingerprints = fingerprints_new(trace);

    memset(m, 0, sizeof *m);
    m->count = results->found.findings_count;
    m->found = memory_new(m->count, sizeof *m->found);
    for (size_t i = 0; i < m->count; i++)
        m->found[i].fingerprint = fingerprint_of(fingerprints, &results->found.findings[i]);
    fingerprints_free(fingerprints);
}

void marks_free(struct marks *m)
{
    free(m->found);
    free(m->stale);
    memset(m, 0, sizeof *m);
}

void marks_suppress(struct marks *m, const struct suppressions *s, const struct results *results,
                    const struct trace *trace)
{
    m->suppressions = s->path;
    for (size_t k = 0; k < s->entries_count; k++) {
        const struct suppression *entry = &s->entries[k];
        enum property property = suppression_property(entry);
        bool used = false;
        for (size_t i = 0; i < m->count; i++) {
            struct mark *mark = &m->found[i];
            if (!suppression_matches(entry, &results->found.findings[i], mark->fingerprint, trace))
                continue;
            used = true;
            m->suppressed += !mark->reason;
            mark->reason = mark->reason ? mark->reason : entry->reason;
        }
        if (!used && !entry->general && results->complete &&
            (property == PROPERTIES || results->stats[property].checked))
            ARRAY_PUSH(m, stale, entry->line);
    }
}

static int compare_numbers(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

void marks_compare(struct marks *m, const uint64_t *known, size_t count)
{
    uint64_t *sorted = memory_new(count, sizeof *sorted);

    if (count > 0) {
        memcpy(sorted, known, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_numbers);
    }
    m->has_baseline = true;
    m->known = 0;
    for (size_t i = 0; i < m->count; i++) {
        m->found[i].known = count > 0 && bsearch(&m->found[i].fingerprint, sorted, count, sizeof *sorted,
                                                 compare_numbers) != NULL;
        m->known += m->found[i].known;
    }
    free(sorted);
}

bool mark_is_suppressed(const struct marks *m, size_t finding)
{
    return m && m->found[finding].reason;
}

bool mark_is_known(const struct marks *m, size_t finding)
{
    return m && m->found[finding].known;
}

static bool counts(const struct finding *f, const struct fail_on *fail_on)
{
    if (fail_on->also[f->property])
        return true;
    return finding_is_problem(f) && (!fail_on->restricted || fail_on->only[f->property]);
}

int marks_exit_status(const struct marks *m, const struct results *results, const struct fail_on *fail_on)
{
    enum { FINDINGS = 2 };

    for (size_t i = 0; i < results->found.findings_count; i++)
        if (counts(&results->found.findings[i], fail_on) && !mark_is_suppressed(m, i) && !mark_is_known(m, i))
            return FINDINGS;
    return results_open_status(results);
}
