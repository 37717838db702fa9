/* heddle check of several traces. */
#pragma once
#include "base/map.h"
#include "cli/checking.h"
#include "crew/hands.h"
#include "report/bundle.h"

struct several {
    struct check_request *request;
    const struct report_format *format;
    struct report_options *how;
    const char *output; /* file, or NULL: standard output */
    const char **paths;
    int count;
};

/* Reports of each trace what no earlier one has shown, by fingerprint; the exit status. */
int check_several(struct several *several);

/* The same on rank 0 of several: hands of all of them check. */
int check_shared(struct several *several, struct hands *hands, int ranks);

/* What the hand of a rank does; `several` is a struct several. */
void check_hand(void *several, int connection);

enum { HELD_MOST = 4 }; /* traces that a hand keeps while it waits */

/* Says on standard error that a rank is lost. */
void several_tell_lost(int rank);

/* What both share: a finding as far as merging cares. */
struct finding_brief {
    uint64_t fingerprint;
    uint16_t property;
    uint16_t problem;   /* else a note */
    uint32_t undecided; /* it only takes a number */
};

/* What several traces have shown so far. */
struct merged {
    struct map seen; /* fingerprint → the number of the first trace that had it */
    size_t problems, notes, repeated;
    uint32_t numbers[PROPERTIES]; /* ids given to findings */
    int checked;                  /* traces */
};

/* Which findings of a trace an earlier one had, and where the ids of the others begin. */
struct repeats {
    uint32_t numbers[PROPERTIES];
    bool *repeated; /* one a finding */
};

/* The findings of a check, and after them what is undecided; to be freed. */
struct finding_brief *several_briefs(const struct checking *check, size_t *count);

/* Marks the findings of a trace that an earlier one had; counts the others once for each fingerprint. `repeats->repeated` has
 * room for `count`. */
void several_merge(struct merged *merged, const struct finding_brief *briefs, size_t count,
                   struct repeats *repeats);

/* Takes the marked findings out and writes the report; its exit status. */
int several_report(struct several *several, struct checking *check, const struct repeats *repeats, FILE *to);

/* Checks one trace here, merges its findings and adds its report; the exit status. */
int several_next(struct several *several, const char *path, struct merged *merged, struct bundle *bundle);

/* Ends the document and writes it, and frees what there is; the exit status. */
int several_conclude(const struct several *several, struct merged *merged, struct bundle *bundle, int result);

/* Whether the reports are text; where each of them goes at once, or NULL. */
bool several_is_text(const struct several *several);
FILE *several_direct(const struct several *several);

/* The worst of two exit statuses: problems, then what is not known. */
int several_worse(int a, int b);
