/* Looks problems up in the folder that a hunt left behind. */
#pragma once
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hunt_place {
    char id[24];
    bool happened; /* `path` is a schedule; else the report that has … */
    char path[4200];
    char kind[16];
    char property[32];
    char finding[16];      /* … this finding */
    uint32_t run;          /* that it is of */
    uint32_t observed_run; /* a run that showed what is predicted; 0: none */
    char observed_finding[16];
};

enum status hunt_find(const char *folder, const char *id, struct hunt_place *to, struct error *err);

/* All problems and notes, in the order of the report; to be freed. */
enum status hunt_list(const char *folder, struct hunt_place **list, size_t *count, struct error *err);
