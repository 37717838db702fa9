/* Names: globals by DWARF, heap blocks by their allocation, locals by their uses. */
#include "record/symbols/naming.h"
#include "base/memory.h"
#include "record/symbols/block_names.h"
#include "runtime/protocol/session.h"
#include "trace/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void naming_init(struct naming *n)
{
    memset(n, 0, sizeof *n);
    n->symbols = symbols_new();
    regions_init(&n->regions);
    names_init(&n->origins);
    names_init(&n->functions_at);
    names_init(&n->labels);
    names_init(&n->way_texts);
    known_parts_init(&n->parts);
    names_init(&n->given_names);
    typed_blocks_init(&n->typed);
}

void naming_free(struct naming *n)
{
    symbols_free(n->symbols);
    regions_free(&n->regions);
    pointers_free(&n->pointers);
    frames_free(&n->frames);
    for (int class = 0; class < NAME_CLASSES; class ++)
        map_free(&n->uses[class]);
    names_free(&n->origins);
    names_free(&n->functions_at);
    names_free(&n->labels);
    names_free(&n->way_texts);
    known_parts_free(&n->parts);
    typed_blocks_free(&n->typed);
    free(n->allocated);
    map_free(&n->allocated_at);
    map_free(&n->typed_alike);
    map_free(&n->objects_alike);
    free(n->ways);
    map_free(&n->label_uses);
    map_free(&n->origin_of);
    map_free(&n->alike);
    map_free(&n->places);
    map_free(&n->starts);
    map_free(&n->began);
    map_free(&n->called);
    names_free(&n->given_names);
    free(n->functions);
}

void naming_start(struct naming *n, uint32_t thread, uint64_t function)
{
    ARRAY_PUSH(n, functions, function);
    *map_at(&n->starts, thread) = (uint32_t)n->functions_count;
}

void naming_began(struct naming *n, uint32_t thread, uint64_t pc)
{
    ARRAY_PUSH(n, functions, pc);
    *map_at(&n->began, thread) = (uint32_t)n->functions_count;
}

void naming_called(struct naming *n, uint32_t thread, const char *name, size_t length)
{
    char plain[64]; /* parentheses mean something else in a trace */
    size_t count = 0;

    for (; count < length && count < sizeof plain; count++)
        plain[count] = name[count];
    for (size_t i = 0; i < count; i++)
        if (plain[i] == '(' || plain[i] == ')')
            plain[i] = plain[i] == '(' ? '[' : ']';
    *map_at(&n->called, thread) = names_add(&n->given_names, plain, count) + 1;
}

bool naming_lacks_start(struct naming *n, uint32_t thread)
{
    uint32_t start = map_get(&n->starts, thread);
    char line[1024] = "";

    if (start == 0 || map_get(&n->began, thread))
        return false;
    if (n->functions[start - 1])
        symbols_line(n->symbols, n->functions[start - 1] + 1, line, sizeof line);
    return *line == '\0' || strncmp(line, "/usr/", 5) == 0;
}

/* The outermost function of the program's own among those that were inlined at the place. An object that is called
 * like a function goes by its class. */
static void place_function(struct naming *n, uint64_t pc, char *to, size_t room)
{
    char place[1536], outer[1536], *operator;
    const char *space;
    uint32_t unused;

    symbols_place(n->symbols, pc, place, sizeof place);
    for (unsigned i = 0; symbols_inlined_call(n->symbols, pc, i, outer, sizeof outer, &unused); i++)
        if (strncmp(outer, "/usr/", 5) != 0)
            snprintf(place, sizeof place, "%s", outer);
    operator= strstr(place, "::operator()");
    if (operator)
        *operator= '\0';
    space = strchr(place, ' ');
    snprintf(to, room, "%s", space ? space + 1 : "");
}

void naming_thread(struct naming *n, uint32_t thread, char *to, size_t room)
{
    uint32_t start = map_get(&n->starts, thread), began = map_get(&n->began, thread),
             called = map_get(&n->called, thread);
    char function[256] = "";

    if (called)
        snprintf(function, sizeof function, "%s", names_text(&n->given_names, called - 1));
    else if (began)
        place_function(n, n->functions[began - 1], function, sizeof function);
    else if (start)
        symbols_function(n->symbols, n->functions[start - 1], function, sizeof function);
    if (thread == 0)
        snprintf(to, room, "main");
    else
        snprintf(to, room, "T%u%s%s", thread, *function ? " " : "", function);
    naming_plain(to);
}

