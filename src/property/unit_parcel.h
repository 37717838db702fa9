/* Rounds and answers as bytes, for helpers. Private to this room. */
#pragma once
#include "base/packed.h"
#include "property/rounds.h"

/* What a helper must know of the round: which parts of batches there are, and what was shown before. */
void parcel_put_round(struct buffer *to, const struct check_plan *plan);
bool parcel_take_round(struct check_plan *plan, const unsigned char *bytes, size_t length);

/* What a worker that keeps outcomes apart has found out about one task, which it then forgets. */
void parcel_put_answer(struct buffer *to, struct worker_thread *from, size_t task);

/* Books it with this worker. False, and nothing is booked, if it makes no sense or a schedule is not certified. */
bool parcel_take_answer(struct worker_thread *to, size_t task, const unsigned char *bytes, size_t length);
