/* Names in a trace of a Java program: `Account.balance@3`, `int[]@5[2]`, `Account.java:12 Account.deposit`. */
#include "base/memory.h"
#include "record/java/log_walk.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 4096 };

/* Characters that a name in a trace must not contain (semantics §7) become underscores. */
static uint32_t add_name(struct java_converter *c, enum name_class class, char *text)
{
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || strchr("|()=", *at))
            *at = '_';
    return names_add(&c->trace.names[class], text, strlen(text));
}

/* A signature in words: "[[I" is int[][], "Lpkg/Name;" pkg.Name; of the JDK's classes the name alone. */
static void type_in_words(const char *signature, char *to, size_t room)
{
    static const char letters[] = "ZBCSIJFD";
    static const char *const words[] = {"boolean", "byte", "char", "short", "int", "long", "float", "double"};
    size_t dimensions = strspn(signature, "["), used;
    const char *letter, *start;

    signature += dimensions;
    letter = *signature ? strchr(letters, *signature) : NULL;
    if (letter) {
        used = (size_t)snprintf(to, room, "%s", words[letter - letters]);
    } else {
        bool jdk = strncmp(signature, "Ljava/", 6) == 0;
        const char *address = strstr(signature, "0x"); /* of a class that a lambda expression made */
        size_t length;
        bool hidden = address && address > signature && strchr("./", address[-1]);
        start = jdk && !hidden ? strrchr(signature, '/') + 1 : signature + (*signature == 'L');
        length = hidden && address > start ? (size_t)(address - start) - 1 : strcspn(start, ";");
        used = (size_t)snprintf(to, room, "%.*s", (int)length, start);
        for (char *at = to; *at; at++)
            *at = (char)(*at == '/' ? '.' : *at);
    }
    if (used == 0)
        used = (size_t)snprintf(to, room, "object");
    for (; dimensions > 0 && used + 3 < room; dimensions--, used += 2)
        memcpy(to + used, "[]", 3);
}

static uint32_t number_of(struct java_converter *c, uint32_t object)
{
    static struct java_object none;
    struct java_object *o = object < c->objects_count ? &c->objects[object] : &none;

    if (o->number == 0)
        o->number = ++c->last_number;
    return o->number;
}

void java_object_in_words(struct java_converter *c, uint32_t object, char *to, size_t room)
{
    char type[ROOM / 2];

    if (object == GIVEN_TASKS || object >= FIRST_STAND_IN) {
        snprintf(to, room, "%s",
                 object == GIVEN_TASKS     ? "tasks given"
                 : object == DONE_TASKS    ? "tasks done"
                 : object == ENDED_THREADS ? "threads that ended"
                 : object == SENT_DATA     ? "data sent"
                 : object == DONE_BEFORE   ? "before collection"
                 : object == DONE_ALONE    ? "before other threads"
                 : object == CALLED_BACK   ? "called by the JDK"
                 : object == UNSEEN_CALLS  ? "calls not seen"
                                           : "accesses not seen");
        return;
    }
    bool monitor = object < c->objects_count && c->objects[object].monitor_of > 0;
    if (monitor)
        object = c->objects[object].monitor_of;
    type_in_words(java_object_type(c, object), type, sizeof type);
    snprintf(to, room, "%s%s@%u", monitor ? "monitor of " : "", type, number_of(c, object));
}

static void class_in_words(const struct java_converter *c, uint32_t class, char *to, size_t room)
{
    const char *name = class < c->list->classes_count ? java_text(c->list, c->list->classes[class].name) : "";

    snprintf(to, room, "%.1000s", name);
    for (char *at = to; *at; at++)
        *at = (char)(*at == '/' ? '.' : *at);
}

/* Two classes of one name, by two loaders, have two variables; threads may have one name, too. */
static void make_unique(struct java_converter *c, enum name_class class, char *text, size_t room)
{
    size_t length = strlen(text);

    for (unsigned n = 2; names_find(&c->trace.names[class], text, strlen(text)) != NAME_NONE; n++)
        snprintf(text + length, room - length, " #%u", n);
}

/* Threads that are named after a connection have another port in every run, but must be known again. */
static void hide_ports(char *name)
{
    for (char *colon = strchr(name, ':'); colon; colon = strchr(colon + 1, ':')) {
        size_t digits = strspn(colon + 1, "0123456789");
        if (digits == 5) {
            memcpy(colon + 1, "port", 4);
            memmove(colon + 5, colon + 6, strlen(colon + 6) + 1);
        }
    }
}

