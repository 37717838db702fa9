/* Makes cards of findings. */
#include "report/ci/card.h"
#include "base/memory.h"
#include "trace/source.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Takes what has been said, as text. */
static char *taken(struct narrator *n)
{
    char *text = memory_text(n->out.text_count > 0 ? n->out.text : "", n->out.text_count);

    n->out.text_count = 0;
    return text;
}

static char *copied(const char *text)
{
    return memory_text(text, strlen(text));
}

static void say_step(struct narrator *n, event_id e, struct value value)
{
    say_thread(n, e);
    say(n, " ");
    say_event(n, e, value);
}

/* Where the threads of a run that stopped wait. */
static void tell_waiters(struct card *card, struct narrator *n)
{
    for (size_t i = 0; i < n->trace->end.waiters_count; i++) {
        const struct run_waiter *w = &n->trace->end.waiters[i];
        buffer_safe(&n->out, w->thread);
        say(n, " waits for ");
        buffer_safe(&n->out, w->what);
        ARRAY_PUSH(card, places, (struct card_place){EVENT_INIT, copied(w->place), taken(n)});
    }
}

/* The finding's events, the one it is best shown at first: what reads the surprise, what races last. */
static void tell_places(struct card *card, struct narrator *n, const struct finding *f)
{
    uint32_t cycle = finding_cycle(f);

    if (f->property == PROPERTY_OBSERVED && n->trace->end.waiters_count > 0) {
        tell_waiters(card, n);
        return;
    }
    for (uint32_t i = 0; i < (cycle ? cycle : f->event_count); i++) {
        event_id e = f->events[i];
        if (e == EVENT_INIT)
            continue;
        say_step(n, e, (struct value){VALUE_NONE, 0});
        ARRAY_PUSH(card, places, (struct card_place){e, copied(event_place(n->trace, e)), taken(n)});
    }
}

static void tell_steps(struct card *card, struct narrator *n, const struct finding *f)
{
    struct steps chosen = {0};

    if (f->kind > 0 || f->event_count == 0)
        return;
    steps_choose(&chosen, n->model, f);
    for (size_t i = 0; i < chosen.steps_count; i++) {
        const struct shown_step *s = &chosen.steps[i];
        struct card_step step = {.position = s->position, .importance = s->importance};
        say_step(n, s->event, value_of_step(&n->values, &chosen.run, s->event));
        step.place = (struct card_place){s->event, copied(event_place(n->trace, s->event)), taken(n)};
        say_thread(n, s->event);
        step.thread = taken(n);
        step.kind = trace_kind(n->trace, s->event);
        ARRAY_PUSH(card, steps, step);
    }
    steps_free(&chosen);
}

static void deal_told(const struct deck *deck, size_t finding, struct card *card)
{
    const struct finding *f = &deck->found->findings[finding];
    struct narrator *n = deck->narrator;

    memset(card, 0, sizeof *card);
    card->property = f->property;
    card->has_schedule = finding_has_schedule(f);
    card->confirmation = f->confirmation;
    card->count = f->count;
    card->count_is_exact = f->count_is_exact;
    card->severity = f->severity;
    say_finding_id(n, f);
    card->id = taken(n);
    say_title(n, f);
    card->title = taken(n);
    say_details(n, f);
    card->details = taken(n);
    tell_places(card, n, f);
    tell_steps(card, n, f);
}

void deck_from_results(struct deck *deck, const struct results *results, const struct model *model,
                       const struct report_options *options)
{
    *deck = (struct deck){.found = &results->found,
                          .marks = options->marks,
                          .trace_path = options->trace_path,
                          .source_root = options->source_root,
                          .complete = results->complete && !results->interrupted,
                          .binary = model->trace->origin.binary,
                          .undecided = results->undecided.findings_count,
                          .deal = deal_told};
    deck->narrator = memory_new(1, sizeof *deck->narrator);
    deck->narrator->model = model;
    deck->narrator->trace = model->trace;
    deck->decided = decided_new(model->trace, &results->found);
    deck->narrator->decided = deck->decided;
    values_init(&deck->narrator->values, model->trace);
}

/* A text of the entry, made safe; "" if it has none. */
static char *recalled(const json_t *value)
{
    struct buffer text = {0};
    char *result;

    buffer_safe(&text, json_is_string(value) ? json_string_value(value) : "");
    result = memory_text(text.text_count > 0 ? text.text : "", text.text_count);
    buffer_free(&text);
    return result;
}

/* "Data race on counter": what is to be said without the trace. */
static char *recalled_title(enum property property, const json_t *variable)
{
    struct buffer text = {0};
    char *result;

    buffer_text(&text, property_traits(property)->headline);
    if (json_is_string(variable)) {
        buffer_text(&text, property_traits(property)->about_value ? " of " : " on ");
        buffer_safe(&text, json_string_value(variable));
    }
    result = memory_text(text.text, text.text_count);
    buffer_free(&text);
    return result;
}

