/* The section of the compiler's plugin: labels right behind hooks, each with the offset in the object, its size and the name of
 * its type.
 *
 * A label belongs to the call before it. The code between the two must hold no other call: bytes that could be one rule the
 * label out. Types are looked for in the unit that the code is in. */
#include "record/symbols/sites.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/names.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FAR = 48,
    SMALLEST_ADDRESS = 4096
}; /* a label is not farther behind its call; those of dropped code are at 0 or 1 */

struct site_label {
    uint64_t address; /* as the file has it */
    const char *text; /* "8 24 account" */
};

struct labelled {
    Dwfl_Module *module;
    Elf *elf;
    uint64_t bias;
    struct site_label *labels;
    size_t labels_count, labels_capacity;
};

struct sites {
    struct labelled *modules;
    size_t modules_count, modules_capacity;
    struct names keys;       /* unit, size and name of a type */
    struct map types_at;     /* key → type + 1; NO_TYPE: there is none */
    struct site_type *types; /* of number n at n - 1 */
    size_t types_count, types_capacity;
    struct site found;
};

#define NO_TYPE UINT32_MAX

struct sites *sites_new(void)
{
    struct sites *s = memory_new(1, sizeof *s);

    names_init(&s->keys);
    return s;
}

void sites_free(struct sites *s)
{
    for (size_t i = 0; i < s->modules_count; i++)
        free(s->modules[i].labels);
    free(s->modules);
    names_free(&s->keys);
    map_free(&s->types_at);
    free(s->types);
    free(s);
}

static int by_address(const void *a, const void *b)
{
    const struct site_label *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

static void read_labels(struct labelled *m, const Elf_Data *data)
{
    const char *at = data->d_buf, *end = at + data->d_size;

    while ((size_t)(end - at) > sizeof(uint64_t)) {
        struct site_label label = {.text = at + sizeof(uint64_t)};
        size_t room = (size_t)(end - label.text), length = strnlen(label.text, room);
        if (length == room)
            break;
        memcpy(&label.address, at, sizeof label.address);
        if (label.address >= SMALLEST_ADDRESS)
            ARRAY_PUSH(m, labels, label);
        at = label.text + length + 1;
    }
}

static void read_module(struct labelled *m)
{
    GElf_Addr bias = 0;
    Elf_Scn *section = NULL;
    size_t names = 0;

    m->elf = dwfl_module_getelf(m->module, &bias);
    m->bias = bias;
    if (!m->elf || elf_getshdrstrndx(m->elf, &names) != 0)
        return;
    while ((section = elf_nextscn(m->elf, section))) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(m->elf, names, header.sh_name) : NULL;
        Elf_Data *data = name && strcmp(name, ".debug_heddle") == 0 ? elf_rawdata(section, NULL) : NULL;
        if (data && data->d_buf)
            read_labels(m, data);
    }
    if (m->labels_count > 1)
        qsort(m->labels, m->labels_count, sizeof *m->labels, by_address);
}

static struct labelled *module_of(struct sites *s, Dwfl_Module *module)
{
    for (size_t i = 0; i < s->modules_count; i++)
        if (s->modules[i].module == module)
            return &s->modules[i];
    ARRAY_PUSH(s, modules, (struct labelled){.module = module});
    read_module(&s->modules[s->modules_count - 1]);
    return &s->modules[s->modules_count - 1];
}

/* The first label at or behind the address. */
static const struct site_label *label_behind(const struct labelled *m, uint64_t address)
{
    size_t low = 0, high = m->labels_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->labels[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->labels_count && m->labels[low].address - address <= FAR ? &m->labels[low] : NULL;
}

/* Whether no byte between the two could be the beginning of a call. */
static bool is_straight(const struct labelled *m, uint64_t from, uint64_t to)
{
    Elf_Scn *section = NULL;

    while (from < to && (section = elf_nextscn(m->elf, section))) {
        GElf_Shdr header;
        const unsigned char *bytes;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) || from < header.sh_addr ||
            to > header.sh_addr + header.sh_size)
            continue;
        data = elf_rawdata(section, NULL);
        bytes = data ? data->d_buf : NULL;
        for (uint64_t i = from - header.sh_addr; bytes && i < to - header.sh_addr; i++)
            if (bytes[i] == 0xe8 || bytes[i] == 0xff)
                return false;
        return bytes != NULL;
    }
    return from == to;
}

/* The structure of that name and size in the scope or those in it. */
static bool find_type(Dwarf_Die *scope, const char *name, uint64_t size, int depth, Dwarf_Die *found)
{
    Dwarf_Die die;

    if (depth > 8 || dwarf_child(scope, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        bool structure = tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
        const char *own = structure || tag == DW_TAG_typedef ? dwarf_diename(&die) : NULL;
        if (own && strcmp(own, name) == 0 && !dwarf_hasattr(&die, DW_AT_declaration) &&
            dwarf_peel_type(&die, found) == 0 && type_size(found) == size)
            return true;
        if ((structure || tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block) &&
            find_type(&die, name, size, depth + 1, found))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* The number of the type; 0: it is not known. */
static uint32_t type_number(struct sites *s, Dwarf_Die *unit, const char *name, uint64_t size)
{
    char key[512];
    int length = snprintf(key, sizeof key, "%llx %llu %s", (unsigned long long)dwarf_dieoffset(unit),
                          (unsigned long long)size, name);
    uint32_t id = names_add(&s->keys, key, (size_t)length < sizeof key ? (size_t)length : sizeof key - 1);
    uint32_t *number = map_at(&s->types_at, map_pair(id, 0));
    struct site_type type = {.size = size, .name = name};

    if (*number == 0 && find_type(unit, name, size, 0, &type.die)) {
        type.library = type_is_library(&type.die);
        ARRAY_PUSH(s, types, type);
        *number = (uint32_t)s->types_count;
    } else if (*number == 0) {
        *number = NO_TYPE;
    }
    return *number == NO_TYPE ? 0 : *number;
}

const struct site *sites_at(struct sites *s, Dwfl_Module *module, Dwarf_Die *unit, uint64_t pc)
{
    const struct labelled *m = module_of(s, module);
    const struct site_label *label = label_behind(m, pc - m->bias);
    char *end;

    if (!label || !is_straight(m, pc - m->bias, label->address))
        return NULL;
    s->found.offset = strtoull(label->text, &end, 10);
    s->found.size = strtoull(end, &end, 10);
    if (*end != ' ' || s->found.size == 0 || s->found.offset >= s->found.size)
        return NULL;
    s->found.type = type_number(s, unit, end + 1, s->found.size);
    return s->found.type ? &s->found : NULL;
}

const struct site_type *sites_type(const struct sites *s, uint32_t type)
{
    return &s->types[type - 1];
}
