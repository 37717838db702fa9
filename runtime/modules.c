/* What is loaded where, and which of it is instrumented. */
#include "runtime/effects/effects.h"
#include "runtime/runtime.h"
#include "runtime/system.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>

enum { MODULES_MAX = 1024 };

struct module {
    uintptr_t base, start, end; /* of its code */
    uintptr_t data, data_end;
    bool instrumented;
    bool there; /* while modules_forget looks for those that are gone */
};

static struct module modules[MODULES_MAX];
static unsigned module_count;

/* Whether a module refers to the hooks: one of its dynamic symbols begins with __tsan_ and is not its own. */
static bool refers_to_hooks(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *dynamic = NULL;
    const char *strings = NULL;
    size_t size = 0;

    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_STRTAB)
            strings = (const char *)dynamic->d_un.d_ptr;
        if (dynamic->d_tag == DT_STRSZ)
            size = dynamic->d_un.d_val;
    }
    if (!strings || (uintptr_t)strings < info->dlpi_addr) /* the vDSO's is not relocated */
        return false;
    for (size_t i = 0; i + 7 < size; i++)
        if (strings[i] == '_' && text_begins(strings + i, "__tsan_") && (i == 0 || strings[i - 1] == '\0'))
            return true;
    return false;
}

static const char *path_of(const struct dl_phdr_info *info, char *room, size_t size)
{
    if (info->dlpi_name && *info->dlpi_name)
        return info->dlpi_name;
    long length = system_call(SYS_readlink, (long)"/proc/self/exe", (long)room, (long)size - 1, 0, 0, 0);
    room[length > 0 ? length : 0] = '\0';
    return room;
}

/* The data of a library, at its current or former address: what is there is new. */
static void log_data(const struct module *m)
{
    if (m->data_end > m->data)
        heap_note(RECORD_FRESH, (void *)m->data, m->data_end - m->data, 0);
}

static void widen(uintptr_t *start, uintptr_t *end, uintptr_t from, size_t length)
{
    *start = from < *start ? from : *start;
    *end = from + length > *end ? from + length : *end;
}

static int log_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct module m = {.base = info->dlpi_addr, .start = UINTPTR_MAX, .data = UINTPTR_MAX};
    char room[4096];
    const char *path;

    (void)size;
    (void)data;
    for (unsigned i = 0; i < module_count; i++)
        if (modules[i].base == m.base)
            return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && p->p_flags & PF_X)
            widen(&m.start, &m.end, info->dlpi_addr + p->p_vaddr, p->p_memsz);
        if (p->p_type == PT_LOAD && p->p_flags & PF_W)
            widen(&m.data, &m.data_end, info->dlpi_addr + p->p_vaddr, p->p_memsz);
    }
    path = path_of(info, room, sizeof room);
    if (m.end == 0 || module_count == MODULES_MAX || text_begins(path, "linux-vdso"))
        return 0;
    if ((uintptr_t)&log_module >= m.start && (uintptr_t)&log_module < m.end) {
        rt.text = m.start;
        rt.text_end = m.end;
    } else {
        m.instrumented = refers_to_hooks(info);
    }
    INVARIANT(module_count < MODULES_MAX && m.start < m.end);
    modules[module_count++] = m;
    log_emit(RECORD_MODULE, (const void *)m.base, m.instrumented, text_length(path));
    log_text(path, text_length(path));
    if (rt.ready)
        log_data(&m);
    return 0;
}

void modules_log(void)
{
    dl_iterate_phdr(log_module, NULL);
    if (rt.session->effects)
        effects_patch();
}

static int note_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (unsigned i = 0; i < module_count; i++)
        modules[i].there |= modules[i].base == info->dlpi_addr;
    return 0;
}

void modules_forget(void)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < module_count; i++)
        modules[i].there = false;
    dl_iterate_phdr(note_module, NULL);
    for (unsigned i = 0; i < module_count; i++)
        if (modules[i].there)
            modules[kept++] = modules[i];
        else
            log_data(&modules[i]);
    INVARIANT(kept <= module_count);
    module_count = kept;
}

bool module_instrumented(uintptr_t pc)
{
    static unsigned last; /* a guess, for whoever runs */
    unsigned guess = __atomic_load_n(&last, __ATOMIC_RELAXED);

    if (guess < module_count && pc >= modules[guess].start && pc < modules[guess].end)
        return modules[guess].instrumented;
    for (unsigned i = 0; i < module_count; i++)
        if (pc >= modules[i].start && pc < modules[i].end) {
            __atomic_store_n(&last, i, __ATOMIC_RELAXED);
            return modules[i].instrumented;
        }
    return false;
}

bool module_instrumented_at(uintptr_t base)
{
    for (unsigned i = 0; i < module_count; i++)
        if (modules[i].base == base)
            return modules[i].instrumented;
    return false;
}

bool module_code(uintptr_t pc)
{
    for (unsigned i = 0; i < module_count; i++)
        if (pc >= modules[i].start && pc < modules[i].end)
            return true;
    return false;
}
