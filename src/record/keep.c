/* What the second walk keeps of the run itself: who ran up to where, who made whom, which files it ran from.
 *
 * A record tells the ticks since the one before it; at the end of a slice the program tells their sum. */
#include "base/memory.h"
#include "record/walk.h"

#include <string.h>

static struct kept_thread *kept(struct converter *c, uint32_t thread)
{
    while (c->kept_count <= thread)
        ARRAY_PUSH(c, kept, (struct kept_thread){0});
    return &c->kept[thread];
}

static struct journal_thread *known(struct converter *c, uint32_t thread)
{
    while (c->journal.threads_count <= thread)
        ARRAY_PUSH(&c->journal, threads, (struct journal_thread){0});
    return &c->journal.threads[thread];
}

/* Slices of one thread that follow each other are one. */
static void add_slice(struct converter *c, uint64_t position)
{
    struct journal *j = &c->journal;

    if (j->slices_count > 0 && j->slices[j->slices_count - 1].thread == c->thread)
        j->slices[j->slices_count - 1].position = position;
    else
        ARRAY_PUSH(j, slices, (struct journal_slice){c->thread, position});
    c->running = false;
}

void keep_record(struct converter *c, const struct record *r)
{
    unsigned kind = record_kind(r->word);

    switch (kind) {
    case RECORD_TEXT:
        return;
    case RECORD_THREAD: {
        uint32_t thread = (uint32_t)r->value;
        known(c, thread);
        c->tick = kept(c, thread)->ticks;
        break;
    }
    case RECORD_STOP:
        c->tick = kept(c, c->thread)->ticks = r->value >> 1;
        if (!c->journal.two_pass || address_of(r) || c->shown)
            add_slice(c, c->tick - (r->value & 1)); /* else it is there by marks that other runs may lack */
        c->running = c->shown = false;
        return;
    case RECORD_TICKS:
        c->tick += r->value;
        break;
    case RECORD_INPUT:
        ARRAY_PUSH(
            &c->journal, inputs,
            (struct journal_input){c->thread, (uint32_t)(address_of(r) % JOURNAL_INPUT_KINDS), r->value});
        break;
    case RECORD_FORK: {
        struct journal_thread *t = known(c, (uint32_t)r->value);
        t->parent = c->thread + 1;
        t->ordinal = ++kept(c, c->thread)->children;
        break;
    }
    default:
        break;
    }
    c->running = true;
    c->tick += r->pc >> RECORD_TICK_SHIFT;
}

void keep_event(struct converter *c, bool own)
{
    c->shown = true;
    if (!c->keep_ticks)
        return;
    if (c->ticks_count == 0)
        ARRAY_PUSH(c, ticks, 0);
    ARRAY_PUSH(c, ticks, own ? c->tick : TICK_UNKNOWN);
}

void keep_module(struct converter *c, const char *path)
{
    struct journal_module module = {.path = memory_text(path, strlen(path)), .build = symbols_build(path)};

    ARRAY_PUSH(&c->journal, modules, module);
}

void keep_finish(struct converter *c)
{
    uint32_t strangers = 0;

    if (c->running)
        add_slice(c, JOURNAL_TO_THE_END);
    for (uint32_t i = 0; i < c->journal.threads_count; i++) {
        struct journal_thread *t = &c->journal.threads[i];
        t->name = i < c->threads_count ? c->threads[i] : 0;
        if (t->parent == 0)
            t->ordinal = ++strangers;
    }
}
