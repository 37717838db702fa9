/* Ways that a value can take inside a program, from where it was read to where it decides. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_union(int v)
{
    union {
        int i;
        char c[4];
    } u;
    u.i = v;
    return u.c[0];
}

static int varargs_va(int n, ...)
{
    va_list a;
    va_start(a, n);
    int s = 0;
    while (n--)
        s += va_arg(a, int);
    va_end(a);
    return s;
}
static int by_varargs(int v)
{
    return varargs_va(2, v, 0);
}

static int fnptr_z0(void)
{
    return 0;
}
static int fnptr_z1(void)
{
    return 1;
}
static int by_fnptr(int v)
{
    int (*t[2])(void) = {fnptr_z0, fnptr_z1};
    return t[v]();
}

static int by_setjmp(int v)
{
    jmp_buf j;
    int r = setjmp(j);
    if (r == 0)
        longjmp(j, v + 1);
    return r == 2;
}

struct structret_s {
    long a, b, c, d;
};
static __attribute__((noinline)) struct structret_s structret_mk(int v)
{
    struct structret_s s = {1, v, 3, 4};
    return s;
}
static int by_structret(int v)
{
    struct structret_s x = structret_mk(v);
    return (int)x.b;
}

struct structarg_s {
    long a[5];
};
static __attribute__((noinline)) int structarg_take(struct structarg_s s)
{
    return (int)s.a[2];
}
static int by_structarg(int v)
{
    struct structarg_s x = {{0}};
    x.a[2] = v;
    return structarg_take(x);
}

static int by_bitfield(int v)
{
    struct {
        unsigned a : 3, b : 2;
    } x = {0};
    x.b = (unsigned)v;
    return x.b;
}

static int by_int128(int v)
{
    __int128 x = v;
    x <<= 70;
    return (int)(x >> 70);
}

static int by_float(int v)
{
    float x = (float)v * 1.5f;
    return x > 1;
}

static int by_switch(int v)
{
    switch (v) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 7:
        return 3;
    default:
        return 2;
    }
}

static int by_cgoto(int v)
{
    void *t[] = {&&a, &&b};
    goto *t[v];
a:
    return 0;
b:
    return 1;
}

static int by_table(int v)
{
    static const int t[] = {0, 1, 1};
    return t[v];
}

static int by_ptrsel(int v)
{
    int a = 0, b = 1;
    int *p = v ? &b : &a;
    return *p;
}

static int by_vla(int v)
{
    char x[v + 1];
    x[0] = 1;
    return sizeof x == 2 && x[0];
}

static __thread int tls_tv;
static __attribute__((noinline)) int tls_other(void)
{
    return tls_tv;
}
static int by_tls(int v)
{
    tls_tv = v;
    return tls_other();
}

static int private_global_gv;
static __attribute__((noinline)) int private_global_other(void)
{
    return private_global_gv;
}
static int by_private_global(int v)
{
    private_global_gv = v;
    return private_global_other();
}

static int by_heap(int v)
{
    int *p = malloc(8);
    p[1] = v;
    int r = p[1];
    free(p);
    return r;
}

static int by_heapchain(int v)
{
    struct n {
        struct n *x;
        int v;
    } *a = malloc(16), *b = malloc(16);
    a->x = v ? b : 0;
    b->v = 1;
    int r = a->x != 0;
    free(a);
    free(b);
    return r;
}

static __attribute__((noinline)) int recursion_rec(int v, int d)
{
    return d ? recursion_rec(v, d - 1) : v;
}
static int by_recursion(int v)
{
    return recursion_rec(v, 3);
}

static int by_asm(int v)
{
    int r;
    __asm__("movl %1,%0" : "=r"(r) : "r"(v));
    return r;
}

static int by_asmmem(int v)
{
    int r = 0;
    __asm__ volatile("movl %1,%0" : "=m"(r) : "r"(v));
    return r;
}

static int by_popcount(int v)
{
    return __builtin_popcount((unsigned)v * 7) == 3;
}

static int by_overflow(int v)
{
    int r;
    return __builtin_add_overflow(v, 0x7fffffff, &r);
}

#ifndef __clang__ /* which has no nested functions */
static __attribute__((noinline)) int nested_call(int (*p)(void))
{
    return p();
}
static int by_nested(int v)
{
    int in(void)
    {
        return v;
    }
    return nested_call(in);
}
#else
static int by_nested(int v)
{
    return v;
}
#endif

