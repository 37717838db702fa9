/* References to methods of the JDK, which the machine calls without any instruction of the class.
 *
 * They are arguments of bootstrap methods. Each becomes what a compiler makes of a lambda: a private static
 * method with the call in it, which takes the receiver as its first argument. The type of a receiver that is
 * bound must be the one at the call site, which may be a subclass of the method's owner; so call sites that
 * share a bootstrap method but bind different types get one each. */
#include "references.h"
#include "base/memory.h"
#include "calls.h"
#include "code.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum handle_kind { HANDLE_VIRTUAL = 5, HANDLE_STATIC = 6, HANDLE_INTERFACE = 9 };
enum { FACTORY_ARGUMENTS = 3, IMPLEMENTATION = 1, FLAGS = 3, FLAG_SERIALIZABLE = 1 };

/* A new bootstrap method: a copy of an old one that names a method of ours. */
struct copied {
    unsigned bootstrap;   /* the old one */
    struct span receiver; /* the type that is bound, empty if none is */
    unsigned number;      /* of the new one */
};

/* The work on a class. */
struct expansion {
    struct class_file *class;
    const struct rewriter *rewriter;
    struct span *bootstraps; /* the old ones: handle, number of arguments, arguments */
    size_t bootstraps_count, bootstraps_capacity;
    struct copied *copies;
    size_t copies_count, copies_capacity;
    struct bytes added; /* new bootstrap methods */
    struct bytes pool;  /* the old entries, with new numbers of bootstrap methods */
    struct bytes methods;
    unsigned count; /* of new methods */
    bool failed;
};

/* What a reference calls. */
struct reference {
    struct member called;
    unsigned kind, op;
    bool written;         /* its objects can be written to a stream, which names the method */
    uint16_t index;       /* of the method in the pool */
    struct span receiver; /* type of the receiver where it is bound, else empty */
    unsigned line;        /* of the first instruction that uses the reference, or 0 */
};

static bool read_reference(const struct expansion *x, uint16_t handle, struct reference *to)
{
    if (!pool_handle(&x->class->pool, handle, &to->kind, &to->index) ||
        !pool_member(&x->class->pool, to->index, &to->called))
        return false;
    to->op = to->kind == HANDLE_VIRTUAL     ? OP_INVOKEVIRTUAL
             : to->kind == HANDLE_INTERFACE ? OP_INVOKEINTERFACE
                                            : OP_INVOKESTATIC;
    return to->kind == HANDLE_VIRTUAL || to->kind == HANDLE_INTERFACE || to->kind == HANDLE_STATIC;
}

static enum call_mode mode_of(const struct expansion *x, const struct reference *r)
{
    assert(r->op == OP_INVOKEVIRTUAL || r->op == OP_INVOKEINTERFACE || r->op == OP_INVOKESTATIC);
    return x->rewriter->explores ? explored_mode(r->op, &r->called) : call_mode(r->op, &r->called);
}

/* Of the new method: the receiver comes first. */
static void put_descriptor(const struct reference *r, struct bytes *to)
{
    bool array = r->called.owner.count && r->called.owner.data[0] == '[';

    assert(r->op != OP_INVOKESTATIC || r->receiver.count == 0); /* nothing is bound to a static method */
    put_u1(to, '(');
    if (r->receiver.count) {
        put_span(to, r->receiver.data, r->receiver.count);
    } else if (r->op != OP_INVOKESTATIC) {
        put_span(to, "L", !array);
        put_span(to, r->called.owner.data, r->called.owner.count);
        put_span(to, ";", !array);
    }
    put_span(to, r->called.descriptor.data + 1, r->called.descriptor.count - 1);
    put_u1(to, 0);
}

/* Part of a name; a name of a method cannot have some characters of types. */
static void put_name_part(struct bytes *name, struct span part)
{
    put_u1(name, ':');
    for (size_t i = 0; i < part.count; i++)
        put_u1(name, part.data[i] == '/'   ? '|'
                     : part.data[i] == ';' ? '!'
                     : part.data[i] == '[' ? '{'
                                           : part.data[i]);
}

