/* Learns from the log of a first pass what threads do not share, and takes back what a second pass found to be shared. */
#include "record/java/log_light.h"
#include "base/memory.h"
#include "record/java/log_walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = UINT32_MAX, MANY_MEMBERS = UINT32_MAX - 1, ROUNDS = 32 };

/* Who touched something last: the marks of Light.java. */
struct light_toucher {
    uint32_t clock, thread; /* MANY, MANY_MEMBERS: several, which only read */
    uint32_t field;         /* of an object: the one that was touched last, + 1 */
    bool dirty, earlier;
};

/* A walk over the log of the first pass. */
struct light_lesson {
    struct java_converter *c;
    uint32_t clock, phase_start;
    bool several;
    uint32_t *clocks;                /* by thread: of its last meeting in this phase, or 0 */
    struct light_toucher *variables; /* by index */
    struct light_toucher *objects;   /* by number */
    uint8_t *fields;                 /* by index: bits below */
    uint32_t *first;                 /* by array: site of its first access, + 1 */
    uint32_t *ordinal;               /* by array: its number among those touched at the start, + 1 */
    struct light_toucher *wholes;    /* by array */
    enum light_array *how;           /* by array */
    enum light_array *first_how; /* by site: of arrays that it touches first when there are several threads */
    uint8_t *sites;              /* by number: bits below */
    uint32_t arrays;
    bool apart;
    bool changed;
};

enum { SITE_TOUCHES = 1, SITE_SHARED = 2, SITE_PIECES = 4 };
enum { FIELD_SEEN = 1, FIELD_WRITTEN = 2, FIELD_SHARED = 4 };

void java_light_init(struct java_light *light)
{
    *light = (struct java_light){0};
    names_init(&light->texts);
}

void java_light_free(struct java_light *light)
{
    names_free(&light->texts);
    free(light->fields);
    free(light->sites);
    free(light->arrays);
}

static bool is_member(const struct light_lesson *l, uint32_t thread)
{
    return thread == MANY_MEMBERS || (thread < l->c->threads_count && l->clocks[thread] != 0);
}

/* Whether the access comes into the way of another thread's. */
static bool collides(const struct light_lesson *l, struct light_toucher *t, uint32_t thread, bool writes)
{
    assert(thread != NO_THREAD && thread < l->c->threads_count);
    uint32_t now = l->clocks[thread] ? l->clocks[thread] : l->phase_start;
    bool both = l->clocks[thread] && is_member(l, t->thread), before = t->dirty || t->earlier;

    if (t->thread == NO_THREAD || t->clock < l->phase_start) {
        *t = (struct light_toucher){.clock = now, .thread = thread, .field = t->field, .dirty = writes};
    } else if (t->thread == thread && t->clock == now) {
        t->dirty |= writes;
    } else if (t->thread == thread || (both && t->clock < now)) {
        *t = (struct light_toucher){
            .clock = now, .thread = thread, .field = t->field, .dirty = writes, .earlier = before};
    } else if (writes || (both && t->clock == now ? t->dirty : before)) {
        return true;
    } else {
        t->thread = both ? MANY_MEMBERS : MANY;
        t->clock = now;
    }
    return false;
}

static bool is_array_access(const struct java_converter *c, const struct java_record *r)
{
    unsigned kind = java_kind_of(r);

    return (kind == JAVA_READ || kind == JAVA_WRITE) && r->object < c->objects_count &&
           java_object_type(c, r->object)[0] == '[';
}

static void learn_array(struct light_lesson *l, const struct java_record *r, bool writes)
{
    if (collides(l, &l->wholes[r->object], java_thread_of(r), writes) && l->how[r->object] == LIGHT_WHOLE)
        l->how[r->object] = LIGHT_PARTS;
    if (l->first[r->object])
        return;
    l->first[r->object] = r->site + 1;
    if (l->clock == 0)
        l->ordinal[r->object] = ++l->arrays;
}