const char *naming_origin(struct naming *n, uint64_t pc)
{
    uint32_t *known = map_at(&n->origin_of, pc);
    char text[1024];

    if (*known == 0) {
        symbols_origin(n->symbols, pc, text, sizeof text);
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
        block->serial = ++*map_at(&n->alike, block->origin ^ block->length << 40);
    used = (size_t)snprintf(to, room, "%s of %llu bytes %s at %.800s", heap ? "heap block" : "mapped block",
                            (unsigned long long)block->length, heap ? "allocated" : "mapped",
                            naming_origin(n, block->origin));
    if (block->serial > 1 && used < room)
        used += (size_t)snprintf(to + used, room - used, " #%u", block->serial);
    if (offset && used < room)
        snprintf(to + used, room - used, " +%llu", (unsigned long long)offset);
}

bool naming_type(struct naming *n, uint64_t address, uint64_t length, bool *atomic)
{
    struct region *block = regions_find(&n->regions, address);
    struct way *way;
    uint64_t offset;

    if (!block)
        return symbols_type(n->symbols, address, length, atomic);
    way = block->kind == REGION_HEAP ? way_to(n, block) : NULL;
    offset = address - block->start;
    return way && type_member_is_atomic(&way->type, way->several ? offset % way->size : offset, length, atomic);
}

/* Whether bytes up to this offset are more than the type behind the pointer has. */
static bool is_beyond(const struct way *way, uint64_t end)
{
    return !way->several && end > way->size;
}

/* "queue->items[3]"; false when no pointer is known to be the block's. */
static bool describe_pointed(struct naming *n, struct region *block, const struct touched *what, char *to,
                             size_t room, struct spelling *spelling)
{
    uint64_t offset = what->address - block->start;
    struct way *way = block->kind == REGION_HEAP ? way_to(n, block) : NULL;
    size_t used;

    if (!way || is_beyond(way, offset + what->length))
        return false;
    used = (size_t)snprintf(to, room, "%s", names_text(&n->way_texts, way->text));
    if (used < room)
        known_pointed(&n->parts, &way->type, way->size, way->several, offset, what->length, to + used,
                      room - used, spelling);
    return true;
}

/* Whether the pointer's type can be that of the object which accesses show in the block. Blocks of one object may be of a class that
 * is derived from it. */
static bool agrees(struct naming *n, struct way *way, struct region *block, const struct touched *what)
{
    struct block_object object;
    uint64_t start;

    if (!block_object_at(n, block, what->address - block->start, what->length, &object) || object.library ||
        block->length < 2 * type_size(&object.type))
        return true;
    start = way->several && way->size ? object.offset % way->size : object.offset;
    return type_may_hold(&way->type, start, &object.type);
}

/* By a pointer to the block, by a type of the program's own, by a type of the library: in this order. A pointer that has a
 * library's type, or another one than accesses show, says least. */
static bool describe_heap(struct naming *n, struct region *block, const struct touched *what, char *to,
                          size_t room, struct spelling *spelling)
{
    struct way *way = block->kind == REGION_HEAP ? way_to(n, block) : NULL;
    bool internal = way && (type_is_library(&way->type) || !agrees(n, way, block, what));

    if (block->kind != REGION_HEAP)
        return false;
    return (!internal && describe_pointed(n, block, what, to, room, spelling)) ||
           block_part(n, block, what, to, room, spelling) ||
           (internal && describe_pointed(n, block, what, to, room, spelling));
}

/* The frame of the function at work, if the place is in it: its variables are those of the block that it is in
 * now. */
static bool frame_at_work(struct naming *n, uint32_t owner, const struct touched *what,
                          struct scope_frame *frame)
{
    uint64_t now = what->thread == owner ? symbols_entry(n->symbols, what->pc - 1) : 0;
    bool any;

    if (!now || ((!frames_after(&n->frames, owner, what->address, frame, &any) ||
                  symbols_entry(n->symbols, frame->pc - 1) != now) &&
                 (!frames_before(&n->frames, owner, what->address, frame, &any) ||
                  symbols_entry(n->symbols, frame->pc - 1) != now)))
        return false;
    frame->pc = what->pc;
    return true;
}

/* A local of a function that called others or left its variable to other threads: certain if the states before
 * and after the present agree on it, or there is but one. */
static bool describe_lent(struct naming *n, uint32_t owner, const struct touched *what, char *to, size_t room,
                          struct spelling *spelling)
{
    struct scope_frame before = {0}, after = {0};
    bool had, has, in_before = frames_before(&n->frames, owner, what->address, &before, &had),
                   in_after = frames_after(&n->frames, owner, what->address, &after, &has);
    char earlier[1024];

    if (had && (!in_before || !symbols_local(n->symbols, &before, what->address, what->length, earlier,
                                             sizeof earlier, spelling)))
        return false;
    if (!has) {
        snprintf(to, room, "%s", had ? earlier : "");
        return had && what->thread != owner;
    }
    return in_after && (!had || before.high == after.high) &&
           symbols_local(n->symbols, &after, what->address, what->length, to, room, spelling) &&
           (!had || strcmp(earlier, to) == 0);
}

static bool is_own_code(struct naming *n, uint64_t pc)
{
    struct source source;
    char place[1536];

    symbols_place(n->symbols, pc, place, sizeof place);
    return !symbols_in_system(n->symbols, pc) && source_parse(place, &source) && !source_is_library(&source);
}

/* A local of the function that the thread began in, which is still at work: its frame stays where it is, and the calls under way say
 * which of its blocks it is in. */
static bool frame_at_bottom(struct naming *n, uint32_t owner, const struct touched *what,
                            struct scope_frame *frame)
{
    uint64_t pc = n->outermost && what->thread == owner ? n->outermost(n->calls, owner, what->pc) : 0, entry;
    struct scope_frame outer;
    bool any;

    if (!pc || !frames_before(&n->frames, owner, what->address, frame, &any))
        return false;
    entry = symbols_entry(n->symbols, pc - 1);
    if (!entry || symbols_entry(n->symbols, frame->pc - 1) != entry)
        return false;
    for (outer = *frame; frames_before(&n->frames, owner, outer.high, &outer, &any);)
        if (is_own_code(n, outer.pc)) /* it is not the outermost: another call of it may be meant */
            return false;
    frame->pc = pc;
    return true;
}

static bool describe_local(struct naming *n, const struct region *stack, const struct touched *what, char *to,
                           size_t room, struct spelling *spelling)
{
    struct scope_frame frame;

    if (frame_at_work(n, stack->thread, what, &frame))
        return symbols_local(n->symbols, &frame, what->address, what->length, to, room, spelling);
    if (frame_at_bottom(n, stack->thread, what, &frame) &&
        symbols_local(n->symbols, &frame, what->address, what->length, to, room, spelling))
        return true;
    return describe_lent(n, stack->thread, what, to, room, spelling);
}

static void describe_region(struct naming *n, struct region *region, const struct touched *what, char *to,
                            size_t room, struct spelling *spelling)
{
    char name[256];

    if (region->kind != REGION_STACK) {
        if (!describe_heap(n, region, what, to, room, spelling))
            describe_block(n, region, what->address - region->start, to, room);
    } else if (describe_local(n, region, what, to, room, spelling)) {
        return;
    } else if (what->thread == region->thread) {
        symbols_function(n->symbols, what->pc - 1, name, sizeof name);
        snprintf(to, room, "local of %s used at %s", *name ? name : "a function", naming_origin(n, what->pc));
    } else {
        naming_thread(n, region->thread, name, sizeof name);
        snprintf(to, room, "stack of %s used at %s", name, naming_origin(n, what->pc));
    }
}

bool naming_local_pointer(struct naming *n, const struct region *stack, uint64_t address, char *to, size_t room,
                          Dwarf_Die *pointed)
{
    struct touched what = {.address = address, .length = 8, .pc = n->asked.pc, .thread = n->asked.thread};
    struct spelling spelling = {0};

    return stack->thread == 0 && n->asked.pc && describe_local(n, stack, &what, to, room, &spelling) &&
           type_pointer_at(&spelling.type, 0, pointed);
}

void naming_describe(struct naming *n, const struct touched *what, char *to, size_t room,
                     struct spelling *spelling)
{
    struct region *region = regions_find(&n->regions, what->address);

    n->asked = *what;
    *spelling = (struct spelling){0};
    if (is_channel(what->address))
        snprintf(to, room, "channel used at %s", naming_origin(n, what->pc));
    else if (region)
        describe_region(n, region, what, to, room, spelling);
    else if (!symbols_variable(n->symbols, what->address, what->length, to, room, spelling))
        snprintf(to, room, "memory at 0x%llx", (unsigned long long)what->address);
}

uint64_t naming_local(struct naming *n, const struct touched *what)
{
    const struct region *region = regions_find(&n->regions, what->address);
    struct spelling unused;
    char text[1024];

    if (!region || region->kind != REGION_STACK || !describe_local(n, region, what, text, sizeof text, &unused))
        return 0;
    return XXH3_64bits(text, strlen(text)) | 1;
}

/* Where the text after a list of parameters begins, which `from` opens; `from` itself when it is not closed. */
static const char *after_parameters(const char *from)
{
    const char *at = from;
    int depth = 0;

    for (; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0)
            return at + 1;
    }
    return from;
}

