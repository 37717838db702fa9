/* heddle doctor: its two files. */
#pragma once

enum verdict {
    GOOD,
    ADVICE, /* works, could be better */
    MISSING
};

/* A line: what was looked at, what was found, and what to do unless it is good. */
void doctor_say(enum verdict verdict, const char *what, const char *detail, const char *advice);

/* Can the program be recorded? Counts what is missing. */
void doctor_program(const char *name, int *missing);
