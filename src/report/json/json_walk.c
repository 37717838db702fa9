/* JSON text, value by value. */
#include "report/json/json_walk.h"

static enum status wrong_at(const struct json_walk *w, size_t at, const char *what)
{
    size_t line = 1, column = 1;

    for (size_t i = 0; i < at && i < w->length; i++) {
        column = w->text[i] == '\n' ? 1 : column + 1;
        line += w->text[i] == '\n';
    }
    fail(w->err, HEDDLE_BAD_REPORT, "%.200s:%zu:%zu: %.300s", w->name, line, column, what);
    return HEDDLE_BAD_REPORT;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

char walk_peek(struct json_walk *w)
{
    while (w->at < w->length && is_blank(w->text[w->at]))
        w->at++;
    if (w->at == w->length)
        return 0;
    return w->text[w->at];
}

bool walk_take(struct json_walk *w, char wanted)
{
    if (walk_peek(w) != wanted || w->at == w->length)
        return false;
    w->at++;
    return true;
}

enum status walk_expect(struct json_walk *w, char wanted)
{
    char what[] = "'?' expected";

    if (walk_take(w, wanted))
        return HEDDLE_OK;
    what[1] = wanted;
    return wrong_at(w, w->at, what);
}

json_t *walk_value(struct json_walk *w)
{
    json_error_t problem;
    json_t *value;

    walk_peek(w);
    value = json_loadb(w->text + w->at, w->length - w->at,
                       JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &problem);
    if (!value) {
        wrong_at(w, w->at + (size_t)(problem.position > 0 ? problem.position : 0), problem.text);
        return NULL;
    }
    w->at += (size_t)problem.position;
    return value;
}

bool walk_skip(struct json_walk *w)
{
    size_t depth = 0;
    bool quoted = false;

    walk_peek(w);
    while (w->at < w->length) {
        char c = w->text[w->at++];
        if (quoted) {
            if (c == '\\' && w->at < w->length)
                w->at++;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            if (depth <= 1)
                return depth == 1;
            depth--;
        }
    }
    return false;
}

json_t *walk_key(struct json_walk *w)
{
    size_t start = w->at;
    json_t *key = walk_value(w);

    if (!key)
        return NULL;
    if (!json_is_string(key))
        wrong_at(w, start, "a member's name expected");
    else if (walk_expect(w, ':') == HEDDLE_OK)
        return key;
    json_decref(key);
    return NULL;
}
