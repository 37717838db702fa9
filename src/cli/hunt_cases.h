/* The test cases of a test program, and how each is run alone. */
#pragma once
#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct test_words {
    char **words; /* ended by NULL */
    size_t words_count, words_capacity;
};

struct test_case {
    char *suite, *name;
    struct test_words command;
    struct test_words environment; /* "NAME=VALUE", in addition to ours */
    char *folder;                  /* it works in; NULL: ours */
    char *skipped;                 /* why it is not run; NULL: it is */
};

struct test_cases {
    struct test_case *cases;
    size_t cases_count, cases_capacity;
};

/* Runs `start` in a child process, whose output on `stream` is read to its end, up to `most` bytes; its status as of waitpid. False if
 * there is no child. */
bool child_read(void (*start)(const void *context), const void *context, int stream, size_t most,
                struct buffer *out, int *status);

/* Asks the program for its cases: ctest, pytest, or a program made with GoogleTest or Catch2. On failure there are none. */
enum status cases_list(struct test_cases *cases, char *const *program, struct error *err);
void cases_free(struct test_cases *cases);
