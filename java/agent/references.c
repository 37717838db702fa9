/* References to methods of the JDK, which the machine calls without any instruction of the class.
 *
 * They are arguments of bootstrap methods. Each becomes what a compiler makes of a lambda: a private static
 * method with the call in it, which takes the receiver as its first argument. */
#include "references.h"
#include "calls.h"
#include "code.h"

#include <stdio.h>

enum handle_kind { HANDLE_VIRTUAL = 5, HANDLE_STATIC = 6, HANDLE_INTERFACE = 9 };
enum { FACTORY_ARGUMENTS = 3, IMPLEMENTATION = 1 };

/* The work on a class. */
struct expansion {
    struct class_file *class;
    const struct rewriter *rewriter;
    struct bytes attributes; /* of the class, with the new handles */
    struct bytes methods;
    unsigned count; /* of new methods */
    bool failed;
};

/* What a reference calls. */
struct reference {
    struct member called;
    unsigned op;
    uint16_t index; /* of the method in the pool */
};

static bool read_reference(const struct expansion *x, uint16_t handle, struct reference *to)
{
    unsigned kind;

    if (!pool_handle(&x->class->pool, handle, &kind, &to->index) ||
        !pool_member(&x->class->pool, to->index, &to->called))
        return false;
    to->op = kind == HANDLE_VIRTUAL     ? OP_INVOKEVIRTUAL
             : kind == HANDLE_INTERFACE ? OP_INVOKEINTERFACE
                                        : OP_INVOKESTATIC;
    return kind == HANDLE_VIRTUAL || kind == HANDLE_INTERFACE || kind == HANDLE_STATIC;
}

static bool is_expanded(const struct expansion *x, const struct reference *r)
{
    return (x->rewriter->explores ? explored_mode(r->op, &r->called) : call_mode(r->op, &r->called)) !=
           CALL_NONE;
}

/* Of the new method: the receiver comes first. */
static void put_descriptor(const struct reference *r, struct bytes *to)
{
    bool array = r->called.owner.count && r->called.owner.data[0] == '[';

    put_u1(to, '(');
    if (r->op != OP_INVOKESTATIC) {
        put_span(to, "L", !array);
        put_span(to, r->called.owner.data, r->called.owner.count);
        put_span(to, ";", !array);
    }
    put_span(to, r->called.descriptor.data + 1, r->called.descriptor.count - 1);
    put_u1(to, 0);
}

static unsigned put_load(struct bytes *code, char letter, unsigned local)
{
    static const char letters[] = "IJFDL";

    put_u1(code, OP_ILOAD + (unsigned)(strchr(letters, letter) - letters));
    put_u1(code, local);
    return letter == 'J' || letter == 'D' ? 2 : 1;
}

/* The instructions; returns how many slots the arguments take, 0 when they are too many. */
static unsigned put_code(const struct reference *r, const char *descriptor, struct bytes *code, char *result)
{
    char letters[ARGUMENTS_MOST];
    int count = call_arguments((struct span){(const uint8_t *)descriptor, strlen(descriptor)}, letters, result);
    unsigned slots = 0;

    for (int i = 0; i < count && slots < ARGUMENTS_MOST - 1; i++)
        slots += put_load(code, letters[i], slots);
    if (count < 0 || slots >= ARGUMENTS_MOST - 1)
        return 0;
    put_u1(code, r->op);
    put_u2(code, r->index);
    if (r->op == OP_INVOKEINTERFACE) {
        put_u1(code, slots);
        put_u1(code, 0);
    }
    put_u1(code, *result == 'V'   ? OP_RETURN
                 : *result == 'I' ? OP_IRETURN
                 : *result == 'J' ? OP_IRETURN + 1u
                 : *result == 'F' ? OP_IRETURN + 2u
                 : *result == 'D' ? OP_IRETURN + 3u
                                  : OP_IRETURN + 4u);
    return slots + 2;
}

/* The line of the first instruction that uses the bootstrap method. */
static unsigned find_line(const struct expansion *x, unsigned bootstrap)
{
    const struct pool *pool = &x->class->pool;
    struct attribute attribute;
    struct code code;

    for (size_t i = 0; i < x->class->methods_count; i++) {
        if (!find_attribute(pool, &x->class->methods[i], "Code", &attribute) ||
            !code_read(&code, attribute.content))
            continue;
        for (size_t at = 0, length; (length = instruction_length(code.bytes, at)); at += length) {
            const uint8_t *bytes = code.bytes.data + at;
            if (bytes[0] == OP_INVOKEDYNAMIC &&
                pool_bootstrap(pool, (uint16_t)(bytes[1] << 8 | bytes[2])) == (int)bootstrap)
                return line_of(&code, pool, at);
        }
    }
    return 0;
}

static void put_attribute(struct expansion *x, const char *name, struct bytes *to, const struct bytes *content)
{
    put_u2(to, pool_add_utf8(&x->class->pool, name, strlen(name)));
    put_u4(to, (uint32_t)content->data_count);
    put_span(to, content->data, content->data_count);
}

