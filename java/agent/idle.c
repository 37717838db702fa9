/* Hooks that do nothing: compiled, they are gone. */
#include "idle.h"
#include "calls.h"
#include "opcodes.h"
#include "rewrite.h"

/* Those do what the program wants done, or give what it goes on with. */
static bool is_needed(struct span name)
{
    return span_is(name, "copy") || span_is(name, "enteredMonitor") || span_is(name, "leavingMonitor");
}

bool has_idle_form(struct span name)
{
    return span_is(name, RUNTIME_CLASS) || span_is(name, ACCESSES_CLASS) || span_is(name, ATOMICS_CLASS) ||
           span_is(name, GROUNDS_CLASS);
}

static void put_idle_code(char result, struct bytes *code)
{
    static const unsigned zero[] = {OP_ICONST_0, OP_ICONST_0 + 6, OP_ICONST_0 + 8, OP_ICONST_0 + 11,
                                    OP_ACONST_NULL};
    static const char letters[] = "IJFDL";
    unsigned which = result == 'V' ? 0 : (unsigned)(strchr(letters, result) - letters);

    if (result != 'V')
        put_u1(code, zero[which]);
    put_u1(code, result == 'V' ? OP_RETURN : OP_IRETURN + which);
}

/* The method's bytes up to its attributes, and code that returns at once. */
static bool put_idle_method(const struct feature *method, struct span code_name, struct bytes *out)
{
    char letters[ARGUMENTS_MOST], result;
    struct bytes code = {0};
    unsigned slots = 0;
    int count = call_arguments(method->descriptor, letters, &result);

    for (int i = 0; i < count; i++)
        slots += letters[i] == 'J' || letters[i] == 'D' ? 2 : 1;
    if (count < 0)
        return false;
    put_idle_code(result, &code);
    put_span(out, method->whole.data, 6); /* access, name, descriptor */
    put_u2(out, 1);
    put_span(out, code_name.data, 2);
    put_u4(out, (uint32_t)(12 + code.data_count));
    put_u2(out, 2);
    put_u2(out, slots);
    put_u4(out, (uint32_t)code.data_count);
    put_span(out, code.data, code.data_count);
    put_u4(out, 0); /* no handlers, no attributes */
    bytes_free(&code);
    return true;
}

static bool put_methods(const struct class_file *class, struct bytes *out)
{
    const unsigned hook = ACCESS_PUBLIC | ACCESS_STATIC;
    struct attribute code;

    put_u2(out, (unsigned)class->methods_count);
    for (size_t i = 0; i < class->methods_count; i++) {
        const struct feature *method = &class->methods[i];
        if ((method->access & hook) == hook && !is_needed(method->name) &&
            find_attribute(&class->pool, method, "Code", &code)) {
            if (!put_idle_method(method, code.whole, out))
                return false;
        } else {
            put_span(out, method->whole.data, method->whole.count);
        }
    }
    return true;
}

bool make_idle(struct span bytes, struct bytes *out)
{
    struct class_file class;
    const char *why;
    bool good = class_read(&class, bytes, &why);

    if (good) { /* up to the methods, which begin behind the last field; hooks have no interfaces */
        const uint8_t *end = class.fields_count ? class.fields[class.fields_count - 1].whole.data +
                                                      class.fields[class.fields_count - 1].whole.count
                                                : class.methods[0].whole.data - 2;
        put_span(out, bytes.data, (size_t)(end - bytes.data));
        good = put_methods(&class, out);
        put_span(out, class.attributes.data, class.attributes.count);
    }
    class_free(&class);
    return good;
}
