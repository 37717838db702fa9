/* Small traces with the findings that docs/semantics.md gives them, worked out by hand. */
#pragma once
#include "random/oracle.h"

struct oracle_case {
    const char *why;
    const char *trace; /* text format; where it has no line break, with a blank for the end of a line */
    struct oracle_options options;
    const char *findings[ORACLE_PROPERTIES]; /* as tuples_add_text reads them; NULL: none */
    unsigned only; /* if not 0, the properties that are compared: ABOUT(one) | ABOUT(another) */
};

#define ABOUT(property) (1u << (property))

/* What feasible runs can do. */
extern const struct oracle_case run_cases[];
extern const size_t run_cases_count;

/* Grounds and values in a run; stale and stuck. */
extern const struct oracle_case ground_cases[];
extern const size_t ground_cases_count;

/* What happens-before orders. */
extern const struct oracle_case order_cases[];
extern const size_t order_cases_count;