/* Of the new method. Where a stream may name it, what it calls is part of it (heddle.runtime.Inputs.written). */
static void put_name(const struct expansion *x, const struct reference *r, struct bytes *name)
{
    char start[64];

    snprintf(start, sizeof start, "heddle$reference$%u", x->count);
    put_span(name, start, strlen(start));
    if (r->written) {
        put_name_part(name, (struct span){(const uint8_t[]){(uint8_t)('0' + r->kind)}, 1});
        put_name_part(name, r->called.owner);
        put_name_part(name, r->called.name);
        put_name_part(name, r->called.descriptor);
    }
    put_u1(name, 0);
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

/* The line of the first instruction that uses the entry of the pool. */
static unsigned find_line(const struct expansion *x, unsigned dynamic)
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
            if (bytes[0] == OP_INVOKEDYNAMIC && (unsigned)(bytes[1] << 8 | bytes[2]) == dynamic)
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
static uint16_t add_method(struct expansion *x, const struct reference *r)
{
    struct pool *pool = &x->class->pool;
    struct bytes spelled = {0}, descriptor = {0}, code = {0}, content = {0}, lines = {0};
    const char *name;
    unsigned slots;
    char result;
    uint16_t handle = 0;

    put_name(x, r, &spelled);
    name = (const char *)spelled.data;
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
        put_u2(&content, r->line != 0);
        if (r->line) {
            put_u2(&lines, 1);
            put_u2(&lines, 0);
            put_u2(&lines, r->line);
            put_attribute(x, "LineNumberTable", &content, &lines);
        }
        put_attribute(x, "Code", &x->methods, &content);
        x->count++;
        handle = pool_add_own_handle(pool, HANDLE_STATIC, x->class->access & ACCESS_INTERFACE,
                                     x->class->this_index, name, (const char *)descriptor.data);
    }
    bytes_free(&spelled);
    bytes_free(&descriptor);
    bytes_free(&code);
    bytes_free(&content);
    bytes_free(&lines);
    return handle;
}

/* Whether the bootstrap method makes objects of lambdas, and whether these can be written to a stream. */
static bool is_factory(const struct expansion *x, struct span bootstrap, bool *written)
{
    struct cursor in = cursor_over(bootstrap);
    struct reference r;
    bool factory =
        read_reference(x, read_u2(&in), &r) && span_is(r.called.owner, "java/lang/invoke/LambdaMetafactory");
    unsigned arguments = read_u2(&in);
    int32_t flags;

    *written = false;
    if (!factory || span_is(r.called.name, "metafactory"))
        return factory && arguments == FACTORY_ARGUMENTS;
    read_span(&in, 2 * FLAGS);
    if (arguments <= FLAGS || !pool_integer(&x->class->pool, read_u2(&in), &flags))
        return false;
    *written = flags & FLAG_SERIALIZABLE;
    return true;
}

/* The first type of a descriptor's arguments; empty if there is none. */
static struct span first_argument(struct span descriptor)
{
    size_t end = 1;

    while (end < descriptor.count && descriptor.data[end] == '[')
        end++;
    if (end < descriptor.count && descriptor.data[end] == 'L')
        while (end < descriptor.count && descriptor.data[end] != ';')
            end++;
    if (end >= descriptor.count || descriptor.data[1] == ')')
        return (struct span){NULL, 0};
    return (struct span){descriptor.data + 1, end};
}

/* The reference that a call site makes an object of; false when there is none or it stays as it is. */
static bool find_reference(struct expansion *x, uint16_t dynamic, struct reference *r)
{
    struct span bootstrap = x->bootstraps[pool_bootstrap(&x->class->pool, dynamic)];
    struct cursor in = cursor_over(bootstrap);
    struct member site;

    read_span(&in, 4 + 2 * IMPLEMENTATION);
    if (!is_factory(x, bootstrap, &r->written) || !read_reference(x, read_u2(&in), r) || in.bad ||
        mode_of(x, r) == CALL_NONE || !pool_dynamic(&x->class->pool, dynamic, &site))
        return false;
    if (r->written &&
        x->rewriter->turns) /* the JDK's part of streams is rewritten only where runs are recorded */
        return false;
    r->receiver = r->op == OP_INVOKESTATIC ? (struct span){NULL, 0} : first_argument(site.descriptor);
    return true;
}