thread_id java_thread_name(struct java_converter *c, uint32_t thread)
{
    struct java_thread *t = &c->threads[thread];
    const char *told = thread < c->list->threads_count ? java_text(c->list, c->list->threads[thread]) : "";
    char text[ROOM];

    if (t->id == 0) {
        snprintf(text, sizeof text, "%.1000s", *told ? told : "thread");
        hide_ports(text);
        make_unique(c, NAME_THREAD, text, sizeof text);
        t->id = add_name(c, NAME_THREAD, text) + 1;
    }
    return t->id - 1;
}

location_id java_place_name(struct java_converter *c, uint32_t site)
{
    uint32_t *id = map_at(&c->places, site);
    const struct java_site_info *s = java_site(c->list, site);
    char text[ROOM], class[1024], source[1024];

    if (*id != 0)
        return *id - 1;
    class_in_words(c, s->class, class, sizeof class);
    snprintf(source, sizeof source, "%.1000s",
             s->class < c->list->classes_count ? java_text(c->list, c->list->classes[s->class].source) : "");
    if (!*source)
        snprintf(source, sizeof source, "%.1000s", class);
    snprintf(text, sizeof text, "%s:%u %s.%.1000s", source, s->line, class, java_text(c->list, s->method));
    if (s->class == 0)
        text[0] = '\0';
    *id = add_name(c, NAME_LOCATION, text) + 1;
    return *id - 1;
}

variable_id java_variable_name(struct java_converter *c, struct java_variable *v)
{
    char text[ROOM], class[ROOM / 2];

    if (v->id != 0)
        return v->id - 1;
    if (v->space == SPACE_FIELD || v->space == SPACE_STATIC) {
        const struct java_field *f = &c->list->fields[v->sub];
        class_in_words(c, f->class, class, sizeof class);
        if (v->space == SPACE_STATIC)
            snprintf(text, sizeof text, "%s.%.1000s", class, java_text(c->list, f->name));
        else
            snprintf(text, sizeof text, "%s.%.1000s@%u", class, java_text(c->list, f->name),
                     number_of(c, v->object));
    } else {
        java_object_in_words(c, v->object, class, sizeof class);
        if (v->space == SPACE_ELEMENT ||
            (v->space == SPACE_ATOMIC && strstr(java_object_type(c, v->object), "Array;")))
            snprintf(text, sizeof text, "%s[%u]", class, v->sub);
        else
            snprintf(text, sizeof text, "%s", class);
    }
    make_unique(c, NAME_VARIABLE, text, sizeof text);
    v->id = add_name(c, NAME_VARIABLE, text) + 1;
    return v->id - 1;
}

uint32_t java_object_name(struct java_converter *c, uint32_t *id, enum name_class class, uint32_t object,
                          uint32_t site)
{
    const struct java_site_info *s = java_site(c->list, site);
    char text[ROOM];

    if (*id != 0)
        return *id - 1;
    if (s->kind == JAVA_SITE_METHOD && strcmp(java_object_type(c, object), "Ljava/lang/Class;") == 0) {
        class_in_words(c, s->class, text, sizeof text - 16);
        strcat(text, ".class"); // NOLINT(clang-analyzer-security.insecureAPI.strcpy)
    } else {
        java_object_in_words(c, object, text, sizeof text);
    }
    make_unique(c, class, text, sizeof text);
    *id = add_name(c, class, text) + 1;
    return *id - 1;
}

uint32_t java_channel_name(struct java_converter *c, struct java_channel *channel)
{
    bool is_class = channel->object >= c->objects_count && channel->object < FIRST_STAND_IN;
    char text[ROOM], object[ROOM / 2];

    if (channel->name != 0)
        return channel->name - 1;
    if (is_class)
        class_in_words(c, channel->object - (uint32_t)c->objects_count, object, sizeof object);
    else
        java_object_in_words(c, channel->object, object, sizeof object);
    thread_id from = java_thread_name(c, channel->from), to = java_thread_name(c, channel->to);
    snprintf(text, sizeof text, "%.1000s%s from %.400s to %.400s", object, is_class ? " initialized" : "",
             trace_name(&c->trace, NAME_THREAD, from), trace_name(&c->trace, NAME_THREAD, to));
    make_unique(c, NAME_SEMAPHORE, text, sizeof text);
    channel->name = add_name(c, NAME_SEMAPHORE, text) + 1;
    return channel->name - 1;
}
