/* Why a query has no run, in words. */
#pragma once
#include "solve/solver.h"

#include <stdio.h>

/* Says why the solver's query, answered infeasible just now, is so. Solves it once more, as a whole. */
void solver_explain(struct solver *s, FILE *to);
