/* Questions to the certifier, by hand: a run, or a claim with its run, and the answer that is expected. */
#pragma once
#include "certify/certify.h"

/* What is asked: a finding on a trace in the text format, with a blank for the end of a line. */
struct question {
    const char *trace;
    enum property property;
    const uint32_t *events;
    uint32_t event_count;
    const uint32_t *run;
    uint32_t run_count;
    bool run_only;
    struct certify_options options;
};

/* `reason` is part of what the rejection says; NULL: the run is accepted. Every way to call the beginning of
 * the run an observed prefix gives the same answer, and so does asking again. */
void question_check(const struct question *q, const char *reason);

/* Numbers, and how many. */
#define LIST(...)                                                                                              \
    (const uint32_t[]){0, __VA_ARGS__} + 1, sizeof((const uint32_t[]){0, __VA_ARGS__}) / sizeof(uint32_t) - 1

/* A run by itself, and a claim with its run. */
#define RUN(text, reason, ...)                                                                                 \
    question_check(&(struct question){text, 0, LIST(), LIST(__VA_ARGS__), true, {0}}, reason)
#define CLAIM(text, property, events, run, reason)                                                             \
    question_check(&(struct question){text, property, events, run, false, {0}}, reason)
#define CLAIM_PLAIN(text, property, events, run, reason)                                                       \
    question_check(&(struct question){text, property, events, run, false, {.values_ignore = true}}, reason)
#define CLAIM_ATOMIC_LOCKS(text, property, events, run, reason)                                                \
    question_check(&(struct question){text, property, events, run, false, {.atomic_locks = true}}, reason)
