/* What two variables that one lock guards can hold together. */
#pragma once
#include "model/model.h"

struct kept_pairs;

/* What is found out is kept until the end: it does not depend on the order of questions. */
struct kept_pairs *pairs_new(const struct model *m);
void pairs_free(struct kept_pairs *p);

/* Whether the read cannot see the write because of what its section read before: no order of the sections of their lock
 * leaves both values. False where that says nothing. */
bool pairs_refute(struct kept_pairs *p, event_id read, event_id write);
