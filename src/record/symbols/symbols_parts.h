/* What symbols are made of: the files of a program, opened, and what was asked about them. */
#pragma once
#include "record/symbols/globals.h"
#include "record/symbols/known.h"
#include "record/symbols/outlined.h"
#include "record/symbols/scopes.h"
#include "record/symbols/symbols.h"

#include <elfutils/libdwfl.h>
#include <time.h>

/* What is around an address. Finding it means going through a unit, and one place is asked for in several ways.
 */
struct around {
    uint64_t address; /* 0: nothing is known */
    Dwarf_Die *unit;
    Dwarf_Die *outer; /* functions, from the inside */
    int outer_count;
};

/* A module, with what tells whether its file is still the one that was read. */
struct loaded {
    char *path;
    uint64_t base;
    ino_t file;
    struct timespec changed;
    bool here; /* in this run, not only in one before */
};

struct symbols {
    Dwfl *dwfl;
    struct around around;
    bool reporting;
    struct globals *globals;
    struct scopes *scopes;
    struct outlined outlined;
    struct sites *sites;
    struct known known;
    char lambda[256]; /* the name of the last lambda or functor asked for */
    struct loaded *modules;
    size_t modules_count, modules_capacity;
};

/* Makes known what was reported: before anything is looked up or taken from what is known. */
void symbols_settle(struct symbols *symbols);

/* Forgets what is around the last address asked for. */
void symbols_forget_around(struct symbols *symbols);
