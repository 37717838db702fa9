/* Takes the records of a program while it runs: surveys them, and keeps them for the walk that writes the
 * trace. */
#pragma once
#include "base/note.h"
#include "record/collect/collect.h"
#include "record/collect/store.h"
#include "record/convert/convert.h"

#include <stdio.h>

enum { HELD_BATCHES = 32 };

struct taker {
    struct store store;
    struct converter *converter;
    const struct collection *collection;
    note_taker *notes;
    bool warned;
    uint64_t changes;         /* batches with records other than reads in busy-wait loops */
    const struct want *wants; /* of every run */
    size_t wants_count;
    struct held_batch { /* the first ones of a trial, which may all turn out to be unwanted */
        struct record *records;
        size_t count;
    } held[HELD_BATCHES];
    unsigned held_count;
};

/* `collection` is the run whose records come; `notes` receives notes, or is NULL. */
void taker_init(struct taker *taker, const struct collection *collection, note_taker *notes);
void taker_free(struct taker *taker);

/* Before the first record: accesses that the trace keeps in any case. The list stays the caller's. */
void taker_want(struct taker *taker, const struct want *list, size_t count);

/* The next records: what a collection calls. */
void taker_take(void *taker, const struct record *records, size_t count);

/* What was held back is wanted after all. */
void taker_release(struct taker *taker);

/* Forgets all that was taken. */
void taker_restart(struct taker *taker);

/* Reports which thread waits for what: what a collection calls when nothing moves. */
void taker_stuck(void *taker, const struct session *session, const char *why);
