/* Variables of a Java log: which one a record accesses, how, and what its value means. */
#include "base/memory.h"
#include "record/java/log_walk.h"

#include <string.h>

bool java_is_access(const struct java_record *r)
{
    unsigned kind = java_kind_of(r);

    return (kind >= JAVA_READ && kind <= JAVA_STATIC_WRITE) || kind == JAVA_ATOMIC || kind == JAVA_ATOMIC_NOT;
}

static enum java_atomic atomic_of(struct java_converter *c, const struct java_record *r)
{
    return java_kind_of(r) == JAVA_ATOMIC_NOT
               ? ATOMIC_LOADS
               : java_atomic(java_text(c->list, java_site(c->list, r->site)->name));
}

bool java_is_write(struct java_converter *c, const struct java_record *r)
{
    unsigned kind = java_kind_of(r);

    if (kind == JAVA_ATOMIC || kind == JAVA_ATOMIC_NOT)
        return atomic_of(c, r) != ATOMIC_LOADS;
    return kind == JAVA_WRITE || kind == JAVA_STATIC_WRITE;
}

bool java_is_read(struct java_converter *c, const struct java_record *r)
{
    unsigned kind = java_kind_of(r);

    if (kind == JAVA_ATOMIC || kind == JAVA_ATOMIC_NOT)
        return atomic_of(c, r) != ATOMIC_STORES;
    return kind == JAVA_READ || kind == JAVA_STATIC_READ;
}

bool java_is_conditional(const struct java_converter *c, const struct java_record *r)
{
    return java_kind_of(r) == JAVA_ATOMIC &&
           java_atomic_compares(java_text(c->list, java_site(c->list, r->site)->name));
}

bool java_is_volatile(const struct java_converter *c, const struct java_variable *v)
{
    return v->space == SPACE_ATOMIC || ((v->space == SPACE_FIELD || v->space == SPACE_STATIC) &&
                                        c->list->fields[v->sub].access & JAVA_VOLATILE);
}

static struct java_variable *variable(struct java_converter *c, enum java_space space, uint32_t object,
                                      uint32_t sub, char letter)
{
    uint32_t *index = map_at(&c->variable_of[space], map_pair(object, sub));

    if (*index == 0) {
        ARRAY_PUSH(c, variables,
                   (struct java_variable){.object = object, .sub = sub, .space = space, .letter = letter});
        *index = (uint32_t)c->variables_count;
    }
    return &c->variables[*index - 1];
}

struct java_variable *java_contents(struct java_converter *c, uint32_t object)
{
    return variable(c, SPACE_CONTENTS, object, 0, 'V');
}

static char atomic_letter(const char *signature)
{
    if (strstr(signature, "Boolean"))
        return 'Z';
    if (strstr(signature, "Long"))
        return 'J';
    return (char)(strstr(signature, "Integer") ? 'I' : 'L');
}

bool java_is_derived_atomic(const struct java_converter *c, const struct java_record *r)
{
    return (java_kind_of(r) == JAVA_ATOMIC || java_kind_of(r) == JAVA_ATOMIC_NOT) &&
           r->object < c->objects_count && (c->objects[r->object].derived || c->objects[r->object].handed);
}

struct java_variable *java_variable_at(struct java_converter *c, const struct java_record *r)
{
    const struct java_site_info *site = java_site(c->list, r->site);
    const char *signature = java_object_type(c, r->object);
    unsigned kind = java_kind_of(r);

    if (java_is_derived_atomic(c, r))
        return NULL;
    if (kind == JAVA_ATOMIC || kind == JAVA_ATOMIC_NOT)
        return r->object ? variable(c, SPACE_ATOMIC, r->object, r->index, atomic_letter(signature)) : NULL;
    if (signature[0] == '[' && (kind == JAVA_READ || kind == JAVA_WRITE))
        return variable(c, SPACE_ELEMENT, r->object, r->index, signature[1]);
    if (site->field == JAVA_FIELD_NONE || c->list->fields[site->field].access & JAVA_FINAL)
        return NULL;
    if (kind == JAVA_STATIC_READ || kind == JAVA_STATIC_WRITE)
        return variable(c, SPACE_STATIC, 0, site->field,
                        java_text(c->list, c->list->fields[site->field].descriptor)[0]);
    return r->object ? variable(c, SPACE_FIELD, r->object, site->field,
                                java_text(c->list, c->list->fields[site->field].descriptor)[0])
                     : NULL;
}

uint64_t java_value(const struct java_variable *v, uint64_t raw)
{
    switch (v->letter) {
    case 'Z':
        return raw & 1;
    case 'B':
        return (uint64_t)(int64_t)(int8_t)raw;
    case 'C':
        return (uint16_t)raw;
    case 'S':
        return (uint64_t)(int64_t)(int16_t)raw;
    case 'I':
    case 'F':
        return (uint64_t)(int64_t)(int32_t)raw;
    default:
        return raw;
    }
}
