/* heddle check of several traces. */
#pragma once
#include "base/map.h"
#include "cli/checking.h"
#include "crew/ranks.h"

struct several {
    struct check_request *request;
    const struct report_format *format;
    struct report_options *how;
    const char **paths;
    int count;
};

/* Each trace is told with what no earlier one has shown, by fingerprint; the exit status. */
int check_several(struct several *several);

/* The same by several ranks: rank 0 hands out traces and prints, the others check. */
int check_shared(struct several *several, const struct crew_ranks *ranks);

/* What both share: a finding as far as merging cares. */
struct finding_brief {
    uint64_t fingerprint;
    uint32_t problem; /* else a note */
};

/* What several traces have shown so far. */
struct merged {
    struct map seen; /* fingerprint → the number of the first trace that had it */
    size_t problems, notes, repeated;
};

/* The findings of a check; to be freed. */
struct finding_brief *several_briefs(const struct checking *check, size_t *count);

/* Marks in `repeated` the findings of a trace that an earlier one had; counts the others once for each fingerprint. */
void several_merge(struct merged *merged, const struct finding_brief *briefs, size_t count, uint32_t trace,
                   bool *repeated);

/* Takes the marked findings out and writes the report; its exit status. */
int several_report(struct several *several, struct checking *check, const bool *repeated, FILE *to);

/* The last line. */
void several_conclude(const struct several *several, struct merged *merged, int result);

/* The worst of two exit statuses: problems, then what is not known. */
int several_worse(int a, int b);
