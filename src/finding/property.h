/* The properties that findings are about, in one table: everything about a property that is data and not code.
 *
 * The certifier keeps its own idea of what a property claims and does not look here. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum property {
    PROPERTY_NONDET,
    PROPERTY_FINAL,
    PROPERTY_RACE,
    PROPERTY_UNORDERED,
    PROPERTY_DEADLOCK,
    PROPERTY_ATOMICITY,
    PROPERTY_STALE,
    PROPERTY_STUCK,
    PROPERTY_DETERMINISM,
    PROPERTY_SERIALIZABILITY,
    PROPERTY_OBSERVED,
    PROPERTIES
};

/* How serious a finding is: reports list findings in this order. Problems come first, notes after them. */
enum severity {
    SEVERITY_OBSERVED,          /* it happened when the program was recorded */
    SEVERITY_NOT_DETERMINISTIC, /* a read that depends on the schedule, in a program that is meant to be
                                   deterministic */
    SEVERITY_DEADLOCK,
    SEVERITY_STUCK,
    SEVERITY_DANGEROUS_RACE, /* one of the accesses changes a pointer or frees the memory */
    SEVERITY_RACE,
    SEVERITY_UNORDERED,
    SEVERITY_STALE,
    SEVERITY_ATOMICITY,
    SEVERITY_DETERMINISM,
    SEVERITY_SERIALIZABILITY,
    SEVERITY_FAILED,  /* a note whose replay failed */
    SEVERITY_CHANGED, /* a note whose replay changed the output */
    SEVERITY_NOTE,
    SEVERITY_MINOR_NOTE, /* nothing is known to depend on it */
};

static inline bool severity_is_problem(enum severity severity)
{
    return severity < SEVERITY_NOTE;
}

/* The options of all properties, the most serious first: for help and completion. */
#define PROPERTY_WORDS                                                                                         \
    "observed deadlock stuck race unordered stale atomicity determinism nondet final serializability"
#define PROPERTY_LIST                                                                                          \
    "observed, deadlock, stuck, race, unordered, stale, atomicity, determinism, nondet, final, "               \
    "serializability"

enum { PROPERTY_FIELDS = 3 };

struct property_traits {
    const char *option;                  /* on the command line: "nondet" */
    const char *title;                   /* in reports: "nondeterminism" */
    const char *headline;                /* "Nondeterministic read" */
    char letter;                         /* of a finding's id */
    enum severity severity;              /* of a finding of which nothing else is known */
    uint8_t event_count;                 /* of a finding; 0: it varies */
    uint8_t initial;                     /* a bit an event: it may be EVENT_INIT, the initial write */
    bool by_default;                     /* checked unless --property says otherwise */
    bool about_value;                    /* it is of a variable's value, not of accesses on it */
    bool about_blocks;                   /* of declared blocks: a conflict in one, or a cycle of several */
    bool observed_only;                  /* it has no schedule: the observed run shows it */
    bool ends_before;                    /* its events come right after the schedule */
    const char *fields[PROPERTY_FIELDS]; /* JSON names of the events, in order; none: a list called … */
    const char *list;                    /* … this */
};

const struct property_traits *property_traits(enum property property);

/* Marks the property of that option as wanted, or every one for "all"; false if the name is unknown. */
bool property_choose(const char *name, size_t length, bool wanted[PROPERTIES]);

static inline const char *property_option(enum property property)
{
    return property_traits(property)->option;
}

static inline const char *property_title(enum property property)
{
    return property_traits(property)->title;
}

static inline char property_letter(enum property property)
{
    return property_traits(property)->letter;
}
