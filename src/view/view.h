/* heddle view: answers to the page that shows a trace, and the server that gives them. */
#pragma once
#include "base/stop.h"
#include "view/http.h"
#include "view/view_index.h"

enum { VIEW_TOKEN = 32 }; /* hexadecimal digits: 128 bits */

/* A finding that the page can go to. */
struct view_jump {
    char *id, *title;
    uint64_t *events; /* ascending, all in the trace, at least one */
    size_t events_count;
};

struct view {
    const char *path; /* of the trace, as people know it */
    struct view_index index;
    struct view_jump *jumps;
    size_t jumps_count, jumps_capacity;
    char token[VIEW_TOKEN + 1];
    unsigned port;
};

/* A new token; false: the system has no random numbers. */
bool view_make_token(struct view *view);

/* Answers one request: the page, or data for it. Requests without the token, for another host or from the page of another
 * origin are refused. */
void view_answer(struct view *view, const struct http_request *request, struct buffer *to);

/* The answer to a request that was not understood. */
void view_refuse(int status, struct buffer *to);

/* Listens on 127.0.0.1, at view->port or, where that is 0, any, which is then in view->port; a socket, or -1. */
int view_listen(struct view *view, struct error *err);

/* Answers requests until `stop` is set, by a signal that interrupts. */
void view_serve(struct view *view, int listener, stop_flag *stop);

void view_close(struct view *view);
