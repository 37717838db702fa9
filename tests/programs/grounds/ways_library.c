/* Ways that a value can take through the C library, from where it was read to where it decides. */
#define _GNU_SOURCE
#include <alloca.h>
#include <ctype.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <wchar.h>

static int by_memcpy(int v)
{
    int w;
    memcpy(&w, &v, 4);
    return w;
}

static void vsn_vs(char *b, const char *f, ...)
{
    va_list a;
    va_start(a, f);
    vsnprintf(b, 8, f, a);
    va_end(a);
}
static int by_vsn(int v)
{
    char b[8];
    vsn_vs(b, "%d", v);
    return b[0] != 48;
}

static int qsort_cmp(const void *a, const void *b)
{
    return *(int *)a - *(int *)b;
}
static int by_qsort(int v)
{
    int a[2] = {v * 5, 3};
    qsort(a, 2, 4, qsort_cmp);
    return a[0] == 3;
}

static int bsearch_cmp(const void *a, const void *b)
{
    return *(int *)a - *(int *)b;
}
static int by_bsearch(int v)
{
    int a[3] = {1, 2, 3};
    int k = v * 2;
    return bsearch(&k, a, 3, 4, bsearch_cmp) != 0;
}

static int by_sqrt(int v)
{
    return sqrt((double)v + 3) > 1.9;
}

static int by_snprintf(int v)
{
    char b[16];
    snprintf(b, 16, "%d", v);
    return atoi(b);
}

static int by_strlen2(int v)
{
    char b[3] = {65, 0, 0};
    if (!v)
        b[0] = 0;
    return (int)strlen(b);
}

static int by_strcmp(int v)
{
    char b[2] = {(char)(48 + v), 0};
    return strcmp(b, "1") == 0;
}

static int by_memcmp(int v)
{
    int one = 1;
    return memcmp(&v, &one, 4) == 0;
}

static int by_realloc(int v)
{
    int *p = malloc(4);
    p[0] = v;
    p = realloc(p, 4096);
    int r = p[0];
    free(p);
    return r;
}

static int by_calloc(int v)
{
    unsigned char *p = calloc(1, 4);
    p[v] = 1;
    int r = p[1];
    free(p);
    return r;
}

static int by_memset(int v)
{
    char b[8];
    memset(b, v, 8);
    return b[3];
}

static int by_memmove(int v)
{
    int b[4] = {v, 0, 0, 0};
    memmove(b + 1, b, 4);
    return b[1];
}

static int by_strcpy(int v)
{
    char a[4] = {(char)(48 + v), 0}, b[4];
    strcpy(b, a);
    return b[0] == 49;
}

static int by_strdup(int v)
{
    char a[4] = {(char)(48 + v), 0};
    char *d = strdup(a);
    int r = d[0] == 49;
    free(d);
    return r;
}

static int by_strtol(int v)
{
    char a[4] = {(char)(48 + v), 0};
    return (int)strtol(a, 0, 10);
}

static int by_sscanf(int v)
{
    char a[4] = {(char)(48 + v), 0};
    int r = 0;
    if (sscanf(a, "%d", &r) != 1)
        return 0;
    return r;
}

static int by_memchr(int v)
{
    char a[4] = {(char)v, 0, 0, 0};
    return memchr(a, 1, 4) != 0;
}

static int by_strstr(int v)
{
    char a[4] = {(char)(48 + v), 0};
    return strstr(a, "1") != 0;
}

static int by_isdigit(int v)
{
    return isdigit(v ? 49 : 65) != 0;
}

static int by_toupper(int v)
{
    return toupper(v ? 97 : 98) == 65;
}

static int by_div(int v)
{
    return div(v + 3, 2).quot == 2;
}

static int by_ldiv(int v)
{
    return (int)ldiv(v + 3, 4).rem == 0;
}

static int by_tsd(int v)
{
    pthread_key_t k;
    pthread_key_create(&k, 0);
    pthread_setspecific(k, v ? &v : 0);
    int r = pthread_getspecific(k) != 0;
    pthread_key_delete(k);
    return r;
}

static int by_memstream(int v)
{
    char *b;
    size_t n;
    FILE *s = open_memstream(&b, &n);
    fprintf(s, "%d", v);
    fclose(s);
    int r = b[0] == 49;
    free(b);
    return r;
}

static int by_sem(int v)
{
    sem_t s;
    sem_init(&s, 0, (unsigned)v);
    int r = sem_trywait(&s) == 0;
    return r;
}

static int by_mmap(int v)
{
    int *p = mmap(0, 4096, 3, 0x22, -1, 0);
    p[7] = v;
    int r = p[7];
    munmap(p, 4096);
    return r;
}

static int by_gmtime(int v)
{
    time_t x = v;
    struct tm t;
    gmtime_r(&x, &t);
    return t.tm_sec;
}

static int by_wcs(int v)
{
    wchar_t w[2] = {(wchar_t)(48 + v), 0};
    return wcscmp(w, L"1") == 0;
}

static int by_mbstowcs(int v)
{
    char a[2] = {(char)(48 + v), 0};
    wchar_t w[2];
    mbstowcs(w, a, 2);
    return w[0] == 49;
}

static int by_alloca(int v)
{
    char *p = alloca((size_t)v + 1);
    p[0] = 1;
    return malloc_usable_size(0) == 0 && p[0] && v;
}

static int (*const ways[])(int) = {
    by_memcpy,    by_vsn,     by_qsort,  by_bsearch, by_sqrt,    by_snprintf, by_strlen2, by_strcmp,
    by_memcmp,    by_realloc, by_calloc, by_memset,  by_memmove, by_strcpy,   by_strdup,  by_strtol,
    by_sscanf,    by_memchr,  by_strstr, by_isdigit, by_toupper, by_div,      by_ldiv,    by_tsd,
    by_memstream, by_sem,     by_mmap,   by_gmtime,  by_wcs,     by_mbstowcs, by_alloca};

#include "ways.h"
