/* A run as a trace in the text format: the observed one as it is, a witness with the values its reads get. */
#include "trace/std.h"
#include "export/export.h"

enum status export_std(const struct exported *x, struct output *out, struct error *err)
{
    struct trace run = *x->trace; /* the names are shared */

    (void)err;
    if (x->run.prefix == x->trace->count) {
        std_write(x->trace, out);
        return HEDDLE_OK;
    }
    trace_init(&run);
    for (enum name_class class = 0; class < NAME_CLASSES; class ++) {
        names_free(&run.names[class]);
        run.names[class] = x->trace->names[class];
    }
    for (uint32_t position = 1; position <= x->length; position++) {
        struct event e = trace_event(x->trace, exported_event(x, position));
        struct value value = exported_value(x, position);

        e.value_tag = (uint8_t)value.tag;
        e.value = value.number;
        trace_append(&run, &e);
    }
    std_write(&run, out);
    for (enum name_class class = 0; class < NAME_CLASSES; class ++)
        names_init(&run.names[class]);
    trace_free(&run);
    return HEDDLE_OK;
}
