/* Types of variables: their words. */
#include "trace/value_type.h"

const char *type_word(enum value_type type)
{
    static const char *const words[VALUE_TYPES] = {"", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"};

    return words[type];
}
