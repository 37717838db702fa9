/* The agent's settings: `-agentpath:LIBRARY=folder=…,records=…,include=…,exclude=…,atomic=…,deterministic=…`.
 * passes=1 or 2 tells which of two passes it is.
 * With script=FILE the machine follows that script; explore=1 then records more. grounds=on records what events
 * stand on. `junit` alone, instead of a folder, lets tests run under a controlled schedule; nothing is recorded then.
 *
 * Values have no commas; a pattern or method may be named any number of times. */
#pragma once
#include "rewrite.h"

struct settings {
    char *text; /* a copy that the others point into */
    const char *folder;
    uint64_t records;
    const char *script; /* NULL: threads run freely */
    unsigned machine;   /* which of the machines that the program starts follows the script; 0: each */
    bool explores;      /* records all that exploration needs */
    bool grounds;       /* records what events stand on */
    bool turns;         /* records nothing; tests are run along schedules inside the machine */
    unsigned passes; /* 1: the first of two, 2: the second, which has a list in the folder; 0: there is one */
    uint64_t seed;   /* of delays, if any */
    uint32_t drawn;  /* the seed of turns after the script; 0: they come in order */
    unsigned delays; /* enum session_policy, plus one; 0: none */
    struct pattern *patterns;
    size_t patterns_count, patterns_capacity;
    const char **atomic;
    size_t atomic_count, atomic_capacity;
    const char **deterministic;
    size_t deterministic_count, deterministic_capacity;
};

/* False when a word is unknown; `settings->text` is then that word. */
bool settings_read(struct settings *settings, const char *options);
