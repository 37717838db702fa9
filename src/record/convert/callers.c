/* Paths of calls become stacks of a trace. */
#include "record/convert/callers.h"
#include "base/memory.h"
#include "record/symbols/naming.h"

#include <stdlib.h>
#include <string.h>

enum { RECENT = 4096 };

void callers_init(struct callers *c)
{
    c->stacks = stacks_new();
    c->recent = memory_new(RECENT, sizeof *c->recent);
}

void callers_free(struct callers *c)
{
    stacks_free(c->stacks);
    free(c->paths);
    free(c->now);
    map_free(&c->chains);
    free(c->chain);
    free(c->recent);
}

void callers_add(struct callers *c, uint64_t number, uint64_t pc, uint64_t rest)
{
    if (number != c->paths_count + 1 || rest >= number || number >= UINT32_MAX)
        return; /* its events have no stack */
    ARRAY_PUSH(c, paths, (struct caller_path){.pc = pc, .rest = (uint32_t)rest});
}

void callers_enter(struct callers *c, uint32_t thread, uint64_t path)
{
    while (c->now_count <= thread)
        ARRAY_PUSH(c, now, 0);
    c->now[thread] = path <= c->paths_count ? (uint32_t)path : 0;
}

static bool is_system(const char *place)
{
    return strncmp(place, "/usr/include/", 13) == 0 || strncmp(place, "/usr/lib/", 9) == 0;
}

/* Heddle's own OpenMP library is built to say so (runtime/CMakeLists.txt). */
static bool is_own_library(const char *place)
{
    return strncmp(place, "/usr/lib/heddle/", 16) == 0;
}

static void note_begin(struct callers *c, const char *place, uint32_t line)
{
    if (c->functions)
        naming_note_function(c->functions, place, line);
}

/* The calls of functions that were inlined at the instruction before `pc`, as a list in `chain`. */
static size_t chain_of(struct callers *c, struct symbols *symbols, uint64_t pc)
{
    uint32_t *known = map_at(&c->chains, pc), first = 0;
    char text[1536];

    if (*known)
        return *known - 1;
    *known = (uint32_t)c->chain_count + 1;
    for (unsigned i = 0; symbols_inlined_call(symbols, pc, i, text, sizeof text, &first); i++)
        if (!is_system(text)) {
            ARRAY_PUSH(c, chain, names_add(&c->stacks->places, text, naming_plain_place(text)));
            note_begin(c, text, first);
        }
    ARRAY_PUSH(c, chain, NAME_NONE);
    return *known - 1;
}

static stack_id add_chain(struct callers *c, struct symbols *symbols, uint64_t pc, stack_id stack)
{
    size_t first = chain_of(c, symbols, pc), last = first;

    while (c->chain[last] != NAME_NONE)
        last++;
    while (last > first)
        stack = stacks_call(c->stacks, c->chain[--last], stack);
    return stack;
}

/* Whether it is known what called the function that is under way at the instruction before `pc`. */
static bool is_known_around(const struct callers *c, struct symbols *symbols, uint64_t pc)
{
    return !c->by_frame_pointer || symbols_keeps_frame(symbols, pc);
}

/* Functions called by the program's startup code have no caller to show. */
static bool is_entry(const struct caller_path *path, const char *place)
{
    size_t length = strlen(place);

    return path->rest == 0 && length > 7 && strcmp(place + length - 7, " _start") == 0;
}

static stack_id add_call(struct callers *c, struct symbols *symbols, const struct caller_path *path,
                         stack_id stack)
{
    char text[1536];

    symbols_place(symbols, path->pc, text, sizeof text);
    if (is_entry(path, text))
        return STACK_NONE;
    if (!is_known_around(c, symbols, path->pc))
        stack = STACK_NONE;
    stack = add_chain(c, symbols, path->pc, stack);
    if (is_system(text))
        return stack;
    stack = stacks_add(c->stacks, text, naming_plain_place(text), stack);
    note_begin(c, text, symbols_first_line(symbols, path->pc));
    return stack;
}

static stack_id stack_of(struct callers *c, struct symbols *symbols, uint32_t number)
{
    struct {
        uint32_t *paths;
        size_t paths_count, paths_capacity;
    } wanted = {0};
    stack_id stack = STACK_NONE;

    for (; number && !c->paths[number - 1].known; number = c->paths[number - 1].rest)
        ARRAY_PUSH(&wanted, paths, number);
    if (number)
        stack = c->paths[number - 1].stack;
    while (wanted.paths_count > 0) {
        struct caller_path *path = &c->paths[wanted.paths[--wanted.paths_count] - 1];
        stack = path->stack = add_call(c, symbols, path, stack);
        path->known = true;
    }
    free(wanted.paths);
    return stack;
}

uint32_t callers_path(const struct callers *c, uint32_t thread)
{
    return thread < c->now_count ? c->now[thread] : 0;
}

uint64_t callers_own(struct callers *c, struct symbols *symbols, uint32_t thread, uint64_t pc)
{
    uint32_t path = callers_path(c, thread);
    uint64_t at = pc;
    char text[1536];

    for (;;) {
        symbols_place(symbols, at, text, sizeof text);
        if (!is_system(text))
            return at;
        if (!path || !is_known_around(c, symbols, at))
            return pc;
        at = c->paths[path - 1].pc;
        path = c->paths[path - 1].rest;
    }
}

uint64_t callers_first(struct callers *c, struct symbols *symbols, uint32_t thread, uint64_t pc)
{
    uint32_t path = callers_path(c, thread);
    uint64_t first = pc, at = pc;
    char text[1536];

    while (path && is_known_around(c, symbols, at)) {
        at = c->paths[path - 1].pc;
        path = c->paths[path - 1].rest;
        symbols_place(symbols, at, text, sizeof text);
        if (!is_system(text) || is_own_library(text)) /* a worker is no part of the first region that it runs */
            first = at;
    }
    return first;
}

stack_id callers_of(struct callers *c, struct symbols *symbols, uint32_t thread, uint64_t pc)
{
    uint32_t path = callers_path(c, thread);
    struct caller_recent *r = &c->recent[(pc ^ pc >> 12 ^ path * 0x9e3779b1u) % RECENT];

    if (r->pc != pc || r->path != path) {
        stack_id around = is_known_around(c, symbols, pc) ? stack_of(c, symbols, path) : STACK_NONE;
        *r = (struct caller_recent){pc, path, add_chain(c, symbols, pc, around)};
    }
    return r->stack;
}
