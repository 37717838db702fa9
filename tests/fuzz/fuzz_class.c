/* Fuzzes the rewriter of Java classes: whatever it makes of a class can be read again, all instructions of it.
 */
#include "code.h"
#include "rewrite.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_method(const struct class_file *class, const struct feature *method)
{
    struct attribute attribute;
    struct code code;

    if (!find_attribute(&class->pool, method, "Code", &attribute) || !code_read(&code, attribute.content))
        return; /* it was like that before, and stayed so */
    for (size_t at = 0; at < code.bytes.count;) {
        size_t step = instruction_length(code.bytes, at);
        if (step == 0)
            return;
        at += step;
    }
}

static void rewrite(const uint8_t *bytes, size_t length, bool explores)
{
    struct rewriter rewriter = {.next_site = 1, .next_class = 1, .gates = explores, .explores = explores};
    struct bytes out = {0}, names = {0};
    struct class_file class;
    const char *why;

    if (rewrite_class(&rewriter, (struct span){bytes, length}, &out, &names) == REWRITE_DONE) {
        bool readable = class_read(&class, (struct span){out.data, out.data_count}, &why);
        if (!readable)
            fprintf(stderr, "the rewritten class cannot be read: %s\n", why);
        assert(readable);
        for (size_t i = 0; i < class.methods_count; i++)
            check_method(&class, &class.methods[i]);
        class_free(&class);
    }
    bytes_free(&out);
    bytes_free(&names);
    free(rewriter.fields);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    rewrite(bytes, length, false);
    rewrite(bytes, length, true);
    return 0;
}
