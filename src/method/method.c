/* The methods by name: what each one knows, and which function runs it. */
#include "method/method.h"
#include "finding/observed.h"
#include "method/csp/csp_method.h"
#include "method/graph/graph.h"
#include "method/ucg/ucg.h"

#include <string.h>

static const struct {
    const char *name;
    const char *limit; /* NULL, or the only properties it knows, for messages */
} methods[METHODS] = {
    [METHOD_EXACT] = {"exact", NULL},
    [METHOD_GRAPH] = {"graph", "nondet"},
    [METHOD_UCG] = {"ucg", "race and atomicity"},
    [METHOD_CSP] = {"csp", "race"},
};

enum method method_named(const char *name)
{
    enum method method = 0;

    while (method < METHODS && strcmp(methods[method].name, name) != 0)
        method++;
    return method;
}

static bool method_knows(enum method method, enum property property)
{
    if (method == METHOD_GRAPH)
        return property == PROPERTY_NONDET;
    if (method == METHOD_CSP)
        return property == PROPERTY_RACE;
    return method == METHOD_EXACT || property == PROPERTY_RACE || property == PROPERTY_ATOMICITY;
}

enum status method_check_properties(enum method method, const bool wanted[PROPERTIES], struct error *err)
{
    for (enum property p = 0; p < PROPERTIES; p++)
        if (wanted[p] && !method_knows(method, p))
            return fail(err, HEDDLE_BAD_USAGE, "--method=%s is for %s only, not for %s", methods[method].name,
                        methods[method].limit, property_option(p));
    return HEDDLE_OK;
}

void method_default_properties(enum method method, bool wanted[PROPERTIES])
{
    for (enum property p = 0; p < PROPERTIES; p++)
        wanted[p] = property_traits(p)->by_default && method_knows(method, p);
}

uint64_t method_default_budget(enum method method)
{
    return method == METHOD_GRAPH ? 1000 : 100000;
}

struct model_options method_model(enum method method, const struct check_options *options)
{
    bool plain = method != METHOD_EXACT;

    return (struct model_options){.values_ignore = plain || options->values_ignore,
                                  .grounds_ignore = plain || options->grounds_ignore,
                                  .lanes = plain ? LANES_NEVER : LANES_WHERE_IT_PAYS,
                                  .at_once = options->workers > 1};
}

static void decide(enum method method, const struct model *m, const struct check_options *options,
                   const stop_flag *stop, struct results *results)
{
    struct graph_options graph = {.all = options->all,
                                  .budget = options->budget,
                                  .progress = options->progress,
                                  .progress_context = options->progress_context};

    if (method == METHOD_GRAPH)
        graph_check(m, &graph, stop, results);
    else if (method == METHOD_UCG)
        ucg_check(m, options, stop, results);
    else if (method == METHOD_CSP)
        csp_check(m, options, stop, results);
    else
        check_trace(m, options, stop, results);
}

void method_run(enum method method, const struct model *m, const struct check_options *options,
                const stop_flag *stop, struct results *results)
{
    results->method = methods[METHOD_EXACT].name;
    decide(method, m, options, stop, results);
    if (options->properties[PROPERTY_OBSERVED])
        observed_check(m->trace, results);
    results->complete &= trace_incomplete(m->trace, 0) == NULL;
}
