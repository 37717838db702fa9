/* Memory that is mapped at two addresses: accesses there are seen at the first one. */
#pragma once
#include "runtime/protocol/session.h"

#include <stdbool.h>
#include <stddef.h>

struct aliases {
    struct alias {
        uint64_t from, to, length;
    } * list;
    size_t list_count, list_capacity;
};

/* Takes notice of the next record: an alias, or memory that is new, which ends those it overlaps. */
void aliases_note(struct aliases *aliases, const struct record *record);

static inline void aliases_pass(struct aliases *aliases, const struct record *record)
{
    if (record_kind(record->word) > RECORD_LAST_EVENT)
        aliases_note(aliases, record);
}

/* The record as it is where it is to be seen: `record`, or `room` with another address. */
const struct record *aliases_follow(const struct aliases *aliases, const struct record *record,
                                    struct record *room);

/* Back to the first record. */
void aliases_rewind(struct aliases *aliases);
void aliases_free(struct aliases *aliases);
