/* How a model is written as CSPM. Private to cspm.c, cspm_names.c and cspm_sync.c. */
#pragma once
#include "export/export.h"
#include "method/csp/csp_plan.h"

struct cspm {
    struct output *to;
    const struct model *m;
    struct csp_plan plan;
    bool atomics;     /* some access is atomic */
    bool *plain_lock; /* by lock: it is never shared, and no try failed on it */
    bool other_locks; /* some are not */
};

/* Short texts with numbers in them; a character. */
void cspm_say(struct cspm *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cspm_character(struct cspm *w, char c);

/* An identifier for the id: no other id has the same, nor a word of CSPM. */
void cspm_name(struct cspm *w, enum name_class class, uint32_t id);

/* Declares the names of the class as a datatype, each with the name of the trace in a comment. */
void cspm_datatype(struct cspm *w, const char *type, enum name_class class);

/* A text of the trace inside a comment: without line ends and control characters. */
void cspm_comment(struct cspm *w, const char *text);

/* The channel of a link, and the event itself: "lock", "lock.t0_main.m1_queue". */
const char *cspm_channel(const struct cspm *w, const struct csp_link *link);
void cspm_event(struct cspm *w, thread_id t, const struct csp_link *link);

/* Tells locks apart; the rest needs it. */
void cspm_sort_locks(struct cspm *w);

/* Channels of synchronization; then FORK, JOIN, MUTEX … and SYNC. */
void cspm_declare_channels(struct cspm *w);
void cspm_sync(struct cspm *w);
