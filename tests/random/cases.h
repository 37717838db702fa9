/* Small traces with the findings that SPEC gives them, worked out by hand. */
#pragma once
#include "random/oracle.h"

struct oracle_case {
    const char *why;
    const char *trace; /* text format, with a blank for the end of a line */
    struct oracle_options options;
    const char *findings[ORACLE_PROPERTIES]; /* as tuples_add_text reads them; NULL: none */
};

/* What feasible runs can do. */
extern const struct oracle_case run_cases[];
extern const size_t run_cases_count;

/* What happens-before orders. */
extern const struct oracle_case order_cases[];
extern const size_t order_cases_count;
