/* C11 happens-before on the trace as observed: the definition behind `unordered` (semantics §3). */
#pragma once
#include "certify/certify.h"

struct order_query {
    uint32_t first, second; /* events; first < second */
    bool ordered;           /* the answer: first happens before second */
};

/* Answers all queries in one pass over the trace. */
void order_answer(const struct certify_index *index, struct order_query *queries, size_t count);

/* The same for the order inside deterministic blocks (ESOP'09, docs/determinism.md): locks, atomics and fences
 * order nothing, and a wait on a semaphore is not yet ordered by the post it takes. */
void order_answer_deterministic(const struct certify_index *index, struct order_query *queries, size_t count);
