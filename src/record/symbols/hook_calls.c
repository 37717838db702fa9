/* Hooks in the code of a program: where it reads and writes memory.
 *
 * The hooks of plain accesses are linked into the program, so a call of one is an opcode and the distance to a function of a
 * known name. Other bytes that look the same would have to have one of a few values out of 2^40. Code in the place of a hook
 * (gcc/hooks_in_place.cc) leaves it by a sequence of instructions that compilers have no use for. */
#include "base/memory.h"
#include "record/symbols/symbols_parts.h"

#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALL = 0xe8, CALL_LENGTH = 5 }; /* and a distance of 32 bits, from the instruction after it */
enum { LEAVING_MOST = 40 };            /* bytes, and more than these instructions have */

struct hook_list {
    uint64_t *hooks; /* addresses in the file */
    size_t hooks_count, hooks_capacity;
    uint64_t lowest, highest;
};

static bool is_access_hook(const char *name)
{
    static const char *const starts[] = {"__tsan_read", "__tsan_write", "heddle_label_read",
                                         "heddle_label_write"};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static void find_hooks(Elf *elf, struct hook_list *list)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Sym symbol;

    while ((section = elf_nextscn(elf, section))) {
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
            continue;
        data = elf_getdata(section, NULL);
        for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (!name || symbol.st_shndx == SHN_UNDEF || !is_access_hook(name))
                continue;
            ARRAY_PUSH(list, hooks, symbol.st_value);
            list->lowest = symbol.st_value < list->lowest ? symbol.st_value : list->lowest;
            list->highest = symbol.st_value > list->highest ? symbol.st_value : list->highest;
        }
    }
}

static bool is_listed(const struct hook_list *list, uint64_t address)
{
    if (address < list->lowest || address > list->highest)
        return false;
    for (size_t i = 0; i < list->hooks_count; i++)
        if (list->hooks[i] == address)
            return true;
    return false;
}

/* Whether the code is a part of the C++ library that `heddle c++` links in (runtime/linked). */
static bool is_linked_in(struct symbols *s, uint64_t pc)
{
    static const char *const parts[] = {"nodes.cpp", "strings.cpp", "exits.cpp"};
    Dwarf_Addr bias;
    Dwarf_Die *unit = s->dwfl ? dwfl_addrdie(s->dwfl, pc - 1, &bias) : NULL;
    const char *name = unit ? dwarf_diename(unit) : NULL, *folder = NULL;
    Dwarf_Attribute attribute;

    if (unit && dwarf_attr(unit, DW_AT_comp_dir, &attribute))
        folder = dwarf_formstring(&attribute);
    for (size_t i = 0; name && folder && i < sizeof parts / sizeof *parts; i++)
        if (strcmp(name, parts[i]) == 0 && strcmp(folder, ".") == 0)
            return true;
    return false;
}

/* The byte behind an instruction that pushes a register or a constant; `p` if it is none. */
static const unsigned char *after_push(const unsigned char *p)
{
    if (p[0] == 0x6a)
        return p + 2;
    if (p[0] == 0x68)
        return p + 5;
    return (p[0] & 0xf8) == 0x50 ? p + 1 : p[0] == 0x41 && (p[1] & 0xf8) == 0x50 ? p + 2 : p;
}

/* Whether code in the place of a hook leaves it here: it makes room, pushes the address and maybe a label, calls, gives the room
 * back and jumps to where the hook ends, which is so far from here. */
static bool leaves_hook(const unsigned char *bytes, size_t left, int64_t *distance)
{
    static const unsigned char room[] = {0x48, 0x83, 0xc4, 0x80}, back[] = {0x48, 0x83, 0xec, 0x80, 0xe9};
    unsigned char p[LEAVING_MOST] = {0}; /* the code may end here */
    const unsigned char *at = p + sizeof room;
    int32_t jump;

    if (left < sizeof room || memcmp(bytes, room, sizeof room) != 0)
        return false;
    memcpy(p, bytes, left < sizeof p ? left : sizeof p);
    at = after_push(after_push(at));
    if (!(at[0] == 0xff && at[1] == 0x15) && !(at[0] == 0x67 && at[1] == CALL))
        return false;
    at += 6;
    if (memcmp(at, back, sizeof back) != 0)
        return false;
    memcpy(&jump, at + sizeof back, sizeof jump);
    *distance = at + sizeof back + sizeof jump - p + jump;
    return true;
}

static void find_calls(struct symbols *s, Elf *elf, const struct hook_list *list, uint64_t base,
                       hook_call *take, void *to)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section))) {
        const unsigned char *bytes;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
            header.sh_type != SHT_PROGBITS)
            continue;
        data = elf_rawdata(section, NULL);
        bytes = data ? data->d_buf : NULL;
        for (size_t i = 0; bytes && i + CALL_LENGTH <= data->d_size; i++) {
            int32_t distance;
            int64_t end;
            uint64_t after = header.sh_addr + i + CALL_LENGTH;
            if (leaves_hook(bytes + i, data->d_size - i, &end)) {
                after = header.sh_addr + i + (uint64_t)end;
            } else {
                if (bytes[i] != CALL)
                    continue;
                memcpy(&distance, bytes + i + 1, sizeof distance);
                if (!is_listed(list, after + (uint64_t)(int64_t)distance))
                    continue;
            }
            if (!is_linked_in(s, base + after))
                take(to, base + after);
        }
    }
}

static void look_at(struct symbols *s, const struct loaded *module, hook_call *take, void *to)
{
    struct hook_list list = {.lowest = UINT64_MAX};
    int fd = open(module->path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd >= 0 && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    GElf_Ehdr header;

    if (elf && gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64) {
        find_hooks(elf, &list);
        if (list.hooks_count > 0)
            find_calls(s, elf, &list, module->base, take, to);
    }
    free(list.hooks);
    if (elf)
        elf_end(elf);
    if (fd >= 0)
        close(fd);
}

void symbols_hook_calls(struct symbols *s, hook_call *take, void *to)
{
    symbols_settle(s);
    for (size_t i = 0; i < s->modules_count; i++)
        if (s->modules[i].here)
            look_at(s, &s->modules[i], take, to);
}
