/* What the files about the grounds of recorded events share. */
#pragma once
#include "record/convert/grounding.h"

/* The running thread. */
struct grounding_thread *grounding_thread(struct grounding *grounding);

/* Gives the thread's next label to these reads, and tells what the only one of them saw; NULL: no number. */
void add_label(struct grounding_thread *thread, read_set reads, const struct seen_number *seen);

/* The same for the union of two labels. What has the label was compared, which decides. */
void grounding_union(struct grounding *grounding, uint32_t one, uint32_t other);
void grounding_compare(struct grounding *grounding, uint32_t label, struct comparison *comparison);

/* What a label stands for, and of a value that is one read plus a constant, what that read saw. */
read_set label_reads(const struct grounding_thread *thread, uint32_t label, struct seen_number *seen);

/* These reads decide the thread's next event; the read does, where it has one of these values. */
void decide_reads(struct grounding *grounding, struct grounding_thread *thread, read_set reads);
void decide_read(struct grounding_thread *thread, uint32_t event, const struct value_range *ranges,
                 uint32_t count);
