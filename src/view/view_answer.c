/* From a request to its answer: who may ask, what there is to ask for. */
#include "base/memory.h"
#include "view/view_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

bool view_make_token(struct view *view)
{
    unsigned char bytes[VIEW_TOKEN / 2];

    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(view->token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

void view_refuse(int status, struct buffer *to)
{
    char text[64];

    snprintf(text, sizeof text, "heddle view: %d\n", status);
    http_answer(to, status, "text/plain", text, strlen(text));
}

/* Takes as long whatever the text is. */
static bool same_token(const char *token, const char *text)
{
    unsigned char difference = 0;

    if (strlen(text) < VIEW_TOKEN)
        return false;
    for (size_t i = 0; i < VIEW_TOKEN; i++)
        difference |= (unsigned char)(token[i] ^ text[i]);
    return difference == 0;
}

/* Whether `host` is what the page's address names, so that no other name leads here. */
static bool is_our_host(const struct view *view, const char *host)
{
    char wanted[32];

    snprintf(wanted, sizeof wanted, "127.0.0.1:%u", view->port);
    return strcmp(host, wanted) == 0;
}

/* Pages of others may not ask, whatever they know. */
static bool may_ask(const struct view *view, const struct http_request *q)
{
    static const char scheme[] = "http://";

    if (!is_our_host(view, q->host))
        return false;
    if (*q->origin && (strncmp(q->origin, scheme, sizeof scheme - 1) != 0 ||
                       !is_our_host(view, q->origin + sizeof scheme - 1)))
        return false;
    return !*q->site || strcmp(q->site, "same-origin") == 0 || strcmp(q->site, "none") == 0;
}

/* The parts of an answer stay in memory: they are small. */
static void keep(struct json_out *out)
{
    (void)out;
}

static bool read_range(const struct view *view, const struct http_request *q, struct view_range *range)
{
    uint64_t events = htr_ranges_events(view->index.file);

    return http_number_of(q, "from", events, &range->from) && http_number_of(q, "to", events, &range->to) &&
           http_number_of(q, "columns", VIEW_COLUMNS_MOST, &range->columns) && range->columns > 0 &&
           range->from > 0 && range->from <= range->to;
}

static bool read_class(const struct http_request *q, enum name_class *class)
{
    static const struct {
        const char *word;
        enum name_class class;
    } classes[] = {{"variable", NAME_VARIABLE}, {"place", NAME_LOCATION}, {"lock", NAME_LOCK}};
    const char *word = http_parameter_of(q, "kind");

    for (size_t i = 0; word && i < sizeof classes / sizeof *classes; i++)
        if (strcmp(word, classes[i].word) == 0) {
            *class = classes[i].class;
            return true;
        }
    return false;
}

static bool read_target(const struct view *view, const struct http_request *q, struct view_target *target)
{
    uint64_t id;

    if (!read_class(q, &target->class) || !http_number_of(q, "id", UINT32_MAX, &id) ||
        id >= trace_names(htr_ranges_names(view->index.file), target->class))
        return false;
    target->id = (uint32_t)id;
    return true;
}

static int answer_info(struct view *view, struct json_out *out)
{
    const struct trace *names = htr_ranges_names(view->index.file);

    json_object_open(out, NULL);
    json_text(out, "file", view->path);
    json_count(out, "events", htr_ranges_events(view->index.file));
    json_count(out, "threads", trace_names(names, NAME_THREAD));
    json_count(out, "variables", trace_names(names, NAME_VARIABLE));
    json_count(out, "locks", trace_names(names, NAME_LOCK));
    json_count(out, "places", trace_names(names, NAME_LOCATION));
    json_flag(out, "cut", htr_ranges_cut(view->index.file));
    json_array_open(out, "findings");
    for (size_t i = 0; i < view->jumps_count; i++) {
        json_object_open(out, NULL);
        json_text(out, "id", view->jumps[i].id);
        json_text(out, "title", view->jumps[i].title);
        json_array_open(out, "events");
        for (size_t e = 0; e < view->jumps[i].events_count; e++)
            json_count(out, NULL, view->jumps[i].events[e]);
        json_close(out);
        json_close(out);
    }
    json_close(out);
    json_close(out);
    return 200;
}

static int answer_range(struct view *view, const struct http_request *q, struct json_out *out)
{
    struct view_range range;
    struct error err;
    uint64_t lane;

    if (!read_range(view, q, &range) || !http_number_of(q, "lane", UINT32_MAX, &lane))
        return 400;
    return view_write_range(view, &range, lane, out, &err) == HEDDLE_OK ? 200 : 500;
}

static int answer_names(struct view *view, const struct http_request *q, struct json_out *out)
{
    const char *text = http_parameter_of(q, "text");
    enum name_class class;

    if (!text || !read_class(q, &class))
        return 400;
    view_write_names(view, class, text, out);
    return 200;
}

static int answer_marks(struct view *view, const struct http_request *q, struct json_out *out)
{
    struct view_target target;
    struct view_range range;
    struct error err;

    if (!read_range(view, q, &range) || !read_target(view, q, &target))
        return 400;
    return view_write_marks(view, &range, target, out, &err) == HEDDLE_OK ? 200 : 500;
}

static int answer_next(struct view *view, const struct http_request *q, struct json_out *out)
{
    uint64_t event, back, found = 0, events = htr_ranges_events(view->index.file);
    struct view_target target;
    struct error err;

    if (!read_target(view, q, &target) || !http_number_of(q, "event", events, &event) ||
        !http_number_of(q, "back", 1, &back))
        return 400;
    if (events > 0 && view_next(view, target, event, back == 1, &found, &err) != HEDDLE_OK)
        return 500;
    json_object_open(out, NULL);
    json_count(out, "event", found);
    json_close(out);
    return 200;
}

/* The status of the answer, whose body is in `out` if that is 200. */
static int answer_data(struct view *view, const char *what, const struct http_request *q, struct json_out *out)
{
    return strcmp(what, "info") == 0    ? answer_info(view, out)
           : strcmp(what, "range") == 0 ? answer_range(view, q, out)
           : strcmp(what, "names") == 0 ? answer_names(view, q, out)
           : strcmp(what, "marks") == 0 ? answer_marks(view, q, out)
           : strcmp(what, "next") == 0  ? answer_next(view, q, out)
                                        : 404;
}

void view_answer(struct view *view, const struct http_request *q, struct buffer *to)
{
    struct json_out out = {.drain = keep};
    const char *what = q->path + 1 + VIEW_TOKEN;
    int status;

    if (!may_ask(view, q) || !same_token(view->token, q->path + 1) || *what != '/') {
        view_refuse(403, to);
        return;
    }
    if (strcmp(++what, "") == 0) {
        size_t length;
        const char *page = view_page(&length);
        http_answer(to, 200, "text/html", page, length);
        return;
    }
    status = answer_data(view, what, q, &out);
    if (status == 200)
        http_answer(to, 200, "application/json", out.text.text, out.text.text_count);
    else
        view_refuse(status, to);
    buffer_free(&out.text);
}

void view_close(struct view *view)
{
    view_index_close(&view->index);
    for (size_t i = 0; i < view->jumps_count; i++) {
        free(view->jumps[i].id);
        free(view->jumps[i].title);
        free(view->jumps[i].events);
    }
    free(view->jumps);
}
