/* A hash table of synchronization objects by address, in memory of its own. */
#include "runtime/sync/objects.h"
#include "runtime/system.h"

#include <sys/mman.h>

static struct sync_object *slots;
static size_t slot_count, used;

static size_t slot_of(const void *address)
{
    size_t at = (size_t)((uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (slot_count - 1);

    while (slots[at].address && slots[at].address != address)
        at = (at + 1) & (slot_count - 1);
    return at;
}

static void grow(void)
{
    struct sync_object *old = slots;
    size_t old_count = slot_count;

    slot_count = old_count ? 2 * old_count : 4096;
    slots = system_map(slot_count * sizeof *slots, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!slots) {
        system_print("heddle: cannot allocate memory for the table of locks\n");
        system_exit(1);
    }
    INVARIANT(2 * used >= old_count);
    for (size_t i = 0; i < old_count; i++)
        if (old[i].address)
            slots[slot_of(old[i].address)] = old[i];
    if (old)
        system_call(SYS_munmap, (long)old, (long)(old_count * sizeof *old), 0, 0, 0, 0);
}

struct sync_object *object_at(const void *address)
{
    size_t at;

    if (2 * used >= slot_count)
        grow();
    INVARIANT(address && (slot_count & (slot_count - 1)) == 0 && 2 * used < slot_count);
    at = slot_of(address);
    INVARIANT(!slots[at].address || slots[at].address == address);
    if (!slots[at].address) {
        slots[at].address = address;
        used++;
    }
    return &slots[at];
}

void object_renew(const void *address)
{
    *object_at(address) = (struct sync_object){.address = address};
}

const void *object_held_by(const struct thread *thread)
{
    for (size_t i = 0; i < slot_count; i++)
        if (slots[i].robust && slots[i].owner == thread->id + 1)
            return slots[i].address;
    return NULL;
}
