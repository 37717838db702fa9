/* Which states were seen. Two states are the same if the same can follow: the threads stand at the same places, what
 * is still to be read is the same, and so is what reads saw that something may yet depend on. */
#include "base/memory.h"
#include "solve/states_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static void put(struct states *s, uint32_t number)
{
    ARRAY_PUSH(s, key, number);
}

static void put_value(struct states *s, struct known_value v)
{
    /* Numbers are equal when their 64 bits are. */
    put(s, v.tag == VALUE_NONE ? 0 : v.tag == VALUE_NAME ? 1 : 2);
    if (v.tag != VALUE_NONE) {
        put(s, (uint32_t)v.number);
        put(s, (uint32_t)(v.number >> 32));
    }
}

static void put_variable(struct states *s, variable_id x)
{
    const struct state_content *c = &s->content[x];

    if (s->by_write[x] < BY_WRITE_ALWAYS && !states_to_come(s, COME_READ, x, NAME_NONE)) {
        put(s, EVENT_NONE);
        return;
    }
    put(s, s->by_write[x] ? c->write * 2 + c->as_written : 0);
    put_value(s, c->value);
}

static void put_changed(struct states *s, thread_id t)
{
    const struct changed_list *list = &s->changed[t];

    for (size_t i = list->from; i < list->reads_count; i++) {
        if (!states_matters(s, list->reads[i]))
            continue;
        put(s, list->reads[i]);
        put_value(s, s->sighting[list->reads[i]].value);
    }
    put(s, EVENT_NONE);
}

static void make_key(struct states *s)
{
    s->key_count = 0;
    put(s, 0);
    for (thread_id t = 0; t < s->m->thread_count; t++)
        put(s, s->position[t] * 2 + s->served[t]);
    for (thread_id t = 0; t < s->m->thread_count; t++)
        put_changed(s, t);
    for (size_t i = 0; i < s->shared_count; i++)
        put_variable(s, s->shared[i]);
    s->key[0] = (uint32_t)s->key_count;
}

/* The slot of the key: where it is, or where it belongs. */
static size_t *slot_of(const struct states *s, const uint32_t *key)
{
    size_t i = XXH3_64bits(key, key[0] * sizeof *key) & (s->slot_count - 1);

    for (; s->slots[i]; i = (i + 1) & (s->slot_count - 1)) {
        const uint32_t *other = s->keys + s->slots[i] - 1;
        if (other[0] == key[0] && memcmp(other, key, key[0] * sizeof *key) == 0)
            break;
    }
    return &s->slots[i];
}

static void make_room(struct states *s)
{
    enum { SLOTS = 1024 };

    if (2 * (s->known + 1) <= s->slot_count)
        return;
    free(s->slots);
    s->slot_count = s->slot_count ? 2 * s->slot_count : SLOTS;
    s->slots = memory_new(s->slot_count, sizeof *s->slots);
    for (size_t at = 0; at < s->keys_count; at += s->keys[at])
        *slot_of(s, s->keys + at) = at + 1;
}

bool states_know(struct states *s)
{
    make_room(s);
    make_key(s);
    assert(s->key[0] == s->key_count && 2 * s->known < s->slot_count);
    size_t *slot = slot_of(s, s->key);
    if (*slot)
        return true;
    *slot = s->keys_count + 1;
    s->keys = memory_grow(s->keys, &s->keys_capacity, s->keys_count + s->key_count, sizeof *s->keys);
    memcpy(s->keys + s->keys_count, s->key, s->key_count * sizeof *s->keys);
    s->keys_count += s->key_count;
    s->known++;
    return false;
}

void states_forget(struct states *s)
{
    enum { KEYS_KEPT = 1 << 20 }; /* a small set is used again, a large one goes back */

    s->keys_count = s->known = 0;
    if (s->keys_capacity <= KEYS_KEPT) {
        if (s->slots)
            memset(s->slots, 0, s->slot_count * sizeof *s->slots);
        return;
    }
    free(s->keys);
    free(s->slots);
    s->keys = NULL;
    s->slots = NULL;
    s->keys_capacity = s->slot_count = 0;
}
