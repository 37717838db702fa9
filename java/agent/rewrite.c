/* Rewrites a class, method by method. A method that cannot be rewritten keeps its bytes; the others are
 * rewritten all the same. */
#include "rewrite.h"
#include "hook_sites.h"
#include "initializers.h"
#include "methods.h"
#include "references.h"
#include "runtime/protocol/java_log.h"

#include <assert.h>

bool is_jdk(struct span name)
{
    static const char *const prefixes[] = {"java/", "javax/", "jdk/", "sun/", "com/sun/", "heddle/", NULL};

    for (const char *const *p = prefixes; *p; p++)
        if (span_starts(name, *p))
            return true;
    return false;
}

/* `*` stands for any text; slashes in the name meet dots in the pattern. */
static bool matches(const char *pattern, const uint8_t *name, const uint8_t *end)
{
    for (; *pattern; pattern++, name++) {
        if (*pattern == '*') {
            while (pattern[1] == '*')
                pattern++;
            for (const uint8_t *rest = name; rest <= end; rest++)
                if (matches(pattern + 1, rest, end))
                    return true;
            return false;
        }
        if (name == end || (*name == '/' ? '.' : *name) != (uint8_t)*pattern)
            return false;
    }
    return name == end;
}

/* What Maven and Gradle put around tests in the machine that they start for them: it talks with the build tool, in threads of
 * its own, and is no part of the program. */
static bool drives_tests(struct span name)
{
    return span_starts(name, "org/apache/maven/surefire/") ||
           span_starts(name, "org/apache/maven/plugin/surefire/") || span_starts(name, "org/gradle/") ||
           span_starts(name, "worker/org/gradle/");
}

bool rewrite_wanted(const struct rewriter *r, struct span name)
{
    bool wanted = !is_jdk(name) && !drives_tests(name);

    for (size_t i = 0; i < r->patterns_count; i++)
        if (matches(r->patterns[i].text, name.data, name.data + name.count))
            wanted = r->patterns[i].include;
    return wanted && !span_starts(name, "heddle/") && !span_starts(name, "java/lang/");
}

static void describe_class(const struct work *w, struct bytes *to)
{
    const struct class_file *class = w->class;
    size_t entry;

    list_begin(to, JAVA_ENTRY_CLASS, &entry);
    list_u4(to, w->class_number);
    list_u2(to, class->access);
    list_text(to, class->name);
    list_text(to, class->super);
    list_text(to, class_source(class));
    list_u2(to, (unsigned)class->fields_count);
    for (size_t i = 0; i < class->fields_count; i++) {
        list_u2(to, class->fields[i].access);
        list_text(to, class->fields[i].name);
        list_text(to, class->fields[i].descriptor);
    }
    list_end(to, entry);
}

/* Appends the method with new code; false when it stays as it is. */
static bool write_method(struct work *w, const struct feature *method, struct bytes *out)
{
    struct attribute attribute, other;
    struct bytes content = {0};
    struct cursor in = cursor_over(method->attributes);
    unsigned left = method->attribute_count;
    enum rewrite_result result;

    if (!find_attribute(w->pool, method, "Code", &attribute))
        return false;
    result = rewrite_code(w, method, attribute.content, &content);
    if (result == REWRITE_LEFT) {
        w->rewriter->left++;
        list_left(w->names, w->class->name, method->name, "its code would grow too large or is malformed");
    }
    if (result == REWRITE_DONE) {
        put_u2(out, method->access & ~(w->explicit_monitor ? (unsigned)ACCESS_SYNCHRONIZED : 0u));
        put_span(out, method->whole.data + 2, 6); /* name, descriptor, number of attributes */
        while (next_attribute(w->pool, &in, &left, &other)) {
            if (other.whole.data != attribute.whole.data) {
                put_span(out, other.whole.data, other.whole.count);
                continue;
            }
            assert(content.data_count > 0);
            put_span(out, other.whole.data, 2);
            put_u4(out, (uint32_t)content.data_count);
            put_span(out, content.data, content.data_count);
        }
    }
    bytes_free(&content);
    return result == REWRITE_DONE;
}

