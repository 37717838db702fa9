/* Global variables: a table by address for each module, made when first asked for; parts by walking the type.
 */
#include "record/symbols/globals.h"
#include "base/memory.h"
#include "record/symbols/arrays.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

struct global {
    uint64_t start, size;
    Dwarf_Die die;
    struct type_array *array; /* once an element was asked for, if elements have no parts; or NULL */
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
    for (size_t i = 0; i < g->tables_count; i++) {
        for (size_t k = 0; k < g->tables[i].globals_count; k++)
            free(g->tables[i].globals[k].array);
        free(g->tables[i].globals);
    }
    free(g->tables);
    free(g);
}

/* Where a variable lives, when it lives at a fixed place. */
static bool fixed_address(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute attribute, indirect;
    Dwarf_Op *ops;
    size_t count;

    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1)
        return false;
    if (ops[0].atom == DW_OP_addrx) /* clang: in a table */
        return dwarf_getlocation_attr(&attribute, ops, &indirect) == 0 &&
               dwarf_formaddr(&indirect, address) == 0;
    *address = ops[0].number;
    return ops[0].atom == DW_OP_addr;
}

static void add_variable(struct table *table, Dwarf_Die *die, Dwarf_Addr bias)
{
    struct global g = {.die = *die};
    Dwarf_Die type;

    if (!fixed_address(die, &g.start))
        return;
    if (type_of(die, &type))
        g.size = type_size(&type);
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

static struct global *find(const struct table *table, uint64_t address)
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
    struct global *g = &table->globals[low - 1];
    return address - g->start < (g->size ? g->size : 1) ? g : NULL;
}

/* Whether the bytes are a whole element of an array that was asked for before; appends which. */
static bool name_element(struct global *global, uint64_t offset, uint64_t length, char *to, size_t room,
                         struct spelling *spelling)
{
    const struct type_array *array = global->array;

    if (!array || offset % array->size != 0 || length != array->size)
        return false;
    type_array_index(array, offset / array->size, to, room);
    *spelling = array->spelling;
    return true;
}

static void keep_array(struct global *global, Dwarf_Die *type)
{
    struct type_array array = type_array_of(type);

    if (!array.plain || array.size == 0 || global->array)
        return;
    global->array = memory_new(1, sizeof array);
    *global->array = array;
}

bool globals_name(struct globals *g, Dwfl_Module *module, uint64_t address, uint64_t length, char *to,
                  size_t room, struct spelling *spelling)
{
    struct global *global = find(table_of(g, module), address);
    const char *name = global ? dwarf_diename(&global->die) : NULL;
    uint64_t offset;
    Dwarf_Die type;
    size_t used;

    if (!name)
        return false;
    offset = address - global->start;
    used = strlen(name) < room ? strlen(name) : room - 1;
    memcpy(to, name, used);
    to[used] = '\0';
    if (name_element(global, offset, length, to + used, room - used, spelling) || !type_of(&global->die, &type))
        return true;
    type_part(&type, offset, length, to + used, room - used, spelling);
    keep_array(global, &type);
    return true;
}

bool globals_pointer(struct globals *g, Dwfl_Module *module, uint64_t address, Dwarf_Die *pointed)
{
    const struct global *global = find(table_of(g, module), address);
    Dwarf_Die die, type;

    if (!global)
        return false;
    die = global->die;
    return type_of(&die, &type) && type_pointer_at(&type, address - global->start, pointed);
}

bool globals_type(struct globals *g, Dwfl_Module *module, uint64_t address, uint64_t length, bool *atomic)
{
    const struct global *global = find(table_of(g, module), address);
    Dwarf_Die die;

    if (!global)
        return false;
    die = global->die;
    *atomic = type_is_atomic(&die, address - global->start, length);
    return true;
}
