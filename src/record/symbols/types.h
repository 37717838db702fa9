/* Types from DWARF: the part of an object that some bytes are, in words, and how its values are shown. */
#pragma once
#include "trace/event.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the bytes of a variable are shown as a value. */
enum spelling_kind {
    SPELL_RAW, /* nothing is known: as an unsigned number */
    SPELL_SIGNED,
    SPELL_BOOL,
    SPELL_CHARACTER,
    SPELL_FLOAT,
    SPELL_POINTER,
    SPELL_ENUM,
};

struct spelling {
    enum spelling_kind kind;
    uint8_t size; /* in bytes */
    bool local;   /* of a local variable: the next is known */
    bool atomic;  /* its type is */
    Dwarf_Die type;
};

/* The type of a variable or member behind typedefs and qualifiers; false when there is none. */
bool type_of(Dwarf_Die *of, Dwarf_Die *type);

/* Its size in bytes, 0 when unknown. */
uint64_t type_size(Dwarf_Die *type);

/* Whether a block of several times its size is several of them: not if it may have a tail of its own, as
 * structures with an open end and C++ classes do. */
bool type_repeats(Dwarf_Die *type);

/* Appends ".field[3]" for `length` bytes (0: a whole object) at the offset in an object of the type, and what
 * is left of the offset as "+2". */
void type_part(Dwarf_Die *type, uint64_t offset, uint64_t length, char *to, size_t room,
               struct spelling *spelling);

/* How values of so many bytes of the type are shown. */
struct spelling type_spelling(Dwarf_Die *type, uint64_t length);

/* The same as type_part with another text between the object's name and its member: "::". */
void type_inside(Dwarf_Die *type, const char *dot, uint64_t offset, uint64_t length, char *to, size_t room,
                 struct spelling *spelling);

/* The object that a node of a C++ container, or the block behind a shared pointer, is for; false when the bytes at the offset,
 * which becomes relative to it, are no part of one. */
bool type_stored(Dwarf_Die *type, uint64_t *offset, uint64_t length, Dwarf_Die *stored);

/* Whether it is declared in the system's headers; whether it has members; whether it is of a program in C. */
bool type_is_c(Dwarf_Die *type);
bool type_is_library(Dwarf_Die *type);
bool type_is_structure(Dwarf_Die *type);

/* Whether an object of the structure `part` may begin at the offset in one of the type, or be it. */
bool type_may_hold(Dwarf_Die *type, uint64_t offset, Dwarf_Die *part);

/* Whether the type of a variable, member or pointed-to object is atomic at the offset, as it was written: `of`
 * refers to it. */
bool type_is_atomic(Dwarf_Die *of, uint64_t offset, uint64_t length);

/* The same for a member of a structure or class; false when the type is none: then it is not known. */
bool type_member_is_atomic(Dwarf_Die *structure, uint64_t offset, uint64_t length, bool *atomic);

/* The type at the offset in an object of the type, if it is a pointer: what it points to. */
bool type_pointer_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *pointed);

/* A value as people write it: sets its number and returns NULL, or returns its text. Two values of a variable
 * are spelled alike only if they are the same. `negative` tells how the number is meant. */
const char *spelling_value(const struct spelling *spelling, uint64_t raw, uint64_t *number, bool *negative,
                           char *room, size_t size);
