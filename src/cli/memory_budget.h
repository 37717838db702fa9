/* The memory that a check may use. */
#pragma once
#include "base/stop.h"

#include <stdbool.h>
#include <stdint.h>

struct trace;

/* "4G"; false: it is no size. NULL: three quarters of what is free now. */
bool memory_budget_parse(const char *text, uint64_t *bytes);

/* Watches over the budget until memory_budget_end. Before the check begins, nothing is decided: then the process
 * ends with a message and status 3. */
void memory_budget_begin(uint64_t bytes);

/* If the file says that it has more events than can be checked within the budget, or in so many of them (0: all), the
 * process ends in the same way, before anything is read. */
void memory_budget_foresee(const char *path, uint64_t window);

/* If the check of the loaded trace cannot keep to the budget, as far as can be known before, the process ends in the
 * same way. */
void memory_budget_require(const struct trace *trace);

/* From here on the flag is set when the budget is used up. */
void memory_budget_check(stop_flag *stop);

/* Ends the watch; whether the budget was used up. */
bool memory_budget_end(void);
