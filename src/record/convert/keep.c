/* What the second walk keeps about the run itself: which thread ran up to which position, which thread created
 * which, which files were loaded.
 *
 * A record holds the ticks since the one before it; at the end of a slice the program reports their sum. */
#include "base/memory.h"
#include "record/convert/walk.h"
#include "record/program.h"

#include <stdlib.h>
#include <string.h>

enum { PART = 1 << 14 }; /* slices or inputs in a part of the journal */

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

/* Writes what has accumulated to the file: the run may be long. */
static void write_part(struct converter *c)
{
    struct journal *part = &c->part;
    size_t length;
    unsigned char *bytes;

    for (size_t i = 0; i < part->slices_count && c->keep_ticks; i++)
        ARRAY_PUSH(&c->journal, slices, part->slices[i]);
    for (size_t i = 0; i < part->inputs_count && c->keep_ticks; i++)
        ARRAY_PUSH(&c->journal, inputs, part->inputs[i]);
    if (!c->binary && part->slices_count + part->inputs_count > 0) { /* it would not be of use */
        bytes = journal_encode_part(part, &length);
        htr_part(c->writer, bytes, length);
        free(bytes);
    }
    part->slices_count = part->inputs_count = 0;
}

/* The last slice may still grow: it is held back. */
static void write_full_part(struct converter *c)
{
    struct journal *part = &c->part;
    struct journal_slice last;

    if (part->slices_count <= PART && part->inputs_count < PART)
        return;
    if (part->slices_count == 0) {
        write_part(c);
        return;
    }
    last = part->slices[--part->slices_count];
    write_part(c);
    ARRAY_PUSH(part, slices, last);
}

/* Slices of one thread that follow each other are one. */
static void add_slice(struct converter *c, uint64_t position)
{
    struct journal *part = &c->part;

    if (part->slices_count > 0 && part->slices[part->slices_count - 1].thread == c->thread)
        part->slices[part->slices_count - 1].position = position;
    else
        ARRAY_PUSH(part, slices, (struct journal_slice){c->thread, position});
    write_full_part(c);
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
            &c->part, inputs,
            (struct journal_input){c->thread, (uint32_t)(address_of(r) % JOURNAL_INPUT_KINDS), r->value});
        write_full_part(c);
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
    keep_plain(c, r);
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

/* A run that goes on after the event has made all its polls. */
void keep_poll(struct converter *c, uint32_t event)
{
    c->shown = true;
    if (c->keep_ticks && event < c->ticks_count)
        c->ticks[event] = c->tick;
}

void keep_module(struct converter *c, const char *path)
{
    struct journal_module module = {.path = memory_text(path, strlen(path)), .build = program_build(path)};

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
    write_part(c);
}

void keep_write(struct converter *c)
{
    struct journal rest = c->journal;
    size_t length;
    unsigned char *bytes;

    if (c->binary)
        return;
    rest.slices_count = rest.inputs_count = 0; /* they are in the file */
    bytes = journal_encode(&rest, &length);
    htr_journal(c->writer, bytes, length);
    free(bytes);
}
