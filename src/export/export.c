/* The table of formats, and the run they write. */
#include "export/export.h"
#include "base/map.h"
#include "base/memory.h"
#include "report/report.h"
#include "report/text/interleaving.h"

#include <stdlib.h>
#include <string.h>

const struct export_format export_formats[] = {
    {"perfetto", "a timeline, for ui.perfetto.dev and chrome://tracing", export_perfetto},
    {"shiviz", "a log with vector clocks, for ShiViz", export_shiviz},
    {"dot", "the graph of what comes before what, for Graphviz", export_dot},
    {"std", "a trace in the text format", export_std},
    {"cspm", "a CSP model of the trace with its race assertions, for FDR", export_cspm},
    {0},
};

const struct export_format *export_format_named(const char *name)
{
    const struct export_format *format = export_formats;

    while (format->name && strcmp(format->name, name) != 0)
        format++;
    return format->name ? format : NULL;
}

/* What is known of variables after a part of the run. */
struct tracking {
    struct map writers; /* variable → its last write since the prefix */
    struct map altered; /* updates that wrote something else than they did */
};

static event_id source_in_run(const struct exported *x, const struct tracking *t, variable_id variable)
{
    event_id writer = map_get(&t->writers, variable);

    return writer ? writer : model_last_write(x->model, variable, x->run.prefix);
}

/* What an access after the prefix reads or writes. */
static struct value track(const struct exported *x, struct tracking *t, event_id e)
{
    const struct value unknown = {VALUE_NONE, 0};
    enum event_kind kind = trace_kind(x->trace, e);
    variable_id variable = x->trace->arg[e];
    event_id source;
    bool altered;

    if (!kind_accesses(kind))
        return unknown;
    source = source_in_run(x, t, variable);
    altered = map_get(&t->altered, source) != 0;
    if (kind_writes(kind))
        *map_at(&t->writers, variable) = e;
    if (kind_updates(kind) && (altered || source != x->model->source[e])) {
        *map_at(&t->altered, e) = 1;
        return unknown;
    }
    if (kind_writes(kind))
        return value_written(&x->values, e, variable);
    if (source == x->model->source[e] && !altered)
        return value_observed(&x->values, e);
    return altered ? unknown : value_written(&x->values, source, variable);
}

void exported_init(struct exported *x, const struct model *model, const struct finding *finding)
{
    bool witness = finding && finding_has_schedule(finding);
    struct tracking t = {0};

    memset(x, 0, sizeof *x);
    x->model = model;
    x->trace = model->trace;
    x->finding = finding;
    x->run = witness ? finding->schedule : (struct schedule){.prefix = model->event_count};
    x->length = x->run.prefix + x->run.tail_count;
    if (witness && finding->property == PROPERTY_RACE)
        x->length += finding->event_count; /* enabled after the run: they come one after the other here */
    values_init(&x->values, model->trace);
    x->tail_values = memory_new(x->length - x->run.prefix, sizeof *x->tail_values);
    for (uint32_t position = x->run.prefix + 1; x->values.source && position <= x->length; position++)
        x->tail_values[position - x->run.prefix - 1] = track(x, &t, exported_event(x, position));
    map_free(&t.writers);
    map_free(&t.altered);
}

void exported_free(struct exported *x)
{
    values_free(&x->values);
    free(x->tail_values);
}

static bool is_past_run(const struct exported *x, uint32_t position)
{
    return position > x->run.prefix + x->run.tail_count;
}

event_id exported_event(const struct exported *x, uint32_t position)
{
    if (is_past_run(x, position))
        return x->finding->events[position - x->run.prefix - x->run.tail_count - 1];
    return run_event(&x->run, position);
}

struct value exported_value(const struct exported *x, uint32_t position)
{
    return position > x->run.prefix ? x->tail_values[position - x->run.prefix - 1]
                                    : value_of_step(&x->values, &x->run, position);
}
