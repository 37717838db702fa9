/* Results made by hand, on traces given as text: what the report tests work on. */
#pragma once
#include "report/report.h"

#include <jansson.h>

struct prepared {
    struct trace trace;
    struct model model;
    struct results results;
};

/* Parses the text, whose lines end in '\n', and starts with complete, exact, empty results. */
void prepared_init(struct prepared *c, const char *text);
void prepared_free(struct prepared *c);

/* Adds a finding, with its run where one is given: the first `prefix` events, then `tail`, ended by 0. Marks
 * the property as checked. */
struct finding *prepared_add(struct prepared *c, enum property property, const uint32_t *events, uint32_t count,
                             uint32_t prefix, const uint32_t *tail);

#define EVENTS(...) (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)
#define TAIL(...)                                                                                              \
    (const uint32_t[])                                                                                         \
    {                                                                                                          \
        __VA_ARGS__, 0                                                                                         \
    }
#define NO_TAIL                                                                                                \
    (const uint32_t[])                                                                                         \
    {                                                                                                          \
        0                                                                                                      \
    }

/* The reports as text, to be freed. */
char *prepared_text(const struct prepared *c, const struct report_options *options);
char *prepared_json(const struct prepared *c, const struct report_options *options);
char *prepared_html(const struct prepared *c, const struct report_options *options);

/* The data inside a page, to be released. */
json_t *page_report(const char *page);
