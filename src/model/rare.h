/* Values that are written once: reads of them see nothing else. Private to this room. */
#pragma once
#include "model/model_parts.h"

struct rare_values {
    const struct model *m;
    uint8_t *counts; /* by a hash of variable and value: of writes, as far as a byte counts */
    size_t size;     /* a power of two */
    uint8_t *summed; /* by variable: some write adds to what was read, so it may carry anything */
};

void rare_init(struct rare_values *r, const struct model *m);
void rare_free(struct rare_values *r);

/* Whether no write but its source can carry the value that the read saw. Where it says no, there may be none all the same. */
bool rare_sees(const struct rare_values *r, event_id read);
