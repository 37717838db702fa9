/* Reads suppression files; says what an entry is about. */
#include "report/ci/suppress.h"
#include "base/memory.h"
#include "report/fingerprint.h"
#include "report/report.h"
#include "trace/input.h"
#include "trace/source.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const char *const keys[CONDITIONS] = {
    [CONDITION_FINGERPRINT] = "fingerprint", [CONDITION_PROPERTY] = "property",
    [CONDITION_VARIABLE] = "variable",       [CONDITION_LOCK] = "lock",
    [CONDITION_FUNCTION] = "function",       [CONDITION_FILE] = "file",
    [CONDITION_ONLY_FILE] = "only-file",     [CONDITION_NO_FILE] = "no-file",
};

/* A line on its way in. */
struct suppress_line {
    const char *file;
    size_t number;
    const char *at, *end;
    struct error *err;
};

static enum status wrong(const struct suppress_line *l, const char *what)
{
    return fail(l->err, HEDDLE_BAD_USAGE, "%.200s:%zu: %s", l->file, l->number, what);
}

static void skip_blanks(struct suppress_line *l)
{
    while (l->at < l->end && (*l->at == ' ' || *l->at == '\t'))
        l->at++;
}

static bool starts_with(const struct suppress_line *l, const char *word)
{
    size_t length = strlen(word);

    return (size_t)(l->end - l->at) >= length && memcmp(l->at, word, length) == 0;
}

static enum property property_named(const char *name)
{
    for (enum property p = 0; p < PROPERTIES; p++)
        if (strcmp(name, property_option(p)) == 0 || strcmp(name, property_title(p)) == 0)
            return p;
    return PROPERTIES;
}

/* A word, or text in quotes in which \ takes the next character as it is. */
static enum status get_value(struct suppress_line *l, char **value)
{
    char *to = *value = memory_new((size_t)(l->end - l->at) + 1, 1);
    bool quoted = l->at < l->end && *l->at == '"';

    l->at += quoted;
    while (l->at < l->end && (quoted ? *l->at != '"' : *l->at != ' ' && *l->at != '\t')) {
        if (quoted && *l->at == '\\' && l->at + 1 < l->end)
            l->at++;
        *to++ = *l->at++;
    }
    if (quoted && l->at == l->end)
        return wrong(l, "a quoted value does not end on its line");
    l->at += quoted;
    if (l->at < l->end && *l->at != ' ' && *l->at != '\t')
        return wrong(l, "a blank is missing after a quoted value");
    return to > *value ? HEDDLE_OK : wrong(l, "a condition has no value");
}

static enum status check_condition(const struct suppression *entry, const char *file,
                                   const struct suppress_condition *c, struct error *err)
{
    uint64_t fingerprint;

    if (!*c->value)
        return fail(err, HEDDLE_BAD_USAGE, "%.200s:%zu: %s has no value", file, entry->line, keys[c->key]);
    if (c->key == CONDITION_FINGERPRINT && !fingerprint_parse(c->value, strlen(c->value), &fingerprint))
        return fail(err, HEDDLE_BAD_USAGE, "%.200s:%zu: fingerprint=%.100s: expected 16 hexadecimal digits",
                    file, entry->line, c->value);
    if (c->key == CONDITION_PROPERTY && property_named(c->value) == PROPERTIES)
        return fail(err, HEDDLE_BAD_USAGE, "%.200s:%zu: unknown property %.100s", file, entry->line, c->value);
    for (size_t i = 0; c->key < CONDITION_FUNCTION && i < entry->conditions_count; i++)
        if (entry->conditions[i].key == c->key)
            return fail(err, HEDDLE_BAD_USAGE, "%.200s:%zu: %s appears twice", file, entry->line, keys[c->key]);
    return HEDDLE_OK;
}

