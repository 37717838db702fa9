/* Packs raw records into a few bytes each, and back: much faster than a general compressor, since most records
 * are made by a place of the program that made one before.
 *
 * A known place is encoded by the number of its slot; the next place is predicted from the one that followed
 * last time. That leaves the record's address, encoded as the difference to the last address of the same
 * place, and its value. */
#pragma once
#include "runtime/protocol/session.h"

#include <stdbool.h>
#include <stddef.h>

enum { PACK_SLOTS = 1 << 12, PACK_LONGEST = 32 /* bytes of one record, and room to look ahead */ };

struct pack_slot {
    uint64_t pc;      /* with all that is in its record's word of that name */
    uint64_t address; /* of its last record */
    uint64_t step;    /* from the one before that */
    uint64_t value;
    uint16_t head; /* kind and size */
    uint16_t next; /* the slot of the record after its last one */
};

/* Either side keeps one, from the first record on; all zero at first. */
struct pack {
    struct pack_slot slots[PACK_SLOTS];
    unsigned last; /* the slot of the last record */
};

/* Packs records into `to`, which has room for PACK_LONGEST each and as much again; returns how many bytes they
 * take. Bytes of a value beyond the size of its access become zero. */
size_t pack_records(struct pack *pack, const struct record *records, size_t count, unsigned char *to);

/* The way back; false when the bytes are not what came of so many records. There is room for PACK_LONGEST more
 * bytes after them. */
bool unpack_records(struct pack *pack, const unsigned char *bytes, size_t length, struct record *to,
                    size_t count);