/* Objects get their number in a field, declared once in a chain of classes: in the first one that is the
 * program's own. */
static bool wants_identity(const struct work *w)
{
    return !w->rewriter->turns && !(w->class->access & ACCESS_INTERFACE) && !is_jdk(w->class->name) &&
           !rewrite_wanted(w->rewriter, w->class->super) && w->class->fields_count < 65534;
}

static void write_field(struct work *w, struct bytes *out, const char *name)
{
    put_u2(out, ACCESS_PRIVATE | ACCESS_TRANSIENT | ACCESS_SYNTHETIC);
    put_u2(out, pool_add_utf8(w->pool, name, strlen(name)));
    put_u2(out, pool_add_utf8(w->pool, "I", 1));
    put_u2(out, 0);
}

static void write_fields(struct work *w, struct bytes *out, bool identity)
{
    bool mark = identity && w->rewriter->light;

    put_u2(out, (unsigned)(w->class->fields_count + identity + mark));
    for (size_t i = 0; i < w->class->fields_count; i++)
        put_span(out, w->class->fields[i].whole.data, w->class->fields[i].whole.count);
    if (mark)
        write_field(w, out, MARK_FIELD);
    if (identity)
        write_field(w, out, IDENTITY_FIELD);
}

/* Everything behind the pool, which is written last because it grows meanwhile. */
static bool write_rest(struct work *w, struct bytes *out)
{
    const struct class_file *class = w->class;
    bool identity = wants_identity(w), changed = identity;

    put_u2(out, class->access);
    put_u2(out, class->this_index);
    put_u2(out, class->super_index);
    put_u2(out, (unsigned)(class->interfaces.count / 2));
    put_span(out, class->interfaces.data, class->interfaces.count);
    write_fields(w, out, identity);
    put_u2(out, (unsigned)class->methods_count);
    for (size_t i = 0; i < class->methods_count; i++) {
        bool done = write_method(w, &class->methods[i], out);
        if (!done)
            put_span(out, class->methods[i].whole.data, class->methods[i].whole.count);
        changed |= done;
    }
    put_span(out, class->attributes.data, class->attributes.count);
    return changed;
}

enum rewrite_result rewrite_class(struct rewriter *r, struct span bytes, struct bytes *out, struct bytes *names)
{
    struct class_file class;
    struct work work = {.rewriter = r, .class = &class, .pool = &class.pool, .names = names};
    enum rewrite_result result = REWRITE_NOTHING;
    struct bytes rest = {0}, expanded = {0};
    const char *why;
    bool good = class_read(&class, bytes, &why);

    if (good && !is_jdk(class.name) && references_expand(&class, r, &expanded)) {
        class_free(&class);
        good = class_read(&class, (struct span){expanded.data, expanded.data_count}, &why);
    }
    if (!good) {
        list_left(names, class.name, (struct span){NULL, 0}, why);
        r->left++;
        class_free(&class);
        bytes_free(&expanded);
        return REWRITE_LEFT;
    }
    work.class_number = r->next_class++;
    work.acts = !r->turns && !r->explores && !is_jdk(class.name) && initializer_acts(&class);
    if (!(class.access & ACCESS_MODULE)) {
        describe_class(&work, names);
        if (write_rest(&work, &rest))
            result = class.pool.total > 65535 ? REWRITE_LEFT : REWRITE_DONE;
    }
    if (result == REWRITE_DONE) {
        assert(class.pool.total <= 65535 && rest.data_count > 0);
        put_u4(out, 0xCAFEBABE);
        put_u2(out, class.minor);
        put_u2(out, class.major);
        pool_write(&class.pool, out);
        put_span(out, rest.data, rest.data_count);
        r->rewritten++;
    } else if (result == REWRITE_LEFT) {
        list_left(names, class.name, (struct span){NULL, 0}, "its constant pool is full");
        r->left++;
    }
    bytes_free(&rest);
    class_free(&class);
    bytes_free(&expanded);
    return result;
}
