/* Places in the source and functions, by libdw. */
#include "base/memory.h"
#include "record/symbols/symbols_parts.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Dwfl_Module *module_at(struct symbols *s, uint64_t address)
{
    symbols_settle(s);
    return s->dwfl ? dwfl_addrmodule(s->dwfl, address) : NULL;
}

/* The unit whose code holds the address. Not every compiler writes the table that tells: clang does not. */
static Dwarf_Die *unit_at(Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) == 1)
            return unit;
    return NULL;
}

/* The path as the compiler was given it: without the folder it ran in. */
static const char *without_folder(const char *file, Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    size_t length = folder ? strlen(folder) : 0;

    if (length > 0 && strncmp(file, folder, length) == 0 && file[length] == '/')
        file += length + 1;
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    return file;
}

static void find_line(struct symbols *s, uint64_t pc, char *to, size_t room)
{
    Dwfl_Module *module = module_at(s, pc - 1);
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = module ? unit_at(module, pc - 1, &bias) : NULL;
    Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, pc - 1 - bias) : NULL;
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0;

    *to = '\0';
    if (file && dwarf_lineno(line, &number) == 0)
        snprintf(to, room, "%s:%d", without_folder(file, unit), number);
}

void symbols_line(struct symbols *s, uint64_t pc, char *to, size_t room)
{
    symbols_settle(s);
    if (known_text(&s->known, KNOWN_LINE, pc, to, room))
        return;
    find_line(s, pc, to, room);
    known_keep(&s->known, KNOWN_LINE, pc, to);
}

static const struct around *around_of(struct symbols *s, Dwfl_Module *module, uint64_t address)
{
    struct around *a = &s->around;
    Dwarf_Addr bias;

    if (a->address == address)
        return a;
    symbols_forget_around(s);
    a->address = address;
    a->unit = unit_at(module, address, &bias);
    a->outer_count = a->unit ? scopes_around(s->scopes, a->unit, address - bias, &a->outer) : 0;
    return a;
}

/* Where the function is declared: what it is an instance of, or the member of its class. */
static Dwarf_Die declaration_of(Dwarf_Die *function)
{
    static const unsigned links[] = {DW_AT_abstract_origin, DW_AT_specification};
    Dwarf_Die at = *function, next;
    Dwarf_Attribute attribute;

    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (dwarf_formref_die(dwarf_attr(&at, links[i], &attribute), &next))
            at = next;
    return at;
}

/* "int", "const Job&": a type as it is written, as far as that is simple. */
static void put_type(Dwarf_Die *of, char *to, size_t room)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    size_t used;

    if (!dwarf_attr_integrate(of, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type)) {
        snprintf(to, room, "void");
        return;
    }
    if (dwarf_diename(&type)) {
        snprintf(to, room, "%s", dwarf_diename(&type));
        return;
    }
    used = (size_t)snprintf(to, room, "%s", dwarf_tag(&type) == DW_TAG_const_type ? "const " : "");
    put_type(&type, to + used, room - used);
    used = strlen(to);
    snprintf(to + used, room - used, "%s",
             dwarf_tag(&type) == DW_TAG_pointer_type            ? "*"
             : dwarf_tag(&type) == DW_TAG_reference_type        ? "&"
             : dwarf_tag(&type) == DW_TAG_rvalue_reference_type ? "&&"
                                                                : "");
}

/* "(int, char*)": the parameters that are written. */
static void put_parameters(Dwarf_Die *function, char *to, size_t room)
{
    size_t used = (size_t)snprintf(to, room, "(");
    Dwarf_Die die;
    bool any = dwarf_child(function, &die) == 0;

    for (; any && used + 4 < room; any = dwarf_siblingof(&die, &die) == 0) {
        if (dwarf_tag(&die) != DW_TAG_formal_parameter || dwarf_hasattr_integrate(&die, DW_AT_artificial))
            continue;
        used += (size_t)snprintf(to + used, room - used, "%s", used > 1 ? ", " : "");
        put_type(&die, to + used, room - used - 2);
        used += strlen(to + used);
    }
    snprintf(to + used, room - used, ")");
}

