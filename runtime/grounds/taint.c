/* Labels of private memory: for each thread that needs it, pages of labels, one for each word. Compiled as decisions.c is. */
#include "runtime/grounds/taint.h"
#include "runtime/grounds/decisions.h"
#include "runtime/in_place.h"
#include "runtime/runtime.h"
#include "runtime/system.h"

#include <sys/mman.h>

enum {
    WORD = 4,
    WORDS = 1024, /* of a page */
    SLOTS = 1 << 14,
    MOST = SLOTS / 2, /* pages */
    TOGETHER = 16,    /* pages that memory is asked for at once */
    NEAR = 64,
    LARGE = 1 << 20
};

struct taint_page {
    uint64_t number; /* plus one; 0: free */
    uint32_t *labels;
};

static _Thread_local struct taint {
    struct taint_pages {
        struct taint_page slots[SLOTS],
            near[NEAR]; /* those asked for last, by the last bits of their numbers */
        uint32_t *rooms[MOST / TOGETHER];
        uint32_t used;
    } * pages;
    bool lost; /* labels that had no place: every word may have one */
} taint __attribute__((tls_model("initial-exec")));

/* The slot of the page, or a free one. */
static struct taint_page *slot_of(uint64_t number)
{
    uint64_t at = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

    INVARIANT(taint.pages->used <= MOST); /* half of the slots are free, so a search ends */
    for (;; at++) {
        struct taint_page *slot = &taint.pages->slots[at % SLOTS];
        if (slot->number == number + 1 || slot->number == 0)
            return slot;
    }
}

/* The labels of the page; NULL: it has none. */
static inline __attribute__((always_inline)) uint32_t *labels_of(uint64_t number)
{
    struct taint_page *near = &taint.pages->near[number % NEAR];

    if (!HOT_LIKELY(near->number == number + 1))
        *near = (struct taint_page){number + 1, slot_of(number)->labels};
    return near->labels;
}

void taint_ask(void)
{
    grounds.plain = UINT32_MAX;
}

void taint_begin(void)
{
    grounds.plain = taint.lost || hot.mark > SHADOW_OWNER ? UINT32_MAX : hot.mark;
}

static void lose(void)
{
    taint.lost = ground_state.tainted = true;
    taint_begin();
}

