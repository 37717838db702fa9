/* heddle view: a trace read by ranges is the trace, pictures count each event once and locks as long as they are held, and
 * requests are understood or refused. */
#include "view/view_parts.h"

#include "base/memory.h"
#include "trace/save.h"

#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { EVENTS = 150000, WORKERS = 3, LOCKS = 5 };

static uint64_t state = 1;

static unsigned roll(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static uint32_t named(struct trace *t, enum name_class class, const char *prefix, unsigned number)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%s%u", prefix, number);

    return names_add(&t->names[class], text, (size_t)length);
}

/* Workers that take locks, in ascending order, write and give them back, in turns. */
static void make_trace(struct trace *t)
{
    unsigned owner[LOCKS] = {0}; /* worker plus one */

    trace_init(t);
    while (t->count < EVENTS) {
        unsigned worker = roll(WORKERS), lock = roll(LOCKS);
        struct event e = {.op = EVENT_WRITE,
                          .thread = named(t, NAME_THREAD, "T", worker),
                          .location = named(t, NAME_LOCATION, "a.c:", roll(40)),
                          .value_tag = VALUE_UNSIGNED,
                          .value = t->count};
        if (roll(4) > 0 || (owner[lock] && owner[lock] != worker + 1)) {
            e.arg = named(t, NAME_VARIABLE, "x", t->count > 140000 ? 1000 + roll(9) : roll(300));
        } else {
            e = (struct event){.op = owner[lock] ? EVENT_RELEASE : EVENT_ACQUIRE,
                               .thread = e.thread,
                               .arg = named(t, NAME_LOCK, "l", lock),
                               .location = e.location};
            owner[lock] = owner[lock] ? 0 : worker + 1;
        }
        trace_append(t, &e);
    }
}

struct shown {
    struct trace trace;
    struct view view;
};

static int show(void **out)
{
    static struct shown s;
    char path[] = "/tmp/heddle-view-XXXXXX";
    int fd = mkstemp(path);
    struct error err;

    s = (struct shown){.view = {.path = "t.htr", .port = 8080}};
    make_trace(&s.trace);
    assert_true(fd >= 0);
    assert_int_equal(trace_save_native(&s.trace, path, HTR_USUAL, &err), HEDDLE_OK);
    assert_int_equal(view_index_open(&s.view.index, path, &trace_limits_usual, &err), HEDDLE_OK);
    close(fd);
    unlink(path);
    memset(s.view.token, 'b', VIEW_TOKEN);
    *out = &s;
    return 0;
}

static int hide(void **out)
{
    struct shown *s = *out;

    trace_free(&s->trace);
    view_close(&s->view);
    return 0;
}

static void blocks_are_the_trace(void **out)
{
    struct shown *s = *out;
    struct htr_ranges *file = s->view.index.file;
    struct error err;

    assert_int_equal(htr_ranges_events(file), EVENTS);
    assert_true(htr_ranges_blocks(file) >= 3);
    for (int round = 0; round < 300; round++) {
        uint64_t event = 1 + roll(EVENTS);
        struct htr_window w;
        assert_int_equal(htr_ranges_read(file, htr_ranges_block_of(file, event), &w, &err), HEDDLE_OK);
        assert_true(event > w.before && event <= w.before + w.events->count);
        struct event a = trace_event(w.events, (size_t)(event - w.before)), b = trace_event(&s->trace, event);
        assert_int_equal(a.op, b.op);
        assert_int_equal(a.value, b.value);
        assert_string_equal(trace_name(w.events, NAME_THREAD, a.thread),
                            trace_name(&s->trace, NAME_THREAD, b.thread));
        assert_string_equal(trace_name(w.events, kind_argument(op_kind(a.op)), a.arg),
                            trace_name(&s->trace, kind_argument(op_kind(b.op)), b.arg));
        assert_string_equal(trace_name(w.events, NAME_LOCATION, a.location),
                            trace_name(&s->trace, NAME_LOCATION, b.location));
    }
}

static json_t *ask(struct view *view, const char *path)
{
    struct http_request request;
    struct buffer answer = {0};
    char text[400];
    int status, length = snprintf(text, sizeof text, "GET /%s/%s HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
                                  view->token, path);

    assert_int_equal(http_parse(text, (size_t)length, &request, &status), HTTP_WHOLE);
    view_answer(view, &request, &answer);
    const char *body = memmem(answer.text, answer.text_count, "\r\n\r\n", 4);
    assert_non_null(body);
    json_t *json = json_loadb(body + 4, answer.text_count - (size_t)(body + 4 - answer.text), 0, NULL);
    assert_non_null(json);
    buffer_free(&answer);
    return json;
}

