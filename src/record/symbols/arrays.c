/* Arrays from DWARF. A program may share millions of elements, so what an array's type says is found out once, and the name of an
 * element costs no more than its digits. */
#include "record/symbols/arrays.h"

#include <dwarf.h>
#include <string.h>

/* How many elements an array has along each of its dimensions, up to ARRAY_DIMENSIONS; 0: it does not say. */
static size_t dimensions_of(Dwarf_Die *array, uint64_t counts[ARRAY_DIMENSIONS])
{
    Dwarf_Die die;
    size_t found = 0;

    if (dwarf_child(array, &die) != 0)
        return 0;
    do {
        Dwarf_Attribute attribute;
        Dwarf_Word value = 0;
        if (dwarf_tag(&die) != DW_TAG_subrange_type || found == ARRAY_DIMENSIONS)
            continue;
        if (dwarf_attr(&die, DW_AT_count, &attribute) && dwarf_formudata(&attribute, &value) == 0)
            counts[found] = value;
        else if (dwarf_attr(&die, DW_AT_upper_bound, &attribute) && dwarf_formudata(&attribute, &value) == 0)
            counts[found] = value + 1;
        else
            counts[found] = 0;
        found++;
    } while (dwarf_siblingof(&die, &die) == 0);
    return found;
}

static bool has_parts(Dwarf_Die *type)
{
    return type_is_structure(type) || dwarf_tag(type) == DW_TAG_array_type;
}

struct type_array type_array_of(Dwarf_Die *type)
{
    uint64_t counts[ARRAY_DIMENSIONS], within = 1;
    struct type_array array = {.size = 0};
    size_t dimensions;

    if (dwarf_tag(type) != DW_TAG_array_type || !type_of(type, &array.element))
        return array;
    array.size = type_size(&array.element);
    dimensions = dimensions_of(type, counts);
    array.dimensions = dimensions > 0 ? dimensions - 1 : 0;
    for (size_t i = array.dimensions; i > 0; i--)
        array.within[i - 1] = within *= counts[i];
    if (within == 0) /* a size that only the running program knows */
        array.dimensions = 0;
    array.plain = !has_parts(&array.element);
    if (array.plain)
        array.spelling = type_spelling(&array.element, array.size);
    return array;
}

static char *put_number(char *end, uint64_t number)
{
    do
        *--end = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return end;
}

size_t type_array_index(const struct type_array *array, uint64_t number, char *to, size_t room)
{
    char text[ARRAY_DIMENSIONS * 24], digits[24];
    size_t used = 0;

    for (size_t i = 0; i <= array->dimensions; i++) {
        uint64_t within = i < array->dimensions ? array->within[i] : 1;
        char *end = digits + sizeof digits, *first = put_number(end, number / within);
        text[used++] = '[';
        memcpy(text + used, first, (size_t)(end - first));
        used += (size_t)(end - first);
        text[used++] = ']';
        number %= within;
    }
    if (room == 0)
        return 0;
    used = used < room ? used : room - 1;
    memcpy(to, text, used);
    to[used] = '\0';
    return used;
}
