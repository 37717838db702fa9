/* Hunting the cases of a test program one by one. */
#pragma once
#include "cli/command.h"
#include "cli/hunt_cases.h"

/* What came of a case. */
struct case_result {
    enum { CASE_SKIPPED, CASE_CLEAN, CASE_OPEN, CASE_FAILED, CASE_ERROR } verdict;
    char *folder;   /* with the hunt's files; NULL: there was none */
    char *words;    /* why it was skipped or could not be hunted; or NULL */
    char *problems; /* a line for each; or NULL */
    size_t problems_count;
    uint64_t runs;
    double seconds;
};

/* How many of the cases came out so. */
static inline size_t cases_with(const struct case_result *results, size_t cases, int verdict)
{
    size_t found = 0;

    for (size_t i = 0; i < cases; i++)
        found += (int)results[i].verdict == verdict;
    return found;
}

/* heddle hunt --each: the exit status. */
int hunt_each(const struct command *self, const struct arguments *args, double seconds, const char *folder);

/* The summary that CI systems show: JUnit's XML. */
enum status junit_write(const char *path, const struct test_cases *cases, const struct case_result *results,
                        struct error *err);
