/* Writing calls of the runtime; entries of the list of names. */
#include "hook_sites.h"
#include "base/memory.h"
#include "light.h"
#include "runtime/protocol/java_log.h"

#include <assert.h>

enum { TREATMENT = 29 }; /* the bits above, in a site's number: of arrays that it touches first (Light.java) */

void list_u4(struct bytes *to, uint32_t value)
{
    put_span(to, &value, sizeof value);
}

void list_u2(struct bytes *to, unsigned value)
{
    uint16_t narrow = (uint16_t)value;

    put_span(to, &narrow, sizeof narrow);
}

void list_text(struct bytes *to, struct span text)
{
    assert(text.count <= UINT16_MAX);
    list_u2(to, (unsigned)text.count);
    put_span(to, text.data, text.count);
}

void list_begin(struct bytes *to, unsigned tag, size_t *at)
{
    put_u1(to, tag);
    *at = to->data_count;
    list_u4(to, 0);
}

void list_end(struct bytes *to, size_t at)
{
    uint32_t length = (uint32_t)(to->data_count - at - sizeof length);

    assert(at + sizeof length <= to->data_count);
    memcpy(to->data + at, &length, sizeof length);
}

void hook(struct method_work *m, const char *name, const char *descriptor)
{
    hook_in(m, RUNTIME_CLASS, name, descriptor);
}

void hook_in(struct method_work *m, const char *class, const char *name, const char *descriptor)
{
    uint16_t index = pool_add_method(m->work->pool, class, name, descriptor);

    m->builder.failed |= index == 0;
    put_u1(&m->builder.out, OP_INVOKESTATIC);
    put_u2(&m->builder.out, index);
}

void push_integer(struct method_work *m, int32_t value)
{
    uint16_t index = pool_add_integer(m->work->pool, value);

    m->builder.failed |= index == 0;
    put_u1(&m->builder.out, OP_LDC_W);
    put_u2(&m->builder.out, index);
}

/* A number for the field, hardly ever that of another one, and never 0. */
static uint32_t field_number(const struct member *member)
{
    const struct span parts[] = {member->owner, member->name};
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k <= parts[i].count; k++)
            hash = (hash ^ (k < parts[i].count ? parts[i].data[k] : '.')) * 16777619u;
    return hash ? hash : 1;
}

/* Sites of a method that is rewritten once more get the same numbers again. */
static void remember_field(struct rewriter *r, uint32_t site, unsigned kind, const struct member *member)
{
    while (r->fields_count <= site)
        ARRAY_PUSH(r, fields, 0);
    r->fields[site] = kind >= OP_GETSTATIC && kind <= OP_PUTFIELD ? field_number(member) : 0;
}

static uint32_t add_site(struct method_work *m, size_t at, unsigned kind, const struct member *member)
{
    static const struct member none = {0};
    uint32_t number = m->work->rewriter->next_site++;
    bool grounded = m->flow || (m->work->rewriter->grounds && is_jdk(m->work->class->name));
    size_t entry;

    if (!member)
        member = &none;
    if (!m->work->rewriter->turns)
        remember_field(m->work->rewriter, number, kind, member);
    list_begin(&m->sites, JAVA_ENTRY_SITE, &entry);
    list_u4(&m->sites, number);
    list_u4(&m->sites, m->work->class_number);
    list_u4(&m->sites, line_of(m->code, m->work->pool, at));
    list_u2(&m->sites, (unsigned)at);
    put_u1(&m->sites, kind);
    put_u1(&m->sites, (grounded ? JAVA_GROUNDED : 0u) | (m->labelled ? JAVA_LABELLED : 0u));
    list_text(&m->sites, m->method->name);
    list_text(&m->sites, m->method->descriptor);
    list_text(&m->sites, member->owner);
    list_text(&m->sites, member->name);
    list_text(&m->sites, member->descriptor);
    list_end(&m->sites, entry);
    return number;
}

void push_site(struct method_work *m, size_t at, unsigned kind, const struct member *member)
{
    push_integer(m, (int32_t)add_site(m, at, kind, member));
}

void push_array_site(struct method_work *m, size_t at, unsigned kind, const struct member *member)
{
    const struct work *w = m->work;
    uint32_t how = (uint32_t)light_site(w->rewriter->light, w->class->name, m->method->name,
                                        m->method->descriptor, (unsigned)at);

    push_integer(m, (int32_t)(add_site(m, at, kind, member) | how << TREATMENT));
}

static void local(struct method_work *m, unsigned op, unsigned index)
{
    if (index > 255)
        put_u1(&m->builder.out, OP_WIDE);
    put_u1(&m->builder.out, op);
    if (index > 255)
        put_u2(&m->builder.out, index);
    else
        put_u1(&m->builder.out, index);
}

static unsigned letter_number(char letter)
{
    return letter == 'I' ? 0 : letter == 'J' ? 1 : letter == 'F' ? 2 : letter == 'D' ? 3 : 4;
}

void emit_load(struct method_work *m, char letter, unsigned index)
{
    local(m, OP_ILOAD + letter_number(letter), index);
}

void emit_store(struct method_work *m, char letter, unsigned index)
{
    local(m, OP_ISTORE + letter_number(letter), index);
}

char field_letter(struct span descriptor)
{
    int first = descriptor.count ? descriptor.data[0] : 0;

    if (first == 'L' || first == '[')
        return 'L';
    return (char)(first == 'J' || first == 'F' || first == 'D' ? first : 'I');
}

void list_left(struct bytes *to, struct span class, struct span method, const char *why)
{
    size_t entry;

    list_begin(to, JAVA_ENTRY_LEFT, &entry);
    list_text(to, class);
    list_text(to, method);
    list_text(to, (struct span){(const uint8_t *)why, strlen(why)});
    list_end(to, entry);
}