enum status suppression_condition(struct suppression *entry, const char *file, const char *key, size_t length,
                                  const char *value, struct error *err)
{
    struct suppress_condition c = {.key = 0};
    enum status status;

    while (c.key < CONDITIONS && (strlen(keys[c.key]) != length || memcmp(keys[c.key], key, length) != 0))
        c.key++;
    if (c.key == CONDITIONS)
        return fail(
            err, HEDDLE_BAD_USAGE,
            "%.200s:%zu: unknown condition %.*s: expected fingerprint, property, variable, lock, function, "
            "file, only-file or no-file",
            file, entry->line, (int)(length < 100 ? length : 100), key);
    c.value = memory_text(value, strlen(value));
    status = check_condition(entry, file, &c, err);
    if (status == HEDDLE_OK)
        ARRAY_PUSH(entry, conditions, c);
    else
        free(c.value);
    return status;
}

static enum status get_condition(struct suppress_line *l, struct suppression *entry)
{
    const char *key = l->at, *equals = memchr(l->at, '=', (size_t)(l->end - l->at));
    char *value = NULL;
    enum status status;

    if (!equals)
        return wrong(l, "expected KEY=VALUE or reason:");
    l->at = equals + 1;
    status = get_value(l, &value);
    if (status == HEDDLE_OK)
        status = suppression_condition(entry, l->file, key, (size_t)(equals - key), value, l->err);
    free(value);
    return status;
}

enum status suppression_end(struct suppressions *s, struct suppression *entry, const char *file,
                            const char *reason, size_t length, struct error *err)
{
    while (length > 0 && (reason[length - 1] == ' ' || reason[length - 1] == '\t'))
        length--;
    if (length == 0)
        return fail(err, HEDDLE_BAD_USAGE,
                    "%.200s:%zu: the reason is missing: why may this finding be ignored?", file, entry->line);
    if (entry->conditions_count == 0)
        return fail(err, HEDDLE_BAD_USAGE,
                    "%.200s:%zu: a reason without a condition: which findings does it suppress?", file,
                    entry->line);
    entry->reason = memory_text(reason, length);
    ARRAY_PUSH(s, entries, *entry);
    return HEDDLE_OK;
}

void suppression_free(struct suppression *entry)
{
    for (size_t i = 0; i < entry->conditions_count; i++)
        free(entry->conditions[i].value);
    free(entry->conditions);
    free(entry->reason);
}

static enum status get_entry(struct suppressions *s, struct suppress_line *l)
{
    struct suppression entry = {.line = l->number};
    enum status status = HEDDLE_OK;

    while (status == HEDDLE_OK && !starts_with(l, "reason:")) {
        if (l->at == l->end) {
            status = wrong(l, "the line must end in reason: and the reason");
            break;
        }
        status = get_condition(l, &entry);
        skip_blanks(l);
    }
    if (status == HEDDLE_OK) {
        l->at += strlen("reason:");
        skip_blanks(l);
        status = suppression_end(s, &entry, l->file, l->at, (size_t)(l->end - l->at), l->err);
    }
    if (status != HEDDLE_OK)
        suppression_free(&entry);
    return status;
}

enum status suppressions_parse(struct suppressions *s, const char *name, const char *text, size_t length,
                               struct error *err)
{
    struct suppress_line l = {.file = name, .err = err};
    const char *end = length > 0 ? text + length : text;
    enum status status = HEDDLE_OK;

    memset(s, 0, sizeof *s);
    s->path = memory_text(name, strlen(name));
    for (const char *at = text; at < end && status == HEDDLE_OK; at = l.end + (l.end < end)) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *line_end = newline ? newline : end;
        l.at = at;
        l.end = line_end;
        l.number++;
        if (memchr(at, '\0', (size_t)(line_end - at)))
            status = wrong(&l, "a NUL character: this is not text");
        if (l.end > l.at && l.end[-1] == '\r')
            l.end--;
        skip_blanks(&l);
        if (status == HEDDLE_OK && l.at < l.end && *l.at != '#')
            status = get_entry(s, &l);
        l.end = line_end;
    }
    if (status != HEDDLE_OK)
        suppressions_free(s);
    return status;
}

enum status suppressions_load(struct suppressions *s, const char *path, struct error *err)
{
    char *text;
    size_t length;
    enum status status;

