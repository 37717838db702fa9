/* What the runtime reports to the recorder about grounds, record by record (session.h). */
#pragma once
#include "runtime/grounds/label_hooks.h"

#include <stdbool.h>

enum { GROUND_WAITING = 32, GROUND_DECIDED = 64, GROUND_UNIONS = 64 };

/* What a thread has computed and not reported yet, and what it need not compute again. */
struct ground_state {
    uint32_t waiting;           /* records; written before the thread's next event */
    bool all;                   /* all it read decides */
    bool telling;               /* there is something to write */
    bool tainted;               /* some memory that is not recorded holds a value with a label */
    uint32_t last;              /* the last label that was given */
    uint32_t decides;           /* one that decides, and was the last when it did; 0: none */
    uint32_t from;              /* the label of the value that is written next, 0: none */
    uint32_t from_how;          /* SESSION_OF_…, of an atomic change */
    uint64_t from_old;          /* … and what was there before */
    uint64_t copy, copy_length; /* memory of its own that a copy is made to, whose read comes next */
    struct record records[GROUND_WAITING];
    uint32_t decided[GROUND_DECIDED]; /* labels that are known to decide, by their last bits */
    struct {
        uint32_t one, other, both;
    } unions[GROUND_UNIONS];
};

extern _Thread_local struct ground_state ground_state __attribute__((tls_model("initial-exec")));

/* Whether labels mean anything: what the thread reads is recorded, or known to be its own. */
bool grounds_on(void);

/* What is in memory there decides. */
void grounds_decided_by_memory(const void *at, unsigned size);

/* Bits for the record of a call that was made by code that tells what it stands on. */
uint64_t grounds_vouched(void);

/* Writes the pending records, before an event with these bits or, 0, something else. The calling thread has the turn. Returns the bits
 * that the event's record has besides. */
uint64_t grounds_flush(uint64_t bits);

/* The label of a read that is being recorded. */
uint32_t grounds_new_label(void);

/* A library function read or wrote these bytes, some of which may not be recorded. */
void grounds_touched(const void *at, size_t length, bool write);

/* Records what the value of the next recorded write is computed from. */
void grounds_tell_value(uint32_t label);

/* An atomic operation that changes a value from `old`. Tells what the new one is made of: of what was given, of
 * the old one, of both; or the old one and a constant. Returns bits for its record. */
enum made_of { MADE_OF_GIVEN, MADE_OF_BOTH, MADE_OF_SUM };
uint64_t grounds_changed(enum made_of made_of, uint64_t old);

/* An atomic store, whose value has the label that the program gave. */
uint64_t grounds_stored(void);

/* An atomic read; a compare-and-exchange that expected what is at `expected`, which decides. */
uint64_t grounds_atomic_read(void);
void grounds_expected(const void *expected, unsigned size);
uint64_t grounds_failed(void);

/* … that succeeded: a run in which it does not ends its thread there, so that nothing else stands on it. */
uint64_t grounds_swapped(uint64_t old);

/* The same where the variable is not recorded: it gives the label of what was there, and a store or change that
 * is made of these leaves another one. */
void grounds_unrecorded(const volatile void *at, unsigned size, bool writes, enum made_of made_of);
void grounds_unrecorded_swap(const volatile void *at, const void *expected, unsigned size, bool done);

/* The thread is about to end, with the result of `start`. */
void grounds_end(const void *start);

/* Around a handler of a signal, which may come between any two instructions. */
struct ground_words grounds_put_away(void);
void grounds_put_back(const struct ground_words *kept);
