/* Which blocks of the heap are private, although other blocks at the same place are not.
 *
 * Marks go by address, and addresses are used again. Each block has a number, in the order of allocation; a
 * block that was not shared before it was freed is noted as private under its number, and in the next pass its
 * granules are not kept, whatever else was at their place. A note that is wrong costs another pass: the
 * granules are found to be shared like any others. */
#include "runtime/libc/heap_blocks.h"
#include "runtime/shadow.h"
#include "runtime/system.h"

#include <sys/mman.h>

struct heap_block {
    uint64_t address; /* 0: an empty slot */
    uint64_t length;
    uint32_t number;
};

static struct heap_block *slots; /* live blocks, by address */
static size_t slot_count, used;
static uint32_t number_last;

static size_t home_of(uint64_t address)
{
    return (size_t)((address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (slot_count - 1);
}

static struct heap_block *slot_of(uint64_t address)
{
    size_t at = home_of(address);

    INVARIANT(used < slot_count); /* a search ends */
    while (slots[at].address && slots[at].address != address)
        at = (at + 1) & (slot_count - 1);
    return &slots[at];
}

static void make_room(void)
{
    struct heap_block *old = slots;
    size_t old_count = slot_count;

    if (2 * used < slot_count)
        return;
    slot_count = old_count ? 2 * old_count : 4096;
    slots = system_map(slot_count * sizeof *slots, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!slots) {
        system_print("heddle: cannot allocate memory for the table of blocks\n");
        system_exit(1);
    }
    for (size_t i = 0; i < old_count; i++)
        if (old[i].address)
            *slot_of(old[i].address) = old[i];
    if (old)
        system_call(SYS_munmap, (long)old, (long)(old_count * sizeof *old), 0, 0, 0, 0);
}

/* Empties a slot and moves up the entries that it had displaced. */
static void take_out(size_t hole)
{
    INVARIANT(used > 0 && slots[hole].address);
    slots[hole].address = 0;
    used--;
    for (size_t at = (hole + 1) & (slot_count - 1); slots[at].address; at = (at + 1) & (slot_count - 1)) {
        size_t away = (at - home_of(slots[at].address)) & (slot_count - 1);
        if (away < ((at - hole) & (slot_count - 1)))
            continue;
        slots[hole] = slots[at];
        slots[at].address = 0;
        hole = at;
    }
}

static uint8_t *note_of(uint32_t number)
{
    return (uint8_t *)(SHADOW_NOTES + number);
}

static bool is_private(uint32_t number)
{
    return rt.mode == SESSION_FILTER && *note_of(number) != 0;
}

void blocks_begin(uint64_t address, size_t length)
{
    struct heap_block *b;

    heap_blocks_end(address); /* freed where no hook saw it */
    make_room();
    INVARIANT(2 * used < slot_count);
    b = slot_of(address);
    used++;
    *b = (struct heap_block){.address = address, .length = length, .number = number_last};
    if (number_last < SHADOW_BLOCKS - 1) /* the last number is for all the rest, and never private */
        number_last++;
    shadow_renew(address, length, is_private(b->number));
}

void blocks_resize(uint64_t address, size_t length)
{
    struct heap_block *b = slots ? slot_of(address) : NULL;

    if (!b || !b->address)
        return;
    if (b->length < length)
        shadow_renew(address + b->length, length - b->length, is_private(b->number));
    b->length = length;
}

void heap_blocks_end(uint64_t address)
{
    struct heap_block *b = slots ? slot_of(address) : NULL;
    uint8_t private_;

    if (!b || !b->address)
        return;
    private_ = b->number < SHADOW_BLOCKS - 1 && !shadow_any(b->address, b->length);
    if (*note_of(b->number) != private_)
        *note_of(b->number) = private_;
    INVARIANT(b->address == address);
    take_out((size_t)(b - slots));
}
