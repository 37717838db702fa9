/* Global variables: a table by address for each module, made when first asked for; parts by walking the type.
 */
#include "record/globals.h"
#include "base/memory.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct global {
    uint64_t start, size;
    Dwarf_Die die;
};

struct table {
    Dwfl_Module *module;
    struct global *globals;
    size_t globals_count, globals_capacity;
};

struct globals {
    struct table *tables;
    size_t tables_count, tables_capacity;
};

struct globals *globals_new(void)
{
    return memory_new(1, sizeof(struct globals));
}

void globals_free(struct globals *g)
{
    for (size_t i = 0; i < g->tables_count; i++)
        free(g->tables[i].globals);
    free(g->tables);
    free(g);
}

/* The type behind typedefs and qualifiers; false when there is none. */
static bool plain_type(Dwarf_Die *of, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Die found;

    if (!dwarf_attr_integrate(of, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &found))
        return false;
    return dwarf_peel_type(&found, type) == 0;
}

/* Where a variable lives, when it lives at a fixed place. */
static bool fixed_address(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;

    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1 || ops[0].atom != DW_OP_addr)
        return false;
    *address = ops[0].number;
    return true;
}

static void add_variable(struct table *table, Dwarf_Die *die, Dwarf_Addr bias)
{
    struct global g = {.die = *die};
    Dwarf_Word size = 0;
    Dwarf_Die type;

    if (!fixed_address(die, &g.start))
        return;
    if (plain_type(die, &type) && dwarf_aggregate_size(&type, &size) == 0)
        g.size = size;
    g.start += bias;
    ARRAY_PUSH(table, globals, g);
}

/* Variables of a scope and of the scopes in it; types hold none that we want but static members. */
static void collect(struct table *table, Dwarf_Die *scope, Dwarf_Addr bias, int depth)
{
    Dwarf_Die die;

    if (depth > 16 || dwarf_child(scope, &die) != 0)
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
            add_variable(table, &die, bias);
            break;
        case DW_TAG_namespace:
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
        case DW_TAG_inlined_subroutine:
            collect(table, &die, bias, depth + 1);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int by_start(const void *a, const void *b)
{
    const struct global *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

static struct table *table_of(struct globals *g, Dwfl_Module *module)
{
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;

    for (size_t i = 0; i < g->tables_count; i++)
        if (g->tables[i].module == module)
            return &g->tables[i];
    ARRAY_PUSH(g, tables, (struct table){.module = module});
    struct table *table = &g->tables[g->tables_count - 1];
    while ((unit = dwfl_module_nextcu(module, unit, &bias)))
        collect(table, unit, bias, 0);
    if (table->globals_count)
        qsort(table->globals, table->globals_count, sizeof *table->globals, by_start);
    return table;
}

static const struct global *find(const struct table *table, uint64_t address)
{
    size_t low = 0, high = table->globals_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table->globals[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const struct global *g = &table->globals[low - 1];
    return address - g->start < (g->size ? g->size : 1) ? g : NULL;
}

struct text {
    char *to;
    size_t room;
};

static void add_text(struct text *text, const char *format, const char *name, unsigned long long number)
{
    int length =
        name ? snprintf(text->to, text->room, format, name) : snprintf(text->to, text->room, format, number);
    size_t used = length < 0 ? 0 : (size_t)length < text->room ? (size_t)length : text->room - 1;

    text->to += used;
    text->room -= used;
}

/* The member of a structure that holds the byte at `*offset`, which becomes relative to it. */
static bool find_member(Dwarf_Die *structure, uint64_t *offset, uint64_t length, Dwarf_Die *member)
{
    Dwarf_Die die, type;

    if (dwarf_child(structure, &die) != 0)
        return false;
    do {
        Dwarf_Attribute attribute;
        Dwarf_Word start = 0, size = 0;
        if (dwarf_tag(&die) != DW_TAG_member && dwarf_tag(&die) != DW_TAG_inheritance)
            continue;
        if (dwarf_attr(&die, DW_AT_data_member_location, &attribute))
            dwarf_formudata(&attribute, &start);
        if (!plain_type(&die, &type) || dwarf_aggregate_size(&type, &size) != 0)
            continue;
        if (*offset >= start && *offset - start < size && *offset - start + length <= size) {
            *offset -= start;
            *member = die;
            return true;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* Goes down one level; false at the bottom. Internals of library types begin with an underscore: not shown. */
static bool descend(Dwarf_Die *type, uint64_t *offset, uint64_t length, struct text *text)
{
    Dwarf_Die member, element;
    Dwarf_Word size = 0;
    const char *name;

    switch (dwarf_tag(type)) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        if (!find_member(type, offset, length, &member))
            return false;
        name = dwarf_diename(&member);
        if (name && *name == '_')
            return false;
        if (name && dwarf_tag(&member) == DW_TAG_member)
            add_text(text, ".%s", name, 0);
        return plain_type(&member, type);
    case DW_TAG_array_type:
        if (!plain_type(type, &element) || dwarf_aggregate_size(&element, &size) != 0 || size == 0 ||
            length > size)
            return false;
        add_text(text, "[%llu]", NULL, *offset / size);
        *offset %= size;
        *type = element;
        return true;
    default:
        return false;
    }
}

bool globals_name(struct globals *g, Dwfl_Module *module, uint64_t address, uint64_t length, char *to,
                  size_t room)
{
    const struct global *global = find(table_of(g, module), address);
    struct text text = {to, room};
    Dwarf_Die die, type;
    const char *name;
    uint64_t offset;

    if (!global)
        return false;
    die = global->die;
    name = dwarf_diename(&die);
    if (!name)
        return false;
    offset = address - global->start;
    add_text(&text, "%s", name, 0);
    if (plain_type(&die, &type))
        while (descend(&type, &offset, length ? length : 1, &text))
            ;
    if (offset && length)
        add_text(&text, "+%llu", NULL, offset);
    return true;
}

/* C's _Atomic is a qualifier in DWARF, C++'s a class. */
static bool is_atomic_type(Dwarf_Die *of)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type = *of, next;

    for (int depth = 0; depth < 16; depth++) {
        const char *name = dwarf_diename(&type);
        int tag = dwarf_tag(&type);
        if (tag == DW_TAG_atomic_type ||
            (name && (strncmp(name, "atomic<", 7) == 0 || strncmp(name, "__atomic_", 9) == 0 ||
                      strncmp(name, "atomic_", 7) == 0)))
            return true;
        if ((tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type) ||
            !dwarf_attr_integrate(&type, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &next))
            return false;
        type = next;
    }
    return false;
}

/* The type of a variable, member or array element as it was written. */
static bool written_type(Dwarf_Die *of, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;

    return dwarf_attr_integrate(of, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

bool globals_type(struct globals *g, Dwfl_Module *module, uint64_t address, uint64_t length, bool *atomic)
{
    const struct global *global = find(table_of(g, module), address);
    Dwarf_Die holder, written, type;
    uint64_t offset;

    *atomic = false;
    if (!global)
        return false;
    holder = global->die;
    offset = address - global->start;
    while (written_type(&holder, &written)) {
        Dwarf_Word size = 0;
        *atomic = is_atomic_type(&written);
        if (*atomic || dwarf_peel_type(&written, &type) != 0)
            break;
        if (dwarf_tag(&type) == DW_TAG_array_type) {
            Dwarf_Die element;
            if (!plain_type(&type, &element) || dwarf_aggregate_size(&element, &size) != 0 || size == 0)
                break;
            offset %= size;
            holder = type;
        } else if (!find_member(&type, &offset, length, &holder)) {
            break;
        }
    }
    return true;
}
