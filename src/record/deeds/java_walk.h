/* The walk over the records of a run, for its files: java_deeds.c has the walk itself, java_moves.c what calls
 * mean, java_places.c the numbers that objects, variables and instructions have in every run, and which
 * threads may use objects whose inside is not recorded. */
#pragma once
#include "record/deeds/java_deeds.h"

enum { LOCKS_MOST = 16 };

/* Which threads use an object whose inside is not recorded, and which locks all of them hold: calls that
 * exclude each other are single steps. */
struct guard {
    uint64_t threads; /* by number, as bits */
    uint64_t locks[LOCKS_MOST];
    unsigned lock_count;
    bool called;  /* lock_count counts */
    bool changed; /* by some of the calls */
    bool handed;  /* an array that a method of the JDK was given, */
    bool kept;    /* and may have kept */
};

struct walked_object {
    uint32_t name;    /* in `places`, plus one; 0: none yet */
    uint32_t toucher; /* of one whose creation was not recorded: the thread that touched it, plus one */
    bool started;     /* a thread that was started */
    bool monitored;
    bool modelled;             /* calls on it are more than uses of its contents */
    uint32_t parties, entered; /* of a barrier: those it is for, those that came */
    struct guard guard;
};

struct walked_thread {
    bool known, ended, joined;
    uint32_t number; /* in all runs */
    uint32_t children, births, unborn;
    uint64_t records, told;            /* its position; the same at its last deed */
    const struct java_record *pending; /* a call that has not returned */
    struct {
        uint64_t lock;
        uint32_t depth;
    } held[LOCKS_MOST];
    unsigned held_count;
    uint32_t wait_depth;
    uint32_t arrival; /* at the barrier that it is in: how many came before */
};

struct java_walk {
    struct java_reader *reader;
    struct java_converter *c;
    uint32_t *sites; /* by site: its name, plus one */
    struct walked_object *objects;
    struct walked_thread *threads;   /* by number in the log */
    uint32_t started, joined, ended; /* threads beside the first; those that it joined; all that ended */
    uint32_t maker;                  /* the only thread that started others, plus one */
    struct map waiting, notified;    /* by condition: threads that wait, those of them that may go on */
    uint64_t printing;               /* threads that print while others may, as bits */
    bool nested_print, several_makers, exited;
    char type[200]; /* walk_type */
};

/* Remembers the first reason why something cannot be explored. */
void walk_miss(struct java_walk *walk, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A deed of the thread at the record's instruction. */
struct deed *walk_add(struct java_walk *walk, const struct java_record *record, enum move_kind kind,
                      uint64_t at);

/* Numbers of places. */
void walk_name_objects(struct java_walk *walk);
uint64_t place_of_site(struct java_walk *walk, uint32_t site);
uint64_t place_of_variable(struct java_walk *walk, const struct java_record *access);
uint64_t place_of_object(struct java_walk *walk, const char *what, uint32_t object, uint32_t thread);

/* The name of an object's class, as it is written in programs. */
const char *walk_type(struct java_walk *walk, uint32_t object);

/* Whether no other thread exists, or can: the first one before it starts any, or when it has joined all. */
bool walk_alone(const struct java_walk *walk, uint32_t thread);
/* The thread uses an object whose inside is not recorded. */
void guard_use(struct java_walk *walk, uint32_t object, uint32_t thread, bool changes);
void guard_check(struct java_walk *walk);

/* java_moves.c: a call, its return, and what a thread still waits for at the end. */
void walk_call(struct java_walk *walk, const struct java_record *record);
void walk_return(struct java_walk *walk, const struct java_record *record, const struct java_record *call);
void walk_acquire(struct java_walk *walk, const struct java_record *record, uint64_t lock);
void walk_release(struct java_walk *walk, const struct java_record *record, uint64_t lock);
void walk_contents(struct java_walk *walk, const struct java_record *record, uint32_t object, bool changes);
bool walk_waits_in(struct java_walk *walk, const struct java_record *call, struct move *stuck);
bool walk_must_return(struct java_walk *walk, const struct java_record *call);
