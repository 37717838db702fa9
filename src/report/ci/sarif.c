/* SARIF 2.1.0: rules, then one result a finding, whose code flow is the run that shows it. Cut to what
 * code-scanning sites accept and show: most serious results first, and few enough locations in each. */
#include "report/ci/card.h"
#include "report/ci/rules.h"
#include "report/fingerprint.h"
#include "report/format.h"
#include "trace/source.h"

#include <string.h>

enum {
    LOCATIONS_MOST = 100,  /* of a result */
    LINKS_MOST = 5,        /* in its message */
    FLOW_STEPS_MOST = 1000 /* of a result, in all threads together */
};

static void put_text_object(struct json_out *out, const char *name, const char *text)
{
    json_object_open(out, name);
    json_text(out, "text", text);
    json_close(out);
}

/* A place as SARIF's location object; `id` 0: it has none. */
static void put_location(struct json_out *out, const char *name, const struct deck *deck,
                         const struct card_place *place, bool with_words, uint64_t id)
{
    struct buffer path = {0};
    struct source source;
    uint32_t line;

    json_object_open(out, name);
    json_object_open(out, "physicalLocation");
    json_object_open(out, "artifactLocation");
    card_path(deck, place->location, true, &path, &line);
    json_bytes(out, "uri", path.text, path.text_count);
    if (path.text_count < 7 || memcmp(path.text, "file://", 7) != 0)
        json_text(out, "uriBaseId", "SRCROOT");
    json_close(out);
    json_object_open(out, "region");
    json_count(out, "startLine", line > 0 ? line : 1); /* without a line it is the trace, as a whole */
    json_close(out);
    json_close(out);
    if (source_parse(place->location, &source) && *source.function) {
        path.text_count = 0;
        buffer_safe(&path, source.function);
        json_array_open(out, "logicalLocations");
        json_object_open(out, NULL);
        json_bytes(out, "name", path.text, path.text_count);
        json_text(out, "kind", "function");
        json_close(out);
        json_close(out);
    }
    if (with_words)
        put_text_object(out, "message", place->words);
    if (id > 0)
        json_count(out, "id", id);
    json_close(out);
    buffer_free(&path);
}

/* A site shows a flow in its source: a step without a line has no place in it. */
static bool has_line(const char *text)
{
    struct source source;

    return source_parse(text, &source);
}

static void put_step(struct json_out *out, const struct deck *deck, const struct card_step *step)
{
    bool takes = step->kind == EVENT_ACQUIRE || step->kind == EVENT_SHARED_ACQUIRE;
    bool gives = step->kind == EVENT_RELEASE || step->kind == EVENT_SHARED_RELEASE;

    json_object_open(out, NULL);
    put_location(out, "location", deck, &step->place, true, 0);
    json_count(out, "executionOrder", step->position);
    json_text(out, "importance",
              step->importance == IMPORTANCE_FINDING ? "essential"
              : step->importance <= IMPORTANCE_WRITE ? "important"
                                                     : "unimportant");
    json_object_open(out, "properties");
    json_count(out, "event", step->place.event);
    json_close(out);
    if (takes || gives) {
        json_array_open(out, "kinds");
        json_text(out, NULL, takes ? "acquire" : "release");
        json_text(out, NULL, "lock");
        json_close(out);
    }
    json_close(out);
}

/* The first step at or after `from` that a flow shows: of one thread, or of any where that is NULL. */
static size_t next_shown(const struct card *card, size_t from, const char *thread)
{
    for (; from < card->steps_count && from < FLOW_STEPS_MOST; from++)
        if (has_line(card->steps[from].place.location) &&
            (!thread || strcmp(card->steps[from].thread, thread) == 0))
            return from;
    return SIZE_MAX;
}

