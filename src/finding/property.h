/* The properties that findings are about, in one table: everything about a property that is data and not code.
 *
 * The certifier keeps its own idea of what a property claims and does not look here. */
#pragma once
#include <stdbool.h>
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
    PROPERTIES
};

enum { PROPERTY_FIELDS = 3 };

struct property_traits {
    const char *option;   /* on the command line: "nondet" */
    const char *title;    /* in reports: "nondeterminism" */
    const char *headline; /* "Nondeterministic read" */
    char letter;          /* of a finding's id */
    uint8_t severity;     /* 0 is the most serious; a rank may leave room for finer ones after it */
    uint8_t event_count;  /* of a finding; 0: it varies */
    uint8_t initial;      /* a bit an event: it may be EVENT_INIT, the initial write */
    bool by_default;      /* checked unless --property says otherwise */
    bool about_value;     /* it is of a variable's value, not of accesses on it */
    bool about_blocks;    /* of declared blocks: a conflict in one, or a cycle of several */
    bool observed_only;   /* it has no schedule: the observed run shows it */
    bool ends_before;     /* its events come right after the schedule */
    const char *fields[PROPERTY_FIELDS]; /* JSON names of the events, in order; none: a list called … */
    const char *list;                    /* … this */
};

const struct property_traits *property_traits(enum property property);

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

static inline unsigned property_severity(enum property property)
{
    return property_traits(property)->severity;
}
