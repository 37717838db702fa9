/* The methods that decide a check, by name: the exact one and the published ones (semantics §5). */
#pragma once
#include "base/error.h"
#include "property/check.h"

enum method { METHOD_EXACT, METHOD_GRAPH, METHOD_UCG, METHOD_CSP, METHODS };

/* The method of that name, or METHODS. */
enum method method_named(const char *name);

/* Refuses the first property that is wanted but that the method does not know. */
enum status method_check_properties(enum method method, const bool wanted[PROPERTIES], struct error *err);

/* The properties that are checked unless others are named. */
void method_default_properties(enum method method, bool wanted[PROPERTIES]);

/* Choices that a candidate gets unless the user says otherwise. */
uint64_t method_default_budget(enum method method);

/* How to build the model: the published methods know neither values nor grounds. */
struct model_options method_model(enum method method, const struct check_options *options);

/* Decides, and adds how the observed run ended; fills `results`. `stop` may be set from outside to end early with what is
 * decided. */
void method_run(enum method method, const struct model *m, const struct check_options *options,
                const stop_flag *stop, struct results *results);
