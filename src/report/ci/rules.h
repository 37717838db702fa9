/* The properties as rules: what sites that show findings say about a kind of finding. */
#pragma once
#include "finding/finding.h"

enum rule_level { RULE_ERROR, RULE_WARNING };

struct rule {
    const char *id;    /* "heddle/race" */
    const char *name;  /* "DataRace" */
    const char *brief; /* a sentence */
    const char *full;  /* what it means */
    const char *help;  /* what to do, in Markdown */
    enum rule_level level;
};

const struct rule *rule_of(enum property property);