/* First walk: what each variable is like on its own. */
static void learn_access(struct light_lesson *l, const struct java_record *r)
{
    const struct java_site_info *site = java_site(l->c->list, r->site);
    bool writes = java_is_write(l->c, r), array = is_array_access(l->c, r);
    struct java_variable *v;

    if (java_kind_of(r) == JAVA_ATOMIC || java_kind_of(r) == JAVA_ATOMIC_NOT)
        return;
    if (array)
        learn_array(l, r, writes);
    else if (site->field != JAVA_FIELD_NONE)
        l->fields[site->field] |= (uint8_t)(FIELD_SEEN | (writes && l->several ? FIELD_WRITTEN : 0));
    v = java_variable_at(l->c, r);
    if (!v)
        return;
    if (!collides(l, &l->variables[v - l->c->variables], java_thread_of(r), writes) &&
        (!v->unseen || l->c->skipper != NO_THREAD)) /* values of what is no longer in the log are not known */
        return;
    if (array)
        l->how[r->object] = LIGHT_RECORDED;
    else if (site->field != JAVA_FIELD_NONE)
        l->fields[site->field] |= FIELD_SHARED;
}

static enum light_field treatment(const struct light_lesson *l, uint32_t field)
{
    const struct java_field *f = &l->c->list->fields[field];
    unsigned bits = l->fields[field];

    if (bits & FIELD_SHARED || f->access & JAVA_VOLATILE)
        return LIGHT_NONE;
    if (f->access & JAVA_FINAL && !(f->access & JAVA_STATIC))
        return LIGHT_FINAL;
    if (f->access & JAVA_STATIC)
        return bits & FIELD_WRITTEN ? LIGHT_NONE : LIGHT_QUIET;
    return bits & FIELD_SEEN && !(bits & FIELD_WRITTEN) ? LIGHT_QUIET : LIGHT_CHECKED;
}

/* Further walks: fields of an object that are checked have one mark, so no two threads may touch any of them. */
static void learn_object(struct light_lesson *l, const struct java_record *r)
{
    const struct java_site_info *site = java_site(l->c->list, r->site);
    struct light_toucher *t;

    if ((java_kind_of(r) != JAVA_READ && java_kind_of(r) != JAVA_WRITE) || is_array_access(l->c, r) ||
        site->field == JAVA_FIELD_NONE || r->object >= l->c->objects_count || r->object == 0 ||
        treatment(l, site->field) != LIGHT_CHECKED)
        return;
    t = &l->objects[r->object];
    if (collides(l, t, java_thread_of(r), java_is_write(l->c, r))) {
        l->fields[site->field] |= FIELD_SHARED;
        if (t->field)
            l->fields[t->field - 1] |= FIELD_SHARED;
        l->changed = true;
    }
    t->field = site->field + 1;
}

/* Later: which instructions touch arrays that will be recorded. */
static void learn_site(struct light_lesson *l, const struct java_record *r)
{
    size_t sites = l->c->list->sites_count;
    uint32_t first;
    enum light_array how;

    if (!is_array_access(l->c, r) || r->site >= sites)
        return;
    first = l->first[r->object];
    how = l->ordinal[r->object]         ? l->how[r->object]
          : first == 0 || first > sites ? LIGHT_RECORDED
                                        : l->first_how[first - 1];
    l->sites[r->site] |= (uint8_t)(SITE_TOUCHES | (how == LIGHT_RECORDED ? SITE_SHARED : 0) |
                                   (how == LIGHT_PARTS ? SITE_PIECES : 0));
}

static void learn_phase(struct light_lesson *l, const struct java_record *r, bool meet)
{
    if (r->index != JAVA_MET) {
        l->clock = l->phase_start = (uint32_t)r->value;
        l->several = r->index == JAVA_SEVERAL;
        memset(l->clocks, 0, l->c->threads_count * sizeof *l->clocks);
    } else if (meet && java_thread_of(r) < l->c->threads_count) {
        l->clock = l->clocks[java_thread_of(r)] = (uint32_t)r->value;
    }
}

static void walk(struct light_lesson *l, void (*take)(struct light_lesson *, const struct java_record *))
{
    l->clock = l->phase_start = 0;
    l->several = false;
    memset(l->clocks, 0, l->c->threads_count * sizeof *l->clocks);
    for (uint64_t i = 0; i < l->c->count; i++) {
        const struct java_record *r = &l->c->records[i];
        if (java_kind_of(r) == JAVA_PHASE)
            learn_phase(l, r, !l->apart);
        else if (java_is_access(r) && java_thread_of(r) != NO_THREAD && java_thread_of(r) < l->c->threads_count)
            take(l, r);
    }
}

static uint32_t add_text(struct java_light *light, const struct java_converter *c, uint32_t text)
{
    const char *t = java_text(c->list, text);

    return names_add(&light->texts, t, strlen(t));
}

