/* Evidence for atomic accesses. */
#include "record/convert/atomic_evidence.h"

#include <stdbool.h>
#include <string.h>

void atomics_free(struct atomics *a)
{
    map_free(&a->changed);
    map_free(&a->types);
    map_free(&a->places);
}

static uint64_t granule_key(struct cells *cells, uint64_t address)
{
    return cells_id(cells, address & ~UINT64_C(7));
}

void atomics_survey(struct atomics *a, struct cells *cells, const struct record *r)
{
    unsigned kind = record_kind(r->word), size = record_size(r->word);
    uint64_t address = r->word & RECORD_ADDRESS;

    if (kind != RECORD_RMW && kind != RECORD_CAS && kind != RECORD_ATOMIC_READ && kind != RECORD_ATOMIC_WRITE)
        return;
    for (uint64_t at = address; at < address + size; at++)
        *map_at(&a->changed, granule_key(cells, at)) |= 1u << (at & 7);
}

static bool could_be_atomic(uint64_t address, unsigned size)
{
    return (size == 1 || size == 2 || size == 4 || size == 8) && address % size == 0;
}

/* Headers of libstdc++ and libc++ in which nothing but atomic operations touches what others may see. */
static bool is_atomic_header(const char *line)
{
    return strstr(line, "bits/atomic_base.h:") || strstr(line, "bits/atomic_wait.h:") ||
           strstr(line, "/atomic:") || strstr(line, "__atomic/");
}

static enum evidence place_evidence(struct atomics *a, struct naming *naming, uint64_t pc)
{
    uint32_t *known = map_at(&a->places, pc);
    char line[1024];

    if (*known == EVIDENCE_UNASKED) {
        symbols_line(naming->symbols, pc, line, sizeof line);
        *known = is_atomic_header(line) ? EVIDENCE_ATOMIC : EVIDENCE_NONE;
    }
    return (enum evidence) * known;
}

/* Globals have types, and heap blocks that a pointer is known of. */
static enum evidence type_evidence(struct atomics *a, struct naming *naming, uint64_t address, unsigned size,
                                   uint32_t variable)
{
    uint32_t *known = map_at(&a->types, map_pair(variable, size));
    bool atomic;

    if (*known == EVIDENCE_UNASKED) {
        bool typed = naming_type(naming, address, size, &atomic);
        *known = !typed ? EVIDENCE_NONE : atomic ? EVIDENCE_ATOMIC : EVIDENCE_PLAIN;
    }
    return (enum evidence) * known;
}

enum evidence atomics_of(struct atomics *a, struct cells *cells, struct naming *naming, const struct record *r,
                         const struct cell *cell, uint32_t variable)
{
    uint64_t address = r->word & RECORD_ADDRESS;
    unsigned size = record_size(r->word);

    if (!could_be_atomic(address, size))
        return EVIDENCE_PLAIN;
    if (map_get(&a->changed, granule_key(cells, cell->address)) & 1u << (cell->address & 7))
        return EVIDENCE_ATOMIC;
    if (place_evidence(a, naming, r->pc & RECORD_ADDRESS) == EVIDENCE_ATOMIC)
        return EVIDENCE_ATOMIC;
    return type_evidence(a, naming, address, size, variable);
}
