/* Reports of findings that make no sense, on random traces: whatever the numbers, a report comes out, and the
 * JSON one is JSON, and that in a page is, too. */
#include "base/memory.h"
#include "random/generate.h"
#include "report/group.h"
#include "support/results.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* A random access that does (or need not) write to the variable, or 0. */
static uint32_t random_access(const struct trace *t, uint64_t *seed, uint32_t beside)
{
    for (int attempt = 0; attempt < 50; attempt++) {
        uint32_t e = 1 + random_below(seed, (unsigned)t->count);
        if (kind_accesses(trace_kind(t, e)) && (beside == 0 || t->arg[e] == t->arg[beside]))
            return e;
    }
    return beside;
}

static struct schedule random_schedule(const struct trace *t, uint64_t *seed)
{
    struct schedule s = {.prefix = random_below(seed, (unsigned)t->count + 1)};

    s.tail = memory_new(t->count, sizeof *s.tail);
    for (uint32_t e = s.prefix + 1; e <= t->count; e++)
        if (random_below(seed, 4) > 0)
            s.tail[s.tail_count++] = e;
    for (uint32_t i = s.tail_count; i > 1; i--) {
        uint32_t other = random_below(seed, i);
        uint32_t kept = s.tail[i - 1];
        s.tail[i - 1] = s.tail[other];
        s.tail[other] = kept;
    }
    return s;
}

static void add_random(struct prepared *c, uint64_t *seed, bool decided)
{
    const struct trace *t = &c->trace;
    enum property property = random_below(seed, PROPERTIES);
    uint32_t first = random_access(t, seed, 0);
    uint32_t events[3] = {first, random_access(t, seed, first), random_access(t, seed, first)};
    uint32_t count = property_traits(property)->event_count == 3 ? 3 : 2;

    if (first == 0)
        return;
    if (property == PROPERTY_DEADLOCK || property == PROPERTY_STUCK)
        for (uint32_t i = 0; i < count; i++)
            events[i] = 1 + random_below(seed, (unsigned)t->count);
    if (property == PROPERTY_NONDET && random_below(seed, 3) == 0)
        events[1 + random_below(seed, 2)] = EVENT_INIT;
    c->results.stats[property].checked = true;
    finding_add(decided ? &c->results.found : &c->results.undecided, property, events, count,
                decided ? random_schedule(t, seed) : (struct schedule){0});
}

/* Each event that a page's findings speak of is in its table. */
static void check_page(const struct prepared *c, const struct report_options *options)
{
    char *page = prepared_html(c, options);
    json_t *root = page_report(page);
    json_t *list = json_object_get(json_object_get(root, "findings"), "list");
    json_t *events = json_object_get(root, "events");
    bool *known = memory_new(c->trace.count + 1, sizeof *known);

    assert_int_equal(json_array_size(list), c->results.found.findings_count);
    for (size_t i = 0; i < json_array_size(events); i++)
        known[json_integer_value(json_array_get(json_array_get(events, i), 0))] = true;
    known[EVENT_INIT] = true;
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *finding = json_array_get(list, i);
        json_t *items = json_object_get(json_object_get(finding, "observed"), "items");
        json_t *own = json_object_get(finding, "events");
        for (size_t j = 0; j < json_array_size(own); j++)
            assert_true(known[json_integer_value(json_array_get(own, j))]);
        for (size_t j = 0; j < json_array_size(items); j++)
            if (json_is_integer(json_array_get(items, j)))
                assert_true(known[json_integer_value(json_array_get(items, j))]);
    }
    free(known);
    json_decref(root);
    free(page);
}

static void report_all(const struct prepared *c)
{
    const struct report_options options = {.schedules = true, .stats = true, .trace_path = "t"};
    char *text = prepared_text(c, &options);
    char *json = prepared_json(c, &options);
    json_error_t err;
    json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, &err);

    if (!root)
        fail_msg("line %d: %s", err.line, err.text);
    assert_int_equal(json_array_size(json_object_get(root, "findings")), c->results.found.findings_count);
    json_decref(root);
    free(text);
    free(json);
    check_page(c, &options);
}

static void any_numbers_make_a_report(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct prepared c = {.results = {.method = "exact", .complete = seed % 2, .grouped = seed % 3 == 0}};
        struct error err;
        uint64_t numbers = seed;

        random_trace(&c.trace, seed, &shapes[seed % shapes_count]);
        assert_int_equal(model_build(&c.model, &c.trace, &err), HEDDLE_OK);
        for (int i = 0; i < 8 && c.trace.count > 0; i++)
            add_random(&c, &numbers, i < 6);
        group_findings(&c.results, &c.trace);
        report_all(&c);
        prepared_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_numbers_make_a_report)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