size_t naming_plain(char *text)
{
    size_t length = 0;

    for (const char *at = text; *at; at++) {
        while (*at == '(' && after_parameters(at) != at)
            at = after_parameters(at);
        if (*at == '\0')
            break;
        text[length] = *at;
        if (*at == '|' || *at == '(' || *at == ')' || (unsigned char)*at < ' ')
            text[length] = '_';
        length++;
    }
    text[length] = '\0';
    return length;
}

size_t naming_plain_place(char *text)
{
    size_t length = 0;

    for (; text[length]; length++)
        if (text[length] == '|' || (unsigned char)text[length] < ' ')
            text[length] = '_';
    return length;
}

/* Adds a text, with a number if there is such a name already. */
static uint32_t add_unique(struct names *names, struct map *uses_of, char *text)
{
    size_t before = names_count(names), plain = naming_plain(text);
    uint32_t id = names_add(names, text, plain), *uses = NULL;
    char numbered[2080];

    while (names_count(names) == before && id != NAME_NONE) {
        if (!uses)
            uses = map_at(uses_of, id);
        int length = snprintf(numbered, sizeof numbered, "%.*s #%u", (int)plain, text, ++*uses + 1);
        id = names_add(names, numbered, (size_t)length);
    }
    return id;
}

/* Whether no pointer leads to the bytes, nor is their type known: all there is to say is where their block came from. */
static bool is_nameless(struct naming *n, struct region *block, const struct touched *what)
{
    struct way *way = block->kind == REGION_HEAP ? way_to(n, block) : NULL;
    uint64_t offset = what->address - block->start;

    return (!way || is_beyond(way, offset + what->length)) &&
           (block->kind != REGION_HEAP || !block_is_typed(n, block, offset, what->length));
}

