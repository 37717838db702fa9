/* Whether the words of a report are those of its trace. */
#include "report/json/context.h"
#include "finding/observed.h"
#include "report/json/json_parts.h"

#include <stdlib.h>
#include <string.h>

/* What a writer of JSON writes, as a tree; NULL when it does not fit into memory. */
static json_t *json_written(void (*write)(FILE *to, const void *what), const void *what)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    json_t *tree = NULL;

    if (!to)
        return NULL;
    write(to, what);
    if (fclose(to) == 0)
        tree = json_loadb(text, length, 0, NULL);
    free(text);
    return tree;
}

struct told_finding {
    const struct trace *trace;
    const struct values *values;
    const struct decided *decided;
    const struct finding *finding;
};

static void write_context(FILE *to, const void *what)
{
    const struct told_finding *t = what;

    json_context(to, t->trace, t->values, t->decided, t->finding);
}

static void write_incomplete(FILE *to, const void *what)
{
    json_incomplete(to, what);
}

/* Some properties are problems whatever else is known; others become problems by a replay or an option, which the trace does not
 * show. */
static bool severity_holds(const struct finding *f, const json_t *rest, struct error *why)
{
    const char *said = json_string_value(json_object_get(rest, "severity"));

    if (!said || !severity_is_problem(property_traits(f->property)->severity) || strcmp(said, "problem") == 0)
        return true;
    fail(why, HEDDLE_REJECTED, "\"severity\" is \"%.20s\", but this is a problem", said);
    return false;
}

bool context_holds(const struct report *report, size_t finding, const struct trace *trace,
                   const struct values *values, const struct decided *decided, struct error *why)
{
    static const char *const told[] = {"variable",          "threads", "locations", "callers", "observed_value",
                                       "alternative_value", "outcome", "status",    "signal",  "text",
                                       "waiting",           "decides"};
    const struct told_finding about = {trace, values, decided, &report->found.findings[finding]};
    json_t *context = json_written(write_context, &about);
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
    return holds && severity_holds(&report->found.findings[finding], rest, why);
}

static bool is_method(const char *word)
{
    static const char *const methods[] = {"exact", "graph", "ucg", "csp"};
    bool known = false;

    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        known |= strcmp(word, methods[m]) == 0;
    return known;
}

static const char *header_fault(const struct report *report, const struct trace *trace)
{
    const json_t *said = json_object_get(report->rest, "incomplete");
    json_t *reasons = json_written(write_incomplete, trace);
    bool same = !said || json_equal(said, json_object_get(reasons, "incomplete"));

    json_decref(reasons);
    if (!is_method(report->method))
        return "\"method\" is none of exact, graph, ucg and csp";
    if (report->complete && trace_incomplete(trace, 0))
        return "\"complete\" is true, but the trace is not the whole run";
    if (report->complete && report->undecided.findings_count > 0)
        return "\"complete\" is true, but something is undecided";
    return same ? NULL : "\"incomplete\" is not what the trace says";
}

bool header_holds(const struct report *report, const struct trace *trace, struct error *why)
{
    const char *fault = header_fault(report, trace);

    if (fault)
        fail(why, HEDDLE_REJECTED, "%s", fault);
    return !fault;
}

/* Whether the finding makes that claim, and the trace cannot confirm it. */
static bool is_unchecked(const struct finding *f, const json_t *rest, const char *claim)
{
    const json_t *said = json_object_get(rest, claim);

    if (strcmp(claim, "severity") == 0)
        return said && !severity_is_problem(property_traits(f->property)->severity) &&
               strcmp(json_string_value(said), "problem") == 0;
    return said && f->property != PROPERTY_OBSERVED;
}

const char *context_unchecked(const struct report *report, char *room, size_t size)
{
    static const char *const claims[] = {"confirmed", "outcome", "confirmation", "severity"};
    size_t used = 0;

    room[0] = '\0';
    for (size_t c = 0; c < sizeof claims / sizeof *claims; c++) {
        bool there = false;
        for (size_t i = 0; i < report->found.findings_count; i++)
            there |= is_unchecked(&report->found.findings[i], report->entries[i].rest, claims[c]);
        if (there && used < size)
            used += (size_t)snprintf(room + used, size - used, "%s%s", used ? ", " : "", claims[c]);
    }
    return room;
}