static int by_loopcount(int v)
{
    int n = 0;
    for (int i = 0; i < v; i++)
        n++;
    return n;
}

static int by_whiled(int v)
{
    int n = 0, w = v;
    while (w) {
        w >>= 1;
        n++;
    }
    return n;
}

static int by_loopexit(int v)
{
    int i = 0;
    for (;; i++)
        if (i == 3 || (v && i == 2))
            break;
    return i == 2;
}

static int by_ternchain(int v)
{
    return v > 5 ? 2 : v > 0 ? 1 : v < -3 ? 4 : 0;
}

static void *joinret_idt(void *a)
{
    return a;
}
static int by_joinret(int v)
{
    pthread_t t;
    void *r;
    pthread_create(&t, 0, joinret_idt, (void *)(long)v);
    pthread_join(t, &r);
    return (int)(long)r;
}

static void *threadmem_wrt(void *a)
{
    int *p = a;
    p[1] = p[0];
    return 0;
}
static int by_threadmem(int v)
{
    pthread_t t;
    struct io {
        int in, out;
    } io = {v, 0};
    pthread_create(&t, 0, threadmem_wrt, &io);
    pthread_join(t, 0);
    return io.out;
}

static int by_complex(int v)
{
    double _Complex z = v * 1.0 + 2.0i;
    return __real__ z > 0.5;
}

static int by_bool(int v)
{
    _Bool b = v;
    return b;
}

typedef int v4 __attribute__((vector_size(16)));
static int by_vector(int v)
{
    v4 x = {v, v, v, v};
    v4 y = x + x;
    return y[2];
}

static int by_atomiclocal(int v)
{
    _Atomic int a = 0;
    a += v;
    return a;
}

static int by_cas(int v)
{
    _Atomic int a = 0;
    int e = 1 - v;
    return atomic_compare_exchange_strong(&a, &e, 5);
}

static int by_xchg(int v)
{
    _Atomic int a = v;
    return atomic_exchange(&a, 9);
}

static int by_bswap(int v)
{
    return (int)(__builtin_bswap32((unsigned)v) >> 24);
}

static int by_prodmask(int v)
{
    int mask = -v;
    return 1 & mask;
}

static int onceflag_ov, onceflag_orr;
static void onceflag_oi(void)
{
    onceflag_orr = onceflag_ov;
}
static int by_onceflag(int v)
{
    pthread_once_t o = PTHREAD_ONCE_INIT;
    onceflag_ov = v;
    onceflag_orr = 0;
    pthread_once(&o, onceflag_oi);
    return onceflag_orr;
}

static int cleanup_cr;
static void cleanup_cl(int *p)
{
    cleanup_cr = *p;
}
static int by_cleanup(int v)
{
    cleanup_cr = 0;
    {
        __attribute__((cleanup(cleanup_cl))) int q = v;
        (void)q;
    }
    return cleanup_cr;
}

static int by_bigcopy(int v)
{
    struct s {
        int a[100];
    } *x = malloc(400), *y = malloc(400);
    x->a[50] = v;
    *y = *x;
    int r = y->a[50];
    free(x);
    free(y);
    return r;
}

static __attribute__((noinline)) void outparam_outp(int v, int *r)
{
    *r = v;
}
static int by_outparam(int v)
{
    int r;
    outparam_outp(v, &r);
    return r;
}

static __attribute__((noinline)) int manyargs_many(int a, int b, int c, int d, int e, int f, int g,
                                                   int manyargs_h, int v)
{
    return a + b + c + d + e + f + g + manyargs_h == 36 ? v : 0;
}
static int by_manyargs(int v)
{
    return manyargs_many(1, 2, 3, 4, 5, 6, 7, 8, v);
}