/* Cells of heap blocks may be millions: the block is described once, and a cell's name is that and its place.
 */
static uint32_t add_cell(struct naming *n, struct names *names, struct region *block, uint64_t address)
{
    char text[2048], *at = text + sizeof text;
    size_t length;

    if (block->label == 0) {
        describe_block(n, block, 0, text, sizeof text / 2);
        block->label = add_unique(&n->labels, &n->label_uses, text) + 1;
    }
    for (uint64_t rest = address - block->start; rest > 0; rest /= 10)
        *--at = (char)('0' + rest % 10);
    if (address != block->start) {
        *--at = '+';
        *--at = ' ';
    }
    length = names_length(&n->labels, block->label - 1);
    at = memcpy(at - length, names_text(&n->labels, block->label - 1), length);
    return names_append(names, at, (size_t)(text + sizeof text - at));
}

uint32_t naming_add(struct naming *n, struct names *names, enum name_class class, const struct touched *what,
                    const char *prefix, struct spelling *spelling)
{
    struct region *region = class == NAME_VARIABLE ? regions_find(&n->regions, what->address) : NULL;
    char text[2048];
    size_t used;

    n->asked = *what;
    if (region && region->kind != REGION_STACK && is_nameless(n, region, what)) {
        *spelling = (struct spelling){0};
        return add_cell(n, names, region, what->address);
    }
    used = (size_t)snprintf(text, sizeof text / 2, "%s", prefix);
    naming_describe(n, what, text + used, sizeof text - used - 16, spelling);
    return add_unique(names, &n->uses[class], text);
}

void naming_note_function(struct names *functions, const char *place, uint32_t line)
{
    struct source source;
    char text[1600];

    if (line == 0 || !source_parse(place, &source) || !*source.function || line > source.line)
        return;
    int length =
        snprintf(text, sizeof text, "%.*s:%u %s", (int)source.file_length, source.file, line, source.function);
    if ((size_t)length < sizeof text)
        names_add(functions, text, (size_t)length);
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
        *known = names_add(names, text, naming_plain_place(text)) + 1;
        naming_note_function(&n->functions_at, text, symbols_first_line(n->symbols, pc));
    }
    n->recent[slot].pc = pc;
    n->recent[slot].id = *known - 1;
    return *known - 1;
}
