/* Memory that is mapped at two addresses. */
#include "record/convert/aliases.h"
#include "base/memory.h"

#include <stdlib.h>

static bool overlaps(uint64_t a, uint64_t b, uint64_t start, uint64_t length)
{
    return a < start + length && start < b;
}

static void end_aliases(struct aliases *all, uint64_t start, uint64_t length)
{
    size_t kept = 0;

    for (size_t i = 0; i < all->list_count; i++) {
        const struct alias *a = &all->list[i];
        if (!overlaps(start, start + length, a->from, a->length) &&
            !overlaps(start, start + length, a->to, a->length))
            all->list[kept++] = *a;
    }
    all->list_count = kept;
}

void aliases_note(struct aliases *all, const struct record *r)
{
    uint64_t address = r->word & RECORD_ADDRESS;

    switch (record_kind(r->word)) {
    case RECORD_ALIAS:
        ARRAY_PUSH(all, list, (struct alias){address, r->pc & RECORD_ADDRESS, r->value});
        break;
    case RECORD_START:
    case RECORD_ALLOC:
    case RECORD_MAP:
    case RECORD_FRESH:
        if (all->list_count > 0)
            end_aliases(all, address, r->value);
        break;
    default:
        break;
    }
}

/* Whether records of this kind refer to memory at their address. */
static bool is_about_memory(unsigned kind)
{
    return (kind <= RECORD_LAST_EVENT && kind != RECORD_FORK && kind != RECORD_JOIN && kind != RECORD_FENCE) ||
           kind == RECORD_NEW || kind == RECORD_FREE || kind == RECORD_ONCE_RUN;
}

const struct record *aliases_follow(const struct aliases *all, const struct record *r, struct record *room)
{
    uint64_t address = r->word & RECORD_ADDRESS;

    if (!is_about_memory(record_kind(r->word)))
        return r;
    *room = *r;
    for (size_t i = 0; i < all->list_count; i++) /* the first one's may be another's second */
        if (address - all->list[i].from < all->list[i].length) {
            address = all->list[i].to + (address - all->list[i].from);
            room->word = (r->word & ~RECORD_ADDRESS) | address;
            return room;
        }
    return r;
}

void aliases_rewind(struct aliases *all)
{
    all->list_count = 0;
}

void aliases_free(struct aliases *all)
{
    free(all->list);
}
