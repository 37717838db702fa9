/* Memory and text without libc, whose functions are wrapped here. */
#include "runtime/runtime.h"

/* Compilers recognize these loops and would replace them by calls of the functions that are wrapped. */
#define KEEP_LOOP __asm__ volatile("" ::: "memory")

void copy_bytes(void *to, const void *from, size_t length)
{
    unsigned char *t = to;
    const unsigned char *f = from;

    for (size_t i = 0; i < length; i++) {
        t[i] = f[i];
        KEEP_LOOP;
    }
}

void clear_bytes(void *to, size_t length)
{
    unsigned char *t = to;

    for (size_t i = 0; i < length; i++) {
        t[i] = 0;
        KEEP_LOOP;
    }
}

size_t text_length(const char *text)
{
    size_t length = 0;

    while (text[length]) {
        length++;
        KEEP_LOOP;
    }
    return length;
}

bool text_begins(const char *text, const char *beginning)
{
    while (*beginning)
        if (*text++ != *beginning++)
            return false;
    return true;
}

int text_index(const char *text, char byte)
{
    for (int i = 0; text[i]; i++)
        if (text[i] == byte)
            return i;
    return -1;
}
