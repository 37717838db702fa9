/* Others that take over units of a check: processes, maybe on other machines, that have the same trace and the same options.
 *
 * What goes back and forth are bytes that only this room understands. The report does not depend on who did what: units are cut
 * before anybody takes one, every schedule that a helper sends is certified here again, and a task without a good answer is done
 * here. */
#pragma once
#include "property/check.h"

/* For whoever leads the check. All are called by the thread that called check_trace. */
struct unit_helpers {
    void *context;
    /* Gives all helpers, now and when they come later, what they need to know of the round that begins. */
    void (*begin)(void *context, const void *bytes, size_t length);
    /* Whether a helper has room for a task. Then it can be given one. */
    bool (*has_room)(void *context);
    void (*give)(void *context, uint32_t task);
    /* Waits a moment for an answer, `*bytes` is to be freed. NULL: there will be none. False: nothing came. */
    bool (*take)(void *context, uint32_t *task, unsigned char **bytes, size_t *length);
};

/* For a helper: where messages come from and answers go to. */
struct unit_source {
    void *context;
    /* Waits for the next message, which is to be freed: of a round that begins, or a task. False: it is over. Called by one thread
     * at a time. */
    bool (*next)(void *context, unsigned char **bytes, size_t *length, bool *is_task, uint32_t *task);
    /* Likewise called by one at a time. */
    void (*answer)(void *context, uint32_t task, const void *bytes, size_t length);
};

/* Does what the leader asks for. It ends when the source does, or when `stop` is set; then some tasks have no answer. False: the
 * leader has another trace, or other options. */
bool check_help(const struct model *m, const struct check_options *options, const stop_flag *stop,
                const struct unit_source *source);
