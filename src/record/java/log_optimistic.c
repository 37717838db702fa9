/* Reads that the program made under an optimistic stamp and does not use. */
#include "base/memory.h"
#include "record/java/log_walk.h"

#include <string.h>

static void discard(struct java_converter *c, uint32_t thread, uint64_t first, uint64_t end)
{
    if (!c->discarded)
        c->discarded = memory_new(c->count / 8 + 1, 1);
    for (uint64_t i = first; i < end; i++) {
        unsigned kind = java_kind_of(&c->records[i]);
        if ((kind == JAVA_READ || kind == JAVA_STATIC_READ) && java_thread_of(&c->records[i]) == thread)
            c->discarded[i / 8] |= (uint8_t)(1U << i % 8);
    }
}

/* The thread reads without a lock from tryOptimisticRead on. If the stamp is no longer valid afterwards, it reads again. Whether a
 * stamp was converted is not recorded. */
static void follow_stamp(struct java_converter *c, const struct java_record *r, uint64_t slot)
{
    struct java_thread *t = &c->threads[java_thread_of(r)];
    const char *name = java_text(c->list, java_site(c->list, r->site)->name);
    bool begins = strcmp(name, "tryOptimisticRead") == 0, validates = strcmp(name, "validate") == 0;

    if (java_kind_of(r) != JAVA_RETURNED && (begins || validates))
        return;
    if (t->optimistic > 0 && t->stamped == r->object &&
        ((validates && r->value == 0) || strncmp(name, "tryConvert", 10) == 0))
        discard(c, java_thread_of(r), t->optimistic, slot);
    t->optimistic = begins || (validates && r->value != 0 && t->optimistic > 0) ? slot + 1 : 0;
    t->stamped = r->object;
}

void java_follow_stamps(struct java_converter *c)
{
    for (uint64_t i = 0; i < c->count; i++) {
        const struct java_record *r = &c->records[i];
        if ((java_kind_of(r) == JAVA_CALL || java_kind_of(r) == JAVA_RETURNED) &&
            java_thread_of(r) != NO_THREAD &&
            strcmp(java_object_type(c, r->object), "Ljava/util/concurrent/locks/StampedLock;") == 0)
            follow_stamp(c, r, i);
    }
}