/* A lambda as gcc writes it, "main::<lambda(int)>"; another object that is called like a function by its class,
 * "Adder::operator()". */
static const char *called_object(struct symbols *s, Dwarf_Die *function)
{
    Dwarf_Die declared = declaration_of(function), *scopes = NULL;
    int count = dwarf_getscopes_die(&declared, &scopes);
    const char *class = count > 1 ? dwarf_diename(&scopes[1]) : NULL, *outer = NULL;
    char parameters[128];

    for (int i = 2; i < count && !outer; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
            outer = dwarf_diename(&scopes[i]);
    put_parameters(&declared, parameters, sizeof parameters);
    if (class && *class && *class != '<')
        snprintf(s->lambda, sizeof s->lambda, "%s::operator()", class);
    else if (outer && strcmp(outer, "operator()") != 0)
        snprintf(s->lambda, sizeof s->lambda, "%s::<lambda%s>", outer, parameters);
    else
        snprintf(s->lambda, sizeof s->lambda, "<lambda%s>", parameters);
    free(scopes);
    return s->lambda;
}

enum { LONG_NAME = 40 }; /* of a function with template arguments: these are left out */

/* The name of a function as people know it; valid until the next one is asked for. */
static const char *name_of(struct symbols *s, Dwarf_Die *function)
{
    Dwarf_Die written = outlined_from(&s->outlined, function);
    const char *name = dwarf_diename(&written), *arguments = name ? strchr(name, '<') : NULL;

    if (name && strcmp(name, "operator()") == 0)
        return called_object(s, &written);
    if (!arguments || strlen(name) <= LONG_NAME || strncmp(name, "operator", 8) == 0)
        return name;
    snprintf(s->lambda, sizeof s->lambda, "%.*s<...>", (int)(arguments - name), name);
    return s->lambda;
}

/* The innermost function around the address that has a name, inlined ones included. */
static const char *function_in(struct symbols *s, Dwfl_Module *module, uint64_t address)
{
    const struct around *a = around_of(s, module, address);
    const char *name = NULL;
    Dwarf_Die written;

    for (int i = 0; i < a->outer_count && !name; i++)
        name = name_of(s, &a->outer[i]);
    if (name)
        return name;
    name = dwfl_module_addrname(module, address);
    return name && a->unit && outlined_origin(&s->outlined, a->unit, name, &written) ? name_of(s, &written)
                                                                                     : name;
}

void symbols_function(struct symbols *s, uint64_t address, char *to, size_t room)
{
    Dwfl_Module *module = module_at(s, address);
    const char *name;

    if (known_text(&s->known, KNOWN_FUNCTION, address, to, room))
        return;
    name = module ? function_in(s, module, address) : NULL;
    snprintf(to, room, "%s", name ? name : "");
    known_keep(&s->known, KNOWN_FUNCTION, address, to);
}

/* Where a function was called that was inlined here. */
static const char *call_place(Dwarf_Die *inlined, Dwarf_Word *line)
{
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    Dwarf_Files *files;
    Dwarf_Word number = 0;

    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), line) != 0 ||
        !dwarf_diecu(inlined, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, NULL) != 0)
        return NULL;
    return dwarf_filesrc(files, number, NULL, NULL);
}

/* Whether a function that was inlined stands for the place that called it: those marked as artificial (the
 * marks of annotate.h) and those of the system's headers, which are nobody's own. */
static bool is_passed_over(Dwarf_Die *inlined)
{
    const char *file = dwarf_decl_file(inlined), *name = dwarf_diename(inlined);
    bool lambda = name && strcmp(name, "operator()") == 0; /* its code is the programmer's all the same */

    return (dwarf_hasattr_integrate(inlined, DW_AT_artificial) && !lambda) ||
           (file && (strncmp(file, "/usr/include/", 13) == 0 || strncmp(file, "/usr/lib/", 9) == 0));
}

/* Where the outermost of the functions that are passed over was called, "queue.c:41"; false when there is none.
 * `*name`: the function that did, or NULL. */