/* One flow a thread, in the order in which they come first. */
static void put_flows(struct json_out *out, const struct deck *deck, const struct card *card)
{
    size_t first = next_shown(card, 0, NULL);

    if (first == SIZE_MAX)
        return;
    json_array_open(out, "codeFlows");
    json_object_open(out, NULL);
    put_text_object(out, "message",
                    card->has_schedule ? "A schedule that shows it; the execution order is that of the run."
                                       : "The recorded run.");
    json_array_open(out, "threadFlows");
    for (size_t i = first; i != SIZE_MAX; i = next_shown(card, i + 1, NULL)) {
        const char *thread = card->steps[i].thread;
        if (next_shown(card, first, thread) != i)
            continue;
        json_object_open(out, NULL);
        json_text(out, "id", thread);
        json_array_open(out, "locations");
        for (size_t j = i; j != SIZE_MAX; j = next_shown(card, j + 1, thread))
            put_step(out, deck, &card->steps[j]);
        json_close(out);
        json_close(out);
    }
    json_close(out);
    json_close(out);
    json_close(out);
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

/* The places of a finding but the one to show, as far as they are lines. */
struct related {
    const struct card_place *places[LOCATIONS_MOST];
    size_t count;
};

/* The title, with links to the other places: "… See [T2 reads x](1)." A name must not make links of its own. */
static void put_message(struct json_out *out, const struct card *card, const struct related *related)
{
    struct buffer text = {0};

    if (strstr(card->title, "]("))
        put_bracketed(&text, card->title);
    else
        buffer_text(&text, card->title);
    buffer_text(&text, related->count > 0 ? ". See " : ".");
    for (size_t i = 0; i < related->count && i < LINKS_MOST; i++) {
        buffer_text(&text, i > 0 ? ", [" : "[");
        put_bracketed(&text, related->places[i]->words);
        buffer_text(&text, "](");
        buffer_number(&text, i + 1);
        buffer_text(&text, ")");
    }
    buffer_text(&text, related->count > 0 ? "." : "");
    json_object_open(out, "message");
    json_bytes(out, "text", text.text, text.text_count);
    json_close(out);
    buffer_free(&text);
}

static void put_locations(struct json_out *out, const struct deck *deck, const struct card *card)
{
    static const struct card_place nowhere = {.location = (char *)"", .words = (char *)""};
    size_t main = card_main_place(card);
    struct related related = {.count = 0};

    for (size_t i = 0; i < card->places_count && related.count < LOCATIONS_MOST; i++)
        if (i != main && has_line(card->places[i].location))
            related.places[related.count++] = &card->places[i];
    json_array_open(out, "locations");
    put_location(out, NULL, deck, card->places_count > 0 ? &card->places[main] : &nowhere, false, 0);
    json_close(out);
    put_message(out, card, &related);
    if (related.count == 0)
        return;
    json_array_open(out, "relatedLocations");
    for (size_t i = 0; i < related.count; i++)
        put_location(out, NULL, deck, related.places[i], true, i + 1);
    json_close(out);
}

static void put_frame(struct json_out *out, const struct deck *deck, const struct card_place *place)
{
    json_object_open(out, NULL);
    put_location(out, "location", deck, place, false, 0);
    json_close(out);
}

static stack_id stack_of(const struct deck *deck, const struct card_place *place)
{
    return deck->narrator ? trace_stack(deck->narrator->trace, place->event) : STACK_NONE;
}

/* The event's own place, then those its function was called from. */
static void put_stack(struct json_out *out, const struct deck *deck, const struct card_place *place)
{
    const struct stacks *stacks = deck->narrator->trace->stacks;
    stack_id stack = stack_of(deck, place);

    json_object_open(out, NULL);
    put_text_object(out, "message", place->words);
    json_array_open(out, "frames");
    put_frame(out, deck, place);
    for (unsigned i = 1; stack != STACK_NONE && i < LOCATIONS_MOST; i++, stack = stack_rest(stacks, stack))
        put_frame(out, deck, &(struct card_place){.location = (char *)stack_place(stacks, stack)});
    json_close(out);
    json_close(out);
}

/* Where the trace tells them. */
static void put_stacks(struct json_out *out, const struct deck *deck, const struct card *card)
{
    bool any = false;

    for (size_t i = 0; i < card->places_count && i < LOCATIONS_MOST; i++) {
        if (stack_of(deck, &card->places[i]) == STACK_NONE)
            continue;
        if (!any)
            json_array_open(out, "stacks");
        any = true;
        put_stack(out, deck, &card->places[i]);
    }
    if (any)
        json_close(out);
}

static void put_marks(struct json_out *out, const struct marks *marks, size_t finding)
{
    char fingerprint[FINGERPRINT_ROOM];
    struct buffer reason = {0};

    if (!marks)
        return;
    fingerprint_text(marks->found[finding].fingerprint, fingerprint);
    json_object_open(out, "partialFingerprints");
    json_text(out, "heddle/v2", fingerprint);
    json_close(out);
    if (marks->has_baseline)
        json_text(out, "baselineState", mark_is_known(marks, finding) ? "unchanged" : "new");
    json_array_open(out, "suppressions");
    if (mark_is_suppressed(marks, finding)) {
        buffer_safe(&reason, marks->found[finding].reason);
        json_object_open(out, NULL);
        json_text(out, "kind", "external");
        json_text(out, "status", "accepted");
        json_bytes(out, "justification", reason.text, reason.text_count);
        json_close(out);
        buffer_free(&reason);
    }
    json_close(out);
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

static void put_result(struct json_out *out, const struct deck *deck, size_t finding)
{
    struct card card;

    deck->deal(deck, finding, &card);
    json_object_open(out, NULL);
    json_text(out, "ruleId", rule_of(card.property)->id);
    json_count(out, "ruleIndex", card.property);
    json_text(out, "level", level_of(&card));
    put_locations(out, deck, &card);
    put_flows(out, deck, &card);
    put_stacks(out, deck, &card);
    put_marks(out, deck->marks, finding);
    json_object_open(out, "properties");
    json_text(out, "id", card.id);
    json_count(out, "count", card.count);
    json_flag(out, "countIsExact", card.count_is_exact);
    if (*card.details)
        json_lines(out, "details", card.details);
    json_close(out);
    json_close(out);
    card_free(&card);
}

static void put_rule(struct json_out *out, const struct rule *rule)
{
    const char *level = rule->level == RULE_ERROR ? "error" : "warning";

    json_object_open(out, NULL);
    json_text(out, "id", rule->id);
    json_text(out, "name", rule->name);
    put_text_object(out, "shortDescription", rule->brief);
    put_text_object(out, "fullDescription", rule->full);
    json_object_open(out, "help");
    json_lines(out, "text", rule->help);
    json_lines(out, "markdown", rule->help);
    json_close(out);
    json_object_open(out, "defaultConfiguration");
    json_text(out, "level", level);
    json_close(out);
    json_object_open(out, "properties");
    json_array_open(out, "tags");
    json_text(out, NULL, "concurrency");
    json_text(out, NULL, "reliability");
    json_close(out);
    json_text(out, "precision", "very-high");
    json_text(out, "problem.severity", level);
    json_close(out);
    json_close(out);
}

static void put_driver(struct json_out *out)
{
    json_object_open(out, "tool");
    json_object_open(out, "driver");
    json_text(out, "name", "Heddle");
    json_text(out, "version", HEDDLE_VERSION);
    json_text(out, "semanticVersion", HEDDLE_VERSION);
    json_text(out, "informationUri", HEDDLE_HOMEPAGE);
    json_array_open(out, "rules");
    for (enum property p = 0; p < PROPERTIES; p++)
        put_rule(out, rule_of(p));
    json_close(out);
    json_close(out);
    json_close(out);
}

/* The first one opens the list of notifications. */
static void put_notification(struct json_out *out, bool *any, const char *level, const char *text)
{
    if (!*any)
        json_array_open(out, "toolExecutionNotifications");
    *any = true;
    json_object_open(out, NULL);
    json_text(out, "level", level);
    put_text_object(out, "message", text);
    json_close(out);
}

/* Notifications: what readers of the results should know about how they were obtained. */
static void put_invocation(struct json_out *out, const struct deck *deck, size_t shown)
{
    bool any = false;
    char text[200];

    json_object_open(out, NULL);
    json_flag(out, "executionSuccessful", true);
    if (!deck->complete)
        put_notification(out, &any, "warning", "Incomplete: not everything asked for was decided.");
    snprintf(text, sizeof text, "The budget ran out: the JSON report lists what is undecided (entries: %zu).",
             deck->undecided);
    if (deck->undecided > 0)
        put_notification(out, &any, "warning", text);
    snprintf(text, sizeof text, "The %zu most serious of %zu findings; the JSON report has them all.", shown,
             deck->found->findings_count);
    if (shown < deck->found->findings_count)
        put_notification(out, &any, "note", text);
    if (deck->binary)
        put_notification(out, &any, "note",
                         "Recorded from a program that was not instrumented: a race between two accesses that "
                         "are atomic in the source is no race.");
    if (any)
        json_close(out);
    json_close(out);
}

static void put_head(struct json_out *out, const struct deck *deck, size_t shown)
{
    put_driver(out);
    json_line(out, 0);
    json_object_open(out, "originalUriBaseIds");
    json_object_open(out, "SRCROOT");
    put_text_object(out, "description", "The folder in which the program was built.");
    json_close(out);
    json_close(out);
    json_text(out, "columnKind", "unicodeCodePoints");
    json_line(out, 0);
    json_array_open(out, "invocations");
    put_invocation(out, deck, shown);
    json_close(out);
}

static void write_sarif(const struct deck *deck, struct json_out *out)
{
    size_t count = deck->found->findings_count, shown = count < SARIF_RESULTS_MOST ? count : SARIF_RESULTS_MOST;

    json_object_open(out, NULL);
    json_text(out, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_text(out, "version", "2.1.0");
    json_array_open(out, "runs");
    json_object_open(out, NULL);
    put_head(out, deck, shown);
    json_line(out, 0);
    json_array_open(out, "results");
    for (size_t i = 0; i < shown; i++) {
        json_line(out, 0);
        put_result(out, deck, i);
    }
    json_line(out, 0);
    json_close(out);
    json_close(out);
    json_close(out);
    json_close(out);
}

enum status report_sarif(const struct results *results, const struct model *model,
                         const struct report_options *options, FILE *to, struct error *err)
{
    return deck_report(results, model, options, write_sarif, to, err);
}

enum status recalled_sarif(const struct report *report, const struct report_options *options, FILE *to,
                           struct error *err)
{
    return deck_recall(report, options, write_sarif, to, err);
}
