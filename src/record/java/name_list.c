/* Reading the list of names. */
#include "record/java/name_list.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 5, DEEPEST = 1000 };

struct list_reader {
    struct java_list *list;
    const uint8_t *at, *end;
    size_t most; /* of any number: there are no more entries than bytes */
    bool bad;
};

static void take(struct list_reader *r, void *to, size_t count)
{
    memset(to, 0, count);
    if ((size_t)(r->end - r->at) < count)
        r->bad = true;
    if (r->bad)
        return;
    memcpy(to, r->at, count);
    r->at += count;
}

static uint32_t take_u4(struct list_reader *r)
{
    uint32_t value;

    take(r, &value, sizeof value);
    return value;
}

static uint16_t take_u2(struct list_reader *r)
{
    uint16_t value;

    take(r, &value, sizeof value);
    return value;
}

static uint32_t take_text(struct list_reader *r)
{
    size_t length = take_u2(r);
    uint32_t id;

    if (r->bad || (size_t)(r->end - r->at) < length) {
        r->bad = true;
        return 0;
    }
    id = names_add(&r->list->texts, (const char *)r->at, strnlen((const char *)r->at, length));
    r->at += length;
    return id;
}

/* A number that indexes a table of ours. */
static uint32_t take_number(struct list_reader *r)
{
    uint32_t number = take_u4(r);

    if (number == 0 || number > r->most)
        r->bad = true;
    return r->bad ? 0 : number;
}

static void read_class(struct list_reader *r)
{
    struct java_list *list = r->list;
    struct java_class class = {.number = take_number(r)};
    unsigned count;

    class.access = take_u2(r);
    class.name = take_text(r);
    class.super = take_text(r);
    class.source = take_text(r);
    class.field_start = (uint32_t)list->fields_count;
    count = take_u2(r);
    class.field_count = count;
    for (; count > 0 && !r->bad; count--) {
        struct java_field field = {.class = class.number};
        field.access = take_u2(r);
        field.name = take_text(r);
        field.descriptor = take_text(r);
        ARRAY_PUSH(list, fields, field);
    }
    if (r->bad)
        return;
    while (list->classes_count <= class.number)
        ARRAY_PUSH(list, classes, (struct java_class){0});
    list->classes[class.number] = class;
    while (list->class_of_count <= class.name)
        ARRAY_PUSH(list, class_of, 0);
    list->class_of[class.name] = class.number;
}

static void read_site(struct list_reader *r)
{
    struct java_list *list = r->list;
    uint32_t number = take_number(r);
    struct java_site_info site = {.class = take_number(r), .line = take_u4(r), .field = JAVA_FIELD_NONE};

    site.place = take_u2(r);
    take(r, &site.kind, 1);
    take(r, &site.grounds, 1);
    site.method = take_text(r);
    site.method_descriptor = take_text(r);
    site.owner = take_text(r);
    site.name = take_text(r);
    site.descriptor = take_text(r);
    if (r->bad)
        return;
    while (list->sites_count <= number)
        ARRAY_PUSH(list, sites, (struct java_site_info){.field = JAVA_FIELD_NONE});
    list->grounded |= site.grounds != 0;
    list->sites[number] = site;
}

static void read_entry(struct list_reader *r, unsigned tag)
{
    struct java_list *list = r->list;
    struct java_waiter waiter;
    struct java_death death;
    struct java_left left;
    uint32_t number;

    switch (tag) {
    case JAVA_ENTRY_CLASS:
        read_class(r);
        break;
    case JAVA_ENTRY_SITE:
        read_site(r);
        break;
    case JAVA_ENTRY_TYPE:
        number = take_number(r);
        while (!r->bad && list->types_count <= number)
            ARRAY_PUSH(list, types, (struct java_type){0});
        if (!r->bad)
            list->types[number] = (struct java_type){take_text(r), true};
        break;
    case JAVA_ENTRY_THREAD:
        number = take_number(r);
        while (!r->bad && list->threads_count <= number)
            ARRAY_PUSH(list, threads, 0);
        if (!r->bad)
            list->threads[number] = take_text(r);
        break;
    case JAVA_ENTRY_LEFT:
        left.class = take_text(r);
        left.method = take_text(r);
        left.why = take_text(r);
        ARRAY_PUSH(list, left, left);
        break;
    case JAVA_ENTRY_WAIT:
        waiter.kind = take_u4(r);
        waiter.object = take_u4(r);
        waiter.self = take_u4(r);
        waiter.thread = take_text(r);
        waiter.what = take_text(r);
        waiter.holder = take_text(r);
        waiter.place = take_text(r);
        ARRAY_PUSH(list, waiters, waiter);
        break;
    case JAVA_ENTRY_DIED:
        death.thread = take_text(r);
        death.exception = take_text(r);
        ARRAY_PUSH(list, deaths, death);
        break;
    default:
        r->bad = true;
    }
}

/* The field that a reference means: in the class or the nearest class above it that has one of that name and
 * type. */
static uint32_t resolve(const struct java_list *list, const struct java_site_info *site)
{
    uint32_t name = site->owner;

    for (int steps = 0; steps < DEEPEST; steps++) {
        uint32_t number = name < list->class_of_count ? list->class_of[name] : 0;
        if (steps == 0 && site->class < list->classes_count && list->classes[site->class].name == name)
            number = site->class; /* its own class, whatever others are called like it */
        if (number == 0)
            return JAVA_FIELD_NONE;
        const struct java_class *class = &list->classes[number];
        for (uint32_t f = class->field_start; f < class->field_start + class->field_count; f++)
            if (list->fields[f].name == site->name && list->fields[f].descriptor == site->descriptor)
                return f;
        name = class->super;
    }
    return JAVA_FIELD_NONE;
}

enum status java_list_read(struct java_list *list, const char *name, const uint8_t *bytes, size_t length,
                           struct error *err)
{
    const uint8_t *at = bytes, *end = bytes + length;

    memset(list, 0, sizeof *list);
    names_init(&list->texts);
    names_add(&list->texts, "", 0);
    while (end - at >= HEAD) {
        uint32_t size;
        memcpy(&size, at + 1, sizeof size);
        if (size > (size_t)(end - at) - HEAD)
            break;
        struct list_reader r = {list, at + HEAD, at + HEAD + size, length, false};
        read_entry(&r, *at);
        if (r.bad)
            return fail(err, HEDDLE_BAD_TRACE, "%s: entry at byte %zu is malformed", name,
                        (size_t)(at - bytes));
        at = r.end;
    }
    for (size_t i = 0; i < list->sites_count; i++)
        if (list->sites[i].class != 0 && list->sites[i].name != 0)
            list->sites[i].field = resolve(list, &list->sites[i]);
    return HEDDLE_OK;
}

void java_list_free(struct java_list *list)
{
    names_free(&list->texts);
    free(list->fields);
    free(list->classes);
    free(list->sites);
    free(list->types);
    free(list->threads);
    free(list->left);
    free(list->waiters);
    free(list->deaths);
    free(list->class_of);
}

const struct java_site_info *java_site(const struct java_list *list, uint32_t number)
{
    static const struct java_site_info unknown = {.field = JAVA_FIELD_NONE};

    return number < list->sites_count ? &list->sites[number] : &unknown;
}

const char *java_type_name(const struct java_list *list, uint32_t number)
{
    return number < list->types_count && list->types[number].known ? java_text(list, list->types[number].name)
                                                                   : "";
}
