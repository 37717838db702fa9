/* Words that act as locks: spin locks, and the words of locks that are built on futexes; after these, flags by which two threads
 * hand something over (handovers.c).
 *
 * A word has a value that means free. A *take* is an rmw or cas that saw the word free and does not leave it free; its
 * thread's next event stands on it, or needs that it saw this very value. Every write that may set the word free is a *give*: its thread has taken the word
 * before, and has not given it back since. Then in every run the word is free only while no thread is between a take,
 * after which it went on, and the give that follows: a take that is as observed sees the word free, and nobody but the one
 * thread between the two can set it free again (docs/soundness.md, "Words"). Other writes that set the word free, as
 * its constructor does, are all right if must-order keeps them out of all sections. */
#include "base/memory.h"
#include "model/model_parts.h"

#include <assert.h>
#include <stdlib.h>

enum {
    RESETS = 16,
    TRIES = 4
}; /* a variable with more of them is no word; so many values are tried for free */

struct word_finder {
    struct model *m;
    variable_id x;
    struct known_value free;
    event_id *taken; /* by thread of the trace: a take that was not given back yet, or EVENT_INIT */
    struct word_sections made;
    event_id resets[RESETS];
    size_t reset_count;
};

/* Whether an update that is as observed sees the word free, or as nobody has written it yet. */
static bool sees_free(const struct word_finder *f, event_id e)
{
    struct known_value seen = model_seen(f->m, e);

    return known_equal(seen, f->free) || (f->m->source[e] == EVENT_INIT && seen.tag == VALUE_NONE);
}

/* Whether the thread's next event happens only if the update saw the word free: it stands on the update, or asks for that very
 * number. */
static bool next_needs_free(const struct word_finder *f, event_id e)
{
    const struct model *m = f->m;
    uint32_t next = m->position[e] + 1;

    if (read_plain_at(m, e) == next)
        return true;
    if (read_first_at(m, e) != next)
        return false;
    struct ground_list by = trace_by(m->trace, event_at(m, thread_of(m, e), next));
    for (uint32_t i = 0; i < by.count; i++) {
        struct ground g = ground_at(&by, i);
        if (g.read == e && g.range_count == 1 && g.ranges[0].low == g.ranges[0].high &&
            known_in_ranges(f->free, g.ranges, 1))
            return true;
    }
    return false;
}

static bool is_take(const struct word_finder *f, event_id e)
{
    const struct model *m = f->m;

    return kind_updates(kind_of(m, e)) && sees_free(f, e) && !is_thread_end(m, e) && next_needs_free(f, e);
}

static void add_section(struct word_finder *f, event_id take, event_id give)
{
    struct section made = section_new(f->m, take, false, f->m->lock_count + f->m->word_count);

    made.release = give;
    ARRAY_PUSH(&f->made, made, made);
}

/* Whether the write leaves the variable what it may be: a word. */
static bool look_at_write(struct word_finder *f, event_id e)
{
    event_id *taken = &f->taken[f->m->trace->thread[e]];

    if (model_may_carry(f->m, e, f->x, f->free)) {
        if (*taken == EVENT_INIT && f->reset_count == RESETS)
            return false;
        if (*taken == EVENT_INIT)
            f->resets[f->reset_count++] = e;
        else
            add_section(f, *taken, e);
        *taken = EVENT_INIT;
    } else if (is_take(f, e)) {
        if (*taken != EVENT_INIT)
            return false;
        *taken = e;
    }
    return true;
}

/* Whether no run has the write inside the section. */
bool word_is_outside(const struct model *m, event_id write, const struct section *s)
{
    return must_before(m, write, s->acquire) || (s->release != EVENT_NONE && must_before(m, s->release, write));
}

/* Whether the sections from number `first` on exclude each other, and there are some to exclude. */
static bool are_exclusive(const struct word_finder *f, size_t first)
{
    bool shared = false;

    for (size_t i = first; i < f->made.made_count; i++) {
        const struct section *s = &f->made.made[i];
        shared |= s->owner != f->made.made[first].owner;
        for (size_t k = 0; k < f->reset_count; k++)
            if (!word_is_outside(f->m, f->resets[k], s))
                return false;
    }
    return shared;
}

/* Whether the variable is a word with this free value; its sections are added then. */
static bool find_sections(struct word_finder *f, struct known_value free)
{
    const struct model *m = f->m;
    struct event_span accesses = accesses_of(m, f->x);
    size_t first = f->made.made_count;
    bool fits = true;

    f->free = free;
    f->reset_count = 0;
    for (size_t i = 0; i < accesses.count && fits; i++)
        fits = !kind_writes(kind_of(m, accesses.events[i])) || look_at_write(f, accesses.events[i]);
    for (size_t i = 0; i < accesses.count; i++) {
        event_id *taken = &f->taken[m->trace->thread[accesses.events[i]]];
        if (*taken != EVENT_INIT && fits)
            add_section(f, *taken, EVENT_NONE);
        *taken = EVENT_INIT;
    }
    fits = fits && are_exclusive(f, first);
    f->made.made_count = fits ? f->made.made_count : first;
    return fits;
}