static bool is_word(const struct java_converter *c, uint32_t text)
{
    const char *t = java_text(c->list, text);

    return *t && !strpbrk(t, " \t\r\n");
}

static uint32_t class_text(const struct java_converter *c, uint32_t class)
{
    return class < c->list->classes_count ? c->list->classes[class].name : 0;
}

/* Every way in which instructions name the fields. */
static void keep_fields(const struct light_lesson *l, struct java_light *light)
{
    const struct java_list *list = l->c->list;
    struct map known = {0};

    for (size_t i = 1; i < list->sites_count; i++) {
        const struct java_site_info *s = &list->sites[i];
        enum light_field how = s->class && s->field != JAVA_FIELD_NONE ? treatment(l, s->field) : LIGHT_NONE;
        if (how == LIGHT_NONE || !is_word(l->c, s->owner) || !is_word(l->c, s->name))
            continue;
        uint32_t *at = map_at(&known, map_pair(s->owner, s->field));
        if ((*at)++)
            continue;
        ARRAY_PUSH(light, fields,
                   (struct light_name){add_text(light, l->c, s->owner), add_text(light, l->c, s->name),
                                       add_text(light, l->c, s->descriptor),
                                       add_text(light, l->c, class_text(l->c, list->fields[s->field].class)),
                                       how});
    }
    map_free(&known);
}

static struct light_place light_place_of(struct java_light *light, const struct java_converter *c,
                                         uint32_t site)
{
    const struct java_site_info *s = java_site(c->list, site);

    return (struct light_place){add_text(light, c, class_text(c, s->class)),
                                add_text(light, c, s->method),
                                add_text(light, c, s->method_descriptor),
                                s->place,
                                LIGHT_WHOLE,
                                false,
                                false};
}

/* Arrays that the same instruction touches first are treated alike. */
static void find_first_sites(struct light_lesson *l)
{
    for (size_t i = 0; i < l->c->objects_count; i++)
        if (l->first[i] && !l->ordinal[i] && l->first[i] <= l->c->list->sites_count &&
            l->how[i] > l->first_how[l->first[i] - 1])
            l->first_how[l->first[i] - 1] = l->how[i];
}

static void keep_arrays(const struct light_lesson *l, struct java_light *light)
{
    for (size_t i = 0; i < l->c->objects_count; i++) {
        if (!l->ordinal[i])
            continue;
        while (light->arrays_count < l->ordinal[i])
            ARRAY_PUSH(light, arrays, LIGHT_WHOLE);
        light->arrays[l->ordinal[i] - 1] = l->how[i];
    }
    for (uint32_t i = 1; i < l->c->list->sites_count; i++) {
        struct light_place place;
        if (!l->sites[i])
            continue;
        place = light_place_of(light, l->c, i);
        place.how = l->first_how[i];
        place.plain = !(l->sites[i] & SITE_SHARED);
        place.pieces = l->sites[i] & SITE_PIECES;
        ARRAY_PUSH(light, sites, place);
    }
}

static bool has_stray(const struct java_converter *c, enum java_stray value)
{
    for (uint64_t i = 0; i < c->count; i++)
        if (java_kind_of(&c->records[i]) == JAVA_STRAY && c->records[i].value == value)
            return true;
    return false;
}

void java_light_learn(struct java_light *light, struct java_converter *c)
{
    struct light_lesson l = {.c = c};

    light->useless = has_stray(c, JAVA_STRAY_UNKNOWN);
    light->apart = l.apart = has_stray(c, JAVA_STRAY_APART);
    if (light->useless)
        return;
    l.clocks = memory_new(c->threads_count + 1, sizeof *l.clocks);
    l.sites = memory_new(c->list->sites_count + 1, 1);
    l.variables = memory_new(c->variables_count + 1, sizeof *l.variables);
    l.objects = memory_new(c->objects_count + 1, sizeof *l.objects);
    l.fields = memory_new(c->list->fields_count + 1, 1);
    l.first = memory_new(c->objects_count + 1, sizeof *l.first);
    l.ordinal = memory_new(c->objects_count + 1, sizeof *l.ordinal);
    l.wholes = memory_new(c->objects_count + 1, sizeof *l.wholes);
    l.how = memory_new(c->objects_count + 1, sizeof *l.how);
    l.first_how = memory_new(c->list->sites_count + 1, sizeof *l.first_how);
    walk(&l, learn_access);
    l.changed = true;
    for (int round = 0; round < ROUNDS && l.changed; round++) {
        l.changed = false;
        memset(l.objects, 0, c->objects_count * sizeof *l.objects);
        walk(&l, learn_object);
    }
    find_first_sites(&l);
    walk(&l, learn_site);
    keep_fields(&l, light);
    keep_arrays(&l, light);
    free(l.clocks);
    free(l.sites);
    free(l.variables);
    free(l.objects);
    free(l.fields);
    free(l.first);
    free(l.ordinal);
    free(l.wholes);
    free(l.how);
    free(l.first_how);
}

