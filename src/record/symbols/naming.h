/* Names of what a program touches: variables, locks, places, threads. */
#pragma once
#include "base/map.h"
#include "base/names.h"
#include "record/convert/call_frames.h"
#include "record/convert/pointers.h"
#include "record/convert/regions.h"
#include "record/convert/typed_blocks.h"
#include "record/symbols/known_parts.h"
#include "record/symbols/symbols.h"
#include "record/symbols/ways.h"
#include "trace/event.h"

enum { PLACES_RECENT = 1024 };

struct naming {
    struct symbols *symbols;
    struct regions regions;
    struct pointers pointers;
    struct call_frames frames;
    /* Where the outermost function of the program's own, in the thread, is at the moment; NULL: nobody knows. */
    uint64_t (*outermost)(void *calls, uint32_t thread, uint64_t pc);
    void *calls;
    struct map uses[NAME_CLASSES]; /* name → how many more objects would have it */
    struct map places;             /* pc → location id + 1 */
    struct {
        uint64_t pc;
        uint32_t id;
    } recent[PLACES_RECENT];   /* the same for the last ones */
    struct names origins;      /* lines that allocate */
    struct map origin_of;      /* pc → index + 1 */
    struct map alike;          /* (pc, length) of a block → how many there are */
    struct names functions_at; /* where the functions of places begin, in the form of places */
    struct names labels;       /* of blocks, each its own */
    struct map label_uses;     /* the same as `uses` for them */
    struct way *ways;          /* of blocks that were asked for and have one */
    size_t ways_count, ways_capacity;
    struct names way_texts;
    struct known_parts parts;
    struct touched {
        uint64_t address, length; /* 0: a whole object */
        uint64_t pc;
        uint32_t thread;
    } asked; /* the access that a name is looked for at the moment; pc 0: none */
    struct typed_blocks typed;
    struct allocated_type {
        Dwarf_Die type;
        uint64_t size; /* 0: the block is of no known type */
    } * allocated;     /* by allocators of the C++ library */
    size_t allocated_count, allocated_capacity;
    struct map allocated_at;  /* pc → index + 1 */
    struct map typed_alike;   /* name of a type → how many blocks and objects are named by it */
    struct map objects_alike; /* object in a block, with its type → which one of these */
    struct map starts;        /* thread → index of its start function + 1 */
    uint64_t *functions;      /* start functions */
    size_t functions_count, functions_capacity;
    struct map began;  /* thread → index of the function of the program's own that it began in + 1 */
    struct map called; /* thread → id of the name that the program gave it + 1 */
    struct names given_names;
};

void naming_init(struct naming *naming);
void naming_free(struct naming *naming);

/* The thread's start function. */
void naming_start(struct naming *naming, uint32_t thread, uint64_t function);

/* The function of the program's own that the thread began in, where a library's started it: `pc` is in it. */
void naming_began(struct naming *naming, uint32_t thread, uint64_t pc);

/* The program gave the thread a name. */
void naming_called(struct naming *naming, uint32_t thread, const char *name, size_t length);

/* Whether nothing is known of the function that the thread began in. */
bool naming_lacks_start(struct naming *naming, uint32_t thread);

/* What is there, in words; not yet unique. `spelling` says how its values are to be shown. */
void naming_describe(struct naming *naming, const struct touched *what, char *to, size_t room,
                     struct spelling *spelling);

/* Where a block comes from: the line, or the place when the source is not known. */
const char *naming_origin(struct naming *naming, uint64_t pc);

/* Whether the type of the bytes is known, of a global or of a heap block that is known by a pointer to it; then
 * whether it is atomic. */
bool naming_type(struct naming *naming, uint64_t address, uint64_t length, bool *atomic);

/* The local variable of the main thread that is a pointer at the address, while a name is looked for: "main: table";
 * false when it is none, or not certain. */
bool naming_local_pointer(struct naming *naming, const struct region *stack, uint64_t address, char *to,
                          size_t room, Dwarf_Die *pointed);

/* A number for the local variable that was touched, the same for the same one; 0: it is none, or not certain.
 */
uint64_t naming_local(struct naming *naming, const struct touched *what);

/* A new object of the class: adds its name, made unique, and returns its id. */
uint32_t naming_add(struct naming *naming, struct names *names, enum name_class class,
                    const struct touched *what, const char *prefix, struct spelling *spelling);

/* Leaves parameters out and replaces the reserved characters of the text format, which would have to be escaped everywhere names are
 * shown; returns the length. */
size_t naming_plain(char *text);

/* The same for places, which end a line: parentheses mean nothing there. */
size_t naming_plain_place(char *text);

/* The id of the place that returns to `pc`. */
uint32_t naming_place(struct naming *naming, struct names *names, uint64_t pc);

/* Notes on which line the function of a place begins. */
void naming_note_function(struct names *functions, const char *place, uint32_t line);

/* "main", "T3 worker". */
void naming_thread(struct naming *naming, uint32_t thread, char *to, size_t room);
