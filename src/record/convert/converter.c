/* A converter: made, set up, asked for what it knows, and freed. */
#include "base/memory.h"
#include "record/convert/convert.h"
#include "record/convert/walk.h"

#include <stdlib.h>
#include <string.h>

struct converter *converter_new(void)
{
    struct converter *c = memory_new(1, sizeof *c);
    const char *keeps = getenv("HEDDLE_KEEP_POLLS"); /* for tests */

    cells_init(&c->cells);
    naming_init(&c->naming);
    trace_init(&c->trace);
    grounding_init(&c->grounding);
    c->callers.by_frame_pointer = true;
    c->keep_polls = keeps && strcmp(keeps, "1") == 0;
    ARRAY_PUSH(c, shapes, (struct shape){0});
    return c;
}

void converter_free(struct converter *c)
{
    cells_free(&c->cells);
    naming_free(&c->naming);
    map_free(&c->pointed_at);
    free(c->pointed);
    callers_free(&c->callers);
    atomics_free(&c->atomics);
    map_free(&c->untyped);
    grounding_free(&c->grounding);
    survey_labels_free(&c->survey);
    polls_free(&c->polls);
    lives_free(&c->lives);
    free(c->types);
    trace_free(&c->trace);
    map_free(&c->onces);
    map_free(&c->saw);
    map_free(&c->guards);
    map_free(&c->objects);
    free(c->object);
    map_free(&c->looked);
    free(c->threads);
    free(c->waits);
    free(c->held);
    free(c->shapes);
    free(c->once);
    free(c->kept);
    free(c->rest);
    free(c->ticks);
    wants_free(&c->wants);
    tokens_free(&c->tokens);
    aliases_free(&c->aliases);
    map_free(&c->used);
    journal_free(&c->journal);
    journal_free(&c->part);
    free(c);
}

void converter_keep_ticks(struct converter *c)
{
    c->keep_ticks = true;
}

uint64_t *converter_take_ticks(struct converter *c)
{
    uint64_t *ticks = c->ticks;

    c->ticks = NULL;
    c->ticks_count = c->ticks_capacity = 0;
    return ticks;
}

struct journal *converter_journal(struct converter *c)
{
    return &c->journal;
}

uint64_t converter_last_tick(const struct converter *c)
{
    return c->tick;
}

void converter_last_place(struct converter *c, char *to, size_t room)
{
    *to = '\0';
    if (c->last_pc)
        symbols_place(c->naming.symbols, c->last_pc, to, room);
}

struct naming *converter_naming(struct converter *c)
{
    return &c->naming;
}

void converter_binary(struct converter *c)
{
    c->binary = true;
    c->callers.by_frame_pointer = false;
}

void converter_want(struct converter *c, const struct want *list, size_t count)
{
    c->wants.list = list;
    c->wants.list_count = count;
}

void converter_reach(struct converter *c, struct code_reach *reach)
{
    c->reach = reach;
}

void converter_on_end(struct converter *c, void (*fill)(void *, struct converter *, struct trace_end *),
                      void *to)
{
    c->fill_end = fill;
    c->fill_end_to = to;
}

void converter_limit(struct converter *c, double seconds)
{
    c->seconds = seconds;
}

bool converter_has_started(const struct converter *c, uint32_t thread)
{
    return thread == 0 || map_get(&c->naming.starts, thread) != 0;
}

void converter_thread_name(struct converter *c, uint32_t thread, char *to, size_t room)
{
    snprintf(to, room, "%s", trace_name(&c->trace, NAME_THREAD, converted_thread(c, thread)));
}
