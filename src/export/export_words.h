/* What the formats for people share: an event in words. */
#pragma once
#include "export/export.h"
#include "report/text/narrate.h"

/* A narrator of the run; what it says is in its buffer. */
void words_init(struct narrator *n, const struct exported *x);
void words_free(struct narrator *n);

/* "reads counter = 0" for the event at a position. */
void words_event(struct narrator *n, const struct exported *x, uint32_t position);

/* Writes what was said and forgets it. */
void words_write(struct narrator *n, struct output *out);
