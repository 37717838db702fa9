/* The table of properties. */
#include "finding/property.h"

#include <assert.h>
#include <string.h>

static const struct property_traits table[PROPERTIES] = {
    [PROPERTY_RACE] = {.option = "race",
                       .title = "race",
                       .headline = "Data race",
                       .letter = 'R',
                       .severity = SEVERITY_RACE,
                       .event_count = 2,
                       .by_default = true,
                       .ends_before = true,
                       .fields = {"first", "second"}},
    [PROPERTY_DEADLOCK] = {.option = "deadlock",
                           .title = "deadlock",
                           .headline = "Deadlock",
                           .letter = 'L',
                           .severity = SEVERITY_DEADLOCK,
                           .by_default = true,
                           .ends_before = true,
                           .list = "events"},
    [PROPERTY_ATOMICITY] = {.option = "atomicity",
                            .title = "atomicity",
                            .headline = "Atomicity violation",
                            .letter = 'A',
                            .severity = SEVERITY_ATOMICITY,
                            .event_count = 3,
                            .by_default = true,
                            .fields = {"first", "remote", "second"}},
    [PROPERTY_STALE] = {.option = "stale",
                        .title = "stale",
                        .headline = "Stale read",
                        .letter = 'T',
                        .severity = SEVERITY_STALE,
                        .event_count = 3,
                        .by_default = true,
                        .fields = {"read", "remote", "write"}},
    [PROPERTY_STUCK] = {.option = "stuck",
                        .title = "stuck",
                        .headline = "Threads wait forever",
                        .letter = 'K',
                        .severity = SEVERITY_STUCK,
                        .by_default = true,
                        .ends_before = true,
                        .list = "events"},
    [PROPERTY_DETERMINISM] = {.option = "determinism",
                              .title = "determinism",
                              .headline = "Not deterministic block",
                              .letter = 'D',
                              .severity = SEVERITY_DETERMINISM,
                              .by_default = true,
                              .about_blocks = true,
                              .list = "cycle"},
    [PROPERTY_SERIALIZABILITY] = {.option = "serializability",
                                  .title = "serializability",
                                  .headline = "Not serializable blocks",
                                  .letter = 'S',
                                  .severity = SEVERITY_SERIALIZABILITY,
                                  .about_blocks = true,
                                  .list = "cycle"},
    [PROPERTY_NONDET] = {.option = "nondet",
                         .title = "nondeterminism",
                         .headline = "Nondeterministic read",
                         .letter = 'N',
                         .severity = SEVERITY_NOTE,
                         .event_count = 3,
                         .initial = 2 | 4,
                         .by_default = true,
                         .about_value = true,
                         .fields = {"read", "observed", "alternative"}},
    [PROPERTY_FINAL] = {.option = "final",
                        .title = "final-state",
                        .headline = "Nondeterministic final state",
                        .letter = 'F',
                        .severity = SEVERITY_NOTE,
                        .event_count = 2,
                        .initial = 1 | 2,
                        .about_value = true,
                        .fields = {"observed", "alternative"}},
    [PROPERTY_UNORDERED] = {.option = "unordered",
                            .title = "unordered",
                            .headline = "Unordered accesses",
                            .letter = 'U',
                            .severity = SEVERITY_UNORDERED,
                            .event_count = 2,
                            .by_default = true,
                            .observed_only = true,
                            .fields = {"first", "second"}},
    [PROPERTY_OBSERVED] = {.option = "observed",
                           .title = "observed",
                           .headline = "The recorded run failed",
                           .letter = 'O',
                           .severity = SEVERITY_OBSERVED,
                           .by_default = true,
                           .observed_only = true,
                           .list = "events"},
};

const struct property_traits *property_traits(enum property property)
{
    assert(property < PROPERTIES && table[property].option);
    return &table[property];
}

bool property_choose(const char *name, size_t length, bool wanted[PROPERTIES])
{
    bool all = length == 3 && strncmp(name, "all", length) == 0, known = all;

    for (enum property p = 0; p < PROPERTIES; p++)
        if (all || (strlen(table[p].option) == length && strncmp(table[p].option, name, length) == 0))
            wanted[p] = known = true;
    return known;
}
