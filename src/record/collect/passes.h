/* Records only what threads share: runs a program until a run finds all shared memory marked by earlier runs. */
#pragma once
#include "record/collect/taker.h"
#include "record/record.h"

/* Runs the program once if most of its accesses are to shared memory, otherwise as often as necessary.
 * `touched` is set to the number of granules that the last run touched, if its records are only a part of its
 * accesses. */
enum status passes_run(const struct recording *recording, struct collection *collection, struct taker *taker,
                       uint64_t *touched, struct error *err);
