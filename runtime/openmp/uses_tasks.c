/* Does the program have tasks? Asked once, of the names that it and its libraries call for. */
#include "openmp.h"

#include <link.h>
#include <string.h>

static bool used;

/* Those that an object defines itself come last, from the first that its hash table knows. */
static bool calls_for_tasks(const ElfW(Sym) * symbols, const char *names, const uint32_t *hash)
{
    for (uint32_t i = 1; i < hash[1]; i++)
        if (strncmp(names + symbols[i].st_name, "GOMP_task", strlen("GOMP_task")) == 0)
            return true;
    return false;
}

static int look_at(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Dyn) * d;
        const ElfW(Sym) *symbols = NULL;
        const char *names = NULL;
        const uint32_t *hash = NULL;

        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        for (d = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr); d->d_tag != DT_NULL;
             d++) {
            if (d->d_tag == DT_SYMTAB)
                symbols = (const ElfW(Sym) *)d->d_un.d_ptr;
            if (d->d_tag == DT_STRTAB)
                names = (const char *)d->d_un.d_ptr;
            if (d->d_tag == DT_GNU_HASH)
                hash = (const uint32_t *)d->d_un.d_ptr;
        }
        /* The kernel's own object has offsets there, no addresses, and no names of ours. */
        if (symbols && names && hash && (uintptr_t)hash > object->dlpi_addr)
            used = used || calls_for_tasks(symbols, names, hash);
    }
    return 0;
}

__attribute__((constructor)) static void look(void)
{
    dl_iterate_phdr(look_at, NULL);
}

bool tasks_used(void)
{
    return used;
}
