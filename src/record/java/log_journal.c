/* The journal of a Java program's run: its threads, and their order, record by record.
 *
 * A thread's position is how many records it made. What is not in the trace needs no place in the journal,
 * except calls on shared objects whose inside is not recorded: they must hand over the same things again. */
#include "base/memory.h"
#include "record/java/log_walk.h"

#include <stdlib.h>

enum { SLICES_MOST = 1 << 22 };

/* The journal's number for the creator's next thread: that of the script, if the script knows the thread. */
static uint32_t add_thread(struct java_converter *c, uint32_t parent, uint32_t ordinal,
                           const struct script_thread *threads, size_t count)
{
    struct journal *j = c->journal;

    for (size_t i = 0; i < count; i++)
        if (threads[i].parent == parent && threads[i].ordinal == ordinal)
            return (uint32_t)i;
    ARRAY_PUSH(j, threads, (struct journal_thread){.parent = parent, .ordinal = ordinal});
    return (uint32_t)j->threads_count - 1;
}

/* A thread starts another. The start is recorded twice if one start method calls another. */
static void meet_fork(struct java_converter *c, const struct java_record *r, uint32_t *forks,
                      const struct script_thread *threads, size_t count)
{
    struct java_thread *maker = &c->threads[java_thread_of(r)];
    uint32_t child = c->objects[r->object].thread, number;

    if (java_thread_of(r) == NO_THREAD || maker->number == UINT32_MAX || map_get(&c->numbered, r->object))
        return;
    *map_at(&c->numbered, r->object) = 1;
    number = add_thread(c, maker->number + 1, ++forks[maker->number], threads, count);
    if (child != NO_THREAD)
        c->threads[child].number = number;
}

static bool is_call(const struct java_record *r)
{
    unsigned kind = java_kind_of(r);

    return kind == JAVA_CALL || kind == JAVA_RETURNED || kind == JAVA_TOUCHED || kind == JAVA_OUT ||
           kind == JAVA_IN;
}

/* Which objects several threads call, and which threads learn something from an interrupt. */
static void meet_call(struct java_converter *c, const struct java_record *r)
{
    struct java_object *o = &c->objects[java_owner(c, r->object)];
    uint32_t told = c->objects[r->object].thread;

    if (o->caller == NO_THREAD)
        o->caller = java_thread_of(r);
    o->shared |= o->caller != java_thread_of(r) || o->family == FAMILY_POOL;
    if (java_kind_of(r) == JAVA_CALL && told != NO_THREAD && java_action(c, r).effect == EFFECT_GIVES)
        c->threads[told].signalled = true;
}

void java_journal_threads(struct java_converter *c, const struct script_thread *threads, size_t count)
{
    size_t most = count + 2, alone = 1;
    uint32_t *forks;

    for (uint64_t i = 0; i < c->count; i++)
        most += java_kind_of(&c->records[i]) == JAVA_FORK;
    forks = memory_new(most, sizeof *forks);
    for (size_t i = 0; i < count; i++) {
        ARRAY_PUSH(c->journal, threads,
                   (struct journal_thread){.parent = threads[i].parent, .ordinal = threads[i].ordinal});
    }
    for (size_t i = 0; i < c->threads_count; i++)
        c->threads[i].number = UINT32_MAX;
    if (c->threads_count > 1) { /* the first runs main */
        c->threads[1].number = add_thread(c, 0, 1, threads, count);
        *map_at(&c->numbered, c->threads[1].object) = 1;
    }
    for (uint64_t i = 0; i < c->count; i++)
        if (java_kind_of(&c->records[i]) == JAVA_FORK)
            meet_fork(c, &c->records[i], forks, threads, count);
        else if (is_call(&c->records[i]))
            meet_call(c, &c->records[i]);
    for (size_t i = 2; i < c->threads_count; i++) /* a thread of the virtual machine: its creator is unknown */
        if (c->threads[i].number == UINT32_MAX) {
            ARRAY_PUSH(c->journal, threads, (struct journal_thread){.ordinal = (uint32_t)++alone});
            c->threads[i].number = (uint32_t)c->journal->threads_count - 1;
        }
    free(forks);
}

/* The thread got as far as its last record before another did something. */
static void add_slice(struct java_converter *c, uint32_t thread)
{
    struct journal *j = c->journal;
    uint32_t number = c->threads[thread].number;

    if (number >= j->threads_count || j->slices_count > SLICES_MOST)
        return;
    if (j->slices_count > 0 && j->slices[j->slices_count - 1].thread == number)
        j->slices[j->slices_count - 1].position = c->position;
    else
        ARRAY_PUSH(j, slices, (struct journal_slice){number, c->position});
}

/* A thread that asks for a lock changes nothing before it gets it. On replay it must not ask earlier: it would queue, and
 * might be given what another thread took in between when the run was recorded. */
static bool only_asks(struct java_converter *c, const struct java_record *r)
{
    enum java_effect effect = java_kind_of(r) == JAVA_CALL ? java_action(c, r).effect : EFFECT_NONE;

    return effect == EFFECT_LOCK || effect == EFFECT_SEMAPHORE_WAIT;
}

void java_journal_record(struct java_converter *c, const struct java_record *r)
{
    struct java_thread *t = &c->threads[java_thread_of(r)];

    c->position = t->records += !java_is_aside(r);
    if (t->signalled || (is_call(r) && !only_asks(c, r) &&
                         (java_kind_of(r) >= JAVA_OUT || c->objects[java_owner(c, r->object)].shared)))
        add_slice(c, java_thread_of(r));
}

void java_journal_event(struct java_converter *c)
{
    if (c->keep_ticks) {
        if (c->ticks_count == 0) { /* events are numbered from 1 */
            ARRAY_PUSH(c, ticks, 0);
            ARRAY_PUSH(c, bytecodes, 0);
        }
        ARRAY_PUSH(c, ticks, c->position);
        ARRAY_PUSH(c, bytecodes, java_site(c->list, c->writing->site)->place);
    }
    add_slice(c, java_thread_of(c->writing));
}

void java_journal_input(struct java_converter *c, const struct java_record *r)
{
    uint32_t number = c->threads[java_thread_of(r)].number;

    if (java_thread_of(r) != NO_THREAD && number < c->journal->threads_count && r->index < INPUT_KINDS)
        ARRAY_PUSH(c->journal, inputs, (struct journal_input){number, r->index, r->value});
}

bool java_journal_end(struct java_converter *c)
{
    for (size_t i = 1; i < c->threads_count; i++)
        if (c->threads[i].number < c->journal->threads_count)
            c->journal->threads[c->threads[i].number].name = c->threads[i].id;
    return c->journal->slices_count <= SLICES_MOST && c->skipper == NO_THREAD && !c->partial;
}
