/* Types from DWARF: walking down to the part that some bytes are. */
#include "record/symbols/arrays.h"

#include <assert.h>
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

bool type_of(Dwarf_Die *of, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Die found;

    if (!dwarf_attr_integrate(of, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &found))
        return false;
    return dwarf_peel_type(&found, type) == 0;
}

uint64_t type_size(Dwarf_Die *type)
{
    Dwarf_Word size = 0;

    return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

bool type_is_c(Dwarf_Die *type)
{
    Dwarf_Die unit;
    int language = dwarf_diecu(type, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;

    return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
           language == DW_LANG_C11;
}

bool type_repeats(Dwarf_Die *type)
{
    Dwarf_Die die, member;

    if (dwarf_tag(type) != DW_TAG_structure_type && dwarf_tag(type) != DW_TAG_class_type &&
        dwarf_tag(type) != DW_TAG_union_type)
        return true;
    if (!type_is_c(type))
        return false;
    if (dwarf_child(type, &die) != 0)
        return true;
    do
        if (dwarf_tag(&die) == DW_TAG_member && type_of(&die, &member) &&
            dwarf_tag(&member) == DW_TAG_array_type && type_size(&member) == 0)
            return false;
    while (dwarf_siblingof(&die, &die) == 0);
    return true;
}

struct type_text {
    char *to;
    size_t room;
};

static void pass_over(struct type_text *text, int length)
{
    size_t used = length < 0 ? 0 : (size_t)length < text->room ? (size_t)length : text->room - 1;

    text->to += used;
    text->room -= used;
}

static void add_text(struct type_text *text, const char *name)
{
    pass_over(text, snprintf(text->to, text->room, "%s", name));
}

/* The member of a structure that holds the byte at `*offset`, which becomes relative to it. Where several do,
 * in a union, nobody knows which one is meant. */
static bool find_member(Dwarf_Die *structure, uint64_t *offset, uint64_t length, Dwarf_Die *member)
{
    Dwarf_Die die, type;
    uint64_t inside = 0;
    int found = 0;

    if (dwarf_child(structure, &die) != 0)
        return false;
    do {
        Dwarf_Attribute attribute;
        Dwarf_Word start = 0, size;
        if (dwarf_tag(&die) != DW_TAG_member && dwarf_tag(&die) != DW_TAG_inheritance)
            continue;
        if (dwarf_attr(&die, DW_AT_data_member_location, &attribute))
            dwarf_formudata(&attribute, &start);
        if (!type_of(&die, &type) || (size = type_size(&type)) == 0)
            continue;
        if (*offset >= start && *offset - start < size && *offset - start + length <= size) {
            inside = *offset - start;
            *member = die;
            found++;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    if (found == 1)
        *offset = inside;
    return found == 1;
}

static bool is_union(Dwarf_Die *type)
{
    return dwarf_tag(type) == DW_TAG_union_type;
}

static bool has_one_member(Dwarf_Die *structure)
{
    Dwarf_Die die;
    int count = 0;

    if (dwarf_child(structure, &die) != 0)
        return false;
    do {
        count += dwarf_tag(&die) == DW_TAG_member && dwarf_hasattr(&die, DW_AT_data_member_location);
    } while (dwarf_siblingof(&die, &die) == 0);
    return count == 1;
}

/* What memory that the C++ library sets aside for an object of some type holds: "__aligned_membuf<T>". */
static bool stored_in(Dwarf_Die *buffer, Dwarf_Die *type)
{
    const char *name = dwarf_diename(buffer);
    Dwarf_Die die;

    if (!name || (strncmp(name, "__aligned_membuf<", 17) != 0 && strncmp(name, "__aligned_buffer<", 17) != 0) ||
        dwarf_child(buffer, &die) != 0)
        return false;
    do
        if (dwarf_tag(&die) == DW_TAG_template_type_parameter)
            return type_of(&die, type);
    while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* Goes down one level; false at the bottom. Internals of library types begin with an underscore: not shown
 * where they are all there is. */
static bool descend(Dwarf_Die *type, uint64_t *offset, uint64_t length, const char *dot, struct type_text *text)
{
    Dwarf_Die member, element;
    struct type_array array;
    const char *name;

    switch (dwarf_tag(type)) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        if (stored_in(type, &element)) {
            *type = element;
            return true;
        }
        if (!find_member(type, offset, length, &member))
            return false;
        name = dwarf_diename(&member);
        if (name && dwarf_tag(&member) == DW_TAG_member && !(*name == '_' && has_one_member(type))) {
            add_text(text, dot);
            add_text(text, name);
        }
        return type_of(&member, type);
    case DW_TAG_array_type:
        array = type_array_of(type);
        if (array.size == 0 || length > array.size)
            return false;
        pass_over(text, (int)type_array_index(&array, *offset / array.size, text->to, text->room));
        *offset %= array.size;
        *type = array.element;
        return true;
    default:
        return false;
    }
}

/* C's _Atomic is a qualifier in DWARF, C++'s a class. */
static bool says_atomic(Dwarf_Die *written)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type = *written, next;

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

bool type_is_atomic(Dwarf_Die *of, uint64_t offset, uint64_t length)
{
    Dwarf_Attribute attribute;
    Dwarf_Die holder = *of, written, type, element;
    uint64_t size;

    while (dwarf_attr_integrate(&holder, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, &written)) {
        if (says_atomic(&written))
            return true;
        if (dwarf_peel_type(&written, &type) != 0)
            return false;
        if (dwarf_tag(&type) == DW_TAG_array_type) {
            if (!type_of(&type, &element) || (size = type_size(&element)) == 0)
                return false;
            offset %= size;
            holder = type;
        } else if (!find_member(&type, &offset, length, &holder)) {
            return false;
        }
    }
    return false;
}

bool type_member_is_atomic(Dwarf_Die *structure, uint64_t offset, uint64_t length, bool *atomic)
{
    int tag = dwarf_tag(structure);
    Dwarf_Die member;

    if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type) ||
        !find_member(structure, &offset, length, &member))
        return false;
    *atomic = type_is_atomic(&member, offset, length);
    return true;
}

struct spelling type_spelling(Dwarf_Die *type, uint64_t length)
{
    struct spelling spelling = {.kind = SPELL_RAW, .type = *type};
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;

    if (length == 0 || length > 8 || type_size(type) != length)
        return spelling;
    spelling.size = (uint8_t)length;
    switch (dwarf_tag(type)) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        spelling.kind = SPELL_POINTER;
        break;
    case DW_TAG_enumeration_type:
        spelling.kind = SPELL_ENUM;
        break;
    case DW_TAG_base_type:
        if (dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attribute), &encoding) != 0)
            break;
        if (encoding == DW_ATE_signed)
            spelling.kind = SPELL_SIGNED;
        else if (encoding == DW_ATE_boolean)
            spelling.kind = SPELL_BOOL;
        else if (encoding == DW_ATE_signed_char)
            spelling.kind = SPELL_CHARACTER;
        else if (encoding == DW_ATE_float && (length == 4 || length == 8))
            spelling.kind = SPELL_FLOAT;
        break;
    default:
        break;
    }
    return spelling;
}

