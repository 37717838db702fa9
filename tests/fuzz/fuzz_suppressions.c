/* Fuzzes the reader of suppression files, and the matching of whatever it lets through. */
#include "report/marks.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const char text[] =
    "A|acq(l)|src/a.c:1 work\nA|w(stats.hits)|src/a.c:2 work\nA|acq(m)|3\nA|rel(m)|\n"
    "A|rel(l)|\nB|acq(m)|src/b.c:9\nB|acq(l)|\nB|rel(l)|\nB|rel(m)|\nB|r(stats.hits)|b\n";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct suppressions s;
    struct trace trace;
    struct error err = {.text = ""};
    struct results results = {.complete = true};
    struct marks marks;

    if (suppressions_parse(&s, "input", (const char *)bytes, length, &err) != HEDDLE_OK) {
        assert(strncmp(err.text, "input:", 6) == 0 && s.entries_count == 0);
        return 0;
    }
    for (size_t i = 0; i < s.entries_count; i++)
        assert(s.entries[i].line > 0 && s.entries[i].conditions_count > 0 && *s.entries[i].reason);
    if (trace_parse(&trace, "trace", text, strlen(text), &err) == HEDDLE_OK) {
        finding_add(&results.found, PROPERTY_RACE, (const uint32_t[]){2, 10}, 2, (struct schedule){0});
        finding_add(&results.found, PROPERTY_DEADLOCK, (const uint32_t[]){3, 7}, 2, (struct schedule){0});
        finding_add(&results.found, PROPERTY_NONDET, (const uint32_t[]){10, 2, 0}, 3, (struct schedule){0});
        marks_init(&marks, &results, &trace);
        marks_suppress(&marks, &s, &results, &trace);
        assert(marks.stale_count <= s.entries_count && marks.suppressed <= 3);
        marks_free(&marks);
        finding_list_free(&results.found);
    }
    trace_free(&trace);
    suppressions_free(&s);
    return 0;
}
