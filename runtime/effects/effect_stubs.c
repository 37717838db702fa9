/* Leads calls of instrumented modules to other modules through stubs: the slots that the loader filled for them
 * get the address of a stub, which tells effects_called and goes on to the function. */
#include "runtime/effects/effects.h"
#include "runtime/runtime.h"
#include "runtime/system.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>

/* Saves what arguments may be in, calls effects_called(call, registers, caller), and goes on to the function.
 * r11 points to the call. */
void effects_enter(void);
__asm__(".pushsection .text\n"
        ".hidden effects_enter\n"
        ".globl effects_enter\n"
        ".type effects_enter, @function\n"
        "effects_enter:\n"
        ".cfi_startproc\n"
        "push %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "sub $208, %rsp\n"
        "and $-16, %rsp\n"
        "mov %rdi, 0(%rsp)\n"
        "mov %rsi, 8(%rsp)\n"
        "mov %rdx, 16(%rsp)\n"
        "mov %rcx, 24(%rsp)\n"
        "mov %r8, 32(%rsp)\n"
        "mov %r9, 40(%rsp)\n"
        "mov %rax, 48(%rsp)\n"
        "mov %r10, 56(%rsp)\n"
        "mov %r11, 64(%rsp)\n"
        "movaps %xmm0, 80(%rsp)\n"
        "movaps %xmm1, 96(%rsp)\n"
        "movaps %xmm2, 112(%rsp)\n"
        "movaps %xmm3, 128(%rsp)\n"
        "movaps %xmm4, 144(%rsp)\n"
        "movaps %xmm5, 160(%rsp)\n"
        "movaps %xmm6, 176(%rsp)\n"
        "movaps %xmm7, 192(%rsp)\n"
        "mov %r11, %rdi\n"
        "mov %rsp, %rsi\n"
        "mov 8(%rbp), %rdx\n"
        "call effects_called\n"
        "mov 0(%rsp), %rdi\n"
        "mov 8(%rsp), %rsi\n"
        "mov 16(%rsp), %rdx\n"
        "mov 24(%rsp), %rcx\n"
        "mov 32(%rsp), %r8\n"
        "mov 40(%rsp), %r9\n"
        "mov 48(%rsp), %rax\n"
        "mov 56(%rsp), %r10\n"
        "mov 64(%rsp), %r11\n"
        "movaps 80(%rsp), %xmm0\n"
        "movaps 96(%rsp), %xmm1\n"
        "movaps 112(%rsp), %xmm2\n"
        "movaps 128(%rsp), %xmm3\n"
        "movaps 144(%rsp), %xmm4\n"
        "movaps 160(%rsp), %xmm5\n"
        "movaps 176(%rsp), %xmm6\n"
        "movaps 192(%rsp), %xmm7\n"
        "leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "jmp *8(%r11)\n"
        ".cfi_endproc\n"
        ".size effects_enter, . - effects_enter\n"
        ".popsection\n");

enum { STUB_BYTES = 16, PATCHED_MOST = 1024, PAGE = 4096 };

/* What the dynamic section of a module says. */
struct tables {
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * calls, *others;
    size_t calls_count, others_count;
    uintptr_t guarded, guarded_end; /* read-only since the loader was done with it */
};

static uintptr_t patched[PATCHED_MOST]; /* bases of the modules that were */
static unsigned patched_count;

static void read_tables(const struct dl_phdr_info *info, struct tables *t)
{
    const ElfW(Dyn) *d = NULL;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_DYNAMIC)
            d = (const ElfW(Dyn) *)(info->dlpi_addr + p->p_vaddr);
        if (p->p_type == PT_GNU_RELRO) {
            t->guarded = (info->dlpi_addr + p->p_vaddr) & ~(uintptr_t)(PAGE - 1);
            t->guarded_end = (info->dlpi_addr + p->p_vaddr + p->p_memsz) & ~(uintptr_t)(PAGE - 1);
        }
    }
    for (; d && d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_SYMTAB:
            t->symbols = (const ElfW(Sym) *)d->d_un.d_ptr;
            break;
        case DT_STRTAB:
            t->strings = (const char *)d->d_un.d_ptr;
            break;
        case DT_JMPREL:
            t->calls = (const ElfW(Rela) *)d->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            t->calls_count = d->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_RELA:
            t->others = (const ElfW(Rela) *)d->d_un.d_ptr;
            break;
        case DT_RELASZ:
            t->others_count = d->d_un.d_val / sizeof(ElfW(Rela));
            break;
        default:
            break;
        }
}

/* Hooks and what else belongs to the instrumentation. */
static bool is_ours(const char *name)
{
    return text_begins(name, "__tsan_") || text_begins(name, "heddle_") || text_begins(name, "__heddle_") ||
           text_begins(name, "AnnotateHappens");
}

