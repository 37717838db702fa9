/* Who is called, as far as labels of values are concerned (flow.h). */
#pragma once
#include "classfile.h"
#include "rewrite.h"

enum callee {
    CALLEE_FOREIGN, /* code without hooks: whatever it is given decides */
    CALLEE_OURS,    /* most likely rewritten: labels of arguments and of the result are handed over */
    CALLEE_DERIVED, /* the same, if the receiver is not derived from an object of the JDK that threads share */
    CALLEE_PURE,    /* of the JDK: the result is made of the arguments, and nothing else happens */
    CALLEE_ATOMIC,  /* of an atomic variable: the result is what the call read, or made of it */
    CALLEE_COMPARES /* the same, and the variable is changed only if it is as expected; or only written */
};

enum callee callee_of(const struct rewriter *rewriter, unsigned op, const struct member *called);

/* Whether it prints its arguments; whether it makes a string of them, and nothing else. */
bool callee_prints(unsigned op, const struct member *called);
bool callee_concatenates(unsigned op, const struct member *called);

/* Whether accesses to this field are recorded. */
bool field_is_seen(const struct rewriter *rewriter, const struct member *field);

/* A number for the name and the descriptor of a method; never 0. */
int32_t callee_number(struct span name, struct span descriptor);
