/* Looks a problem up in the folder that a hunt left behind. */
#pragma once
#include "base/error.h"

#include <stdbool.h>

struct hunt_place {
    bool happened; /* `path` is a schedule; else the report that has … */
    char path[4200];
    char finding[16]; /* … this finding */
};

enum status hunt_find(const char *folder, const char *id, struct hunt_place *to, struct error *err);
