/* Takes records. In a trial the first ones are held back: they may all turn out to be unwanted. */
#include "record/collect/taker.h"
#include "base/memory.h"
#include "record/collect/waiting.h"

#include <stdlib.h>
#include <string.h>

enum { MANY_RECORDS = 200000000 };

void taker_init(struct taker *t, const struct collection *collection, note_taker *notes)
{
    *t = (struct taker){.converter = converter_new(), .collection = collection, .notes = notes};
    store_init(&t->store);
}

void taker_want(struct taker *t, const struct want *list, size_t count)
{
    t->wants = list;
    t->wants_count = count;
    converter_want(t->converter, list, count);
}

static void process(struct taker *t, const struct record *records, size_t count)
{
    const struct batch_rest *rest = converter_survey(t->converter, records, count);

    store_append(&t->store, records, count, rest);
    if (t->store.total > MANY_RECORDS && !t->warned) {
        note_add(t->notes, NOTE_CAVEAT,
                 "more than %d million accesses so far; --two-pass keeps only the shared ones",
                 MANY_RECORDS / 1000000);
        t->warned = true;
    }
}

void taker_release(struct taker *t)
{
    for (unsigned i = 0; i < t->held_count; i++) {
        process(t, t->held[i].records, t->held[i].count);
        free(t->held[i].records);
    }
    t->held_count = 0;
}

/* A copy for each batch: one array of all of them would be copied again as it grows. */
static void hold_back(struct taker *t, const struct record *records, size_t count)
{
    struct held_batch *batch = &t->held[t->held_count++];

    batch->records = memory_resize(NULL, count, sizeof *records);
    batch->count = count;
    memcpy(batch->records, records, count * sizeof *records);
}

static void drop_held(struct taker *t)
{
    for (unsigned i = 0; i < t->held_count; i++)
        free(t->held[i].records);
    t->held_count = 0;
}

static bool any_change(const struct record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned kind = record_kind(records[i].word);
        if (kind != RECORD_READ && kind != RECORD_ATOMIC_READ && kind != RECORD_TRY_FAIL &&
            kind != RECORD_SEM_FAIL && kind != RECORD_SEM_VALUE && kind != RECORD_THREAD &&
            (kind < RECORD_TICKS || kind > RECORD_INPUT))
            return true;
    }
    return false;
}

void taker_take(void *to, const struct record *records, size_t count)
{
    struct taker *t = to;

    t->changes += any_change(records, count);
    if (session_load(&t->collection->session->gave_up))
        return;
    if (t->collection->trial && t->store.total == 0 && t->held_count < HELD_BATCHES) {
        hold_back(t, records, count);
        return;
    }
    taker_release(t);
    process(t, records, count);
}

void taker_restart(struct taker *t)
{
    converter_free(t->converter);
    t->converter = converter_new();
    converter_want(t->converter, t->wants, t->wants_count);
    store_free(&t->store);
    store_init(&t->store);
    drop_held(t);
}

void taker_free(struct taker *t)
{
    store_free(&t->store);
    converter_free(t->converter);
    drop_held(t);
}

void taker_stuck(void *to, const struct session *session, const char *why)
{
    struct taker *t = to;

    taker_release(t); /* the names are among them */
    if (t->notes)
        stuck_describe(session, converter_naming(t->converter), why, t->notes);
}