static bool outer_line(struct symbols *s, Dwfl_Module *module, uint64_t address, const char **name, char *to,
                       size_t room)
{
    const struct around *a = around_of(s, module, address);
    const char *file = NULL;
    Dwarf_Word line = 0;

    *name = NULL;
    for (int i = 0; i < a->outer_count; i++) {
        if (dwarf_tag(&a->outer[i]) != DW_TAG_inlined_subroutine || !is_passed_over(&a->outer[i])) {
            *name = name_of(s, &a->outer[i]);
            break;
        }
        file = call_place(&a->outer[i], &line);
    }
    if (file)
        snprintf(to, room, "%s:%u", without_folder(file, a->unit), (unsigned)line);
    return file != NULL;
}

void symbols_origin(struct symbols *s, uint64_t pc, char *to, size_t room)
{
    Dwfl_Module *module;
    const char *unused;

    symbols_settle(s);
    module = module_at(s, pc - 1);
    if (!module || !outer_line(s, module, pc - 1, &unused, to, room))
        symbols_line(s, pc, to, room);
}

static bool is_inlined(const struct around *a, int i)
{
    return i < a->outer_count && dwarf_tag(&a->outer[i]) == DW_TAG_inlined_subroutine;
}

bool symbols_inlined_call(struct symbols *s, uint64_t pc, unsigned outer, char *to, size_t room,
                          uint32_t *first)
{
    Dwfl_Module *module = module_at(s, pc - 1);
    const struct around *a = module ? around_of(s, module, pc - 1) : NULL;
    int i = 0;

    while (a && is_inlined(a, i) && is_passed_over(&a->outer[i]))
        i++;
    for (; a && is_inlined(a, i); i++) {
        const char *name = i + 1 < a->outer_count ? name_of(s, &a->outer[i + 1]) : NULL, *file;
        Dwarf_Word line = 0;
        if (is_inlined(a, i + 1) && is_passed_over(&a->outer[i + 1]))
            continue; /* what calls that one stands for it */
        if (outer-- > 0)
            continue;
        int begins = 0;
        if (i + 1 >= a->outer_count || dwarf_decl_line(&a->outer[i + 1], &begins) != 0)
            begins = 0;
        *first = begins > 0 ? (uint32_t)begins : 0;
        file = call_place(&a->outer[i], &line);
        if (file)
            snprintf(to, room, "%s:%u%s%s", without_folder(file, a->unit), (unsigned)line, name ? " " : "",
                     name ? name : "");
        return file != NULL;
    }
    return false;
}

/* The line of the function's first instruction: a lambda has no other; 0: it is not known. */
static int entry_line(Dwarf_Die *unit, Dwarf_Die *function)
{
    Dwarf_Addr entry;
    Dwarf_Line *found = dwarf_entrypc(function, &entry) == 0 ? dwarf_getsrc_die(unit, entry) : NULL;
    int line = 0;

    return found && dwarf_lineno(found, &line) == 0 ? line : 0;
}

uint32_t symbols_first_line(struct symbols *s, uint64_t pc)
{
    Dwfl_Module *module = module_at(s, pc - 1);
    uint32_t *kept = map_at(&s->known.first_lines, pc);
    const struct around *a;
    int line = 0;

    if (*kept)
        return *kept - 1;
    a = module ? around_of(s, module, pc - 1) : NULL;

    for (int i = 0; a && i < a->outer_count; i++) {
        if (dwarf_tag(&a->outer[i]) == DW_TAG_inlined_subroutine && is_passed_over(&a->outer[i]))
            continue;
        if (dwarf_decl_line(&a->outer[i], &line) != 0)
            line = entry_line(a->unit, &a->outer[i]);
        break;
    }
    *kept = 1 + (line > 0 ? (uint32_t)line : 0);
    return *kept - 1;
}

static void find_place(struct symbols *s, uint64_t pc, char *to, size_t room)
{
    Dwfl_Module *module = module_at(s, pc - 1);
    const char *name = NULL;
    char line[1024];
    Dwarf_Addr start = 0;

    if (!module || !outer_line(s, module, pc - 1, &name, line, sizeof line)) {
        symbols_line(s, pc, line, sizeof line);
        name = module ? function_in(s, module, pc - 1) : NULL;
    }
    if (*line) {
        snprintf(to, room, "%s%s%s", line, name ? " " : "", name ? name : "");
        return;
    }
    if (!module) {
        snprintf(to, room, "0x%llx", (unsigned long long)pc);
        return;
    }
    const char *file = dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
    snprintf(to, room, "%s+0x%llx%s%s", file, (unsigned long long)(pc - start), name ? " " : "",
             name ? name : "");
}

