/* What the parts of a hunt's page share. */
#pragma once
#include "base/buffer.h"
#include "hunt/hunt.h"

/* Markup with numbers in it; texts go through buffer_markup. */
void page_put(struct buffer *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What no run has shown. */
void page_unseen(struct buffer *to, const struct hunt *hunt);
