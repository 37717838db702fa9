/* Runs a program as often as the recording needs: once, or until a run finds all memory that threads share marked by
 * earlier runs, so that only that is recorded. */
#pragma once
#include "record/collect/taker.h"
#include "record/record.h"

/* Runs the program as `passes` of the recording says. `touched` is set to the number of granules that the last run touched, if its records are only a part of its
 * accesses. */
enum status passes_run(const struct recording *recording, struct collection *collection, struct taker *taker,
                       uint64_t *touched, struct error *err);
