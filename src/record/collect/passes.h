/* Recording only what threads share: runs of a program until one finds all of it marked by those before. */
#pragma once
#include "record/collect/taker.h"
#include "record/record.h"

/* Runs the program once, if most of what it does concerns others, else as often as it takes. `touched` becomes
 * the number of granules that the last run touched, where its records are only what was left of it. */
enum status passes_run(const struct recording *recording, struct collection *collection, struct taker *taker,
                       uint64_t *touched, struct error *err);
