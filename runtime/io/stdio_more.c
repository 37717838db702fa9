/* Other names of functions on streams, among them those without the stream's lock, which nobody misses: one
 * thread has the turn. The compiler makes a jump of each call, so that it comes from the caller of these. */
#include "runtime/runtime.h"

#include <stdio.h>

EXPORT char *fgets_unlocked(char *restrict to, int room, FILE *restrict stream)
{
    return fgets(to, room, stream);
}

EXPORT size_t fread_unlocked(void *restrict to, size_t size, size_t count, FILE *restrict stream)
{
    return fread(to, size, count, stream);
}

EXPORT size_t fwrite_unlocked(const void *restrict from, size_t size, size_t count, FILE *restrict stream)
{
    return fwrite(from, size, count, stream);
}

EXPORT int fputs_unlocked(const char *restrict text, FILE *restrict stream)
{
    return fputs(text, stream);
}

EXPORT int fgetc_unlocked(FILE *stream)
{
    return fgetc(stream);
}

EXPORT int getc_unlocked(FILE *stream)
{
    return fgetc(stream);
}

EXPORT int getchar(void)
{
    return fgetc(stdin);
}

EXPORT int getchar_unlocked(void)
{
    return fgetc(stdin);
}

EXPORT int fputc_unlocked(int byte, FILE *stream)
{
    return fputc(byte, stream);
}

EXPORT int putc_unlocked(int byte, FILE *stream)
{
    return fputc(byte, stream);
}

EXPORT int putchar_unlocked(int byte)
{
    return fputc(byte, stdout);
}

EXPORT int fflush_unlocked(FILE *stream)
{
    return fflush(stream);
}

EXPORT int putc(int byte, FILE *stream)
{
    return fputc(byte, stream);
}

EXPORT int putchar(int byte)
{
    return fputc(byte, stdout);
}
