/* The part of a round that helpers do. Private to this room. */
#pragma once
#include "property/rounds.h"

/* Hands tasks of the round to helpers until none is left, and books the answers as if this worker had done them. */
void helped_round(struct worker_thread *self);
