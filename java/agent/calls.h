/* Calls: which of them matter for threads, and how they are recorded. */
#pragma once
#include "classfile.h"

enum call_mode {
    CALL_NONE,
    CALL_OBJECT,    /* if the receiver is the JDK's, a thread or derived from what is the JDK's */
    CALL_ANY,       /* whatever the receiver */
    CALL_ATOMIC,    /* on an atomic variable: the call itself is the access */
    CALL_ATOMIC_AT, /* the same on an element, whose index is the first argument */
    CALL_UPDATE,    /* on an atomic variable, with a function */
    CALL_COPY,      /* System.arraycopy */
    CALL_CLONE,
    CALL_ARGUMENT,  /* what counts is the first argument */
    CALL_SELF,      /* what counts is the calling thread */
    CALL_GLOBAL,    /* pools and futures as a whole */
    CALL_CHANNEL,   /* sends or receives, as a whole; collections or arrays may be passed, too */
    CALL_BACK,      /* may call code of the program, under locks of the JDK */
    CALL_HANDLE,    /* calls a method that is not known; objects of the JDK may be passed to it */
    CALL_REFLECTED, /* Method.invoke: the same, if the method is one of the JDK */
    CALL_PASSES,    /* collections or arrays may be passed to a method of the JDK */
    CALL_STREAM,    /* something that is recorded only in an explored machine, as a whole */
    CALL_OUTSIDE,   /* the same, and it depends on the world outside */
    CALL_EXIT,      /* the same, and it ends the process */
};

enum call_mode call_mode(unsigned op, const struct member *called);

/* explored.c: the same in a machine that is explored. */
enum call_mode explored_mode(unsigned op, const struct member *called);

/* The arguments of a descriptor, one letter each: I J F D L (arrays are L). Returns how many, or -1 when
 * malformed; the result's letter goes to `result` (V for none). */
enum { ARGUMENTS_MOST = 255 };
int call_arguments(struct span descriptor, char *letters, char *result);

/* Whether the argument at this place is of a type that may be a collection, or an array. */
bool passes_collection(struct span descriptor, int argument);
bool passes_array(struct span descriptor, int argument);

/* Whether it may be any object but a text. */
bool passes_object(struct span descriptor, int argument);

/* Whether a method of the JDK looks at the elements of arrays that it is given; whether it may write into them. */
bool reads_arrays(const struct member *called);
bool fills_arrays(const struct member *called);