static uint64_t sum(const json_t *numbers)
{
    uint64_t result = 0;
    const json_t *number;
    size_t i;

    json_array_foreach(numbers, i, number) result += (uint64_t)json_integer_value(number);
    return result;
}

/* Events of the range for which the lock is held. */
static uint64_t held_in(const struct trace *t, const char *lock, uint64_t from, uint64_t to)
{
    bool held = false;
    uint64_t result = 0;

    for (size_t e = 1; e <= to; e++) {
        bool its = trace_kind(t, e) != EVENT_WRITE && strcmp(trace_name(t, NAME_LOCK, t->arg[e]), lock) == 0;
        if (its && trace_kind(t, e) == EVENT_ACQUIRE)
            held = true;
        result += held && e >= from;
        if (its && trace_kind(t, e) == EVENT_RELEASE)
            held = false;
    }
    return result;
}

static void check_picture(struct shown *s, uint64_t from, uint64_t to, unsigned columns)
{
    char path[128];
    json_t *lane, *lock, *picture;
    size_t i;
    uint64_t all = 0;

    snprintf(path, sizeof path, "range?from=%llu&to=%llu&columns=%u&lane=0", (unsigned long long)from,
             (unsigned long long)to, columns);
    picture = ask(&s->view, path);
    json_array_foreach(json_object_get(picture, "lanes"), i, lane)
    {
        uint64_t accesses = 0, others = 0;
        const char *name = json_string_value(json_object_get(lane, "name"));
        for (uint64_t e = from; e <= to; e++)
            if (strcmp(trace_name(&s->trace, NAME_THREAD, s->trace.thread[e]), name) == 0)
                *(trace_kind(&s->trace, e) == EVENT_WRITE ? &accesses : &others) += 1;
        assert_int_equal(json_array_size(json_object_get(lane, "accesses")), columns);
        assert_int_equal(sum(json_object_get(lane, "accesses")), accesses);
        assert_int_equal(sum(json_object_get(lane, "others")), others);
        all += accesses + others;
    }
    assert_int_equal(all, to - from + 1);
    json_array_foreach(json_object_get(picture, "locks"), i, lock)
        assert_int_equal(json_integer_value(json_object_get(lock, "held")),
                         held_in(&s->trace, json_string_value(json_object_get(lock, "name")), from, to));
    if (to - from + 1 <= VIEW_EVENTS_MOST)
        assert_int_equal(json_array_size(json_object_get(picture, "events")), to - from + 1);
    else
        assert_null(json_object_get(picture, "events"));
    json_decref(picture);
}

static void pictures_count_events(void **out)
{
    check_picture(*out, 1, EVENTS, 1000); /* by stretches: 150 events a column */
    check_picture(*out, 1, EVENTS, 1);
    check_picture(*out, 1, EVENTS, VIEW_COLUMNS_MOST); /* … 75 */
    check_picture(*out, 65530, 65545, 16);             /* over the end of a block */
    for (int round = 0; round < 20; round++) {
        uint64_t from = 1 + roll(EVENTS - 1), to = from + roll(round % 2 ? 500 : 20000);
        to = to > EVENTS ? EVENTS : to;
        unsigned columns = 1 + roll(to - from + 1 < 2000 ? (unsigned)(to - from + 1) : 2000);
        if ((to - from + 1) / columns >= 64) /* stretches at both ends are only partly in the range */
            columns = (unsigned)((to - from + 1) / 64 + 1);
        check_picture(*out, from, to, columns > VIEW_COLUMNS_MOST ? VIEW_COLUMNS_MOST : columns);
    }
}

