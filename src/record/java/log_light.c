/* Learns from the log of a first pass what threads do not share, and takes back what a second pass found to be shared. */
#include "record/java/log_light.h"
#include "base/memory.h"
#include "record/java/log_walk.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANY = UINT32_MAX, ROUNDS = 32 };

/* Who touched something in a phase. */
struct light_toucher {
    uint32_t phase, thread; /* MANY: several, which only read */
    uint32_t field;         /* of an object: the one that was touched last, + 1 */
    bool dirty;
};

/* A walk over the log of the first pass. */
struct light_lesson {
    struct java_converter *c;
    uint32_t phase;
    struct light_toucher *variables; /* by index */
    struct light_toucher *objects;   /* by number */
    uint8_t *fields;                 /* by index: bits below */
    uint32_t *first;                 /* by array: site of its first access, + 1 */
    uint32_t *ordinal;               /* by array: its number among those touched at the start, + 1 */
    bool *shared;                    /* by array */
    uint32_t arrays;
    bool changed;
};

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
    free(light->shared);
}

/* Whether the access comes into the way of another thread's in the same phase. */
static bool collides(struct light_toucher *t, uint32_t phase, uint32_t thread, bool writes)
{
    bool other;

    if (t->phase != phase || t->thread == NO_THREAD)
        *t = (struct light_toucher){.phase = phase, .thread = thread};
    other = t->thread != thread;
    if (other && (writes || t->dirty))
        return true;
    if (other)
        t->thread = MANY;
    t->dirty |= writes;
    return false;
}

static bool is_array_access(const struct java_converter *c, const struct java_record *r)
{
    unsigned kind = java_kind_of(r);

    return (kind == JAVA_READ || kind == JAVA_WRITE) && r->object < c->objects_count &&
           java_object_type(c, r->object)[0] == '[';
}

static void learn_array(struct light_lesson *l, const struct java_record *r)
{
    if (l->first[r->object])
        return;
    l->first[r->object] = r->site + 1;
    if (l->phase == 0)
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
        learn_array(l, r);
    else if (site->field != JAVA_FIELD_NONE)
        l->fields[site->field] |= (uint8_t)(FIELD_SEEN | (writes && l->phase % 2 ? FIELD_WRITTEN : 0));
    v = java_variable_at(l->c, r);
    if (!v)
        return;
    if (!collides(&l->variables[v - l->c->variables], l->phase, java_thread_of(r), writes) &&
        (!v->unseen || l->c->skipper != NO_THREAD)) /* values of what is no longer in the log are not known */
        return;
    if (array)
        l->shared[r->object] = true;
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
    if (collides(t, l->phase, java_thread_of(r), java_is_write(l->c, r))) {
        l->fields[site->field] |= FIELD_SHARED;
        if (t->field)
            l->fields[t->field - 1] |= FIELD_SHARED;
        l->changed = true;
    }
    t->field = site->field + 1;
}

