/* The parts of building a model that keep their own state during the pass; private to this room. */
#pragma once
#include "base/map.h"
#include "model/model.h"

/* Says which thread has which lane, and how many there are; before anything else is built. */
void lanes_find(struct model *m, enum lane_use use);
/* Called for each event in trace order once its position is known. */
void lanes_place(struct model *m, event_id e);

/* A section that begins with `e` and does not end. */
static inline struct section section_new(const struct model *m, event_id e, bool shared, lock_id lock)
{
    return (struct section){.acquire = e,
                            .release = EVENT_NONE,
                            .owner = thread_of(m, e),
                            .shared = shared,
                            .lock = lock & (UINT32_MAX >> 1)};
}

/* Says which sections are open where, thread by thread. */
struct hold_builder {
    struct model *m;
    struct hold_change **changes; /* by thread */
    size_t *count, *capacity;
    uint32_t *top; /* by thread: the innermost hold */
};

void hold_builder_init(struct hold_builder *b, struct model *m, struct hold_change **changes, size_t *count);
void hold_builder_free(struct hold_builder *b);
/* From the event after `e` on the section is open; is open no more. */
void hold_open(struct hold_builder *b, event_id e, uint32_t section);
void hold_close(struct hold_builder *b, event_id e, uint32_t section);

/* The innermost hold at each position of each thread, thread by thread. */
void holds_place(const struct model *m, struct hold_change *const *changes, const size_t *count,
                 struct stretches *placed);

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

/* Lists the events of some kinds by their argument, of which there are `objects`. */
void events_group(const struct model *m, struct grouped_events *g, size_t objects,
                  bool (*wanted)(enum event_kind));

/* Semaphores and notifies: counts and lists. */
void tokens_find(struct model *m);

/* The initial values of variables; after that, what follows from them. */
void values_find_initial(struct model *m);
void values_find_sums(struct model *m);
void values_bound_sums(struct model *m);

/* Finds where reads are demanded. */
void demands_find(struct model *m);
void demands_sort(const struct model *m, const uint32_t *at, struct demand_list *list);

/* Finds the soft reads, and where the others bind, with the clocks, which depend on both. */
void soft_find(struct model *m);

/* Finds what reads in sections of locks and words can see, once there are clocks. */
void orders_find(struct model *m);
void orders_free(struct section_orders *o);

/* Finds the tenures of what is used again and again, once there are clocks; replaces those that are known. */
void tenures_find(struct model *m);
void tenures_free(struct tenures *l);

/* Finds the words, once there are clocks; before that there are none. */
void words_find(struct model *m);

/* Sections of words, word by word. */
struct word_sections {
    struct section *made;
    size_t made_count, made_capacity;
};

/* Adds the sections of a flag that two threads hand over, as those of this word; false: the variable is none. */
bool handover_find(const struct model *m, variable_id x, lock_id lock, struct word_sections *made);

/* Whether no run has the write inside the section. */
bool word_is_outside(const struct model *m, event_id write, const struct section *s);

/* The clocks of the observed order, or of what every run keeps as far as is known now; replaces those there are.
 */
void clocks_build(struct model *m, bool observed);
void clocks_free(struct clocks *clocks, uint32_t thread_count);

/* For assert_costly: all that holds of a model. */
bool model_is_sound(const struct model *m);
