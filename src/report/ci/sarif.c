/* SARIF 2.1.0: rules, then one result a finding, whose code flow is the run that shows it. Cut to what
 * code-scanning sites accept and show: most serious results first, and few enough locations in each. */
#include "report/ci/card.h"
#include "report/ci/rules.h"
#include "report/fingerprint.h"
#include "report/format.h"
#include "trace/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESULTS_MOST = 5000,   /* shown by GitHub of 25,000 it takes */
    LOCATIONS_MOST = 100,  /* of a result */
    LINKS_MOST = 5,        /* in its message */
    FLOW_STEPS_MOST = 1000 /* of a result, in all threads together */
};

static json_t *message(const char *text)
{
    return json_pack("{s:s}", "text", text);
}

/* A place as SARIF's location object. */
static json_t *location(const struct deck *deck, const struct card_place *place, bool with_words)
{
    struct buffer path = {0};
    struct source source;
    uint32_t line;
    json_t *artifact, *physical, *result;

    card_path(deck, place->location, true, &path, &line);
    artifact = json_pack("{s:s%}", "uri", path.text, path.text_count);
    if (path.text[0] != 'f' || path.text_count < 7 || memcmp(path.text, "file://", 7) != 0)
        json_object_set_new(artifact, "uriBaseId", json_string("SRCROOT"));
    physical = json_pack("{s:o}", "artifactLocation", artifact);
    if (line > 0)
        json_object_set_new(physical, "region", json_pack("{s:I}", "startLine", (json_int_t)line));
    result = json_pack("{s:o}", "physicalLocation", physical);
    if (source_parse(place->location, &source) && *source.function) {
        path.text_count = 0;
        buffer_safe(&path, source.function);
        json_object_set_new(result, "logicalLocations",
                            json_pack("[{s:s%,s:s}]", "name", path.text, path.text_count, "kind", "function"));
    }
    if (with_words)
        json_object_set_new(result, "message", message(place->words));
    buffer_free(&path);
    return result;
}

/* A site shows a flow in its source: a step without a line has no place in it. */
static bool has_line(const char *text)
{
    struct source source;

    return source_parse(text, &source);
}

static json_t *flow_step(const struct deck *deck, const struct card_step *step)
{
    bool takes = step->kind == EVENT_ACQUIRE || step->kind == EVENT_SHARED_ACQUIRE;
    bool gives = step->kind == EVENT_RELEASE || step->kind == EVENT_SHARED_RELEASE;
    json_t *result = json_pack("{s:o,s:I,s:s,s:{s:I}}", "location", location(deck, &step->place, true),
                               "executionOrder", (json_int_t)step->position, "importance",
                               step->importance == IMPORTANCE_FINDING ? "essential"
                               : step->importance <= IMPORTANCE_WRITE ? "important"
                                                                      : "unimportant",
                               "properties", "event", (json_int_t)step->place.event);

    if (takes || gives)
        json_object_set_new(result, "kinds", json_pack("[s,s]", takes ? "acquire" : "release", "lock"));
    return result;
}

/* The thread flow of a thread among those there are, or a new one. */
static json_t *flow_of(json_t *flows, const char *thread)
{
    json_t *flow;
    size_t i;

    json_array_foreach(flows, i, flow) if (strcmp(json_string_value(json_object_get(flow, "id")), thread) ==
                                           0) return json_object_get(flow, "locations");
    json_array_append_new(flows, json_pack("{s:s,s:[]}", "id", thread, "locations"));
    return json_object_get(json_array_get(flows, json_array_size(flows) - 1), "locations");
}

static json_t *code_flows(const struct deck *deck, const struct card *card)
{
    json_t *flows = json_array();

    for (size_t i = 0; i < card->steps_count && i < FLOW_STEPS_MOST; i++)
        if (has_line(card->steps[i].place.location))
            json_array_append_new(flow_of(flows, card->steps[i].thread), flow_step(deck, &card->steps[i]));
    if (json_array_size(flows) == 0) {
        json_decref(flows);
        return json_array();
    }
    return json_pack("[{s:{s:s},s:o}]", "message", "text",
                     card->has_schedule ? "A schedule that shows it; the execution order is that of the run."
                                        : "The recorded run.",
                     "threadFlows", flows);
}

/* Text in which brackets are just that. */
static void put_bracketed(struct buffer *to, const char *text)
{
    for (; *text; text++) {
        if (strchr("[]\\", *text))
            buffer_text(to, "\\");
        buffer_bytes(to, text, 1);
    }
}

