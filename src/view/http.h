/* The little of HTTP/1.1 that a page of our own needs: GET, one request a connection. Requests may come from anybody on
 * this machine; whatever is not understood is refused. */
#pragma once
#include "base/buffer.h"

enum {
    HTTP_REQUEST_MOST = 8192, /* bytes of a request, with its headers */
    HTTP_HEADERS_MOST = 64,
    HTTP_PARAMETERS_MOST = 8,
    HTTP_TEXT_MOST = 512, /* bytes of a parameter, decoded */
};

struct http_parameter {
    char name[16];
    char value[HTTP_TEXT_MOST];
};

struct http_request {
    char path[256]; /* without its parameters, not decoded: ours have no % */
    struct http_parameter parameters[HTTP_PARAMETERS_MOST];
    size_t parameters_count;
    char host[64];   /* "" if it names none */
    char origin[96]; /* "" if it names none */
    char site[16];   /* what the browser says where the request comes from (Sec-Fetch-Site); "" */
};

enum http_progress { HTTP_WHOLE, HTTP_MORE, HTTP_BAD };

/* Reads a request of `length` bytes. HTTP_MORE: it does not end there. HTTP_BAD: `*status` is what to answer (400, 405, 414,
 * 431). */
enum http_progress http_parse(const char *bytes, size_t length, struct http_request *request, int *status);

/* The value of a parameter, or NULL. */
const char *http_parameter_of(const struct http_request *request, const char *name);

/* A parameter that is a decimal number of at most `most`; false: it is missing or something else. */
bool http_number_of(const struct http_request *request, const char *name, uint64_t most, uint64_t *value);

/* A whole answer with its headers. */
void http_answer(struct buffer *to, int status, const char *type, const char *body, size_t length);
