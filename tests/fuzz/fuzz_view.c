/* Fuzzes the server of `heddle view`: whatever a request is, it is understood or refused, and answered from a small trace as a
 * browser expects it. The input is the request; a `T` in it stands for the token. */
#include "view/view.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/htr.h"
#include "trace/save.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const char text[] = "T1|fork(T2)|a.c:1\nT1|acq(l)|a.c:2\nT1|w(x=-1)|a.c:3\nT1|rel(l)|a.c:4\n"
                           "T2|racq(l)|b.c:1\nT2|r(x=7)|b.c:2\nT2|rrel(l)|b.c:3\nT2|acq(m)|b.c:4\n";

/* Made once; read by all requests. */
static struct view *the_view(void)
{
    static struct view view = {.path = "fuzz", .port = 80};
    struct trace trace;
    struct error err;

    if (view.index.file)
        return &view;
    char path[] = "/tmp/heddle-fuzz-XXXXXX";
    int fd = mkstemp(path);
    bool good = fd >= 0 && trace_parse(&trace, "fuzz", text, sizeof text - 1, &err) == HEDDLE_OK &&
                trace_save_native(&trace, path, HTR_USUAL, &err) == HEDDLE_OK &&
                view_index_open(&view.index, path, &trace_limits_usual, &err) == HEDDLE_OK;
    if (!good)
        abort();
    trace_free(&trace);
    close(fd);
    unlink(path);
    memset(view.token, 'a', VIEW_TOKEN);
    return &view;
}

static void check_answer(const struct buffer *answer)
{
    const char *body = memmem(answer->text, answer->text_count, "\r\n\r\n", 4);
    const char *length = memmem(answer->text, answer->text_count, "Content-Length: ", 16);

    assert(answer->text_count > 20 && memcmp(answer->text, "HTTP/1.1 ", 9) == 0 && body && length &&
           length < body);
    assert(strtoul(length + 16, NULL, 10) == (size_t)(answer->text + answer->text_count - body - 4));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct view *view = the_view();
    struct buffer asked = {0}, answer = {0};
    struct http_request request;
    int status;

    for (size_t i = 0; i < length; i++)
        if (bytes[i] == 'T' && i + 1 < length && bytes[i + 1] == '/')
            buffer_text(&asked, view->token);
        else
            buffer_bytes(&asked, (const char *)bytes + i, 1);
    if (asked.text_count > HTTP_REQUEST_MOST)
        asked.text_count = HTTP_REQUEST_MOST;
    switch (http_parse(asked.text ? asked.text : "", asked.text_count, &request, &status)) {
    case HTTP_WHOLE:
        view_answer(view, &request, &answer);
        check_answer(&answer);
        break;
    case HTTP_BAD:
        assert(status >= 400 && status < 500);
        view_refuse(status, &answer);
        check_answer(&answer);
        break;
    case HTTP_MORE:
        assert(asked.text_count < HTTP_REQUEST_MOST);
    }
    buffer_free(&asked);
    buffer_free(&answer);
    return 0;
}
