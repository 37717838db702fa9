/* What atomic operations, library functions and the ends of threads stand on, where code with labels called them. */
#include "runtime/access.h"
#include "runtime/grounds/decisions.h"
#include "runtime/grounds/taint.h"

/* Atomic operations: nothing is known of those that code without labels does. */
static bool is_vouched(void)
{
    return grounds.vouch && grounds_on();
}

static uint64_t own_label(uint32_t *label)
{
    *label = grounds_new_label();
    if (*label == LABEL_ALL) {
        grounds.label = LABEL_ALL;
        return RECORD_GROUNDED;
    }
    grounds.label = *label | LABEL_LINEAR | LABEL_EQUAL;
    return RECORD_GROUNDED | RECORD_LABELLED;
}

uint64_t grounds_vouched(void)
{
    return is_vouched() ? RECORD_GROUNDED : 0;
}

uint64_t grounds_atomic_read(void)
{
    uint32_t label;

    return is_vouched() ? own_label(&label) : 0;
}

uint64_t grounds_stored(void)
{
    if (!is_vouched())
        return 0;
    grounds_tell_value(grounds.from);
    return RECORD_GROUNDED;
}

uint64_t grounds_changed(enum made_of made_of, uint64_t old)
{
    uint32_t label, given = grounds.from & LABEL_READS;
    uint64_t bits;

    if (!is_vouched())
        return 0;
    bits = own_label(&label);
    ground_state.from = grounds.from;
    ground_state.from_old = old;
    ground_state.from_how = made_of == MADE_OF_GIVEN               ? SESSION_OF_GIVEN
                            : made_of == MADE_OF_SUM && given == 0 ? SESSION_OF_SUM
                                                                   : SESSION_OF_BOTH;
    ground_state.telling = true;
    return bits;
}

/* The expected value is in a variable of the program, usually a private one. */
void grounds_expected(const void *expected, unsigned size)
{
    if (!is_vouched())
        return;
    heddle_decided_1(taint_read((uint64_t)(uintptr_t)expected, size), 0);
    grounds_decided_by_memory(expected, size);
}

void grounds_touched(const void *at, size_t length, bool write)
{
    uint64_t address = (uint64_t)(uintptr_t)at;

    if (!ground_state.tainted)
        return;
    if (write)
        taint_write(address, length, 0);
    else
        heddle_decided_1(taint_read(address, length), 0);
}

void grounds_unrecorded(const volatile void *at, unsigned size, bool writes, enum made_of made_of)
{
    uint64_t address = (uint64_t)(uintptr_t)at;
    uint32_t old;

    if (!is_vouched() || !(ground_state.tainted || grounds.from))
        return;
    old = taint_read(address, size);
    grounds.label = old;
    if (writes)
        taint_write(address, size, made_of == MADE_OF_GIVEN ? grounds.from : label_union(old, grounds.from));
}

/* What it expected and what it saw decide; the value found is stored where the expected one was. */
void grounds_unrecorded_swap(const volatile void *at, const void *expected, unsigned size, bool done)
{
    uint64_t address = (uint64_t)(uintptr_t)at;

    if (!is_vouched())
        return;
    heddle_decided_1(taint_read(address, size), 0);
    if (done)
        taint_write(address, size, grounds.from);
    else
        taint_write((uint64_t)(uintptr_t)expected, size, 0);
}

/* The value found is stored where the program keeps the expected one: a read without a label decides. */
uint64_t grounds_failed(void)
{
    return is_vouched() ? RECORD_GROUNDED : 0;
}

uint64_t grounds_swapped(uint64_t old)
{
    uint64_t bits = grounds_changed(MADE_OF_GIVEN, old);

    grounds.label = 0;
    return bits;
}

void grounds_end(const void *start)
{
    uint32_t label = label_after(start);

    grounds.vouch = grounds.returned == start;
    heddle_decided_1(label, 0);
}

/* For a library without hooks that calls the program's code: a function of this address is called next, and nothing
 * decides its arguments. */
EXPORT void heddle_call_1(uintptr_t callee)
{
    grounds.callee = (const void *)callee;
    for (unsigned i = 0; i < GROUND_ARGUMENTS; i++)
        grounds.arguments[i] = 0;
}

/* … and what it does from now on, it does because that function returned. */
EXPORT void heddle_vouch_1(void)
{
    grounds.vouch = 1;
}

struct ground_words grounds_put_away(void)
{
    struct ground_words kept = grounds;

    grounds.callee = grounds.returned = NULL;
    grounds.vouch = 0;
    return kept;
}

void grounds_put_back(const struct ground_words *kept)
{
    uint32_t plain = grounds.plain;

    heddle_barrier_1();
    grounds = *kept;
    grounds.plain = plain; /* what a handler left in memory stays there */
}
