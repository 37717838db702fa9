/* The little of HTTP/1.1 that a page of our own needs. */
#include "view/http.h"

#include <string.h>
#include <strings.h>

struct http_span {
    const char *at, *end;
};

static size_t span_length(struct http_span s)
{
    return (size_t)(s.end - s.at);
}

/* The next line without its end; false: there is none. A line that ends in LF alone, or holds a control character, has no end. */
static bool next_line(struct http_span *rest, struct http_span *line)
{
    const char *end = memmem(rest->at, span_length(*rest), "\r\n", 2);

    if (!end)
        return false;
    *line = (struct http_span){rest->at, end};
    rest->at = end + 2;
    for (const char *c = line->at; c < line->end; c++)
        if ((unsigned char)*c < ' ' && *c != '\t')
            return false;
    return true;
}

static bool copy_span(struct http_span from, char *to, size_t room)
{
    size_t length = span_length(from);

    if (length >= room)
        return false;
    memcpy(to, from.at, length);
    to[length] = '\0';
    return true;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* %XX and + as in forms; false: it is no such text, too long, or has a NUL. */
static bool decode(struct http_span from, char *to, size_t room)
{
    size_t length = 0;

    for (const char *c = from.at; c < from.end; c++) {
        int byte = *c == '+' ? ' ' : (unsigned char)*c;
        if (*c == '%') {
            int high = from.end - c > 2 ? hex_digit(c[1]) : -1, low = high >= 0 ? hex_digit(c[2]) : -1;
            if (low < 0)
                return false;
            byte = high << 4 | low;
            c += 2;
        }
        if (byte == 0 || length + 1 >= room)
            return false;
        to[length++] = (char)byte;
    }
    to[length] = '\0';
    return true;
}

static bool read_parameters(struct http_span query, struct http_request *request)
{
    while (query.at < query.end) {
        const char *end = memchr(query.at, '&', span_length(query));
        struct http_span one = {query.at, end ? end : query.end};
        const char *equals = memchr(one.at, '=', span_length(one));
        struct http_parameter *p = &request->parameters[request->parameters_count];

        if (!equals || request->parameters_count == HTTP_PARAMETERS_MOST ||
            !decode((struct http_span){one.at, equals}, p->name, sizeof p->name) ||
            !decode((struct http_span){equals + 1, one.end}, p->value, sizeof p->value))
            return false;
        request->parameters_count++;
        query.at = end ? end + 1 : query.end;
    }
    return true;
}

/* "GET /path?query HTTP/1.1": 0, or the status of a refusal. */
static int read_first_line(struct http_span line, struct http_request *request)
{
    static const char version[] = " HTTP/1.1", older[] = " HTTP/1.0";
    size_t length = span_length(line);

    if (length < 4 || memcmp(line.at, "GET ", 4) != 0)
        return 405;
    if (length < 4 + sizeof version ||
        (memcmp(line.end - 9, version, 9) != 0 && memcmp(line.end - 9, older, 9) != 0))
        return 400;
    struct http_span target = {line.at + 4, line.end - 9};
    const char *query = memchr(target.at, '?', span_length(target));
    struct http_span path = {target.at, query ? query : target.end};
    if (path.at == path.end || *path.at != '/' || memchr(target.at, ' ', span_length(target)))
        return 400;
    if (!copy_span(path, request->path, sizeof request->path))
        return 414;
    return !query || read_parameters((struct http_span){query + 1, target.end}, request) ? 0 : 400;
}

static bool names_header(struct http_span name, const char *text)
{
    return span_length(name) == strlen(text) && strncasecmp(name.at, text, span_length(name)) == 0;
}

/* Keeps a header that matters; false: it is malformed, or stands twice. */
static bool read_header(struct http_span line, struct http_request *request)
{
    const char *colon = memchr(line.at, ':', span_length(line));
    struct http_span name = {line.at, colon ? colon : line.at},
                     value = {colon ? colon + 1 : line.end, line.end};
    struct {
        const char *name;
        char *to;
        size_t room;
    } kept[] = {{"host", request->host, sizeof request->host},
                {"origin", request->origin, sizeof request->origin},
                {"sec-fetch-site", request->site, sizeof request->site}};

    if (!colon || name.at == name.end || memchr(name.at, ' ', span_length(name)) ||
        memchr(name.at, '\t', span_length(name)))
        return false;
    while (value.at < value.end && (*value.at == ' ' || *value.at == '\t'))
        value.at++;
    while (value.end > value.at && (value.end[-1] == ' ' || value.end[-1] == '\t'))
        value.end--;
    /* A GET of ours has no body. */
    if (names_header(name, "transfer-encoding") ||
        (names_header(name, "content-length") && !(span_length(value) == 1 && *value.at == '0')))
        return false;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (names_header(name, kept[i].name))
            return *kept[i].to == '\0' && value.at < value.end && copy_span(value, kept[i].to, kept[i].room);
    return true;
}

enum http_progress http_parse(const char *bytes, size_t length, struct http_request *request, int *status)
{
    const char *end = memmem(bytes, length, "\r\n\r\n", 4);
    struct http_span rest = {bytes, end ? end + 2 : bytes}, line;

    *status = 431;
    if (!end)
        return length >= HTTP_REQUEST_MOST ? HTTP_BAD : HTTP_MORE;
    *request = (struct http_request){0};
    *status = 400;
    if (!next_line(&rest, &line))
        return HTTP_BAD;
    *status = read_first_line(line, request);
    if (*status != 0)
        return HTTP_BAD;
    *status = 431;
    for (int headers = 0; rest.at < rest.end; headers++) {
        if (headers == HTTP_HEADERS_MOST)
            return HTTP_BAD;
        *status = 400;
        if (!next_line(&rest, &line) || !read_header(line, request))
            return HTTP_BAD;
        *status = 431;
    }
    *status = 200;
    return HTTP_WHOLE;
}

const char *http_parameter_of(const struct http_request *request, const char *name)
{
    for (size_t i = 0; i < request->parameters_count; i++)
        if (strcmp(request->parameters[i].name, name) == 0)
            return request->parameters[i].value;
    return NULL;
}

bool http_number_of(const struct http_request *request, const char *name, uint64_t most, uint64_t *value)
{
    const char *text = http_parameter_of(request, name);
    uint64_t number = 0;

    if (!text || !*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || number > (UINT64_MAX - 9) / 10)
            return false;
        number = number * 10 + (uint64_t)(*text - '0');
    }
    *value = number;
    return number <= most;
}

static const char *reason(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 414:
        return "URI Too Long";
    case 431:
        return "Request Header Fields Too Large";
    default:
        return "Internal Server Error";
    }
}

void http_answer(struct buffer *to, int status, const char *type, const char *body, size_t length)
{
    buffer_format(
        to,
        "HTTP/1.1 %d %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n"
        "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
        "X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n%s\r\n",
        status, reason(status), type, length, status == 405 ? "Allow: GET\r\n" : "");
    buffer_bytes(to, body, length);
}