    memset(s, 0, sizeof *s);
    status = input_load(path, &text, &length, err);
    if (status == HEDDLE_OK)
        status = suppressions_parse(s, path, text, length, err);
    free(text);
    return status;
}

void suppressions_free(struct suppressions *s)
{
    for (size_t i = 0; i < s->entries_count; i++)
        suppression_free(&s->entries[i]);
    free(s->entries);
    free(s->path);
    memset(s, 0, sizeof *s);
}

/* Whether the glob fits the name that one of the finding's events has of this class. */
static bool names_match(const char *glob, enum name_class class, const struct finding *f,
                        const struct trace *trace)
{
    for (uint32_t i = 0; i < f->event_count; i++) {
        uint32_t e = f->events[i];
        if (e != EVENT_INIT && trace->arg[e] != ARG_NONE && kind_argument(trace_kind(trace, e)) == class &&
            fnmatch(glob, trace_name(trace, class, trace->arg[e]), 0) == 0)
            return true;
    }
    return false;
}

static bool place_matches(const struct suppress_condition *c, const char *place)
{
    struct source source;
    char *file;
    bool matches;

    if (!source_parse(place, &source))
        return false;
    if (c->key == CONDITION_FUNCTION)
        return fnmatch(c->value, source.function, 0) == 0;
    file = memory_text(source.file, source.file_length);
    matches = fnmatch(c->value, file, 0) == 0;
    free(file);
    return matches;
}

static bool condition_holds(const struct suppress_condition *c, const struct finding *f, uint64_t fingerprint,
                            const struct trace *trace)
{
    uint64_t wanted;

    switch (c->key) {
    case CONDITION_FINGERPRINT:
        return fingerprint_parse(c->value, strlen(c->value), &wanted) && wanted == fingerprint;
    case CONDITION_PROPERTY:
        return property_named(c->value) == f->property;
    case CONDITION_VARIABLE:
        return names_match(c->value, NAME_VARIABLE, f, trace);
    case CONDITION_LOCK:
        return names_match(c->value, NAME_LOCK, f, trace);
    default:
        for (uint32_t i = 0; i < f->event_count; i++)
            if (place_matches(c, event_place(trace, f->events[i])))
                return true;
        return false;
    }
}

/* Whether one of the entry's conditions of this kind matches the place. */
static bool any_matches(const struct suppression *entry, enum condition_key key, const char *place)
{
    for (size_t i = 0; i < entry->conditions_count; i++)
        if (entry->conditions[i].key == key && place_matches(&entry->conditions[i], place))
            return true;
    return false;
}

/* The conditions that are about all places: whether those of this kind, if there are any, match every one of them,
 * or with `none` not a single one. A finding with an unknown place satisfies neither. */
static bool places_satisfy(const struct suppression *entry, enum condition_key key, bool none,
                           const struct finding *f, const struct trace *trace)
{
    bool asked = false;
    struct source source;

    for (size_t i = 0; i < entry->conditions_count; i++)
        asked |= entry->conditions[i].key == key;
    for (uint32_t i = 0; asked && i < f->event_count; i++) {
        const char *place = event_place(trace, f->events[i]);
        if (f->events[i] != EVENT_INIT &&
            (!source_parse(place, &source) || any_matches(entry, key, place) == none))
            return false;
    }
    return true;
}

bool suppression_matches(const struct suppression *entry, const struct finding *f, uint64_t fingerprint,
                         const struct trace *trace)
{
    for (size_t i = 0; i < entry->conditions_count; i++)
        if (entry->conditions[i].key < CONDITION_ONLY_FILE &&
            !condition_holds(&entry->conditions[i], f, fingerprint, trace))
            return false;
    return places_satisfy(entry, CONDITION_ONLY_FILE, false, f, trace) &&
           places_satisfy(entry, CONDITION_NO_FILE, true, f, trace);
}

enum property suppression_property(const struct suppression *entry)
{
    for (size_t i = 0; i < entry->conditions_count; i++)
        if (entry->conditions[i].key == CONDITION_PROPERTY)
            return property_named(entry->conditions[i].value);
    return PROPERTIES;
}
