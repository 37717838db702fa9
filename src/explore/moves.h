/* Moves in a state: what each kind needs and shows, memory aside, and what it does. */
#pragma once
#include "explore/space.h"

/* Whether the move can be made now. STEPPED_DONE: `*result` is what the thread sees then, UINT32_MAX where its
 * own history tells. */
enum stepped move_see(const struct space *space, uint32_t *state, uint32_t thread, uint32_t move,
                      uint32_t variant, uint32_t *result);

/* What the move does, once it is known that and how it happens: it leads to `child`. */
void move_act(const struct space *space, uint32_t *state, uint32_t thread, uint32_t move, uint32_t child,
              uint32_t variant);