static void deal_recalled(const struct deck *deck, size_t finding, struct card *card)
{
    const struct finding *f = &deck->found->findings[finding];
    const struct report_entry *entry = &deck->report->entries[finding];
    const json_t *threads = json_object_get(entry->rest, "threads");
    const json_t *locations = json_object_get(entry->rest, "locations");
    uint32_t cycle = finding_cycle(f);

    memset(card, 0, sizeof *card);
    card->property = f->property;
    card->has_schedule = entry->has_schedule;
    card->confirmation = f->confirmation;
    card->count = f->count;
    card->count_is_exact = f->count_is_exact;
    card->severity = f->severity;
    card->id = copied(entry->id);
    card->title = recalled_title(f->property, json_object_get(entry->rest, "variable"));
    card->details = copied("");
    for (uint32_t i = 0; i < (cycle ? cycle : f->event_count); i++)
        if (f->events[i] != EVENT_INIT)
            ARRAY_PUSH(card, places,
                       (struct card_place){f->events[i], recalled(json_array_get(locations, i)),
                                           recalled(json_array_get(threads, i))});
}

void deck_from_report(struct deck *deck, const struct report *report, const struct report_options *options)
{
    *deck = (struct deck){.found = &report->found,
                          .marks = options->marks,
                          .trace_path = options->trace_path,
                          .source_root = options->source_root,
                          .complete = report->complete,
                          .binary = report->binary,
                          .undecided = report->undecided.findings_count,
                          .deal = deal_recalled,
                          .report = report};
}

void deck_free(struct deck *deck)
{
    if (!deck->narrator)
        return;
    buffer_free(&deck->narrator->out);
    values_free(&deck->narrator->values);
    decided_free(deck->decided);
    free(deck->narrator);
}

static void place_free(struct card_place *place)
{
    free(place->location);
    free(place->words);
}

void card_free(struct card *card)
{
    for (size_t i = 0; i < card->places_count; i++)
        place_free(&card->places[i]);
    for (size_t i = 0; i < card->steps_count; i++) {
        place_free(&card->steps[i].place);
        free(card->steps[i].thread);
    }
    free(card->places);
    free(card->steps);
    free(card->id);
    free(card->title);
    free(card->details);
}

static void put_uri(struct buffer *to, const char *path, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)path[i];
        char code[4];
        if (isalnum(c) || strchr("-._~/", c)) {
            buffer_bytes(to, path + i, 1);
            continue;
        }
        snprintf(code, sizeof code, "%%%02X", c);
        buffer_text(to, code);
    }
}

void card_path(const struct deck *deck, const char *location, bool as_uri, struct buffer *path, uint32_t *line)
{
    size_t root = deck->source_root ? strlen(deck->source_root) : 0;
    struct source s;

    if (!source_parse(location, &s)) {
        const char *trace = deck->trace_path ? deck->trace_path : "trace";
        s = (struct source){trace, strlen(trace), 0, ""};
    }
    while (root > 0 && deck->source_root[root - 1] == '/')
        root--;
    if (root > 0 && s.file_length > root + 1 && memcmp(s.file, deck->source_root, root) == 0 &&
        s.file[root] == '/') {
        s.file += root + 1;
        s.file_length -= root + 1;
    }
    while (s.file_length > 2 && s.file[0] == '.' && s.file[1] == '/') {
        s.file += 2;
        s.file_length -= 2;
    }
    path->text_count = 0;
    if (as_uri) {
        if (s.file[0] == '/')
            buffer_text(path, "file://");
        put_uri(path, s.file, s.file_length);
    } else {
        char *plain = memory_text(s.file, s.file_length);
        buffer_safe(path, plain);
        free(plain);
    }
    *line = s.line;
}

size_t card_main_place(const struct card *card)
{
    struct source source;
    size_t library = card->places_count;

    for (size_t i = card->places_count; i-- > 0;)
        if (source_parse(card->places[i].location, &source))
            library = i;
    for (size_t i = 0; i < card->places_count; i++)
        if (source_parse(card->places[i].location, &source) && !source_is_library(&source))
            return i;
    return library < card->places_count ? library : 0;
}

/* Writes the deck and frees it. */
static enum status write_deck(struct deck *deck, deck_writer *write, FILE *to, struct error *err)
{
    struct json_out out = {.to = to};

    write(deck, &out);
    json_end(&out);
    deck_free(deck);
    fputs("\n", to);
    if (fflush(to) != 0 || ferror(to))
        return fail(err, HEDDLE_IO, "the report could not be written: %s", strerror(errno));
    return HEDDLE_OK;
}

enum status deck_report(const struct results *results, const struct model *model,
                        const struct report_options *options, deck_writer *write, FILE *to, struct error *err)
{
    struct deck deck;

    deck_from_results(&deck, results, model, options);
    return write_deck(&deck, write, to, err);
}

enum status deck_recall(const struct report *report, const struct report_options *options, deck_writer *write,
                        FILE *to, struct error *err)
{
    struct deck deck;

    deck_from_report(&deck, report, options);
    return write_deck(&deck, write, to, err);
}
