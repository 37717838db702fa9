/* The parts of the JSON report's writer. Text goes out in one pass; little of it is ever in memory. */
#pragma once
#include "report/buffer.h"
#include "report/report.h"
#include "report/value.h"

enum { FLUSH_AT = 1 << 16 };

struct writer {
    struct buffer out;
    FILE *to;
    const struct results *results;
    const struct trace *trace;
    const struct report_options *options;
    struct values values;
};

static inline void put(struct writer *w, const char *text)
{
    buffer_text(&w->out, text);
}

/* A number behind text that is JSON already: ", \"count\": ". */
static inline void put_number(struct writer *w, const char *before, uint64_t number)
{
    put(w, before);
    buffer_number(&w->out, number);
    if (w->out.text_count >= FLUSH_AT)
        buffer_flush(&w->out, w->to);
}

/* The numbers behind the findings: by property, and the tables of the published methods. */
void put_statistics(struct writer *w);
