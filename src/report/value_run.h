/* The values of one run, worked out from its beginning; private to value.c. */
#pragma once
#include "report/value.h"

struct run_values *run_values_new(void);
void run_values_free(struct run_values *r);

/* What an access of the run's tail writes or, unless `written`, reads there; not known if it is not in it. Runs
 * with very long tails are not worked out: nothing is known of them. */
struct value run_value(const struct values *v, const struct schedule *s, uint32_t event, bool written);
