/* Run-independent numbers for objects, variables and instructions of a Java program: an object is identified
 * by its creator and its ordinal among that creator's objects, a class and its members by name. */
#include "record/deeds/java_walk.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MOST = 3000, PLACE_BYTES = 8 };

static uint32_t add_name(struct java_walk *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static uint32_t add_name(struct java_walk *w, const char *format, ...)
{
    char text[TEXT_MOST];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return names_add(&w->reader->numbers->places, text, strlen(text)) + 1;
}

static uint64_t place(uint32_t name)
{
    return (uint64_t)name * PLACE_BYTES;
}

static const char *class_name(const struct java_walk *w, uint32_t number)
{
    const struct java_list *l = w->c->list;

    return number < l->classes_count && l->classes[number].number ? java_text(l, l->classes[number].name) : "?";
}

uint64_t place_of_site(struct java_walk *w, uint32_t number)
{
    const struct java_site_info *site = java_site(w->c->list, number);
    uint32_t *known = number < w->c->list->sites_count ? &w->sites[number] : NULL, name;

    if (known && *known)
        return *known;
    name = add_name(w, "%.900s.%.600s%.900s line %u, bytecode %u", class_name(w, site->class),
                    java_text(w->c->list, site->method), java_text(w->c->list, site->method_descriptor),
                    site->line, site->place);
    if (known)
        *known = name;
    return name;
}

/* Creations of objects, in the order of each thread; objects that belong to no thread have a name. */
void walk_name_objects(struct java_walk *w)
{
    for (uint64_t i = 0; i < w->c->count; i++) {
        const struct java_record *r = &w->c->records[i];
        struct walked_thread *t = &w->threads[java_thread_of(r)];
        uint32_t born = 0;
        if (java_kind_of(r) == JAVA_OBJECT && r->index == JAVA_INDEX_OUT)
            w->objects[r->object].name = add_name(w, "System.out");
        else if (java_kind_of(r) == JAVA_OBJECT && r->index == JAVA_INDEX_ERR)
            w->objects[r->object].name = add_name(w, "System.err");
        else if (java_kind_of(r) == JAVA_OBJECT && r->index)
            w->objects[r->object].name = add_name(w, "class %.2000s", java_type_name(w->c->list, r->index));
        else if (java_kind_of(r) == JAVA_BORN)
            born = r->object;
        else if (java_kind_of(r) == JAVA_MADE && r->value < w->c->objects_count &&
                 w->c->objects[(uint32_t)r->value].family == FAMILY_CONDITION)
            born = (uint32_t)r->value;
        if (born && w->objects[born].name == 0)
            w->objects[born].name = add_name(w, "born %u %u", t->number, t->births++);
    }
}

const char *walk_type(struct java_walk *w, uint32_t object)
{
    const char *signature = java_object_type(w->c, object);
    size_t length = strlen(signature);
    bool class = length > 2 && signature[0] == 'L';

    snprintf(w->type, sizeof w->type, "%.*s", (int)(class ? length - 2 : length), signature + class);
    for (char *c = w->type; *c; c++)
        if (*c == '/')
            *c = '.';
    return w->type;
}

/* An object whose creation was not recorded is identified by the thread that touches it, as long as only one
 * does. */
static uint32_t object_name(struct java_walk *w, uint32_t object, uint32_t thread)
{
    struct walked_object *o = &w->objects[object];
    struct walked_thread *t = &w->threads[thread];

    if (o->name == 0) {
        o->toucher = thread + 1;
        o->name = add_name(w, "unborn %u %u", t->number, t->unborn++);
    } else if (o->toucher && o->toucher != thread + 1) {
        walk_miss(w, "an object of class %.200s that uninstrumented code created and threads share",
                  walk_type(w, object));
    }
    return o->name;
}

uint64_t place_of_object(struct java_walk *w, const char *what, uint32_t object, uint32_t thread)
{
    return place(add_name(w, "%s %u", what, object_name(w, object, thread)));
}

uint64_t place_of_variable(struct java_walk *w, const struct java_record *r)
{
    const struct java_list *l = w->c->list;
    const struct java_site_info *site = java_site(l, r->site);
    unsigned kind = java_kind_of(r);
    uint32_t thread = java_thread_of(r);
    const char *owner = java_text(l, site->owner);

    if (kind == JAVA_ATOMIC || kind == JAVA_ATOMIC_NOT || java_object_type(w->c, r->object)[0] == '[')
        return place(add_name(w, "element %u %u", object_name(w, r->object, thread), r->index));
    if (site->field != JAVA_FIELD_NONE)
        owner = class_name(w, l->fields[site->field].class);
    if (kind == JAVA_STATIC_READ || kind == JAVA_STATIC_WRITE)
        return place(add_name(w, "static %.1000s.%.1000s", owner, java_text(l, site->name)));
    return place(add_name(w, "field %u %.1000s.%.1000s", object_name(w, r->object, thread), owner,
                          java_text(l, site->name)));
}

bool walk_alone(const struct java_walk *w, uint32_t thread)
{
    return w->threads[thread].number == 0 && w->joined == w->started;
}

static void keep_common(struct guard *g, const struct walked_thread *t)
{
    unsigned kept = 0;

    if (!g->called)
        for (unsigned i = 0; i < t->held_count; i++)
            g->locks[g->lock_count++] = t->held[i].lock;
    g->called = true;
    for (unsigned i = 0; i < g->lock_count; i++)
        for (unsigned k = 0; k < t->held_count; k++)
            if (t->held[k].lock == g->locks[i]) {
                g->locks[kept++] = g->locks[i];
                break;
            }
    g->lock_count = kept;
}

void guard_use(struct java_walk *w, uint32_t object, uint32_t thread, bool changes)
{
    struct guard *g = &w->objects[object].guard;

    if (walk_alone(w, thread))
        return;
    g->threads |= UINT64_C(1) << w->threads[thread].number % 64;
    g->changed |= changes;
    keep_common(g, &w->threads[thread]);
}

void guard_check(struct java_walk *w)
{
    for (uint32_t i = 0; i < w->c->objects_count; i++) {
        const struct walked_object *o = &w->objects[i];
        const struct guard *g = &o->guard;
        if (o->monitored && (o->started || w->c->objects[i].thread))
            walk_miss(w, "the monitor of a thread");
        if (o->modelled && g->called)
            walk_miss(w, "what else than its value a %.200s shows", walk_type(w, i));
        if (!(g->threads & (g->threads - 1)))
            continue;
        if (g->called && g->changed && g->lock_count == 0)
            walk_miss(w, "threads use the same %.200s, and no lock keeps their calls apart", walk_type(w, i));
        if (g->handed)
            walk_miss(w, "a method of the JDK is given an array that threads share");
    }
    if (w->nested_print && w->printing & (w->printing - 1))
        walk_miss(w, "code of the program that runs inside a call which prints, while others print");
    if (w->several_makers)
        walk_miss(w, "several threads start threads that have no name of their own");
}
