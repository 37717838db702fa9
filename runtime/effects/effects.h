/* What an explored program does that no record shows: calls of functions outside its instrumented code.
 *
 * Exploration is complete only if everything by which one thread can affect another is recorded. So while a
 * program is explored each call that leaves its instrumented code passes through here. The table says what is
 * known of the function; a function that the table does not know may do anything, and is reported when two
 * threads live. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* What a call means to the other threads of the process. */
enum effect_kind {
    EFFECT_UNKNOWN, /* not in the table: whatever it does is not explored */
    EFFECT_NONE,    /* nothing, or what its wrapper records */
    EFFECT_CHANGES, /* reads and changes one part of the process's surroundings, in one step */
    EFFECT_LOOKS,   /* reads it; EFFECT_LIVELY for the environment if the program uses `environ` itself */
    EFFECT_STREAM,  /* EFFECT_CHANGES of the files, unless the stream is standard output or error */
    EFFECT_OUTPUT,  /* the same for a descriptor */
    EFFECT_LOCKS,   /* EFFECT_LIVELY, unless the stream is standard output or error */
    EFFECT_CLOSES, /* EFFECT_CHANGES of the files; EFFECT_LIVELY if the descriptor is standard output or error */
    EFFECT_CLOSES_STREAM, /* the same for a stream */
    EFFECT_BUFFERS,       /* EFFECT_ALWAYS if a stream is given memory of the program, else EFFECT_LIVELY */
    EFFECT_EXPORTS, /* EFFECT_CHANGES of the environment; EFFECT_LIVELY if the program uses `environ` itself */
    EFFECT_INSERTS, /* output to a C++ stream, the first argument: looks at its state, and changes it unless it is a
                       standard one, whose output goes to the C library */
    EFFECT_STATES, /* changes the state of a C++ stream, the first argument */
    EFFECT_MAPS,   /* mmap: EFFECT_ALWAYS for a file that is shared, else nothing */
    EFFECT_MOVES,  /* mremap: EFFECT_ALWAYS where it maps the same memory once more, else EFFECT_LIVELY */
    EFFECT_FUTEX,  /* syscall: nothing for a futex, else EFFECT_LIVELY */
    EFFECT_LIVELY, /* cannot be explored while two threads live */
    EFFECT_ALWAYS, /* cannot be explored at any time */
};

/* Parts of the surroundings: order is explored within each. */
enum effect_part { PART_FILES, PART_ENVIRONMENT, PART_RANDOM, PART_PROCESS, PARTS };

/* Arguments are counted from 1; 0: none. */
struct effect {
    uint8_t kind; /* enum effect_kind */
    uint8_t part;
    uint8_t
        handle; /* the argument that is the stream, descriptor or memory that matters; 0: the standard stream */
    bool inside;    /* its wrapper takes the turn by sync_enter: that is where it happens */
    uint8_t texts;  /* bit n - 1: argument n is a text that it reads */
    uint8_t result; /* the argument that points to what it writes */
    uint8_t length; /* the argument that says how many bytes these are; 0: `bytes` */
    uint16_t bytes;
    uint8_t looked; /* the same for what it reads */
    uint8_t looked_length;
    uint16_t looked_bytes;
};

static inline bool effect_is_on_stream(const struct effect *e)
{
    return e->kind == EFFECT_INSERTS || e->kind == EFFECT_STATES;
}

static inline bool effect_touches(const struct effect *e)
{
    return e->texts || e->result || e->looked || effect_is_on_stream(e);
}

/* effect_table.c: what is known of the function; never NULL. `library`: the file it is in. */
const struct effect *effect_of(const char *name, const char *library);

/* effect_stubs.c: leads the calls of all instrumented modules through here, those loaded since the last time. */
void effects_patch(void);

/* A call that is about to be made; what its stub leads to. */
struct effect_call {
    void (*enter)(void);
    uintptr_t function;
    const struct effect *effect;
    const char *name;
};

/* Called by instrumented code before inline assembly that may touch memory. */
void __heddle_assembly(void);

/* effect_calls.c: by sync_enter, with the turn: a call that was about to be made when its wrapper was entered. */
void effects_entered(uintptr_t pc);

/* effect_calls.c: says that the exploration cannot be complete because of what is done at this place. */
void effects_missed(const char *what, uintptr_t pc);

/* effect_calls.c: before the call; `arguments`: the six registers. */
void effects_called(const struct effect_call *call, const uint64_t *arguments, uintptr_t pc);
