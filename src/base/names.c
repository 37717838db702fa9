/* Names and their numbers: open addressing over ids, texts in one pool. */
#include "base/names.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint32_t text_hash(const char *text, size_t length)
{
    return (uint32_t)XXH3_64bits(text, length);
}

static void slots_clear(struct names *names, size_t count)
{
    names->slot_count = count;
    names->slots = memory_resize(NULL, count, sizeof *names->slots);
    memset(names->slots, 0xff, count * sizeof *names->slots);
}

void names_init(struct names *names)
{
    memset(names, 0, sizeof *names);
    ARRAY_PUSH(names, start, 0);
    slots_clear(names, 64);
}

void names_free(struct names *names)
{
    free(names->text);
    free(names->start);
    free(names->passing);
    free(names->slots);
    memset(names, 0, sizeof *names);
}

static void slots_double(struct names *names)
{
    struct name_slot *old = names->slots;
    size_t old_count = names->slot_count;

    slots_clear(names, old_count * 2);
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].id == NAME_NONE)
            continue;
        size_t at = old[i].hash & (names->slot_count - 1);
        while (names->slots[at].id != NAME_NONE)
            at = (at + 1) & (names->slot_count - 1);
        names->slots[at] = old[i];
    }
    free(old);
}

/* The slot that holds the text, or the free one where it belongs. */
static struct name_slot *slot_of(const struct names *names, uint32_t hash, const char *text, size_t length)
{
    size_t mask = names->slot_count - 1;

    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        struct name_slot *slot = &names->slots[at];
        if (slot->id == NAME_NONE)
            return slot;
        if (slot->hash == hash && names_length(names, slot->id) == length &&
            memcmp(names_text(names, slot->id), text, length) == 0)
            return slot;
    }
}

uint32_t names_find(const struct names *names, const char *text, size_t length)
{
    return slot_of(names, text_hash(text, length), text, length)->id;
}

static uint32_t add_text(struct names *names, const char *text, size_t length)
{
    uint32_t id = (uint32_t)names_count(names);

    if (names_count(names) >= NAME_NONE)
        return NAME_NONE;
    if (names->text_capacity < names->text_count + length + 1)
        names->text = memory_grow(names->text, &names->text_capacity, names->text_count + length + 1, 1);
    memcpy(names->text + names->text_count, text, length);
    names->text_count += length;
    names->text[names->text_count++] = '\0';
    ARRAY_PUSH(names, start, names->text_count);
    return id;
}

uint32_t names_append(struct names *names, const char *text, size_t length)
{
    uint32_t id = add_text(names, text, length);

    if (id != NAME_NONE)
        ARRAY_PUSH(names, passing, id);
    return id;
}

void names_forget(struct names *names, uint32_t below)
{
    size_t gone = 0;
    uint64_t from, to;

    if (names->passing_count == 0)
        return;
    from = to = names->start[names->passing[0]];
    for (size_t id = names->passing[0]; id < names_count(names); id++) {
        uint64_t length = names->start[id + 1] - from;
        names->start[id] = to;
        if (id < below && gone < names->passing_count && names->passing[gone] == id) {
            gone++;
        } else {
            memmove(names->text + to, names->text + from, length);
            to += length;
        }
        from += length;
    }
    names->start[names_count(names)] = names->text_count = to;
    names->passing_count -= gone;
    memmove(names->passing, names->passing + gone, names->passing_count * sizeof *names->passing);
}

uint32_t names_add(struct names *names, const char *text, size_t length)
{
    uint32_t hash = text_hash(text, length), id;
    struct name_slot *slot = slot_of(names, hash, text, length);

    if (slot->id != NAME_NONE)
        return slot->id;
    id = add_text(names, text, length);
    if (id == NAME_NONE)
        return NAME_NONE;
    *slot = (struct name_slot){.hash = hash, .id = id};
    if (2 * ++names->slots_used > names->slot_count)
        slots_double(names);
    return id;
}
