/* Types of variables: how numbers wrap in them (semantics §1). Optional; without one they wrap at 64 bits.
 *
 * The numbers of types are part of the native file format (docs/trace-format.md): add at the end. */
#pragma once
#include <stdint.h>

enum value_type {
    TYPE_UNKNOWN,
    TYPE_U8,
    TYPE_I8,
    TYPE_U16,
    TYPE_I16,
    TYPE_U32,
    TYPE_I32,
    TYPE_U64,
    TYPE_I64,
    VALUE_TYPES
};

/* The word for a type in the text format: "i32". */
const char *type_word(enum value_type type);

/* What a variable of the type holds when the number is stored in it, as a 64-bit pattern. */
static inline uint64_t type_wrap(enum value_type type, uint64_t number)
{
    switch (type) {
    case TYPE_U8:
        return (uint8_t)number;
    case TYPE_I8:
        return (uint64_t)(int8_t)number;
    case TYPE_U16:
        return (uint16_t)number;
    case TYPE_I16:
        return (uint64_t)(int16_t)number;
    case TYPE_U32:
        return (uint32_t)number;
    case TYPE_I32:
        return (uint64_t)(int32_t)number;
    default:
        return number;
    }
}
