/* Did the program follow the script? */
#pragma once
#include "replay/run.h"

/* Fills in result->divergence: the first step that did not happen as the script says. `trouble` and `at` are
 * what the runtime says: why it gave up, and how many of its steps were done. */
void follow_check(const struct schedule_script *script, struct replay_result *result,
                  enum script_trouble trouble, uint64_t at);

/* A step in words: "T1 worker: acq(l) at main.c:12". */
void follow_describe(const struct schedule_script *script, const struct schedule_step *step, char *to,
                     size_t room);
