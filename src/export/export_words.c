/* Events in words. */
#include "export/export_words.h"

#include <string.h>

void words_init(struct narrator *n, const struct exported *x)
{
    memset(n, 0, sizeof *n);
    n->model = x->model;
    n->trace = x->trace;
}

void words_free(struct narrator *n)
{
    buffer_free(&n->out);
}

void words_event(struct narrator *n, const struct exported *x, uint32_t position)
{
    say_event(n, exported_event(x, position), exported_value(x, position));
}

void words_write(struct narrator *n, struct output *out)
{
    output_write(out, n->out.text, n->out.text_count);
    n->out.text_count = 0;
}