static void searches_find_every_event(void **out)
{
    struct shown *s = *out;
    json_t *names = ask(&s->view, "names?kind=variable&text=X100"), *name;
    size_t i;

    assert_int_equal(json_integer_value(json_object_get(names, "found")), 10); /* x100, x1000 … x1008 */
    json_array_foreach(json_object_get(names, "names"), i, name)
    {
        const char *text = json_string_value(json_array_get(name, 1));
        long long id = json_integer_value(json_array_get(name, 0));
        uint64_t count = 0, found = 0;
        char path[160];

        snprintf(path, sizeof path, "marks?kind=variable&id=%lld&from=1&to=%d&columns=7", id, EVENTS);
        json_t *marks = ask(&s->view, path);
        for (size_t e = 1; e <= EVENTS; e++)
            count += trace_kind(&s->trace, e) == EVENT_WRITE &&
                     strcmp(trace_name(&s->trace, NAME_VARIABLE, s->trace.arg[e]), text) == 0;
        assert_int_equal(sum(json_object_get(marks, "columns")), count);
        json_decref(marks);
        for (uint64_t at = 0, more = 1; more; found += more != 0, at = more) {
            snprintf(path, sizeof path, "next?kind=variable&id=%lld&event=%llu&back=0", id,
                     (unsigned long long)at);
            json_t *next = ask(&s->view, path);
            more = (uint64_t)json_integer_value(json_object_get(next, "event"));
            json_decref(next);
            assert_true(more == 0 || more > at);
        }
        assert_int_equal(found, count);
    }
    json_decref(names);
}

static void requests_are_understood_or_refused(void **out)
{
    static const struct {
        const char *text;
        int status;
    } cases[] = {
        {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 200},
        {"GET /p?a=1&b=%20x HTTP/1.0\r\n\r\n", 200},
        {"HEAD / HTTP/1.1\r\n\r\n", 405},
        {"GET  / HTTP/1.1\r\n\r\n", 400},
        {"GET / HTTP/2\r\n\r\n", 400},
        {"GET x HTTP/1.1\r\n\r\n", 400},
        {"GET /?a HTTP/1.1\r\n\r\n", 400},
        {"GET /?a=%zz HTTP/1.1\r\n\r\n", 400},
        {"GET /?a=%00 HTTP/1.1\r\n\r\n", 400},
        {"GET /?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9 HTTP/1.1\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n", 400},
    };
    struct http_request request;
    char many[HTTP_REQUEST_MOST] = "GET / HTTP/1.1\r\n";
    int status;

    (void)out;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum http_progress progress = http_parse(cases[i].text, strlen(cases[i].text), &request, &status);
        assert_int_equal(status, cases[i].status);
        assert_int_equal(progress, cases[i].status == 200 ? HTTP_WHOLE : HTTP_BAD);
    }
    http_parse(cases[1].text, strlen(cases[1].text), &request, &status);
    assert_string_equal(http_parameter_of(&request, "b"), " x");
    for (int i = 0; i <= HTTP_HEADERS_MOST; i++)
        strcat(many, "A: b\r\n");
    strcat(many, "\r\n");
    assert_int_equal(http_parse(many, strlen(many), &request, &status), HTTP_BAD);
    assert_int_equal(status, 431);
    assert_int_equal(http_parse(many, 100, &request, &status), HTTP_MORE);
    memset(many, 'x', sizeof many);
    assert_int_equal(http_parse(many, sizeof many, &request, &status), HTTP_BAD);
    assert_int_equal(status, 431);
}

/* A file that changes while it is looked at is noticed, not shown. */
static void changed_files_are_noticed(void **out)
{
    char path[] = "/tmp/heddle-view-XXXXXX";
    int fd = mkstemp(path);
    struct view_index index;
    struct htr_window window;
    struct trace trace;
    struct error err;

    (void)out;
    make_trace(&trace);
    assert_int_equal(trace_save_native(&trace, path, HTR_USUAL, &err), HEDDLE_OK);
    assert_int_equal(view_index_open(&index, path, &trace_limits_usual, &err), HEDDLE_OK);
    close(fd);
    fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, "changed", 7, 3000), 7);
    close(fd);
    assert_int_not_equal(htr_ranges_read(index.file, 0, &window, &err), HEDDLE_OK);
    assert_non_null(strstr(err.text, "has changed"));
    view_index_close(&index);
    assert_int_not_equal(view_index_open(&index, path, &trace_limits_usual, &err), HEDDLE_OK);
    unlink(path);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_the_trace),      cmocka_unit_test(pictures_count_events),
        cmocka_unit_test(searches_find_every_event), cmocka_unit_test(requests_are_understood_or_refused),
        cmocka_unit_test(changed_files_are_noticed),
    };

    return cmocka_run_group_tests(tests, show, hide);
}