bool symbols_in_system(struct symbols *s, uint64_t pc)
{
    Dwfl_Module *module = module_at(s, pc - 1);
    const char *path = NULL;

    if (module)
        dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &path, NULL);
    return path && (strncmp(path, "/lib/", 5) == 0 || strncmp(path, "/lib64/", 7) == 0 ||
                    strncmp(path, "/usr/lib/", 9) == 0 || strncmp(path, "/usr/lib64/", 11) == 0);
}

void symbols_place(struct symbols *s, uint64_t pc, char *to, size_t room)
{
    symbols_settle(s);
    if (known_text(&s->known, KNOWN_PLACE, pc, to, room))
        return;
    find_place(s, pc, to, room);
    known_keep(&s->known, KNOWN_PLACE, pc, to);
}

bool symbols_variable(struct symbols *s, uint64_t address, uint64_t length, char *to, size_t room,
                      struct spelling *spelling)
{
    Dwfl_Module *module = module_at(s, address);
    GElf_Off offset;
    GElf_Sym symbol;

    if (!module)
        return false;
    if (globals_name(s->globals, module, address, length, to, room, spelling))
        return true;
    const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    if (!name || GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
        return false;
    if (offset)
        snprintf(to, room, "%s+%llu", name, (unsigned long long)offset);
    else
        snprintf(to, room, "%s", name);
    return true;
}

bool symbols_type(struct symbols *s, uint64_t address, uint64_t length, bool *atomic)
{
    Dwfl_Module *module = module_at(s, address);

    return module && globals_type(s->globals, module, address, length, atomic);
}

bool symbols_pointer(struct symbols *s, uint64_t address, Dwarf_Die *pointed)
{
    Dwfl_Module *module = module_at(s, address);

    return module && globals_pointer(s->globals, module, address, pointed);
}

bool symbols_local(struct symbols *s, const struct scope_frame *frame, uint64_t address, uint64_t length,
                   char *to, size_t room, struct spelling *spelling)
{
    Dwfl_Module *module = module_at(s, frame->pc - 1);
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = module ? unit_at(module, frame->pc - 1, &bias) : NULL;

    return unit && locals_name(s->scopes, &s->outlined, unit, bias, frame, address, length, to, room, spelling);
}

const struct site *symbols_site(struct symbols *s, uint64_t pc)
{
    Dwfl_Module *module = module_at(s, pc - 1);
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = module ? unit_at(module, pc - 1, &bias) : NULL;

    return unit ? sites_at(s->sites, module, unit, pc) : NULL;
}

const struct site_type *symbols_site_type(const struct symbols *s, uint32_t type)
{
    return sites_type(s->sites, type);
}

bool symbols_allocated(struct symbols *s, uint64_t pc, Dwarf_Die *type)
{
    Dwfl_Module *module = module_at(s, pc - 1);
    const struct around *a = module ? around_of(s, module, pc - 1) : NULL;
    Dwarf_Die pointer;

    for (int i = 0; a && i < a->outer_count; i++) {
        const char *name = dwarf_diename(&a->outer[i]), *file = dwarf_decl_file(&a->outer[i]);
        if (!name || !file || strncmp(file, "/usr/include/", 13) != 0)
            return false;
        if (strcmp(name, "allocate") == 0 && type_of(&a->outer[i], &pointer) &&
            dwarf_tag(&pointer) == DW_TAG_pointer_type)
            return type_of(&pointer, type);
    }
    return false;
}

uint64_t symbols_entry(struct symbols *s, uint64_t address)
{
    Dwfl_Module *module = module_at(s, address);
    GElf_Off offset = 0;
    GElf_Sym symbol;

    return module && dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL)
               ? address - offset
               : 0;
}