static void walk(struct light_lesson *l, void (*take)(struct light_lesson *, const struct java_record *))
{
    l->phase = 0;
    for (uint64_t i = 0; i < l->c->count; i++) {
        const struct java_record *r = &l->c->records[i];
        if (java_kind_of(r) == JAVA_PHASE)
            l->phase = (uint32_t)r->value;
        else if (java_is_access(r) && java_thread_of(r) != NO_THREAD)
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

    return (struct light_place){add_text(light, c, class_text(c, s->class)), add_text(light, c, s->method),
                                add_text(light, c, s->method_descriptor), s->place, false};
}

static void keep_arrays(const struct light_lesson *l, struct java_light *light)
{
    struct map known = {0}; /* site → index + 1 */

    for (size_t i = 0; i < l->c->objects_count; i++) {
        if (!l->first[i])
            continue;
        if (l->ordinal[i]) {
            while (light->shared_count < l->ordinal[i])
                ARRAY_PUSH(light, shared, false);
            light->shared[l->ordinal[i] - 1] = l->shared[i];
            continue;
        }
        uint32_t *at = map_at(&known, l->first[i]);
        if (*at == 0) {
            struct light_place place = light_place_of(light, l->c, l->first[i] - 1);
            ARRAY_PUSH(light, sites, place);
            *at = (uint32_t)light->sites_count;
        }
        light->sites[*at - 1].shared |= l->shared[i];
    }
    map_free(&known);
}

static bool has_unknown_threads(const struct java_converter *c)
{
    for (uint64_t i = 0; i < c->count; i++)
        if (java_kind_of(&c->records[i]) == JAVA_STRAY && c->records[i].value == 1)
            return true;
    return false;
}

void java_light_learn(struct java_light *light, struct java_converter *c)
{
    struct light_lesson l = {.c = c};

    light->useless = has_unknown_threads(c);
    if (light->useless)
        return;
    l.variables = memory_new(c->variables_count + 1, sizeof *l.variables);
    l.objects = memory_new(c->objects_count + 1, sizeof *l.objects);
    l.fields = memory_new(c->list->fields_count + 1, 1);
    l.first = memory_new(c->objects_count + 1, sizeof *l.first);
    l.ordinal = memory_new(c->objects_count + 1, sizeof *l.ordinal);
    l.shared = memory_new(c->objects_count + 1, sizeof *l.shared);
    walk(&l, learn_access);
    l.changed = true;
    for (int round = 0; round < ROUNDS && l.changed; round++) {
        l.changed = false;
        memset(l.objects, 0, c->objects_count * sizeof *l.objects);
        walk(&l, learn_object);
    }
    keep_fields(&l, light);
    keep_arrays(&l, light);
    free(l.variables);
    free(l.objects);
    free(l.fields);
    free(l.first);
    free(l.ordinal);
    free(l.shared);
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

static void take_back_site(struct java_light *light, struct light_place at)
{
    for (size_t i = 0; i < light->sites_count; i++) {
        struct light_place *s = &light->sites[i];
        if (s->class == at.class && s->method == at.method && s->descriptor == at.descriptor &&
            s->place == at.place) {
            s->shared = true;
            return;
        }
    }
    at.shared = true;
    ARRAY_PUSH(light, sites, at);
}

static void take_back(struct java_light *light, struct java_converter *c, const struct java_record *r)
{
    const struct java_site_info *site = java_site(c->list, r->site);

    light->strays++;
    if (java_kind_of(r) == JAVA_STRAY && r->value == 1)
        light->useless = true;
    else if (java_kind_of(r) == JAVA_STRAY && r->index < light->shared_count)
        light->shared[r->index] = true;
    else if (site->field != JAVA_FIELD_NONE)
        take_back_field(light, add_text(light, c, class_text(c, c->list->fields[site->field].class)),
                        add_text(light, c, site->name));
    else
        take_back_site(light, light_place_of(light, c, r->site));
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

/* The list as it grows. */
struct light_text {
    char *bytes;
    size_t bytes_count, bytes_capacity;
};

static void put_words(struct light_text *to, const struct names *texts, const char *kind, const uint32_t *words,
                      size_t count)
{
    for (const char *c = kind; *c; c++)
        ARRAY_PUSH(to, bytes, *c);
    for (size_t i = 0; i < count; i++) {
        ARRAY_PUSH(to, bytes, ' ');
        for (const char *c = names_text(texts, words[i]); *c; c++)
            ARRAY_PUSH(to, bytes, *c);
    }
}

/* Ends a line with a word that is no text of ours. */
static void put_last(struct light_text *to, const char *word)
{
    ARRAY_PUSH(to, bytes, ' ');
    for (; *word; word++)
        ARRAY_PUSH(to, bytes, *word);
    ARRAY_PUSH(to, bytes, '\n');
}

static void put_number(struct light_text *to, const char *kind, uint64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, number);
    put_words(to, NULL, kind, NULL, 0);
    put_last(to, text);
}

static void put_list(struct light_text *to, const struct java_light *light)
{
    for (size_t i = 0; i < light->fields_count; i++) {
        const struct light_name *f = &light->fields[i];
        const char how[] = {(char)f->how, '\0'};
        if (f->how == LIGHT_NONE)
            continue;
        put_words(to, &light->texts, "field", (const uint32_t[]){f->owner, f->name, f->descriptor}, 3);
        put_last(to, how);
    }
    put_number(to, "arrays", light->shared_count);
    for (size_t i = 0; i < light->shared_count; i++)
        if (light->shared[i])
            put_number(to, "shared", i);
    for (size_t i = 0; i < light->sites_count; i++) {
        const struct light_place *s = &light->sites[i];
        char place[16];
        if (!s->shared)
            continue;
        snprintf(place, sizeof place, "%" PRIu32, s->place);
        put_words(to, &light->texts, "site", (const uint32_t[]){s->class, s->method, s->descriptor}, 3);
        put_last(to, place);
    }
}

enum status java_light_write(const struct java_light *light, const char *path, struct error *err)
{
    struct light_text text = {0};
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t done = 0;
    ssize_t put = 0;

    put_list(&text, light);
    while (fd >= 0 && done < text.bytes_count &&
           (put = write(fd, text.bytes + done, text.bytes_count - done)) > 0)
        done += (size_t)put;
    free(text.bytes);
    if (fd < 0 || close(fd) != 0 || done < text.bytes_count)
        return fail(err, HEDDLE_IO, "cannot write %s: %s", path, strerror(errno));
    return HEDDLE_OK;
}