/* The stub of a call is: mov r11, call; jmp [r11]. */
static void write_stub(unsigned char *at, const struct effect_call *call)
{
    static const unsigned char load[] = {0x49, 0xbb}, jump[] = {0x41, 0xff, 0x23};
    uint64_t address = (uint64_t)(uintptr_t)call;

    copy_bytes(at, load, sizeof load);
    copy_bytes(at + sizeof load, &address, sizeof address);
    copy_bytes(at + sizeof load + sizeof address, jump, sizeof jump);
}

/* Room for the calls and stubs of one module. */
struct room {
    struct effect_call *calls;
    unsigned char *stubs;
    size_t used;
};

/* The slot that a relocation filled with the address of a function elsewhere, or NULL. */
static uintptr_t *slot_of(const struct dl_phdr_info *info, const struct tables *t, const ElfW(Rela) * r)
{
    const ElfW(Sym) *s = &t->symbols[ELF64_R_SYM(r->r_info)];
    unsigned type = (unsigned)ELF64_R_TYPE(r->r_info);
    uintptr_t *slot = (uintptr_t *)(info->dlpi_addr + r->r_offset);

    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64)
        return NULL;
    if (s->st_shndx != SHN_UNDEF || r->r_addend != 0 || ELF64_ST_TYPE(s->st_info) == STT_OBJECT ||
        ELF64_ST_TYPE(s->st_info) == STT_TLS || !*slot || is_ours(t->strings + s->st_name))
        return NULL;
    return module_code(*slot) ? slot : NULL;
}

static void patch_slot(const struct tables *t, const ElfW(Rela) * r, uintptr_t *slot, struct room *room)
{
    const char *name = t->strings + t->symbols[ELF64_R_SYM(r->r_info)].st_name;
    struct effect_call *call = &room->calls[room->used];
    unsigned char *stub = room->stubs + STUB_BYTES * room->used;
    Dl_info where = {0};

    if (module_instrumented(*slot))
        return;
    rt.ends_watched |= text_begins(name, "pthread_tryjoin_np");
    dladdr((void *)*slot, &where);
    *call = (struct effect_call){.enter = effects_enter,
                                 .function = *slot,
                                 .effect = effect_of(name, where.dli_fname ? where.dli_fname : ""),
                                 .name = name};
    if (call->effect->kind == EFFECT_NONE && !effect_touches(call->effect))
        return;
    write_stub(stub, call);
    room->used++;
    *slot = (uintptr_t)stub;
}

static bool is_environ(const char *name)
{
    return text_begins(name, "environ") || text_begins(name, "_environ") || text_begins(name, "__environ");
}

static void patch_all(const struct dl_phdr_info *info, const struct tables *t, struct room *room)
{
    for (size_t i = 0; i < t->calls_count + t->others_count; i++) {
        const ElfW(Rela) *r = i < t->calls_count ? &t->calls[i] : &t->others[i - t->calls_count];
        uintptr_t *slot = slot_of(info, t, r);
        rt.environ_seen |= is_environ(t->strings + t->symbols[ELF64_R_SYM(r->r_info)].st_name);
        if (slot)
            patch_slot(t, r, slot, room);
    }
}

static int patch_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct tables t = {0};
    struct room room = {0};
    size_t count, bytes;

    (void)size;
    (void)data;
    if (!module_instrumented_at(info->dlpi_addr) || patched_count == PATCHED_MOST)
        return 0;
    for (unsigned i = 0; i < patched_count; i++)
        if (patched[i] == info->dlpi_addr)
            return 0;
    patched[patched_count++] = info->dlpi_addr;
    read_tables(info, &t);
    count = t.calls_count + t.others_count;
    if (!t.symbols || !t.strings || count == 0)
        return 0;
    bytes = (count * STUB_BYTES + PAGE - 1) & ~(size_t)(PAGE - 1);
    room.stubs = system_map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    room.calls = system_map(count * sizeof *room.calls, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!room.stubs || !room.calls)
        return 0;
    if (t.guarded_end > t.guarded)
        system_call(SYS_mprotect, (long)t.guarded, (long)(t.guarded_end - t.guarded), PROT_READ | PROT_WRITE, 0,
                    0, 0);
    patch_all(info, &t, &room);
    if (t.guarded_end > t.guarded)
        system_call(SYS_mprotect, (long)t.guarded, (long)(t.guarded_end - t.guarded), PROT_READ, 0, 0, 0);
    system_call(SYS_mprotect, (long)room.stubs, (long)bytes, PROT_READ | PROT_EXEC, 0, 0, 0);
    return 0;
}

void effects_patch(void)
{
    dl_iterate_phdr(patch_module, NULL);
}
