/* Memory and text without libc, whose functions are wrapped here. */
#include "runtime.h"

void copy_bytes(void *to, const void *from, size_t length)
{
    unsigned char *t = to;
    const unsigned char *f = from;

    for (size_t i = 0; i < length; i++)
        t[i] = f[i];
}

void clear_bytes(void *to, size_t length)
{
    unsigned char *t = to;

    for (size_t i = 0; i < length; i++)
        t[i] = 0;
}

size_t text_length(const char *text)
{
    size_t length = 0;

    while (text[length])
        length++;
    return length;
}

bool text_begins(const char *text, const char *beginning)
{
    while (*beginning)
        if (*text++ != *beginning++)
            return false;
    return true;
}