/* The title, with links to the other places: "… See [T2 reads x](1)." A name must not make links of its own. */
static json_t *told(const struct card *card, const json_t *related)
{
    struct buffer text = {0};
    json_t *result, *place;
    size_t i;

    if (strstr(card->title, "]("))
        put_bracketed(&text, card->title);
    else
        buffer_text(&text, card->title);
    buffer_text(&text, json_array_size(related) > 0 ? ". See " : ".");
    json_array_foreach(related, i, place)
    {
        const char *words = json_string_value(json_object_get(json_object_get(place, "message"), "text"));
        if (i == LINKS_MOST)
            break;
        buffer_text(&text, i > 0 ? ", [" : "[");
        put_bracketed(&text, words);
        buffer_text(&text, "](");
        buffer_number(&text, i + 1);
        buffer_text(&text, ")");
    }
    buffer_text(&text, json_array_size(related) > 0 ? "." : "");
    result = json_pack("{s:s%}", "text", text.text, text.text_count);
    buffer_free(&text);
    return result;
}

static void put_locations(json_t *result, const struct deck *deck, const struct card *card)
{
    static const struct card_place nowhere = {.location = (char *)"", .words = (char *)""};
    size_t main = card_main_place(card);
    json_t *related = json_array();

    json_object_set_new(
        result, "locations",
        json_pack("[o]", location(deck, card->places_count > 0 ? &card->places[main] : &nowhere, false)));
    for (size_t i = 0; i < card->places_count && json_array_size(related) < LOCATIONS_MOST; i++) {
        if (i == main || !has_line(card->places[i].location))
            continue;
        json_t *other = location(deck, &card->places[i], true);
        json_object_set_new(other, "id", json_integer((json_int_t)json_array_size(related) + 1));
        json_array_append_new(related, other);
    }
    json_object_set_new(result, "message", told(card, related));
    if (json_array_size(related) > 0)
        json_object_set(result, "relatedLocations", related);
    json_decref(related);
}

/* The event's own place, then those its function was called from; NULL where the trace does not tell. */
static json_t *stack_of(const struct deck *deck, const struct card_place *place)
{
    const struct trace *trace = deck->narrator ? deck->narrator->trace : NULL;
    stack_id stack = trace ? trace_stack(trace, place->event) : STACK_NONE;
    json_t *frames;

    if (stack == STACK_NONE)
        return NULL;
    frames = json_pack("[{s:o}]", "location", location(deck, place, false));
    for (; stack != STACK_NONE && json_array_size(frames) < LOCATIONS_MOST;
         stack = stack_rest(trace->stacks, stack)) {
        const struct card_place caller = {.location = (char *)stack_place(trace->stacks, stack)};
        json_array_append_new(frames, json_pack("{s:o}", "location", location(deck, &caller, false)));
    }
    return json_pack("{s:o,s:o}", "message", message(place->words), "frames", frames);
}

static void put_stacks(json_t *result, const struct deck *deck, const struct card *card)
{
    json_t *stacks = json_array();

    for (size_t i = 0; i < card->places_count && i < LOCATIONS_MOST; i++) {
        json_t *stack = stack_of(deck, &card->places[i]);
        if (stack)
            json_array_append_new(stacks, stack);
    }
    if (json_array_size(stacks) > 0)
        json_object_set(result, "stacks", stacks);
    json_decref(stacks);
}

static void put_marks(json_t *result, const struct marks *marks, size_t finding)
{
    char fingerprint[FINGERPRINT_ROOM];
    struct buffer reason = {0};

    if (!marks)
        return;
    fingerprint_text(marks->found[finding].fingerprint, fingerprint);
    json_object_set_new(result, "partialFingerprints", json_pack("{s:s}", "heddle/v2", fingerprint));
    if (marks->has_baseline)
        json_object_set_new(result, "baselineState",
                            json_string(mark_is_known(marks, finding) ? "unchanged" : "new"));
    json_object_set_new(result, "suppressions", json_array());
    if (mark_is_suppressed(marks, finding)) {
        buffer_safe(&reason, marks->found[finding].reason);
        json_array_append_new(json_object_get(result, "suppressions"),
                              json_pack("{s:s,s:s,s:s%}", "kind", "external", "status", "accepted",
                                        "justification", reason.text, reason.text_count));
        buffer_free(&reason);
    }
}

/* A race that needs another path is worth knowing, and no more than that; so is a note. */
static const char *level_of(const struct card *card)
{
    if (!severity_is_problem(card->severity))
        return "note";
    if (card->confirmation == CONFIRMATION_OTHER_PATH)
        return "note";
    if (card->confirmation == CONFIRMATION_UNDECIDED)
        return "warning";
    return rule_of(card->property)->level == RULE_ERROR ? "error" : "warning";
}

static json_t *result_of(const struct deck *deck, size_t finding)
{
    struct card card;
    json_t *result, *flows;

    deck->deal(deck, finding, &card);
    result = json_pack("{s:s,s:i,s:s}", "ruleId", rule_of(card.property)->id, "ruleIndex", (int)card.property,
                       "level", level_of(&card));
    put_locations(result, deck, &card);
    flows = code_flows(deck, &card);
    if (json_array_size(flows) > 0)
        json_object_set(result, "codeFlows", flows);
    json_decref(flows);
    put_stacks(result, deck, &card);
    put_marks(result, deck->marks, finding);
    json_object_set_new(result, "properties",
                        json_pack("{s:s,s:I,s:b}", "id", card.id, "count", (json_int_t)card.count,
                                  "countIsExact", card.count_is_exact));
    if (*card.details)
        json_object_set_new(json_object_get(result, "properties"), "details", json_string(card.details));
    card_free(&card);
    return result;
}