static void walk(Dwarf_Die *type, uint64_t offset, uint64_t length, const char *dot, struct type_text *text,
                 struct spelling *spelling)
{
    bool certain = !is_union(type);

    while (descend(type, &offset, length ? length : 1, dot, text)) {
        certain = certain && !is_union(type);
        dot = ".";
    }
    if (offset && length)
        pass_over(text, snprintf(text->to, text->room, "+%llu", (unsigned long long)offset));
    *spelling = offset == 0 && certain ? type_spelling(type, length) : (struct spelling){0};
}

void type_part(Dwarf_Die *type, uint64_t offset, uint64_t length, char *to, size_t room,
               struct spelling *spelling)
{
    Dwarf_Die at = *type;
    struct type_text text = {to, room};

    walk(&at, offset, length, ".", &text, spelling);
}

void type_inside(Dwarf_Die *type, const char *dot, uint64_t offset, uint64_t length, char *to, size_t room,
                 struct spelling *spelling)
{
    Dwarf_Die at = *type;
    struct type_text text = {to, room};

    walk(&at, offset, length, dot, &text, spelling);
}

bool type_stored(Dwarf_Die *type, uint64_t *offset, uint64_t length, Dwarf_Die *stored)
{
    Dwarf_Die at = *type;
    char nowhere[2];
    struct type_text text = {nowhere, sizeof nowhere};

    do {
        text = (struct type_text){nowhere, sizeof nowhere};
        if (stored_in(&at, stored))
            return true;
    } while (descend(&at, offset, length ? length : 1, ".", &text));
    return false;
}

bool type_is_library(Dwarf_Die *type)
{
    const char *file = dwarf_decl_file(type);

    return file && (strncmp(file, "/usr/include/", 13) == 0 || strncmp(file, "/usr/lib/", 9) == 0);
}

