/* Stack maps: the same frames at other places. */
#pragma once
#include "bytes.h"

/* Appends a StackMapTable's content whose frames have moved: `moved` gives the new place of each of `places`
 * old ones. With a handler a frame is added there, with no locals and the throwable on the stack. An empty
 * `old` stands for none. False when the table is malformed. */
bool stackmap_move(struct span old, const uint32_t *moved, size_t places, uint32_t handler, uint16_t throwable,
                   struct bytes *to);
