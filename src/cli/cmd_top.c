/* heddle top: which locks threads waited for in a recorded run. */
#include "base/json_out.h"
#include "cli/command.h"
#include "trace/contention.h"
#include "trace/limits.h"

enum { LINES_USUAL = 10, PLACES_SHOWN = 3 };

static const struct option options[] = {
    {"lines", 'n', "N", NULL, "Prints at most N locks and conditions (default 10; 0: all)."},
    {"json", 0, NULL, NULL, "Prints everything as one JSON object."},
    LIMITS_OPTION,
    {0},
};

static const char *location_text(const struct trace *trace, location_id place)
{
    return place == NAME_NONE ? "an unknown place" : trace_name(trace, NAME_LOCATION, place);
}

static void print_place(const struct trace *trace, const struct contended_place *place)
{
    printf("%10llu  ", (unsigned long long)place->waited);
    printf("%8llu  at ", (unsigned long long)place->waits);
    print_visible(location_text(trace, place->place));
    printf("; longest %llu, by ", (unsigned long long)place->longest);
    print_visible(trace_name(trace, NAME_THREAD, place->waiter));
    if (place->holder != NAME_NONE) {
        printf(", for the holder that took it at ");
        print_visible(location_text(trace, place->holder));
    }
    printf("\n");
}

static void print_text(const struct trace *trace, const struct contention *c, uint64_t lines)
{
    size_t shown = 0;

    printf("%10s  %8s  %8s  %10s  %s\n", "waited", "waits", "taken", "held", "lock or condition");
    for (; shown < c->objects_count && c->objects[shown].waits > 0 && (!lines || shown < lines); shown++) {
        const struct contended_object *object = &c->objects[shown];
        printf("%10llu  %8llu  %8llu  %10llu  ", (unsigned long long)object->waited,
               (unsigned long long)object->waits, (unsigned long long)object->taken,
               (unsigned long long)object->held);
        print_visible(trace_name(trace, object->class, object->id));
        printf("%s\n", object->class == NAME_CONDITION ? " (condition)" : "");
        for (size_t i = 0; i < object->places_count && i < PLACES_SHOWN; i++)
            print_place(trace, &object->places[i]);
    }
    if (shown == 0)
        printf("No thread waited for a lock or a condition.\n");
    size_t more = 0;
    while (shown + more < c->objects_count && c->objects[shown + more].waits > 0)
        more++;
    if (more > 0)
        printf("and %zu more; --lines=0 prints all\n", more);
    printf("\nCounted in events of all threads, of which %zu were recorded. A wait for a lock is counted while "
           "the last "
           "holder had it.\n",
           trace->count);
}

static void print_json(const char *path, const struct trace *trace, const struct contention *c)
{
    struct json_out out = {.to = stdout, .spaced = true};

    json_object_open(&out, NULL);
    json_text(&out, "file", path);
    json_count(&out, "events", trace->count);
    json_array_open(&out, "objects");
    for (size_t i = 0; i < c->objects_count; i++) {
        const struct contended_object *object = &c->objects[i];
        json_line(&out, 2);
        json_object_open(&out, NULL);
        json_text(&out, "kind", object->class == NAME_LOCK ? "lock" : "condition");
        json_text(&out, "name", trace_name(trace, object->class, object->id));
        json_count(&out, "waited", object->waited);
        json_count(&out, "waits", object->waits);
        json_count(&out, "longest", object->longest);
        json_count(&out, "taken", object->taken);
        json_count(&out, "held", object->held);
        json_array_open(&out, "places");
        for (size_t p = 0; p < object->places_count; p++) {
            const struct contended_place *place = &object->places[p];
            json_object_open(&out, NULL);
            json_text(&out, "location", location_text(trace, place->place));
            json_count(&out, "waited", place->waited);
            json_count(&out, "waits", place->waits);
            json_count(&out, "longest", place->longest);
            json_text(&out, "thread", trace_name(trace, NAME_THREAD, place->waiter));
            if (place->holder != NAME_NONE)
                json_text(&out, "holder", location_text(trace, place->holder));
            json_close(&out);
        }
        json_close(&out);
        json_close(&out);
    }
    json_close(&out);
    json_close(&out);
    json_end(&out);
    printf("\n");
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *path = args->operands[0];
    uint64_t lines = LINES_USUAL;
    struct trace_limits limits;
    struct contention contention;
    struct trace trace;
    struct error err;

    if (!argument_limits(self, args, &limits) || !argument_number(self, args, "lines", UINT32_MAX, &lines))
        return EXIT_ERROR;
    if (trace_load_limited(&trace, path, &limits, &err) != HEDDLE_OK) {
        trace_free(&trace);
        return complain("%s", err.text);
    }
    contention_find(&trace, &contention);
    if (argument_of(self, args, "json"))
        print_json(path, &trace, &contention);
    else
        print_text(&trace, &contention, lines);
    contention_free(&contention);
    trace_free(&trace);
    return 0;
}

const struct command command_top = {
    .name = "top",
    .operands = "FILE",
    .summary = "shows which locks the threads of a trace waited for",
    .description =
        "Lists the locks and conditions that threads waited for in the recorded run, the most events "
        "waited first, with the places that waited and the place whose thread held the lock. FILE is "
        "a trace in any format; - is standard input.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