bool type_is_structure(Dwarf_Die *type)
{
    int tag = dwarf_tag(type);

    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool is_same_structure(Dwarf_Die *one, Dwarf_Die *other)
{
    const char *name = dwarf_diename(one), *its = dwarf_diename(other);

    return type_is_structure(one) && type_size(one) == type_size(other) &&
           (!name || !its || strcmp(name, its) == 0);
}

bool type_may_hold(Dwarf_Die *type, uint64_t offset, Dwarf_Die *part)
{
    uint64_t size = type_size(part);
    Dwarf_Die at = *type;
    char nowhere[2];
    struct type_text text;

    do {
        text = (struct type_text){nowhere, sizeof nowhere};
        if (is_union(&at) || (offset == 0 && is_same_structure(&at, part)))
            return true;
    } while (descend(&at, &offset, size ? size : 1, ".", &text));
    return false;
}

bool type_pointer_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *pointed)
{
    Dwarf_Die at = *type;
    char nowhere[2];
    struct type_text text = {nowhere, sizeof nowhere};

    do
        if (is_union(&at))
            return false;
    while (descend(&at, &offset, 8, ".", &text));
    return offset == 0 && dwarf_tag(&at) == DW_TAG_pointer_type && type_of(&at, pointed);
}

static const char *enumerator_of(const struct spelling *s, uint64_t raw)
{
    Dwarf_Die type = s->type, die;
    uint64_t mask = s->size < 8 ? (UINT64_C(1) << 8 * s->size) - 1 : UINT64_MAX;

    if (dwarf_child(&type, &die) != 0)
        return NULL;
    do {
        Dwarf_Attribute attribute;
        Dwarf_Sword value = 0;
        if (dwarf_tag(&die) == DW_TAG_enumerator &&
            dwarf_formsdata(dwarf_attr(&die, DW_AT_const_value, &attribute), &value) == 0 &&
            ((uint64_t)value & mask) == raw)
            return dwarf_diename(&die);
    } while (dwarf_siblingof(&die, &die) == 0);
    return NULL;
}

/* Always with a point or an exponent, so that nobody takes it for a whole number; what is no number by its
 * bits. */
static const char *float_text(const struct spelling *s, uint64_t raw, char *room, size_t size)
{
    double value;
    float small;
    uint32_t bits = (uint32_t)raw;

    if (s->size == 4) {
        memcpy(&small, &bits, sizeof small);
        value = (double)small;
    } else {
        memcpy(&value, &raw, sizeof value);
    }
    if (value != value)
        snprintf(room, size, "nan:0x%llx", (unsigned long long)raw);
    else
        snprintf(room, size, s->size == 4 ? "%.9g" : "%.17g", value);
    if (room[strcspn(room, ".einx")] == '\0')
        strncat(room, ".0", size - strlen(room) - 1);
    return room;
}

static void signed_number(const struct spelling *s, uint64_t raw, uint64_t *number, bool *negative)
{
    uint64_t sign = UINT64_C(1) << (8 * s->size - 1);

    *number = (raw ^ sign) - sign;
    *negative = (raw & sign) != 0;
}

/* "0x7f2c": most values of a trace may be pointers. Returns where in `room` it begins. */
static const char *hexadecimal(uint64_t raw, char *room, size_t size)
{
    char *at = room + size;

    assert(size >= sizeof "0x" + 16);
    *--at = '\0';
    for (; raw > 0; raw >>= 4)
        *--at = "0123456789abcdef"[raw & 15];
    *--at = 'x';
    *--at = '0';
    return at;
}

const char *spelling_value(const struct spelling *s, uint64_t raw, uint64_t *number, bool *negative, char *room,
                           size_t size)
{
    const char *name;

    *number = raw;
    *negative = false;
    switch (s->kind) {
    case SPELL_SIGNED:
        signed_number(s, raw, number, negative);
        return NULL;
    case SPELL_BOOL:
        return raw == 0 ? "false" : raw == 1 ? "true" : NULL;
    case SPELL_CHARACTER:
        signed_number(s, raw, number, negative);
        if (raw < ' ' || raw > '~' || strchr("|()=", (int)raw))
            return NULL;
        snprintf(room, size, "'%c'", (int)raw);
        return room;
    case SPELL_FLOAT:
        return float_text(s, raw, room, size);
    case SPELL_POINTER:
        return raw ? hexadecimal(raw, room, size) : "NULL";
    case SPELL_ENUM:
        name = enumerator_of(s, raw);
        return name && *name ? name : NULL;
    default:
        return NULL;
    }
}
