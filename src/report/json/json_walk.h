/* Large JSON text taken apart value by value, so that only one of many has to be a tree at a time.
 *
 * jansson reads the values; this steps over what is between them. */
#pragma once
#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>

struct json_walk {
    const char *name; /* of the text, in errors */
    const char *text;
    size_t length, at;
    struct error *err;
};

/* The next character that is not blank, not taken; 0 at the end. */
char walk_peek(struct json_walk *w);

/* Takes the next character if it is `wanted`. */
bool walk_take(struct json_walk *w, char wanted);

/* The same; an error if it is another one. */
enum status walk_expect(struct json_walk *w, char wanted);

/* The next value as a tree that the caller owns; NULL after an error with line and column. */
json_t *walk_value(struct json_walk *w);

/* Steps over the next value without reading it: only brackets and strings are told apart. False when it does not end. */
bool walk_skip(struct json_walk *w);

/* The name of the next member of an object, up to the colon; NULL after an error. */
json_t *walk_key(struct json_walk *w);