/* Appends the copy of an old bootstrap method that names our method instead. */
static void copy_bootstrap(struct expansion *x, const struct reference *r, unsigned bootstrap)
{
    size_t at = x->added.data_count + 4 + 2 * IMPLEMENTATION;
    unsigned number = (unsigned)(x->bootstraps_count + x->copies_count);
    struct copied copy = {.bootstrap = bootstrap, .receiver = r->receiver, .number = number};
    uint16_t handle = add_method(x, r);

    x->failed |= handle == 0 || number >= 65535;
    ARRAY_PUSH(x, copies, copy);
    put_span(&x->added, x->bootstraps[bootstrap].data, x->bootstraps[bootstrap].count);
    patch_u2(&x->added, at, handle);
}

static const struct copied *find_copy(const struct expansion *x, unsigned bootstrap, struct span receiver)
{
    for (size_t i = 0; i < x->copies_count; i++)
        if (x->copies[i].bootstrap == bootstrap && x->copies[i].receiver.count == receiver.count &&
            (receiver.count == 0 || memcmp(x->copies[i].receiver.data, receiver.data, receiver.count) == 0))
            return &x->copies[i];
    return NULL;
}

/* Goes over the call sites that are linked when they are first reached. */
static void expand_all(struct expansion *x)
{
    const struct pool *pool = &x->class->pool;
    struct reference r;

    for (unsigned i = 1; i < pool->count && !x->failed; i++) {
        int bootstrap = pool_bootstrap(pool, (uint16_t)i);
        const struct copied *copy;
        if (bootstrap < 0 || (size_t)bootstrap >= x->bootstraps_count || !find_reference(x, (uint16_t)i, &r))
            continue;
        copy = find_copy(x, (unsigned)bootstrap, r.receiver);
        if (!copy) {
            r.line = find_line(x, i);
            copy_bootstrap(x, &r, (unsigned)bootstrap);
            copy = &x->copies[x->copies_count - 1];
        }
        patch_u2(&x->pool, pool->offset[i] + 1, copy->number);
    }
}

static void read_bootstraps(struct expansion *x, struct span content)
{
    struct cursor in = cursor_over(content);

    for (unsigned left = read_u2(&in); left > 0 && !in.bad; left--) {
        const uint8_t *start = in.at;
        read_u2(&in);
        read_span(&in, 2 * (size_t)read_u2(&in));
        ARRAY_PUSH(x, bootstraps, (struct span){start, (size_t)(in.at - start)});
    }
    x->failed |= in.bad;
}

/* The attributes of the class, with the new bootstrap methods. */
static void write_attributes(const struct expansion *x, struct bytes *out)
{
    struct cursor in = cursor_over(x->class->attributes);
    unsigned left = read_u2(&in);
    struct attribute attribute;

    put_u2(out, left);
    while (next_attribute(&x->class->pool, &in, &left, &attribute)) {
        if (!span_is(attribute.name, "BootstrapMethods")) {
            put_span(out, attribute.whole.data, attribute.whole.count);
            continue;
        }
        put_span(out, attribute.whole.data, 2);
        put_u4(out, (uint32_t)(attribute.content.count + x->added.data_count));
        put_u2(out, (unsigned)(x->bootstraps_count + x->copies_count));
        put_span(out, attribute.content.data + 2, attribute.content.count - 2);
        put_span(out, x->added.data, x->added.data_count);
    }
}

static void write_class(const struct expansion *x, struct bytes *out)
{
    const struct class_file *class = x->class;
    struct pool pool = class->pool;

    pool.bytes = (struct span){x->pool.data, x->pool.data_count};
    put_u4(out, 0xCAFEBABE);
    put_u2(out, class->minor);
    put_u2(out, class->major);
    pool_write(&pool, out);
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
    write_attributes(x, out);
}

bool references_expand(struct class_file *class, const struct rewriter *rewriter, struct bytes *out)
{
    struct expansion x = {.class = class, .rewriter = rewriter};
    struct cursor in = cursor_over(class->attributes);
    unsigned left = read_u2(&in);
    struct attribute attribute;
    bool done;

    put_span(&x.pool, class->pool.bytes.data, class->pool.bytes.count);
    while (next_attribute(&class->pool, &in, &left, &attribute))
        if (span_is(attribute.name, "BootstrapMethods"))
            read_bootstraps(&x, attribute.content);
    expand_all(&x);
    done = x.count > 0 && !x.failed && class->methods_count + x.count <= 65535;
    if (done)
        write_class(&x, out);
    free(x.bootstraps);
    free(x.copies);
    bytes_free(&x.added);
    bytes_free(&x.pool);
    bytes_free(&x.methods);
    return done;
}
