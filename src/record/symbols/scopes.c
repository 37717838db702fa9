/* Functions by address: a table for each unit that was asked for, then down into what was inlined. */
#include "record/symbols/scopes.h"
#include "base/memory.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>

/* A stretch of code and its function, which may have several. */
struct stretch {
    uint64_t low, high;
    Dwarf_Die function;
};

struct unit {
    const void *address; /* of its entry: tells units apart */
    struct stretch *stretches;
    size_t stretches_count, stretches_capacity;
};

struct scopes {
    struct unit *units;
    size_t units_count, units_capacity;
};

struct chain {
    bool blocks;       /* wanted, too */
    Dwarf_Die *scopes; /* from the outside */
    size_t scopes_count, scopes_capacity;
};

struct scopes *scopes_new(void)
{
    return memory_new(1, sizeof(struct scopes));
}

void scopes_free(struct scopes *s)
{
    for (size_t i = 0; i < s->units_count; i++)
        free(s->units[i].stretches);
    free(s->units);
    free(s);
}

static void add_function(struct unit *unit, Dwarf_Die *function)
{
    struct stretch stretch = {.function = *function};
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;

    while ((at = dwarf_ranges(function, at, &base, &low, &high)) > 0) {
        stretch.low = low;
        stretch.high = high;
        ARRAY_PUSH(unit, stretches, stretch);
    }
}

/* Functions are defined in units, namespaces and classes; in C++ also in classes within functions, as lambdas are. */
static void add_functions(struct unit *unit, Dwarf_Die *parent, bool cxx)
{
    Dwarf_Die die;

    if (dwarf_child(parent, &die) != 0)
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_subprogram:
            add_function(unit, &die);
            if (cxx)
                add_functions(unit, &die, cxx);
            break;
        case DW_TAG_lexical_block:
        case DW_TAG_namespace:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
            add_functions(unit, &die, cxx);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

static const struct unit *unit_of(struct scopes *s, Dwarf_Die *die)
{
    struct unit new = {.address = die->addr};

    for (size_t i = 0; i < s->units_count; i++)
        if (s->units[i].address == die->addr)
            return &s->units[i];
    int language = dwarf_srclang(die);
    add_functions(&new, die,
                  language != DW_LANG_C && language != DW_LANG_C89 && language != DW_LANG_C99 &&
                      language != DW_LANG_C11);
    ARRAY_PUSH(s, units, new);
    return &s->units[s->units_count - 1];
}

static bool is_function(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);

    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

static bool may_hold_code(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);

    return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
           tag == DW_TAG_catch_block;
}

/* The function or block, and of those in it the one that holds the address, and so on. */
static void descend(struct chain *chain, Dwarf_Die die, uint64_t pc)
{
    for (bool found = true; found;) {
        Dwarf_Die child;
        if (chain->blocks || is_function(&die))
            ARRAY_PUSH(chain, scopes, die);
        found = dwarf_child(&die, &child) == 0;
        while (found && !(may_hold_code(&child) && dwarf_haspc(&child, pc) == 1))
            found = dwarf_siblingof(&child, &child) == 0;
        if (found)
            die = child;
    }
}

/* libdw's way, for functions within functions: what is around an entry. dwarf_getscopes goes on from an inlined function to what is
 * around its definition, so its parents in the code are asked for. */
static void search(struct chain *chain, Dwarf_Die *unit, uint64_t pc)
{
    Dwarf_Die *scopes = NULL, *around = NULL;
    int count = dwarf_getscopes(unit, pc, &scopes), at = 0, around_count = 0;

    while (at < count && !chain->blocks && !is_function(&scopes[at]))
        at++;
    if (at < count)
        around_count = dwarf_getscopes_die(&scopes[at], &around);
    while (around_count-- > 0)
        if (chain->blocks || is_function(&around[around_count]))
            ARRAY_PUSH(chain, scopes, around[around_count]);
    free(scopes);
    free(around);
}

static int around(struct scopes *s, Dwarf_Die *unit, uint64_t pc, bool blocks, Dwarf_Die **scopes)
{
    const struct unit *u = unit_of(s, unit);
    struct chain chain = {.blocks = blocks};

    for (size_t i = 0; i < u->stretches_count && chain.scopes_count == 0; i++)
        if (pc >= u->stretches[i].low && pc < u->stretches[i].high)
            descend(&chain, u->stretches[i].function, pc);
    if (chain.scopes_count == 0)
        search(&chain, unit, pc);
    for (size_t i = 0; i < chain.scopes_count / 2; i++) {
        Dwarf_Die outer = chain.scopes[i];
        chain.scopes[i] = chain.scopes[chain.scopes_count - 1 - i];
        chain.scopes[chain.scopes_count - 1 - i] = outer;
    }
    *scopes = chain.scopes;
    return (int)chain.scopes_count;
}

int scopes_around(struct scopes *s, Dwarf_Die *unit, uint64_t pc, Dwarf_Die **functions)
{
    return around(s, unit, pc, false, functions);
}

int scopes_and_blocks(struct scopes *s, Dwarf_Die *unit, uint64_t pc, Dwarf_Die **scopes)
{
    return around(s, unit, pc, true, scopes);
}
