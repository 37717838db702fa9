/* The parts of building a model that keep their own state during the pass; private to this room. */
#pragma once
#include "base/map.h"
#include "model/model.h"

struct section_builder;
struct requirement_builder;

struct section_builder *section_builder_new(struct model *m);
void section_builder_event(struct section_builder *b, event_id e);
/* The exclusive acquire that holds the lock right now, or EVENT_NONE. */
event_id section_builder_holder(const struct section_builder *b, lock_id lock);
/* Sorts the sections by lock; frees the builder. */
void section_builder_finish(struct section_builder *b);

struct requirement_builder *requirement_builder_new(struct model *m);
/* Called for each event in trace order, after the section builder. */
void requirement_builder_event(struct requirement_builder *b, const struct section_builder *locks, event_id e);
void requirement_builder_finish(struct requirement_builder *b);

/* Finds the soft reads; before the clocks are built. */
void values_find_soft(struct model *m);

void clocks_build(struct model *m);
void clocks_free(struct clocks *clocks, uint32_t thread_count);
