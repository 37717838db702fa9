/* How serious findings are, for reports that put the most serious first. */
#pragma once
#include "report/text/narrate.h"

/* Smaller is more serious. */
uint32_t rank_of(const struct narrator *n, const struct finding *f);
