/* Which searches for a run in strides found none: one that asks for more is left out. */
#pragma once
#include "solve/solver.h"

struct stride_vain;

struct stride_vain *stride_vain_new(const struct model *m);
void stride_vain_free(struct stride_vain *v);
void stride_vain_forget(struct stride_vain *v);

/* Whether a search of no fewer steps found no run of a query with the same limits that had to hold no more than `least`. */
bool stride_vain_knows(const struct stride_vain *v, const struct query *q, const uint32_t *least,
                       uint64_t steps);

/* A search found none: of so many steps; UINT64_MAX where more would not have helped. */
void stride_vain_note(struct stride_vain *v, const struct query *q, const uint32_t *least, uint64_t steps);
