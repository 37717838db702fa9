/* Whether the words of a report are those of its trace. */
#include "report/json/context.h"
#include "report/json/json_parts.h"

#include <stdlib.h>
#include <string.h>

static json_t *context_of(const struct trace *trace, const struct values *values, const struct finding *f)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    json_t *context = NULL;

    if (!to)
        return NULL;
    json_context(to, trace, values, f);
    if (fclose(to) == 0)
        context = json_loadb(text, length, 0, NULL);
    free(text);
    return context;
}

bool context_holds(const struct report *report, size_t finding, const struct trace *trace,
                   const struct values *values, struct error *why)
{
    static const char *const told[] = {
        "variable", "threads", "locations", "callers", "observed_value", "alternative_value",
        "outcome",  "status",  "signal",    "text",    "waiting"};
    json_t *context = context_of(trace, values, &report->found.findings[finding]);
    const json_t *rest = report->entries[finding].rest;
    bool holds = context != NULL;

    if (!context)
        fail(why, HEDDLE_REJECTED, "its names, places and values could not be compared");
    for (size_t i = 0; holds && i < sizeof told / sizeof *told; i++) {
        const json_t *said = json_object_get(rest, told[i]);
        bool of_replay =
            strcmp(told[i], "outcome") == 0 && report->found.findings[finding].property != PROPERTY_OBSERVED;
        if (!said || of_replay || json_equal(said, json_object_get(context, told[i])))
            continue;
        fail(why, HEDDLE_REJECTED, "\"%s\" is not what the trace says", told[i]);
        holds = false;
    }
    json_decref(context);
    return holds;
}

const char *context_unchecked(const struct report *report, char *room, size_t size)
{
    static const char *const claims[] = {"confirmed", "outcome", "confirmation"};
    size_t used = 0;

    room[0] = '\0';
    for (size_t c = 0; c < sizeof claims / sizeof *claims; c++) {
        bool there = false;
        for (size_t i = 0; i < report->found.findings_count; i++)
            there |= report->found.findings[i].property != PROPERTY_OBSERVED &&
                     json_object_get(report->entries[i].rest, claims[c]);
        if (there && used < size)
            used += (size_t)snprintf(room + used, size - used, "%s%s", used ? ", " : "", claims[c]);
    }
    return room;
}
