/* Atomic operations that compilers leave to libatomic: on objects of odd sizes, and on sixteen bytes. They are
 * done here, under one lock, which is what the library does. */
#include "runtime/access.h"
#include "runtime/atomics.h"

static bool wanted_here(const volatile void *at, size_t size, bool write, uintptr_t pc)
{
    uint64_t address = (uint64_t)(uintptr_t)at;

    if (!rt.ready || !recording() || local.inside || !module_instrumented(pc))
        return false;
    hot.wrote = false;
    hot.budget--;
    if (!with_turn(false))
        return false;
    settle();
    rt.acted = true;
    if (rt.trial)
        shadow_try(address, size, write);
    return rt.mode == SESSION_ALL || shadow_wants_range(address, size, write);
}

static void note(unsigned kind, const volatile void *at, size_t size, unsigned order, uintptr_t pc)
{
    enum { LONGEST = 255 }; /* what the record of an access has room for */
    uint64_t address = (uint64_t)(uintptr_t)at;

    log_access(kind, (const void *)at, size > LONGEST ? 0 : (unsigned)size, order, pc,
               size <= 8 ? peek(address, (unsigned)size) : size);
}

/* The operations themselves. */
static void load(size_t size, const volatile void *at, void *to)
{
    atomics_lock();
    copy_bytes(to, (const void *)at, size);
    atomics_unlock();
}

static void store(size_t size, volatile void *at, const void *from)
{
    atomics_lock();
    copy_bytes((void *)at, from, size);
    atomics_unlock();
}

static void exchange(size_t size, volatile void *at, const void *from, void *to)
{
    atomics_lock();
    for (size_t i = 0; i < size; i++) { /* `from` and `to` may be the same */
        char byte = ((const char *)from)[i];
        ((char *)to)[i] = ((volatile char *)at)[i];
        ((volatile char *)at)[i] = byte;
    }
    atomics_unlock();
}

static bool equal(const volatile void *a, const void *b, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((const volatile char *)a)[i] != ((const char *)b)[i])
            return false;
    return true;
}

static bool compare_exchange(size_t size, volatile void *at, void *expected, const void *from)
{
    bool done;

    atomics_lock();
    done = equal(at, expected, size);
    copy_bytes(done ? (void *)at : expected, done ? from : (const void *)at, size);
    atomics_unlock();
    return done;
}

/* … and at the thread's turn. */
static void seen_load(size_t size, const volatile void *at, void *to, int order, uintptr_t pc)
{
    bool want = wanted_here(at, size, false, pc);

    load(size, at, to);
    if (want)
        note(RECORD_ATOMIC_READ, at, size, load_order(order), pc);
}

static void seen_store(size_t size, volatile void *at, const void *from, int order, uintptr_t pc)
{
    bool want = wanted_here(at, size, true, pc);

    store(size, at, from);
    if (want)
        note(RECORD_ATOMIC_WRITE, at, size, store_order(order), pc);
}

static void seen_exchange(size_t size, volatile void *at, const void *from, void *to, int order, uintptr_t pc)
{
    bool want = wanted_here(at, size, true, pc);

    exchange(size, at, from, to);
    if (want)
        note(RECORD_RMW, at, size, change_order(order), pc);
}

static bool seen_compare_exchange(size_t size, volatile void *at, void *expected, const void *from, int order,
                                  int failed, uintptr_t pc)
{
    bool want = wanted_here(at, size, true, pc), done = compare_exchange(size, at, expected, from);

    if (want)
        note(done ? RECORD_CAS : RECORD_ATOMIC_READ, at, size, done ? change_order(order) : load_order(failed),
             pc);
    return done;
}

/* The names are the compiler's own: it does not let them be defined as they are. */
#define NAMED(name) __asm__("__atomic_" #name)

EXPORT void library_load(size_t size, const volatile void *at, void *to, int order) NAMED(load);
EXPORT void library_store(size_t size, volatile void *at, const void *from, int order) NAMED(store);
EXPORT void library_exchange(size_t size, volatile void *at, const void *from, void *to, int order)
    NAMED(exchange);
EXPORT bool library_compare_exchange(size_t size, volatile void *at, void *expected, const void *from,
                                     int order, int failed) NAMED(compare_exchange);

void library_load(size_t size, const volatile void *at, void *to, int order)
{
    seen_load(size, at, to, order, CALLER);
}

void library_store(size_t size, volatile void *at, const void *from, int order)
{
    seen_store(size, at, from, order, CALLER);
}

void library_exchange(size_t size, volatile void *at, const void *from, void *to, int order)
{
    seen_exchange(size, at, from, to, order, CALLER);
}

bool library_compare_exchange(size_t size, volatile void *at, void *expected, const void *from, int order,
                              int failed)
{
    return seen_compare_exchange(size, at, expected, from, order, failed, CALLER);
}

/* Sixteen bytes have functions of their own. */
__extension__ typedef unsigned __int128 wide;

EXPORT wide library_load_16(const volatile void *at, int order) NAMED(load_16);
EXPORT void library_store_16(volatile void *at, wide value, int order) NAMED(store_16);
EXPORT wide library_exchange_16(volatile void *at, wide value, int order) NAMED(exchange_16);
EXPORT bool library_compare_exchange_16(volatile void *at, void *expected, wide value, int order, int failed)
    NAMED(compare_exchange_16);

wide library_load_16(const volatile void *at, int order)
{
    wide value;

    seen_load(sizeof value, at, &value, order, CALLER);
    return value;
}

void library_store_16(volatile void *at, wide value, int order)
{
    seen_store(sizeof value, at, &value, order, CALLER);
}

wide library_exchange_16(volatile void *at, wide value, int order)
{
    wide old;

    seen_exchange(sizeof value, at, &value, &old, order, CALLER);
    return old;
}

bool library_compare_exchange_16(volatile void *at, void *expected, wide value, int order, int failed)
{
    return seen_compare_exchange(sizeof value, at, expected, &value, order, failed, CALLER);
}

static wide change(volatile void *at, wide operand, wide (*operation)(wide, wide), bool wants_old, int order,
                   uintptr_t pc)
{
    bool want = wanted_here(at, sizeof operand, true, pc);
    wide old, new;

    load(sizeof old, at, &old);
    do
        new = operation(old, operand);
    while (!compare_exchange(sizeof old, at, &old, &new));
    if (want)
        note(RECORD_RMW, at, sizeof old, change_order(order), pc);
    return wants_old ? old : new;
}

#define CHANGE(name, expression)                                                                               \
    static wide name##_of(wide old, wide operand)                                                              \
    {                                                                                                          \
        return expression;                                                                                     \
    }                                                                                                          \
    EXPORT wide library_fetch_##name##_16(volatile void *at, wide operand, int order)                          \
        NAMED(fetch_##name##_16);                                                                              \
    EXPORT wide library_##name##_fetch_16(volatile void *at, wide operand, int order) NAMED(name##_fetch_16);  \
    wide library_fetch_##name##_16(volatile void *at, wide operand, int order)                                 \
    {                                                                                                          \
        return change(at, operand, name##_of, true, order, CALLER);                                            \
    }                                                                                                          \
    wide library_##name##_fetch_16(volatile void *at, wide operand, int order)                                 \
    {                                                                                                          \
        return change(at, operand, name##_of, false, order, CALLER);                                           \
    }

CHANGE(add, old + operand)
CHANGE(sub, old - operand)
CHANGE(and, old &operand)
CHANGE(or, old | operand)
CHANGE(xor, old ^ operand)
CHANGE(nand, ~(old &operand))
