/* A file of reports: one JSON report, or those of several traces in one document ("heddle-reports").
 *
 * The text is held; reports are read from it one at a time. */
#pragma once
#include "report/json/read.h"

struct report_part {
    size_t start, length; /* in the text */
};

struct report_file {
    char *name;
    char *text;
    size_t length;
    bool several;   /* "heddle-reports" */
    json_t *totals; /* what the document says of all reports together; or NULL */
    struct report_part *parts;
    size_t parts_count, parts_capacity; /* at least 1 */
};

/* Ended by report_file_close. On failure the file is empty and the error names it. */
enum status report_file_open(struct report_file *file, const char *path, struct error *err);
void report_file_close(struct report_file *file);

/* The same for text in memory, which is copied; `name` stands for the file in errors. */
void report_file_parse(struct report_file *file, const char *name, const char *text, size_t length);

/* Reads one of the reports; `whole` as report_load_whole. */
enum status report_file_read(const struct report_file *file, size_t part, bool whole, struct report *report,
                             struct error *err);

/* Reads the report of the trace: in a document of several, the one that names the trace so or, if none does, the only one whose
 * trace has the same base name. */
enum status report_file_read_of(const struct report_file *file, const char *trace, struct report *report,
                                struct error *err);

/* Reads the report that has the finding `id`, the first one if none has it; its position is `*part`, if not NULL. */
enum status report_file_read_with(const struct report_file *file, const char *id, bool whole,
                                  struct report *report, size_t *part, struct error *err);
