/* Parts of types by hash: a part whose place is another one's is looked for anew. */
#include "record/symbols/known_parts.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { PARTS_MOST = 1 << 16, PART_LONGEST = 512 };

struct part_key {
    const void *type; /* its entry in the debugging information */
    const char *dot;
    uint64_t offset, length;
};

struct known_part {
    struct part_key key;
    uint32_t text;
    struct spelling spelling;
};

void known_parts_init(struct known_parts *p)
{
    memset(p, 0, sizeof *p);
    names_init(&p->texts);
}

void known_parts_free(struct known_parts *p)
{
    free(p->list);
    map_free(&p->at);
    names_free(&p->texts);
}

void known_inside(struct known_parts *p, Dwarf_Die *type, const char *dot, uint64_t offset, uint64_t length,
                  char *to, size_t room, struct spelling *spelling)
{
    struct part_key key = {type->addr, dot, offset, length};
    uint64_t hash = XXH3_64bits(&key, sizeof key);
    uint32_t known = map_get(&p->at, hash);
    const struct known_part *part = known ? &p->list[known - 1] : NULL;

    if (part && memcmp(&part->key, &key, sizeof key) == 0) {
        snprintf(to, room, "%s", names_text(&p->texts, part->text));
        *spelling = part->spelling;
        return;
    }
    type_inside(type, dot, offset, length, to, room, spelling);
    if (part || p->list_count == PARTS_MOST || strlen(to) >= PART_LONGEST || strlen(to) + 1 == room)
        return;
    ARRAY_PUSH(p, list, (struct known_part){key, names_add(&p->texts, to, strlen(to)), *spelling});
    *map_at(&p->at, hash) = (uint32_t)p->list_count;
}

void known_pointed(struct known_parts *p, Dwarf_Die *type, uint64_t size, bool several, uint64_t offset,
                   uint64_t length, char *to, size_t room, struct spelling *spelling)
{
    size_t used = several ? (size_t)snprintf(to, room, "[%llu]", (unsigned long long)(offset / size)) : 0;

    if (used < room)
        known_inside(p, type, several ? "." : "->", several ? offset % size : offset, length, to + used,
                     room - used, spelling);
}