/* Adds the method; returns the pool's index of a handle of it, 0 when there is no room. */
static uint16_t add_method(struct expansion *x, const struct reference *r, unsigned bootstrap)
{
    struct pool *pool = &x->class->pool;
    struct bytes descriptor = {0}, code = {0}, content = {0}, lines = {0};
    unsigned slots, line = find_line(x, bootstrap);
    char name[64], result;
    uint16_t handle = 0;

    snprintf(name, sizeof name, "heddle$reference$%u", x->count);
    put_descriptor(r, &descriptor);
    slots = put_code(r, (const char *)descriptor.data, &code, &result);
    if (slots) {
        put_u2(&x->methods, ACCESS_PRIVATE | ACCESS_STATIC | ACCESS_SYNTHETIC);
        put_u2(&x->methods, pool_add_utf8(pool, name, strlen(name)));
        put_u2(&x->methods, pool_add_utf8(pool, (const char *)descriptor.data, descriptor.data_count - 1));
        put_u2(&x->methods, 1);
        put_u2(&content, slots); /* one more than the number of arguments, or two for a result */
        put_u2(&content, slots);
        put_u4(&content, (uint32_t)code.data_count);
        put_span(&content, code.data, code.data_count);
        put_u2(&content, 0);
        put_u2(&content, line != 0);
        if (line) {
            put_u2(&lines, 1);
            put_u2(&lines, 0);
            put_u2(&lines, line);
            put_attribute(x, "LineNumberTable", &content, &lines);
        }
        put_attribute(x, "Code", &x->methods, &content);
        x->count++;
        handle = pool_add_own_handle(pool, HANDLE_STATIC, x->class->access & ACCESS_INTERFACE,
                                     x->class->this_index, name, (const char *)descriptor.data);
    }
    bytes_free(&descriptor);
    bytes_free(&code);
    bytes_free(&content);
    bytes_free(&lines);
    return handle;
}

/* Whether the bootstrap method makes objects of lambdas; one whose objects can be written to a stream is left
 * alone, as they tell the method's name. */
static bool is_factory(const struct expansion *x, uint16_t handle)
{
    struct reference r;

    return read_reference(x, handle, &r) && span_is(r.called.owner, "java/lang/invoke/LambdaMetafactory") &&
           span_is(r.called.name, "metafactory");
}

/* Goes over the content of the attribute BootstrapMethods, which lies at `start` of the new attributes. */
static void expand_all(struct expansion *x, struct span content, size_t start)
{
    struct cursor in = cursor_over(content);
    unsigned methods = read_u2(&in);

    for (unsigned i = 0; i < methods && !in.bad && !x->failed; i++) {
        bool factory = is_factory(x, read_u2(&in));
        unsigned arguments = read_u2(&in);
        for (unsigned k = 0; k < arguments && !in.bad; k++) {
            size_t at = start + (size_t)(in.at - content.data);
            uint16_t argument = read_u2(&in), handle;
            struct reference r;
            if (!factory || arguments != FACTORY_ARGUMENTS || k != IMPLEMENTATION ||
                !read_reference(x, argument, &r) || !is_expanded(x, &r))
                continue;
            handle = add_method(x, &r, i);
            x->failed |= handle == 0;
            patch_u2(&x->attributes, at, handle);
        }
    }
    x->failed |= in.bad;
}

static void write_class(const struct expansion *x, struct bytes *out)
{
    const struct class_file *class = x->class;

    put_u4(out, 0xCAFEBABE);
    put_u2(out, class->minor);
    put_u2(out, class->major);
    pool_write(&class->pool, out);
    put_u2(out, class->access);
    put_u2(out, class->this_index);
    put_u2(out, class->super_index);
    put_u2(out, (unsigned)(class->interfaces.count / 2));
    put_span(out, class->interfaces.data, class->interfaces.count);
    put_u2(out, (unsigned)class->fields_count);
    for (size_t i = 0; i < class->fields_count; i++)
        put_span(out, class->fields[i].whole.data, class->fields[i].whole.count);
    put_u2(out, (unsigned)class->methods_count + x->count);
    for (size_t i = 0; i < class->methods_count; i++)
        put_span(out, class->methods[i].whole.data, class->methods[i].whole.count);
    put_span(out, x->methods.data, x->methods.data_count);
    put_span(out, x->attributes.data, x->attributes.data_count);
}

bool references_expand(struct class_file *class, const struct rewriter *rewriter, struct bytes *out)
{
    struct expansion x = {.class = class, .rewriter = rewriter};
    struct cursor in = cursor_over(class->attributes);
    unsigned left = read_u2(&in);
    struct attribute attribute;
    bool done;

    put_span(&x.attributes, class->attributes.data, class->attributes.count);
    while (next_attribute(&class->pool, &in, &left, &attribute))
        if (span_is(attribute.name, "BootstrapMethods"))
            expand_all(&x, attribute.content, (size_t)(attribute.content.data - class->attributes.data));
    done = x.count > 0 && !x.failed && class->methods_count + x.count <= 65535;
    if (done)
        write_class(&x, out);
    bytes_free(&x.attributes);
    bytes_free(&x.methods);
    return done;
}
