/* Arrays from DWARF: how an element is written. */
#pragma once
#include "record/symbols/types.h"

enum { ARRAY_DIMENSIONS = 8 };

/* An array, of any number of dimensions. */
struct type_array {
    uint64_t size;                     /* of an element; 0: it is no array */
    uint64_t within[ARRAY_DIMENSIONS]; /* elements of each part of the first dimension, of its parts … */
    size_t dimensions;                 /* that follow the first */
    bool plain;                        /* its elements have no parts */
    struct spelling spelling;          /* then: of their values */
    Dwarf_Die element;
};

/* `size` is 0 where the type is no array whose elements have a size. */
struct type_array type_array_of(Dwarf_Die *type);

/* Writes "[1][505]" for the element with this number; returns its length, which is less than `room`. */
size_t type_array_index(const struct type_array *array, uint64_t number, char *to, size_t room);
