/* What the files about the grounds of recorded events share. */
#pragma once
#include "record/convert/grounding.h"

/* The running thread. */
struct grounding_thread *grounding_thread(struct converter *converter);

/* What a label stands for, and of a value that is one read plus a constant, what that read saw. */
read_set label_reads(const struct grounding_thread *thread, uint32_t label, struct seen_number *seen);

/* These reads decide the thread's next event; the read does, where it has one of these values. */
void decide_reads(struct grounding *grounding, struct grounding_thread *thread, read_set reads);
void decide_read(struct grounding_thread *thread, uint32_t event, const struct value_range *ranges,
                 uint32_t count);