static __attribute__((noinline)) int ptrargs_many(int a, int b, int c, int d, int e, int f, int g,
                                                  int ptrargs_h, int *v)
{
    return a + b + c + d + e + f + g + ptrargs_h == 36 ? *v : 0;
}
static int by_ptrargs(int v)
{
    return ptrargs_many(1, 2, 3, 4, 5, 6, 7, 8, &v);
}

__attribute__((noinline)) static int kept_complex(double _Complex z)
{
    __real__ z = __real__ z + 0;
    return __real__ z > 0.5;
}
static int by_kept_complex(int v)
{
    return kept_complex(v);
}
__attribute__((noinline)) static int kept_pointer(char *p)
{
    char **at = &p;
    return *at != NULL;
}
static int by_kept_pointer(int v)
{
    return kept_pointer((char *)(long)v);
}
__attribute__((noinline)) static int kept_number(short n)
{
    short *at = &n;
    return *at;
}
static int by_kept_number(int v)
{
    return kept_number((short)v);
}

/* Structures in memory that the caller chose: the function that is called is one whose code callers may not look at. */
struct returned {
    int numbers[7];
};
struct returned_large {
    int numbers[60];
};
typedef int returned_vector __attribute__((vector_size(64)));
#define HIDDEN __attribute__((noinline, noipa))
static HIDDEN struct returned returned_make(int v)
{
    struct returned made = {{0}};
    made.numbers[6] = v;
    return made;
}
static HIDDEN struct returned returned_change(struct returned of)
{
    of.numbers[5] = of.numbers[6];
    return of;
}
static HIDDEN struct returned_large returned_make_large(int v)
{
    struct returned_large made = {{0}};
    made.numbers[26] = v;
    return made;
}
static HIDDEN returned_vector returned_make_vector(int v)
{
    returned_vector made = {0, v};
    return made;
}
static int by_returned(int v)
{
    return returned_make(v).numbers[6];
}
static int by_returned_element(int v)
{
    struct returned all[2];
    all[1] = returned_make(v);
    return all[1].numbers[6];
}
static int by_returned_again(int v)
{
    struct returned one = {{0}};
    one.numbers[6] = v;
    for (int i = 0; i < 2; i++)
        one = returned_change(one);
    return one.numbers[5];
}
static struct returned_large returned_global;
static int by_returned_large(int v)
{
    returned_global = returned_make_large(v);
    return returned_global.numbers[26];
}
static int by_returned_vector(int v)
{
    return returned_make_vector(v)[1];
}

static int (*const ways[])(int) = {by_union,
                                   by_varargs,
                                   by_fnptr,
                                   by_setjmp,
                                   by_structret,
                                   by_structarg,
                                   by_bitfield,
                                   by_int128,
                                   by_float,
                                   by_switch,
                                   by_cgoto,
                                   by_table,
                                   by_ptrsel,
                                   by_vla,
                                   by_tls,
                                   by_private_global,
                                   by_heap,
                                   by_heapchain,
                                   by_recursion,
                                   by_asm,
                                   by_asmmem,
                                   by_popcount,
                                   by_overflow,
                                   by_nested,
                                   by_loopcount,
                                   by_whiled,
                                   by_loopexit,
                                   by_ternchain,
                                   by_joinret,
                                   by_threadmem,
                                   by_complex,
                                   by_bool,
                                   by_vector,
                                   by_atomiclocal,
                                   by_cas,
                                   by_xchg,
                                   by_bswap,
                                   by_prodmask,
                                   by_onceflag,
                                   by_cleanup,
                                   by_bigcopy,
                                   by_outparam,
                                   by_manyargs,
                                   by_ptrargs,
                                   by_kept_complex,
                                   by_kept_pointer,
                                   by_kept_number,
                                   by_returned,
                                   by_returned_element,
                                   by_returned_again,
                                   by_returned_large,
                                   by_returned_vector};

#include "ways.h"
