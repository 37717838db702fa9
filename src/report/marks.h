/* Marks on findings: their fingerprints, which of them are suppressed, which a baseline knows already.
 *
 * What counts for the exit status is neither of the last two. */
#pragma once
#include "finding/results.h"
#include "report/ci/suppress.h"
#include "trace/trace.h"

struct mark {
    uint64_t fingerprint;
    bool known;         /* in the baseline */
    const char *reason; /* why it is suppressed; NULL: it is not */
};

struct marks {
    struct mark *found; /* parallel to results->found */
    size_t count;
    bool has_baseline;
    size_t suppressed, known; /* how many; a finding may be both */
    const char *suppressions; /* the file, or NULL */
    size_t *stale;            /* lines of entries that suppress nothing */
    size_t stale_count, stale_capacity;
};

/* Fingerprints of grouped findings; nothing is suppressed or known yet. */
void marks_init(struct marks *m, const struct results *results, const struct trace *trace);
void marks_free(struct marks *m);

/* Marks what the entries are about. Entries that match nothing are unused, if their property was checked and
 * the check is complete. The entries must stay as long as the marks. */
void marks_suppress(struct marks *m, const struct suppressions *s, const struct results *results,
                    const struct trace *trace);

/* Marks findings whose fingerprint is among these as known. */
void marks_compare(struct marks *m, const uint64_t *known, size_t count);

/* Of one finding; false without marks. */
bool mark_is_suppressed(const struct marks *m, size_t finding);
bool mark_is_known(const struct marks *m, size_t finding);

/* What counts for the exit status: findings of the properties in `also`, and problems: all of them, or with
 * `only` just those of the properties in there. */
struct fail_on {
    bool restricted; /* to `only` */
    bool only[PROPERTIES], also[PROPERTIES];
};

/* The exit status of semantics §8: what is suppressed or in the baseline does not count. */
int marks_exit_status(const struct marks *m, const struct results *results, const struct fail_on *fail_on);
