/* What the files about the grounds of recorded events share. */
#pragma once
#include "record/convert/grounding.h"

/* The running thread. */
struct grounding_thread *grounding_new_thread(struct grounding *grounding);

static inline struct grounding_thread *grounding_thread(struct grounding *g)
{
    return g->thread < g->threads_count ? &g->threads[g->thread] : grounding_new_thread(g);
}

/* Gives the thread's next label to these reads, and tells what the only one of them saw; NULL: no number. */
void add_label(struct grounding_thread *thread, read_set reads, const struct seen_number *seen);

/* The same for the union of two labels. What has the label was compared, which decides. */
void grounding_union(struct grounding *grounding, uint32_t one, uint32_t other);
void grounding_compare(struct grounding *grounding, uint32_t label, struct comparison *comparison);

/* What the label of the record that is being looked at stands for, when all its events are made. */
static inline read_set grounding_label(struct grounding *g)
{
    if (g->label == SET_NONE && g->events.count == 1)
        return set_of_read(g->events.reads[0]);
    return set_union(&g->sets, g->label, set_of_list(&g->sets, &g->events));
}

/* What a label stands for, and of a value that is one read plus a constant, what that read saw. */
read_set label_reads(const struct grounding_thread *thread, uint32_t label, struct seen_number *seen);

/* These reads decide the thread's next event; the read does, where it has one of these values; it does, and the thread
 * does nothing else because of it. */
void decide_reads(struct grounding *grounding, struct grounding_thread *thread, read_set reads);
void decide_read(struct grounding_thread *thread, uint32_t event, const struct value_range *ranges,
                 uint32_t count);
void decide_idly(struct grounding_thread *thread, uint32_t event, const struct value_range *ranges,
                 uint32_t count);

/* Reads of several variables at once: an event of the one that is being looked at; all of its events are there, and it has the
 * thread's last label; the label was compared, and one variable alone decides how that came out. */
void split_add(struct split_read *split, uint32_t event, const struct accessed *what, uint64_t number);
void split_keep(struct grounding *grounding, const struct record *record);
bool split_compare(struct grounding *grounding, uint32_t label, const struct comparison *comparison);

/* What a word of private memory is made of; `number` is its address by words. */
struct grounding_word {
    read_set reads;
    uint32_t thread; /* whose reads these are */
};

struct grounding_page {
    struct grounding_word words[GROUNDING_WORDS];
};

/* Puts the page at hand, or that there is none; makes one. */
void grounding_near(struct grounding *grounding, uint64_t number);
struct grounding_page *grounding_new_page(struct grounding *grounding, uint64_t number);

/* NULL: nothing on it was ever made of a read. */
static inline struct grounding_page *grounding_page(struct grounding *g, uint64_t number)
{
    if (g->near[number % GROUNDING_NEAR].number != number + 1)
        grounding_near(g, number);
    return g->near[number % GROUNDING_NEAR].page;
}

static inline struct grounding_word *grounding_word(struct grounding *g, uint64_t number)
{
    struct grounding_page *page = grounding_page(g, number / GROUNDING_WORDS);

    return page ? &page->words[number % GROUNDING_WORDS] : NULL;
}

static inline struct grounding_word *grounding_make_word(struct grounding *g, uint64_t number)
{
    struct grounding_page *page = grounding_page(g, number / GROUNDING_WORDS);

    if (!page)
        page = grounding_new_page(g, number / GROUNDING_WORDS);
    return &page->words[number % GROUNDING_WORDS];
}

void grounding_free_words(struct grounding *grounding);
