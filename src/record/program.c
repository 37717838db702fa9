/* Programs before they are run: what their dynamic symbols tell. */
#include "record/program.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file that would be run, or "". */
static void find_program(const char *program, char *to, size_t room)
{
    const char *path = getenv("PATH");

    snprintf(to, room, "%s", program);
    if (strchr(program, '/'))
        return;
    while (path && *path) {
        size_t length = strcspn(path, ":");
        snprintf(to, room, "%.*s/%s", (int)length, path, program);
        if (access(to, X_OK) == 0)
            return;
        path += length + (path[length] == ':');
    }
    *to = '\0';
}

struct needs {
    bool hooks, threads, dynamic;
};

static bool makes_threads(const char *name)
{
    static const char *const makers[] = {"pthread_create", "thrd_create", "_ZNSt6thread15_M_start_thread"};

    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strncmp(name, makers[i], strlen(makers[i])) == 0)
            return true;
    return false;
}

static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct needs *needs)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

    for (size_t i = 0; data && i < count; i++) {
        GElf_Sym symbol;
        const char *name;
        if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx != SHN_UNDEF)
            continue;
        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (!name)
            continue;
        needs->hooks |= strncmp(name, "__tsan_", 7) == 0;
        needs->threads |= makes_threads(name);
    }
}

static void read_sections(Elf *elf, struct needs *needs)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        needs->dynamic |= header.sh_type == SHT_DYNAMIC;
        if (header.sh_type == SHT_DYNSYM)
            read_symbols(elf, section, &header, needs);
    }
}

enum program_kind record_program_kind(const char *program)
{
    struct needs needs = {0};
    char path[4096];
    int fd;
    Elf *elf;
    bool is_elf;

    find_program(program, path, sizeof path);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return PROGRAM_UNKNOWN;
    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    is_elf = elf && elf_kind(elf) == ELF_K_ELF;
    if (is_elf)
        read_sections(elf, &needs);
    elf_end(elf);
    close(fd);
    if (!is_elf)
        return PROGRAM_UNKNOWN;
    return needs.hooks      ? PROGRAM_INSTRUMENTED
           : !needs.dynamic ? PROGRAM_STATIC
           : needs.threads  ? PROGRAM_THREADED
                            : PROGRAM_PLAIN;
}

bool record_program_is_instrumented(const char *program)
{
    return record_program_kind(program) == PROGRAM_INSTRUMENTED;
}
