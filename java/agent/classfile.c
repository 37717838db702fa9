/* Taking a class file apart. */
#include "classfile.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

#define MAGIC UINT32_C(0xCAFEBABE)

bool next_attribute(const struct pool *pool, struct cursor *in, unsigned *left, struct attribute *to)
{
    const uint8_t *start = in->at;

    if (*left == 0)
        return false;
    --*left;
    to->name = pool_utf8(pool, read_u2(in));
    to->content = read_span(in, read_u4(in));
    assert(in->at >= start && in->at <= in->end);
    to->whole = (struct span){start, (size_t)(in->at - start)};
    return !in->bad;
}

bool find_attribute(const struct pool *pool, const struct feature *feature, const char *name,
                    struct attribute *to)
{
    struct cursor in = cursor_over(feature->attributes);
    unsigned left = feature->attribute_count;

    while (next_attribute(pool, &in, &left, to))
        if (span_is(to->name, name))
            return true;
    return false;
}

static bool read_feature(const struct pool *pool, struct cursor *in, struct feature *to)
{
    const uint8_t *start = in->at, *attributes;
    struct attribute attribute;
    unsigned left;

    to->access = read_u2(in);
    to->name = pool_utf8(pool, read_u2(in));
    to->descriptor = pool_utf8(pool, read_u2(in));
    to->attribute_count = read_u2(in);
    left = to->attribute_count;
    attributes = in->at;
    while (next_attribute(pool, in, &left, &attribute))
        ;
    to->attributes = (struct span){attributes, (size_t)(in->at - attributes)};
    assert(attributes >= start && in->at >= attributes);
    to->whole = (struct span){start, (size_t)(in->at - start)};
    return !in->bad && to->name.data && to->descriptor.data;
}

static bool read_parts(struct class_file *class, struct cursor *in)
{
    struct feature feature;

    class->interfaces = read_span(in, 2u * read_u2(in));
    for (unsigned left = read_u2(in); left > 0; left--) {
        if (!read_feature(&class->pool, in, &feature))
            return false;
        ARRAY_PUSH(class, fields, feature);
    }
    for (unsigned left = read_u2(in); left > 0; left--) {
        if (!read_feature(&class->pool, in, &feature))
            return false;
        ARRAY_PUSH(class, methods, feature);
    }
    class->attributes = (struct span){in->at, (size_t)(in->end - in->at)};
    return !in->bad;
}

bool class_read(struct class_file *class, struct span bytes, const char **why)
{
    struct cursor in = cursor_over(bytes);

    *class = (struct class_file){0};
    *why = "it is malformed";
    if (read_u4(&in) != MAGIC)
        return false;
    class->minor = read_u2(&in);
    class->major = read_u2(&in);
    if (class->major < CLASS_OLDEST || class->major > CLASS_NEWEST) {
        *why = "its version is unknown";
        return false;
    }
    if (!pool_read(&class->pool, &in))
        return false;
    class->access = read_u2(&in);
    class->this_index = read_u2(&in);
    class->super_index = read_u2(&in);
    class->name = pool_class(&class->pool, class->this_index);
    class->super = pool_class(&class->pool, class->super_index);
    return class->name.data && read_parts(class, &in);
}

void class_free(struct class_file *class)
{
    pool_free(&class->pool);
    free(class->fields);
    free(class->methods);
}

struct span class_source(const struct class_file *class)
{
    struct cursor in = cursor_over(class->attributes);
    unsigned left = read_u2(&in);
    struct attribute attribute;

    while (next_attribute(&class->pool, &in, &left, &attribute))
        if (span_is(attribute.name, "SourceFile")) {
            struct cursor content = cursor_over(attribute.content);
            return pool_utf8(&class->pool, read_u2(&content));
        }
    return (struct span){NULL, 0};
}

static void skip_annotation(struct cursor *in, int depth);

static void skip_element(struct cursor *in, int depth)
{
    in->bad |= depth > 64;
    switch (read_u1(in)) {
    case 'e':
        read_u4(in);
        break;
    case '@':
        skip_annotation(in, depth + 1);
        break;
    case '[':
        for (unsigned left = read_u2(in); left > 0 && !in->bad; left--)
            skip_element(in, depth + 1);
        break;
    default:
        read_u2(in);
    }
}

/* What follows an annotation's type. */
static void skip_annotation(struct cursor *in, int depth)
{
    in->bad |= depth > 64;
    if (depth > 0)
        read_u2(in);
    for (unsigned left = read_u2(in); left > 0 && !in->bad; left--) {
        read_u2(in);
        skip_element(in, depth + 1);
    }
}

bool has_annotation(const struct pool *pool, const struct feature *feature, const char *descriptor)
{
    static const char *const names[] = {"RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations"};
    struct attribute attribute;

    for (int i = 0; i < 2; i++) {
        if (!find_attribute(pool, feature, names[i], &attribute))
            continue;
        struct cursor in = cursor_over(attribute.content);
        for (unsigned left = read_u2(&in); left > 0 && !in.bad; left--) {
            if (span_is(pool_utf8(pool, read_u2(&in)), descriptor))
                return true;
            skip_annotation(&in, 0);
        }
    }
    return false;
}

bool class_linker(const struct class_file *class, uint16_t dynamic, struct member *to)
{
    struct cursor in = cursor_over(class->attributes);
    int before = pool_bootstrap(&class->pool, dynamic);
    unsigned left = read_u2(&in), kind;
    struct attribute attribute;
    uint16_t method;

    while (before >= 0 && next_attribute(&class->pool, &in, &left, &attribute))
        if (span_is(attribute.name, "BootstrapMethods")) {
            in = cursor_over(attribute.content);
            for (read_u2(&in); before > 0 && !in.bad; before--) {
                read_u2(&in);
                read_span(&in, 2 * (size_t)read_u2(&in));
            }
            return pool_handle(&class->pool, read_u2(&in), &kind, &method) && !in.bad &&
                   pool_member(&class->pool, method, to);
        }
    return false;
}
