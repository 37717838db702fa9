/* Names: globals by DWARF, heap blocks by who allocated them, locals by who uses them. */
#include "record/naming.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void naming_init(struct naming *n)
{
    memset(n, 0, sizeof *n);
    n->symbols = symbols_new();
    regions_init(&n->regions);
    for (int class = 0; class < NAME_CLASSES; class ++)
        names_init(&n->bases[class]);
}

void naming_free(struct naming *n)
{
    symbols_free(n->symbols);
    regions_free(&n->regions);
    for (int class = 0; class < NAME_CLASSES; class ++) {
        names_free(&n->bases[class]);
        map_free(&n->uses[class]);
    }
    map_free(&n->places);
    map_free(&n->starts);
    free(n->functions);
}

void naming_start(struct naming *n, uint32_t thread, uint64_t function)
{
    ARRAY_PUSH(n, functions, function);
    *map_at(&n->starts, thread) = (uint32_t)n->functions_count;
}

void naming_thread(struct naming *n, uint32_t thread, char *to, size_t room)
{
    uint32_t start = map_get(&n->starts, thread);
    char function[256] = "";

    if (start)
        symbols_function(n->symbols, n->functions[start - 1], function, sizeof function);
    if (thread == 0)
        snprintf(to, room, "main");
    else
        snprintf(to, room, "T%u%s%s", thread, *function ? " " : "", function);
}

/* Where a block comes from: the line, or the place when the source is not known. */
static void describe_origin(struct naming *n, uint64_t pc, char *to, size_t room)
{
    symbols_line(n->symbols, pc, to, room);
    if (*to == '\0')
        symbols_place(n->symbols, pc, to, room);
}

static void describe_region(struct naming *n, const struct region *region, uint64_t address, uint64_t pc,
                            char *to, size_t room)
{
    unsigned long long offset = address - region->start;
    char origin[1024], function[256];
    int used;

    switch (region->kind) {
    case REGION_HEAP:
    case REGION_MAPPED:
        describe_origin(n, region->pc, origin, sizeof origin);
        used = snprintf(
            to, room, "%s of %llu bytes %s at %s", region->kind == REGION_HEAP ? "heap block" : "mapped block",
            (unsigned long long)region->length, region->kind == REGION_HEAP ? "allocated" : "mapped", origin);
        if (offset && used > 0 && (size_t)used < room)
            snprintf(to + used, room - (size_t)used, " +%llu", offset);
        break;
    case REGION_STACK:
        describe_origin(n, pc, origin, sizeof origin);
        symbols_function(n->symbols, pc - 1, function, sizeof function);
        snprintf(to, room, "local of %s used at %s", *function ? function : "a function", origin);
        break;
    }
}

void naming_describe(struct naming *n, uint64_t address, uint64_t length, uint64_t pc, char *to, size_t room)
{
    const struct region *region;

    if (symbols_variable(n->symbols, address, length, to, room))
        return;
    region = regions_find(&n->regions, address);
    if (region)
        describe_region(n, region, address, pc, to, room);
    else
        snprintf(to, room, "memory at 0x%llx", (unsigned long long)address);
}

/* Reserved characters of the text format would have to be escaped everywhere names are shown. */
static void make_plain(char *text)
{
    for (; *text; text++)
        if (strchr("|()", *text) || (unsigned char)*text < ' ')
            *text = '_';
}

uint32_t naming_add(struct naming *n, struct names *names, enum name_class class, uint64_t address,
                    uint64_t length, uint64_t pc, const char *prefix)
{
    char text[2048], described[1536];
    uint32_t base, *uses, id;

    naming_describe(n, address, length, pc, described, sizeof described);
    snprintf(text, sizeof text - 16, "%s%s", prefix, described);
    make_plain(text);
    base = names_add(&n->bases[class], text, strlen(text));
    uses = map_at(&n->uses[class], base);
    do {
        size_t plain = strlen(text);
        if (++*uses > 1)
            snprintf(text + plain, sizeof text - plain, " #%u", *uses);
        id = (uint32_t)names_count(names);
        if (names_find(names, text, strlen(text)) == NAME_NONE)
            return names_add(names, text, strlen(text));
        text[plain] = '\0';
    } while (*uses < UINT32_MAX);
    return id;
}

uint32_t naming_place(struct naming *n, struct names *names, uint64_t pc)
{
    uint32_t *known = map_at(&n->places, pc);
    char text[1536];

    if (*known == 0) {
        symbols_place(n->symbols, pc, text, sizeof text);
        make_plain(text);
        *known = names_add(names, text, strlen(text)) + 1;
    }
    return *known - 1;
}
