/* Programs and libraries, by libelf. */
#include "record/program.h"
#include "base/memory.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool makes_threads(const char *name)
{
    static const char *const makers[] = {"pthread_create", "thrd_create", "_ZNSt6thread15_M_start_thread"};

    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strncmp(name, makers[i], strlen(makers[i])) == 0)
            return true;
    return false;
}

/* Looks for hooks among the symbols of a section, references or definitions. */
static void look_at_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct program *p)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;

    for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (!name)
            continue;
        p->threads |= symbol.st_shndx == SHN_UNDEF && makes_threads(name);
        if (strncmp(name, "__tsan_", 7) != 0)
            continue;
        if (symbol.st_shndx == SHN_UNDEF)
            p->hooks = true;
        else if (strcmp(name, "__tsan_init") == 0)
            p->own_runtime = true;
    }
}

static void look_at(Elf *elf, struct program *p)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Phdr segment;
    size_t segments = 0;
    GElf_Ehdr about;

    p->is_elf = true;
    p->is_static = gelf_getehdr(elf, &about) && about.e_type == ET_EXEC;
    if (elf_getphdrnum(elf, &segments) != 0)
        segments = 0;
    for (size_t i = 0; i < segments; i++)
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
            p->is_static = false;
    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &header) && (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB) &&
            header.sh_entsize)
            look_at_symbols(elf, section, &header, p);
}

struct program program_look(const char *path)
{
    struct program p = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf;

    if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE) {
        if (fd >= 0)
            close(fd);
        return p;
    }
    elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF)
        look_at(elf, &p);
    elf_end(elf);
    close(fd);
    return p;
}

/* A directory is not a program, whatever its name. */
static bool can_be_started(const char *path)
{
    struct stat file;

    return access(path, X_OK) == 0 && stat(path, &file) == 0 && S_ISREG(file.st_mode);
}

bool program_find_nth(const char *command, size_t before, char *path, size_t room)
{
    const char *folders = getenv("PATH");

    if (strchr(command, '/')) {
        snprintf(path, room, "%s", command);
        return before == 0 && can_be_started(path);
    }
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        snprintf(path, room, "%.*s/%s", (int)length, folders, command);
        if (can_be_started(path) && before-- == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

bool program_find(const char *command, char *path, size_t room)
{
    return program_find_nth(command, 0, path, room);
}

/* Whether the file's name is that of a Python interpreter: python3, python3.11. */
static bool names_python(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strncmp(slash ? slash + 1 : path, "python", 6) == 0;
}

/* Whether the first line of a script says that Python runs it, by its path or through env. */
static bool runs_by_python(const char *path)
{
    FILE *file = fopen(path, "re");
    char line[256] = "", *rest, *word = NULL;
    bool python = false;

    if (file && fgets(line, sizeof line, file) && strncmp(line, "#!", 2) == 0)
        for (word = strtok_r(line + 2, " \t\n", &rest); word && !python; word = strtok_r(NULL, " \t\n", &rest))
            python = names_python(word);
    if (file)
        fclose(file);
    return python;
}

bool program_is_python(const char *command)
{
    char path[4096], *real;
    bool python = false;

    if (!program_find(command, path, sizeof path))
        return false;
    real = realpath(path, NULL); /* a link may lead to a script that chooses among several */
    if (real)
        python = program_look(real).is_elf ? names_python(real) : runs_by_python(real);
    free(real);
    return python;
}

bool library_is_usual(const char *file)
{
    static const char *const usual[] = {"libc.so",  "libm.so",  "libstdc++.so", "libgcc_s.so",
                                        "ld-linux", "libtsan",  "libheddle",    "libpthread",
                                        "libdl.so", "librt.so", "linux-vdso",   "libatomic.so"};
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strncmp(name, usual[i], strlen(usual[i])) == 0)
            return true;
    return false;
}

char *program_command_line(char *const *program)
{
    size_t length = 0, room = 1;
    char *text;

    for (char *const *p = program; *p; p++)
        room += strlen(*p) + 1;
    text = memory_new(room, 1);
    for (char *const *p = program; *p; p++)
        length += (size_t)snprintf(text + length, room - length, "%s%s", *p, p[1] ? " " : "");
    return text;
}

char *program_build(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = NULL;
    const void *id = NULL;
    struct stat about;
    char text[256] = "";
    ssize_t length = -1;

    if (file >= 0 && elf_version(EV_CURRENT) != EV_NONE)
        elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
    if (elf)
        length = dwelf_elf_gnu_build_id(elf, &id);
    for (ssize_t i = 0; i < length && i < 64; i++)
        snprintf(text + 2 * i, sizeof text - 2 * (size_t)i, "%02x", ((const unsigned char *)id)[i]);
    if (length <= 0 && file >= 0 && fstat(file, &about) == 0)
        snprintf(text, sizeof text, "length-%lld", (long long)about.st_size);
    if (elf)
        elf_end(elf);
    if (file >= 0)
        close(file);
    return memory_text(text, strlen(text));
}
