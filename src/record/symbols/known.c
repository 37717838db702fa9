/* Answers about addresses, kept. */
#include "record/symbols/known.h"

#include <stdio.h>
#include <string.h>

void known_init(struct known *k)
{
    memset(k, 0, sizeof *k);
    names_init(&k->texts);
}

void known_free(struct known *k)
{
    for (int i = 0; i < KNOWN_KINDS; i++)
        map_free(&k->texts_at[i]);
    map_free(&k->first_lines);
    map_free(&k->keeps_frame);
    names_free(&k->texts);
}

bool known_text(const struct known *k, enum known_kind kind, uint64_t address, char *to, size_t room)
{
    uint32_t id = map_get(&k->texts_at[kind], address);

    if (id)
        snprintf(to, room, "%s", names_text(&k->texts, id - 1));
    return id != 0;
}

void known_keep(struct known *k, enum known_kind kind, uint64_t address, const char *text)
{
    uint32_t id = names_add(&k->texts, text, strlen(text));

    *map_at(&k->texts_at[kind], address) = id == NAME_NONE ? 0 : id + 1;
}
