/* What the parts of the report reader share; private to it. */
#pragma once
#include "report/json/read.h"

/* Where in the report we are, for errors. */
struct place {
    const char *file;
    char inside[48]; /* what goes before a field's name: "findings[3]." */
    bool whole;      /* everything is wanted */
    struct error *err;
};

/* An error about a field: what is wrong with it. */
enum status read_wrong(const struct place *at, const char *field, const char *what);

/* Fields of an object, checked. A missing flag is false unless it is `needed`. */
enum status item_number(const struct place *at, const json_t *object, const char *field, uint64_t most,
                        uint64_t *to);
enum status item_text(const struct place *at, const json_t *object, const char *field, char **to);
enum status read_flag(const struct place *at, const json_t *object, const char *field, bool needed, bool *to);

/* Adds the finding that the object holds, with its entry. */
enum status read_finding(struct report *report, const struct place *top, size_t item, const json_t *object);

/* Adds what could not be decided: findings without a schedule and without an entry. */
enum status read_undecided(struct report *report, const struct place *top, const json_t *root);
