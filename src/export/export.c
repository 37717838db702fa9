/* The table of formats, and the run they write. */
#include "export/export.h"
#include "base/memory.h"
#include "report/report.h"
#include "report/text/interleaving.h"

#include <stdlib.h>
#include <string.h>

const struct export_format export_formats[] = {
    {"perfetto", "a timeline, for ui.perfetto.dev and chrome://tracing", export_perfetto},
    {"shiviz", "a log with vector clocks, for ShiViz", export_shiviz},
    {"dot", "the graph of the order between events, for Graphviz", export_dot},
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

/* The values after the prefix; a race's accesses come one after the other here, so they are part of the run. */
static void find_values(struct exported *x)
{
    struct schedule whole = {.prefix = x->run.prefix, .tail_count = x->length - x->run.prefix};

    whole.tail = memory_new(whole.tail_count, sizeof *whole.tail);
    for (uint32_t i = 0; i < whole.tail_count; i++)
        whole.tail[i] = exported_event(x, x->run.prefix + 1 + i);
    for (uint32_t i = 0; x->values.source && i < whole.tail_count; i++)
        x->tail_values[i] = value_of_step(&x->values, &whole, whole.tail[i]);
    free(whole.tail);
}

void exported_init(struct exported *x, const struct model *model, const struct finding *finding)
{
    bool witness = finding && finding_has_schedule(finding);

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
    find_values(x);
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
