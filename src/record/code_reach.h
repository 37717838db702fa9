/* Which places of a program's code a run reached, and which there are: those that read or write memory. */
#pragma once
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_place {
    uint64_t mark;  /* the same for the same text */
    char text[200]; /* "queue.c:41 push" */
};

/* What is asked for, and the answer. */
struct code_reach {
    bool list;       /* asked: `places`, too */
    uint64_t *marks; /* of the places that threads reached */
    size_t marks_count, marks_capacity;
    struct code_place *places; /* that the code of the program itself has: a lower bound, each once */
    size_t places_count, places_capacity;

    /* While the program runs: return addresses of hooks. */
    struct map seen, known, listed; /* addresses; marks in `marks`; in `places` */
    uint64_t *addresses;
    size_t addresses_count, addresses_capacity;
    uint64_t recent[1024];
};

struct symbols;

void code_reach_free(struct code_reach *reach);

/* A record of the run has this address. */
void code_reach_add(struct code_reach *reach, uint64_t pc);

static inline void code_reach_see(struct code_reach *reach, uint64_t pc)
{
    uint64_t *slot = &reach->recent[(pc ^ pc >> 10) % (sizeof reach->recent / sizeof *reach->recent)];

    if (*slot != pc && pc) {
        *slot = pc;
        code_reach_add(reach, pc);
    }
}

/* A place of the code, or one that the run reached. */
void code_reach_place(struct code_reach *reach, const char *text, bool reached);

/* After the run of an instrumented program: the answer. */
void code_reach_finish(struct code_reach *reach, struct symbols *symbols);