static uint32_t *new_room(size_t length)
{
    uint32_t *room = kept_map(length, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (!room)
        lose();
    return room;
}

/* The same, with room for some. NULL: there is no more. */
static uint32_t *make_labels(uint64_t number)
{
    struct taint_pages *pages = taint.pages;
    uint32_t **room, *labels;

    ground_state.tainted = true;
    if (!pages)
        pages = taint.pages = (struct taint_pages *)new_room(sizeof *pages);
    if (!pages || (labels = labels_of(number)))
        return pages ? labels : NULL;
    if (pages->used == MOST) {
        lose();
        return NULL;
    }
    room = &pages->rooms[pages->used / TOGETHER];
    if (!*room && !(*room = new_room(TOGETHER * WORDS * sizeof **room)))
        return NULL;
    labels = *room + pages->used++ % TOGETHER * WORDS;
    *slot_of(number) = pages->near[number % NEAR] = (struct taint_page){number + 1, labels};
    return labels;
}

/* Of words up to `last`, which are on one page. */
static inline __attribute__((always_inline)) uint32_t read_page(uint64_t word, uint64_t last)
{
    const uint32_t *labels = labels_of(word / WORDS);
    uint32_t label = labels ? labels[word % WORDS] : 0;

    INVARIANT(word / WORDS == last / WORDS);
    while (labels && word < last)
        label = label_union(label, labels[++word % WORDS]);
    return label;
}

uint32_t taint_read(uint64_t address, uint64_t length)
{
    uint64_t word = address / WORD, last = (address + length - 1) / WORD;
    uint32_t label = 0;

    if (!ground_state.tainted || length == 0)
        return 0;
    if (taint.lost || (length > LARGE && taint.pages))
        return LABEL_ALL;
    if (!taint.pages)
        return 0;
    for (; !HOT_LIKELY(word / WORDS == last / WORDS); word = (word / WORDS + 1) * WORDS)
        label = label_union(label, read_page(word, word | (WORDS - 1)));
    return label_union(label, read_page(word, last));
}

/* Whole words from `word` to before `end`, on one page. */
static void write_page(uint64_t word, uint64_t end, uint32_t label)
{
    uint32_t *labels = label ? make_labels(word / WORDS) : labels_of(word / WORDS);

    for (; labels && word < end; word++)
        labels[word % WORDS] = label;
}

/* A word of which only a part is written. */
static void write_part(uint64_t word, uint32_t label)
{
    uint32_t *labels = label ? make_labels(word / WORDS) : NULL;

    if (labels)
        labels[word % WORDS] = label_union(labels[word % WORDS], label);
}

/* Of granules that are the thread's own, as far as the range goes. */
static void mark_labelled(uint64_t address, uint64_t length)
{
    for (uint64_t at = address & ~UINT64_C(7); at < address + length && rt.mode == SESSION_FILTER; at += 8)
        if ((hot_mark(at) & (SHADOW_OWNER | SHADOW_LABELLED)) == hot.mark)
            __atomic_fetch_or(shadow_of(at), SHADOW_LABELLED, __ATOMIC_RELAXED);
}

void taint_write(uint64_t address, uint64_t length, uint32_t label)
{
    uint64_t word = (address + WORD - 1) / WORD, end = (address + length) / WORD;

    label &= LABEL_READS;
    if ((label == 0 && !(ground_state.tainted && taint.pages)) || length == 0 || taint.lost)
        return;
    if (length > LARGE) {
        if (label)
            lose();
        return;
    }
    if (address % WORD)
        write_part(address / WORD, label);
    if ((address + length) % WORD && end >= word)
        write_part(end, label);
    for (uint64_t next; word < end && !taint.lost; word = next) {
        next = (word / WORDS + 1) * WORDS;
        next = next < end ? next : end;
        write_page(word, next, label);
    }
    if (label)
        mark_labelled(address, length);
}

/* The two words of the granule; NULL: they have no labels. */
static inline __attribute__((always_inline)) uint32_t *own_words(uint64_t address)
{
    uint64_t word = address / 8 * 2;
    uint32_t *labels = taint.pages ? labels_of(word / WORDS) : NULL;

    return labels && (labels[word % WORDS] | labels[word % WORDS + 1]) ? &labels[word % WORDS] : NULL;
}

/* Hooks find out by themselves from now on. */
static void mark_plain(uint64_t address)
{
    if (hot_mark(address) & SHADOW_LABELLED)
        __atomic_fetch_and(shadow_of(address), (uint16_t)~SHADOW_LABELLED, __ATOMIC_RELAXED);
}

uint32_t taint_read_own(uint64_t address, unsigned size)
{
    const uint32_t *words;

    INVARIANT((address & 7) + size <= 8);
    if (UNLIKELY(taint.lost))
        return LABEL_ALL;
    words = own_words(address);
    if (!words) {
        mark_plain(address);
        return 0;
    }
    return size == 8 ? label_union(words[0], words[1]) : words[address / WORD % 2];
}

void taint_write_own(uint64_t address, unsigned size, uint32_t label)
{
    uint32_t *words;

    if (label || taint.lost) {
        taint_write(address, size, label);
        return;
    }
    words = own_words(address);
    if (words && size >= WORD)
        words[address / WORD % 2] = words[size == 8 ? 1 : address / WORD % 2] = 0;
    if (!words || !(words[0] | words[1]))
        mark_plain(address);
}

void taint_forget(void)
{
    for (unsigned i = 0; taint.pages && i < MOST / TOGETHER && taint.pages->rooms[i]; i++)
        system_call(SYS_munmap, (long)(uintptr_t)taint.pages->rooms[i],
                    TOGETHER * WORDS * sizeof *taint.pages->rooms[i], 0, 0, 0, 0);
    if (taint.pages)
        system_call(SYS_munmap, (long)(uintptr_t)taint.pages, sizeof *taint.pages, 0, 0, 0, 0);
    taint = (struct taint){0};
    ground_state.tainted = false;
}
