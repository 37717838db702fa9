/* Names: globals by DWARF, heap blocks by who allocated them, locals by who uses them. */
#include "record/naming.h"
#include "base/memory.h"
#include "trace/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void naming_init(struct naming *n)
{
    memset(n, 0, sizeof *n);
    n->symbols = symbols_new();
    regions_init(&n->regions);
    names_init(&n->origins);
    names_init(&n->functions_at);
}

void naming_free(struct naming *n)
{
    symbols_free(n->symbols);
    regions_free(&n->regions);
    for (int class = 0; class < NAME_CLASSES; class ++)
        map_free(&n->uses[class]);
    names_free(&n->origins);
    names_free(&n->functions_at);
    map_free(&n->origin_of);
    map_free(&n->blocks);
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
static const char *describe_origin(struct naming *n, uint64_t pc)
{
    uint32_t *known = map_at(&n->origin_of, pc);
    char text[1024];

    if (*known == 0) {
        symbols_line(n->symbols, pc, text, sizeof text);
        if (*text == '\0')
            symbols_place(n->symbols, pc, text, sizeof text);
        *known = names_add(&n->origins, text, strlen(text)) + 1;
    }
    return names_text(&n->origins, *known - 1);
}

/* "heap block of 64 bytes allocated at queue.c:41 #2 +8": the second of that place and length. */
static void describe_block(struct naming *n, struct region *block, uint64_t offset, char *to, size_t room)
{
    bool heap = block->kind == REGION_HEAP;
    size_t used;

    if (block->serial == 0)
        block->serial = ++*map_at(&n->blocks, block->pc ^ block->length << 40);
    used = (size_t)snprintf(to, room, "%s of %llu bytes %s at %.800s", heap ? "heap block" : "mapped block",
                            (unsigned long long)block->length, heap ? "allocated" : "mapped",
                            describe_origin(n, block->pc));
    if (block->serial > 1 && used < room)
        used += (size_t)snprintf(to + used, room - used, " #%u", block->serial);
    if (offset && used < room)
        snprintf(to + used, room - used, " +%llu", (unsigned long long)offset);
}

static void describe_region(struct naming *n, struct region *region, uint64_t address, uint64_t pc, char *to,
                            size_t room)
{
    char function[256];

    if (region->kind != REGION_STACK) {
        describe_block(n, region, address - region->start, to, room);
        return;
    }
    symbols_function(n->symbols, pc - 1, function, sizeof function);
    snprintf(to, room, "local of %s used at %s", *function ? function : "a function", describe_origin(n, pc));
}

void naming_describe(struct naming *n, uint64_t address, uint64_t length, uint64_t pc, char *to, size_t room)
{
    struct region *region = regions_find(&n->regions, address);

    if (region)
        describe_region(n, region, address, pc, to, room);
    else if (!symbols_variable(n->symbols, address, length, to, room))
        snprintf(to, room, "memory at 0x%llx", (unsigned long long)address);
}

/* Reserved characters of the text format would have to be escaped everywhere names are shown. */
static size_t make_plain(char *text)
{
    size_t length = 0;

    for (; text[length]; length++)
        if (text[length] == '|' || text[length] == '(' || text[length] == ')' ||
            (unsigned char)text[length] < ' ')
            text[length] = '_';
    return length;
}

uint32_t naming_add(struct naming *n, struct names *names, enum name_class class, uint64_t address,
                    uint64_t length, uint64_t pc, const char *prefix)
{
    char text[2048];
    size_t before = names_count(names), used, plain;
    uint32_t id;

    used = (size_t)snprintf(text, sizeof text / 2, "%s", prefix);
    naming_describe(n, address, length, pc, text + used, sizeof text - used - 16);
    plain = make_plain(text);
    id = names_add(names, text, plain);
    for (uint32_t *uses = NULL; names_count(names) == before && id != NAME_NONE;) {
        if (!uses)
            uses = map_at(&n->uses[class], id);
        int more = snprintf(text + plain, sizeof text - plain, " #%u", ++*uses + 1);
        id = names_add(names, text, plain + (size_t)more);
    }
    return id;
}

/* Notes where the function of a place begins. */
static void note_function(struct naming *n, uint64_t pc, const char *place)
{
    uint32_t line = symbols_first_line(n->symbols, pc);
    struct source source;
    char text[1600];

    if (line == 0 || !source_parse(place, &source) || !*source.function || line > source.line)
        return;
    int length =
        snprintf(text, sizeof text, "%.*s:%u %s", (int)source.file_length, source.file, line, source.function);
    if ((size_t)length < sizeof text)
        names_add(&n->functions_at, text, (size_t)length);
}

uint32_t naming_place(struct naming *n, struct names *names, uint64_t pc)
{
    size_t slot = (pc ^ pc >> 10) % PLACES_RECENT;
    uint32_t *known;
    char text[1536];

    if (n->recent[slot].pc == pc && pc)
        return n->recent[slot].id;
    known = map_at(&n->places, pc);
    if (*known == 0) {
        symbols_place(n->symbols, pc, text, sizeof text);
        *known = names_add(names, text, make_plain(text)) + 1;
        note_function(n, pc, text);
    }
    n->recent[slot].pc = pc;
    n->recent[slot].id = *known - 1;
    return *known - 1;
}
