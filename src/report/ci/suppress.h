/* Suppression files: findings that people accept, each with the reason (docs/heddle-run.1).
 *
 * One entry a line: conditions KEY=VALUE, all of which must hold, then `reason:` and the reason. */
#pragma once
#include "base/error.h"
#include "finding/finding.h"
#include "trace/trace.h"

enum condition_key {
    CONDITION_FINGERPRINT,
    CONDITION_PROPERTY,
    CONDITION_VARIABLE, /* this and the following: globs */
    CONDITION_LOCK,
    CONDITION_FUNCTION, /* of one of the finding's places; any number of these two */
    CONDITION_FILE,
    CONDITION_ONLY_FILE, /* any number: every place is in a file that one of these matches */
    CONDITION_NO_FILE,   /* any number: no place is in a file that one of these matches */
    CONDITIONS
};

struct suppress_condition {
    enum condition_key key;
    char *value;
};

struct suppression {
    size_t line;  /* in the file */
    bool general; /* it may match nothing without being unused */
    struct suppress_condition *conditions;
    size_t conditions_count, conditions_capacity;
    char *reason;
};

struct suppressions {
    char *path;
    struct suppression *entries;
    size_t entries_count, entries_capacity;
};

/* On failure it is empty and the error names file and line. */
enum status suppressions_load(struct suppressions *s, const char *path, struct error *err);

/* The same for text in memory; `name` stands for the file in errors. */
enum status suppressions_parse(struct suppressions *s, const char *name, const char *text, size_t length,
                               struct error *err);
void suppressions_free(struct suppressions *s);

/* Entries of another file format, `file` for errors: adds a condition to an entry; ends the entry with its reason and
 * adds it to `s`. On failure the entry is as it was. */
enum status suppression_condition(struct suppression *entry, const char *file, const char *key, size_t length,
                                  const char *value, struct error *err);
enum status suppression_end(struct suppressions *s, struct suppression *entry, const char *file,
                            const char *reason, size_t length, struct error *err);
void suppression_free(struct suppression *entry);

/* Whether the entry is about this finding. */
bool suppression_matches(const struct suppression *entry, const struct finding *f, uint64_t fingerprint,
                         const struct trace *trace);

/* The property the entry is limited to, or PROPERTIES. */
enum property suppression_property(const struct suppression *entry);
