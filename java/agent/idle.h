/* Hooks that do nothing, for a machine that is not recorded any more. */
#pragma once
#include "bytes.h"

/* Whether the class (its name with slashes) is one of those that rewritten code calls and that may become idle. */
bool has_idle_form(struct span name);

/* Writes the class in `bytes` to `out`, its public static methods without what they do: they return nothing, null or
 * zero. False when it is malformed. */
bool make_idle(struct span bytes, struct bytes *out);