/* The field of that name is recorded from now on. */
static void take_back_field(struct java_light *light, uint32_t class, uint32_t name)
{
    for (size_t i = 0; i < light->fields_count; i++) {
        struct light_name *f = &light->fields[i];
        if (f->class == class && f->name == name && f->how != LIGHT_FINAL)
            f->how = LIGHT_NONE;
    }
}

/* Arrays that the instruction touches first are treated so, and it need not be plain any more. */
static void take_back_site(struct java_light *light, struct light_place at)
{
    for (size_t i = 0; i < light->sites_count; i++) {
        struct light_place *s = &light->sites[i];
        if (s->class == at.class && s->method == at.method && s->descriptor == at.descriptor &&
            s->place == at.place) {
            s->how = s->how > at.how ? s->how : at.how;
            s->plain &= at.plain;
            return;
        }
    }
    at.plain = false;
    ARRAY_PUSH(light, sites, at);
}

static void take_back_array(struct java_light *light, struct java_converter *c, const struct java_record *r)
{
    struct light_place at = light_place_of(light, c, r->site);

    at.how = r->value == JAVA_STRAY_NOT_PLAIN   ? LIGHT_WHOLE
             : r->value == JAVA_STRAY_NOT_WHOLE ? LIGHT_PARTS
                                                : LIGHT_RECORDED;
    at.plain = r->value == JAVA_STRAY_NOT_WHOLE;
    if (r->index < light->arrays_count)
        light->arrays[r->index] = light->arrays[r->index] > at.how ? light->arrays[r->index] : at.how;
    else
        take_back_site(light, at);
}

static void take_back(struct java_light *light, struct java_converter *c, const struct java_record *r)
{
    const struct java_site_info *site = java_site(c->list, r->site);

    light->strays++;
    if (java_kind_of(r) == JAVA_STRAY && r->value == JAVA_STRAY_UNKNOWN)
        light->useless = true;
    else if (java_kind_of(r) == JAVA_STRAY && r->value == JAVA_STRAY_APART)
        light->apart = true;
    else if (site->field != JAVA_FIELD_NONE)
        take_back_field(light, add_text(light, c, class_text(c, c->list->fields[site->field].class)),
                        add_text(light, c, site->name));
    else
        take_back_array(light, c, r);
}

/* Whether the field is one that is not to be recorded: the access came by a name that the first pass did not know. */
static bool is_taken_for_light(const uint8_t *left_out, const struct java_converter *c,
                               const struct java_record *r)
{
    uint32_t field = java_site(c->list, r->site)->field;

    return java_is_access(r) && !is_array_access(c, r) && field != JAVA_FIELD_NONE && left_out[field];
}

void java_light_check(struct java_light *light, struct java_converter *c)
{
    uint8_t *left_out = memory_new(c->list->fields_count + 1, 1);
    struct map names = {0};

    light->strays = 0;
    for (size_t i = 0; i < light->fields_count; i++)
        if (light->fields[i].how == LIGHT_QUIET || light->fields[i].how == LIGHT_CHECKED)
            *map_at(&names, map_pair(light->fields[i].class, light->fields[i].name)) = 1;
    for (uint32_t i = 0; i < c->list->fields_count; i++) {
        const struct java_field *f = &c->list->fields[i];
        left_out[i] = map_get(&names, map_pair(add_text(light, c, class_text(c, f->class)),
                                               add_text(light, c, f->name))) != 0;
    }
    for (uint64_t i = 0; i < c->count; i++)
        if (java_kind_of(&c->records[i]) == JAVA_STRAY || is_taken_for_light(left_out, c, &c->records[i]))
            take_back(light, c, &c->records[i]);
    map_free(&names);
    free(left_out);
}
