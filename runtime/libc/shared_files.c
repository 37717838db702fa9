/* Files that are mapped more than once. */
#include "runtime/libc/shared_files.h"
#include "runtime/runtime.h"
#include "runtime/shadow.h"
#include "runtime/system.h"

#include <sys/stat.h>

enum { MAPPINGS = 1024 };

static struct mapping {
    uint64_t start, length, offset; /* length 0: a free slot */
    struct file_identity file;
} mappings[MAPPINGS];

static unsigned used;
static uint64_t doubled; /* pieces of memory without a file that were mapped again */

void shared_files_gone(const void *at, size_t length)
{
    uint64_t start = (uint64_t)(uintptr_t)at, end = start + length;

    for (unsigned i = 0; i < used; i++) {
        struct mapping *m = &mappings[i];
        if (m->length && m->start < end && start < m->start + m->length)
            m->length = m->start < start ? start - m->start : 0; /* a rest behind it is forgotten */
    }
}

/* What both mappings have of the file is at the first one's place. */
static void tell(const struct mapping *first, const struct mapping *second)
{
    uint64_t from = first->offset > second->offset ? first->offset : second->offset;
    uint64_t first_end = first->offset + first->length, second_end = second->offset + second->length;
    uint64_t end = first_end < second_end ? first_end : second_end;

    if (from >= end)
        return;
    uint64_t here = second->start + (from - second->offset), there = first->start + (from - first->offset);
    if (rt.mode == SESSION_MARK || rt.trial) {
        shadow_keep_range(here, end - from);
        shadow_keep_range(there, end - from);
    }
    log_emit(RECORD_ALIAS, (const void *)(uintptr_t)here, there, end - from);
}

void shared_files_mapped(void *at, size_t length, const struct file_identity *file, uint64_t offset,
                         uintptr_t pc)
{
    struct mapping new = {(uint64_t)(uintptr_t)at, length, offset, *file};
    unsigned slot = 0;

    (void)pc;
    for (unsigned i = 0; i < used; i++)
        if (mappings[i].length && mappings[i].file.device == file->device &&
            mappings[i].file.number == file->number)
            tell(&mappings[i], &new);
    while (slot < used && mappings[slot].length)
        slot++;
    if (slot == MAPPINGS)
        return;
    mappings[slot] = new;
    used += slot == used;
}

void shared_files_doubled(void *at, size_t length, const void *old, uintptr_t pc)
{
    uint64_t start = (uint64_t)(uintptr_t)old;
    struct file_identity own = {DOUBLED_DEVICE, ++doubled};

    for (unsigned i = 0; i < used; i++) {
        struct mapping m = mappings[i];
        if (start >= m.start && start < m.start + m.length) {
            shared_files_mapped(at, length, &m.file, m.offset + (start - m.start), pc);
            return;
        }
    }
    shared_files_mapped((void *)start, length, &own, 0, pc); // NOLINT(performance-no-int-to-ptr)
    shared_files_mapped(at, length, &own, 0, pc);
}

void shared_files_mapped_file(void *at, size_t length, int fd, off_t offset, uintptr_t pc)
{
    struct stat about;
    struct file_identity file;

    if (system_call(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) != 0)
        return;
    file = (struct file_identity){about.st_dev, about.st_ino};
    shared_files_mapped(at, length, &file, (uint64_t)offset, pc);
}
