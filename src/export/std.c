/* A run as a trace in the text format: the observed one as it is, a witness with the values its reads get. */
#include "trace/std.h"

#include "base/memory.h"
#include "export/export.h"
#include <stdlib.h>

/* Keeps count of who holds a lock. Another run may have a try-lock fail where only readers held the lock and
 * now nobody does: a trace cannot say that. */
static bool is_possible(const struct event *e, uint32_t *holds)
{
    switch (op_kind(e->op)) {
    case EVENT_ACQUIRE:
    case EVENT_SHARED_ACQUIRE:
        holds[e->arg]++;
        return true;
    case EVENT_RELEASE:
    case EVENT_SHARED_RELEASE:
        holds[e->arg]--;
        return true;
    case EVENT_TRY_FAIL:
        return holds[e->arg] > 0;
    default:
        return true;
    }
}

enum status export_std(const struct exported *x, struct output *out, struct error *err)
{
    struct trace run; /* shares the names */
    uint32_t *holds;

    (void)err;
    if (x->run.prefix == x->trace->count) {
        std_write(x->trace, out);
        return HEDDLE_OK;
    }
    trace_init(&run);
    holds = memory_new(x->model->lock_count, sizeof *holds);
    for (enum name_class class = 0; class < NAME_CLASSES; class ++) {
        names_free(&run.names[class]);
        run.names[class] = x->trace->names[class];
    }
    for (uint32_t position = 1; position <= x->length; position++) {
        struct event e = trace_event(x->trace, exported_event(x, position));
        struct value value = exported_value(x, position);

        if (kind_accesses(op_kind(e.op))) {
            e.value_tag = (uint8_t)value.tag;
            e.value = value.number;
        }
        e.grounds = GROUNDS_NONE; /* its thread stands on every read: true of any event */
        if (is_possible(&e, holds))
            trace_append(&run, &e);
    }
    free(holds);
    std_write(&run, out);
    for (enum name_class class = 0; class < NAME_CLASSES; class ++)
        names_init(&run.names[class]);
    trace_free(&run);
    return HEDDLE_OK;
}
