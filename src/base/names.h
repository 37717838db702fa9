/* Names and their numbers: every distinct text gets the next 32-bit id, starting from 0. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define NAME_NONE UINT32_MAX

struct name_slot {
    uint32_t hash;
    uint32_t id; /* NAME_NONE: free */
};

struct names {
    char *text; /* all names, one after the other, each ended by NUL */
    size_t text_count, text_capacity;
    uint64_t *start; /* where name `id` begins in `text`; one more than names: the end of the last */
    size_t start_count, start_capacity;
    uint32_t *passing; /* names that were appended and are not forgotten */
    size_t passing_count, passing_capacity;
    struct name_slot *slots; /* open addressing; a power of two of them */
    size_t slot_count, slots_used;
};

void names_init(struct names *names);
void names_free(struct names *names);

/* The id of the text, given a new one if it is new; NAME_NONE when all 32-bit ids are used. */
uint32_t names_add(struct names *names, const char *text, size_t length);

/* Adds a text that is certainly new and is never looked up or added again, so it needs no slot in the hash
 * table. */
uint32_t names_append(struct names *names, const char *text, size_t length);

/* Frees the appended texts below an id; they must not be used any more. */
void names_forget(struct names *names, uint32_t below);

/* The id of the text, or NAME_NONE. */
uint32_t names_find(const struct names *names, const char *text, size_t length);

static inline size_t names_count(const struct names *names)
{
    return names->start_count - 1;
}

/* The text of an id below names_count; valid until the next names_add. */
static inline const char *names_text(const struct names *names, uint32_t id)
{
    return names->text + names->start[id];
}

static inline size_t names_length(const struct names *names, uint32_t id)
{
    return (size_t)(names->start[id + 1] - names->start[id]) - 1;
}