/* Whether the variable is a word: with 0 for free, or with what its first updates saw or left. */
static bool find_word(struct word_finder *f)
{
    const struct model *m = f->m;
    struct event_span accesses = accesses_of(m, f->x);
    struct known_value tried[TRIES] = {{VALUE_UNSIGNED, 0}};
    size_t tries = 1;

    for (size_t i = 0; i < accesses.count && tries < TRIES; i++) {
        event_id e = accesses.events[i];
        struct known_value left = model_written(m, e, f->x);
        if (kind_updates(kind_of(m, e)) && left.tag != VALUE_NONE && !known_equal(left, tried[tries - 1]))
            tried[tries++] = left;
    }
    for (size_t i = 0; i < tries && tries > 1; i++)
        if (find_sections(f, tried[i]))
            return true;
    return false;
}

/* Adds the words' sections to those of locks. */
static void keep_sections(struct model *m, const struct word_sections *made)
{
    uint32_t first = m->section_start[m->lock_count];

    m->section_start =
        memory_resize(m->section_start, (size_t)m->lock_count + m->word_count + 1, sizeof *m->section_start);
    m->sections = memory_resize(m->sections, first + made->made_count, sizeof *m->sections);
    for (size_t i = 0; i < made->made_count; i++) {
        m->sections[first + i] = made->made[i];
        m->section_start[made->made[i].lock + 1] = first + (uint32_t)i + 1;
    }
}

/* Where the guard that the event begins or ends is open from then on. */
static void place_guard(struct model *m, struct hold_builder *b, event_id e, uint32_t section)
{
    if (m->sections[section].acquire == e)
        hold_open(b, e, section);
    else
        hold_close(b, e, section);
}

/* Lists the words' sections thread by thread, and all guards. */
static void list_by_thread(struct model *m)
{
    uint32_t first = m->section_start[m->lock_count], end = m->section_start[m->lock_count + m->word_count];
    struct map section_at = {0}; /* event → section, plus 1 */
    struct hold_builder b;
    uint32_t listed = 0;

    for (uint32_t i = first; i < end; i++) {
        *map_at(&section_at, m->sections[i].acquire) = i + 1;
        if (m->sections[i].release != EVENT_NONE)
            *map_at(&section_at, m->sections[i].release) = i + 1;
    }
    m->word_sections = memory_new(end - first, sizeof *m->word_sections);
    m->word_start = memory_new((size_t)m->thread_count + 1, sizeof *m->word_start);
    m->guard_changes = memory_new(m->thread_count, sizeof *m->guard_changes);
    m->guard_change_count = memory_new(m->thread_count, sizeof *m->guard_change_count);
    hold_builder_init(&b, m, m->guard_changes, m->guard_change_count);
    for (thread_id t = 0; t < m->thread_count; t++) {
        for (uint32_t p = 0; p < thread_length(m, t); p++) {
            event_id e = event_at(m, t, p);
            uint32_t word = kind_accesses(kind_of(m, e)) ? map_get(&section_at, e) : 0;
            if (word && m->sections[word - 1].acquire == e)
                m->word_sections[listed++] = word - 1;
            if (word || model_section_of(m, e) != SECTION_NONE)
                place_guard(m, &b, e, word ? word - 1 : model_section_of(m, e));
        }
        m->word_start[t + 1] = listed;
    }
    assert(listed == end - first);
    holds_place(m, m->guard_changes, m->guard_change_count, &m->guard_of);
    hold_builder_free(&b);
    map_free(&section_at);
}

void words_find(struct model *m)
{
    struct word_finder f = {.m = m};

    assert(m->values && m->word_count == 0);
    f.taken = memory_new(trace_names(m->trace, NAME_THREAD), sizeof *f.taken);
    m->words = memory_new(m->variable_count, sizeof *m->words);
    for (variable_id x = 0; x < m->variable_count; x++) {
        f.x = x;
        if (find_word(&f))
            m->words[m->word_count++] = x;
    }
    m->take_words = m->word_count;
    for (variable_id x = 0, word = 0; x < m->variable_count; x++) {
        if (word < m->take_words && m->words[word] == x)
            word++;
        else if (handover_find(m, x, m->lock_count + m->word_count, &f.made))
            m->words[m->word_count++] = x;
    }
    if (m->word_count > 0) {
        keep_sections(m, &f.made);
        list_by_thread(m);
    }
    free(f.taken);
    free(f.made.made);
}
