/* Places that a run reached, by their addresses, and all places of the program's code, by the calls of hooks in it. */
#include "record/code_reach.h"
#include "base/memory.h"
#include "record/symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void code_reach_free(struct code_reach *r)
{
    free(r->marks);
    free(r->places);
    free(r->addresses);
    map_free(&r->seen);
    map_free(&r->known);
    map_free(&r->listed);
    memset(r, 0, sizeof *r);
}

void code_reach_add(struct code_reach *r, uint64_t pc)
{
    if ((*map_at(&r->seen, pc))++ == 0)
        ARRAY_PUSH(r, addresses, pc);
}

/* Of the program's own source: "FILE:LINE FUNCTION", not in a header of the system. */
static bool is_own(const char *text)
{
    return strchr(text, ':') && strncmp(text, "/usr/", 5) != 0;
}

void code_reach_place(struct code_reach *r, const char *text, bool reached)
{
    struct code_place place = {.mark = XXH3_64bits(text, strlen(text))};

    if (!is_own(text))
        return;
    if (reached && (*map_at(&r->known, place.mark))++ == 0)
        ARRAY_PUSH(r, marks, place.mark);
    if (!r->list || (*map_at(&r->listed, place.mark))++ > 0)
        return;
    snprintf(place.text, sizeof place.text, "%.199s", text);
    ARRAY_PUSH(r, places, place);
}

struct listing {
    struct code_reach *reach;
    struct symbols *symbols;
};

static void list_call(void *context, uint64_t pc)
{
    const struct listing *l = context;
    char text[1200];

    symbols_place(l->symbols, pc, text, sizeof text);
    code_reach_place(l->reach, text, map_get(&l->reach->seen, pc) > 0);
}

void code_reach_finish(struct code_reach *r, struct symbols *symbols)
{
    struct listing l = {r, symbols};
    bool list = r->list;

    r->list =
        false; /* other calls than those of hooks are places that were reached, but not among those that count */
    for (size_t i = 0; i < r->addresses_count; i++) {
        char text[1200];
        symbols_place(symbols, r->addresses[i], text, sizeof text);
        code_reach_place(r, text, true);
    }
    r->list = list;
    if (list)
        symbols_hook_calls(symbols, list_call, &l);
}