static json_t *rules(void)
{
    json_t *list = json_array();

    for (enum property p = 0; p < PROPERTIES; p++) {
        const struct rule *rule = rule_of(p);
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:{s:s},s:{s:s},s:{s:s,s:s},s:{s:s},s:{s:[s,s],s:s,s:s}}", "id", rule->id,
                            "name", rule->name, "shortDescription", "text", rule->brief, "fullDescription",
                            "text", rule->full, "help", "text", rule->help, "markdown", rule->help,
                            "defaultConfiguration", "level", rule->level == RULE_ERROR ? "error" : "warning",
                            "properties", "tags", "concurrency", "reliability", "precision", "very-high",
                            "problem.severity", rule->level == RULE_ERROR ? "error" : "warning"));
    }
    return list;
}

/* What whoever looks at the results should know of how they came about. */
static json_t *invocation(const struct deck *deck, size_t shown)
{
    json_t *notes = json_array(), *result;
    char text[200];

    if (!deck->complete)
        json_array_append_new(notes, json_pack("{s:s,s:{s:s}}", "level", "warning", "message", "text",
                                               "Incomplete: not everything asked for was decided."));
    if (deck->undecided > 0) {
        snprintf(text, sizeof text, "The budget ran out before %zu candidates were decided.", deck->undecided);
        json_array_append_new(notes, json_pack("{s:s,s:{s:s}}", "level", "warning", "message", "text", text));
    }
    if (shown < deck->found->findings_count) {
        snprintf(text, sizeof text, "The %zu most serious of %zu findings; the JSON report has them all.",
                 shown, deck->found->findings_count);
        json_array_append_new(notes, json_pack("{s:s,s:{s:s}}", "level", "note", "message", "text", text));
    }
    if (deck->binary)
        json_array_append_new(notes,
                              json_pack("{s:s,s:{s:s}}", "level", "note", "message", "text",
                                        "Recorded from a program that was not instrumented: a race between two "
                                        "accesses that are atomic in the source is no race."));
    result = json_pack("{s:b}", "executionSuccessful", 1);
    if (json_array_size(notes) > 0)
        json_object_set(result, "toolExecutionNotifications", notes);
    json_decref(notes);
    return result;
}

static void put_json(struct buffer *out, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY);

    buffer_text(out, text);
    free(text);
    json_decref(value);
}

static void put_head(struct buffer *out, const struct deck *deck, size_t shown)
{
    buffer_text(out, "{\"$schema\":\"https://json.schemastore.org/"
                     "sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":");
    put_json(out, json_pack("{s:{s:s,s:s,s:s,s:o}}", "driver", "name", "Heddle", "version", HEDDLE_VERSION,
                            "semanticVersion", HEDDLE_VERSION, "rules", rules()));
    buffer_text(out, ",\n\"originalUriBaseIds\":");
    put_json(out, json_pack("{s:{s:{s:s}}}", "SRCROOT", "description", "text",
                            "The folder in which the program was built."));
    buffer_text(out, ",\"columnKind\":\"unicodeCodePoints\",\n\"invocations\":[");
    put_json(out, invocation(deck, shown));
    buffer_text(out, "],\n\"results\":[");
}

static enum status write_sarif(const struct deck *deck, FILE *to, struct error *err)
{
    size_t count = deck->found->findings_count, shown = count < RESULTS_MOST ? count : RESULTS_MOST;
    struct buffer out = {0};

    put_head(&out, deck, shown);
    for (size_t i = 0; i < shown; i++) {
        buffer_text(&out, i > 0 ? ",\n" : "\n");
        put_json(&out, result_of(deck, i));
        buffer_flush(&out, to);
    }
    buffer_text(&out, "\n]}]}\n");
    buffer_flush(&out, to);
    buffer_free(&out);
    if (fflush(to) != 0 || ferror(to))
        return fail(err, HEDDLE_IO, "the report could not be written: %s", strerror(errno));
    return HEDDLE_OK;
}

enum status report_sarif(const struct results *results, const struct model *model,
                         const struct report_options *options, FILE *to, struct error *err)
{
    struct deck deck;
    enum status status;

    deck_from_results(&deck, results, model, options);
    status = write_sarif(&deck, to, err);
    deck_free(&deck);
    return status;
}

enum status recalled_sarif(const struct report *report, const struct report_options *options, FILE *to,
                           struct error *err)
{
    struct deck deck;
    enum status status;

    deck_from_report(&deck, report, options);
    status = write_sarif(&deck, to, err);
    deck_free(&deck);
    return status;
}
