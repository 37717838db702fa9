/* What earlier checks found: fingerprints that do not count as new. */
#pragma once
#include "cli/checking.h"

/* Reads a report, one of several traces, or the folder of a hunt, whose runs together know more than one can predict. The report
 * may be the one that is about to be overwritten. False, after a message, if that is not possible. */
bool baseline_load(const char *path, struct check_request *request);
