/* Labels of private memory: a hash table of words for each thread that needs one. */
#include "runtime/grounds/taint.h"
#include "runtime/runtime.h"
#include "runtime/system.h"

#include <sys/mman.h>

enum { SLOTS = 1 << 16, MOST = SLOTS / 2, WORD = 4, LARGE = 1 << 20 };

static _Thread_local struct taint {
    struct slot {
        uint64_t word; /* its number, plus one; 0: free */
        uint32_t label;
    } * slots;
    uint32_t used;
    bool lost; /* labels that had no place: every word may have one */
} taint __attribute__((tls_model("initial-exec")));

/* The slot of the word, or a free one. */
static struct slot *slot_of(uint64_t word)
{
    uint64_t at = (word * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

    INVARIANT(taint.used <= MOST); /* half of the slots are free, so a search ends */
    for (;; at++) {
        struct slot *slot = &taint.slots[at % SLOTS];
        if (slot->word == word + 1 || slot->word == 0)
            return slot;
    }
}

static bool make_room(void)
{
    if (!taint.slots)
        taint.slots = system_map(SLOTS * sizeof *taint.slots, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!taint.slots || taint.used == MOST)
        taint.lost = true;
    grounds.tainted = 1;
    return !taint.lost;
}

uint32_t taint_read(uint64_t address, uint64_t length)
{
    uint32_t label = 0;

    if (!grounds.tainted || length == 0)
        return 0;
    if (taint.lost || (length > LARGE && taint.slots))
        return LABEL_ALL;
    if (!taint.slots)
        return 0;
    for (uint64_t word = address / WORD; word <= (address + length - 1) / WORD; word++)
        label = label_union(label, slot_of(word)->label);
    return label;
}

static void put(uint64_t word, uint32_t label, bool whole)
{
    struct slot *slot = taint.slots ? slot_of(word) : NULL;

    if (label == 0 && (!slot || slot->word == 0 || !whole))
        return;
    if (!slot || slot->word == 0) {
        if (!make_room())
            return;
        slot = slot_of(word);
        slot->word = word + 1;
        taint.used++;
    }
    slot->label = whole ? label : label_union(slot->label, label);
}

void taint_write(uint64_t address, uint64_t length, uint32_t label)
{
    uint64_t end = address + length;

    label &= LABEL_READS;
    if ((label == 0 && !grounds.tainted) || length == 0 || taint.lost)
        return;
    if (length > LARGE) {
        taint.lost |= label != 0;
        grounds.tainted |= label != 0;
        return;
    }
    for (uint64_t word = address / WORD; word <= (end - 1) / WORD; word++)
        put(word, label, word * WORD >= address && (word + 1) * WORD <= end);
}

void taint_forget(void)
{
    if (taint.slots)
        system_call(SYS_munmap, (long)(uintptr_t)taint.slots, SLOTS * sizeof *taint.slots, 0, 0, 0, 0);
    taint = (struct taint){0};
    grounds.tainted = 0;
}
