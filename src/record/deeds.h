/* What the threads of one run did, in terms that all runs of a program share.
 *
 * Both recorders fill this in when they are asked to (struct recording); exploration uses nothing else of what
 * they record. Threads, memory, objects and instructions have the same numbers in every run. */
#pragma once
#include "base/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum move_kind {
    MOVE_READ,
    MOVE_WRITE,
    MOVE_ATOMIC, /* a load, or a change that may turn out to be none */
    MOVE_FENCE,
    MOVE_ACQUIRE,
    MOVE_SHARED_ACQUIRE,
    MOVE_TRY,   /* value: 1 in shared mode; sight: 1 taken */
    MOVE_TIMED, /* the same, with a time-out */
    MOVE_RELEASE,
    MOVE_SHARED_RELEASE,
    MOVE_FORK, /* at: the thread */
    MOVE_JOIN,
    MOVE_WAIT,   /* at: the condition; value: 1 with a time-out, WAIT_AT_FUTEX: at a futex */
    MOVE_WAKE,   /* at: the mutex, taken again; value: as of the wait; sight: 1 it timed out */
    MOVE_WOKEN,  /* at: the condition */
    MOVE_NOTIFY, /* value: 1 if the thread sees how many it woke */
    MOVE_NOTIFY_ALL,
    MOVE_ENTER, /* a barrier; sight: 1 the last one, or, if value is 1, how many came before */
    MOVE_LEAVE,
    MOVE_RESUME,     /* at: the futex that the thread waited at */
    MOVE_COUNT_DOWN, /* a latch */
    MOVE_AWAIT,      /* until it is at 0 */
    MOVE_POST,
    MOVE_TAKE,
    MOVE_TAKE_TRY, /* sight: 1 taken */
    MOVE_TAKE_TIMED,
    MOVE_COUNT, /* a look at a semaphore; sight: its count */
    MOVE_ONCE,  /* sight: 1 the thread is the one that does it */
    MOVE_ONCE_DONE,
    MOVE_NEW,    /* an object begins anew; value: its number */
    MOVE_OUTPUT, /* at: the stream; value: the descriptor; sight: the node of the output before, plus one, if it
                    is another thread's */
    MOVE_INPUT,  /* value: the kind; sight: what it got */
    MOVE_STUCK,  /* a call that never returned; at: what it waits for; value: enum stuck_on */
    MOVE_END,    /* of the thread */
    MOVE_EXIT,   /* of the process; value: 1 in the middle of the step */
};

enum { WAIT_AT_FUTEX = 2 };

enum stuck_on { STUCK_LOCK, STUCK_SEMAPHORE, STUCK_ONCE, STUCK_JOIN, STUCK_ELSEWHERE };

/* What a thread does next, as far as the thread alone decides it. */
struct move {
    uint32_t kind;
    uint32_t ticks; /* since the thread's move before */
    uint64_t at, length, pc, value;
};

/* A move as it was made. Values and sights beside those that depend on memory are in `result`. */
struct deed {
    struct move move;
    uint32_t thread;
    uint32_t result;
    uint64_t stored; /* by a write: the value */
    bool valued;
    bool changes; /* MOVE_ATOMIC: not a mere load */
    bool clock;   /* MOVE_INPUT: what a clock shows */
    bool wide;    /* a plain access that the machine may make in several parts */
    bool
        repeats; /* as exploration finds: it ends a round of a loop that looked at the same as the two before */
};

/* Records of a run from which deeds are made. One that makes more waits in a loop, or is too large. */
enum { DEEDS_MOST = 1 << 22 };

struct stuck_thread {
    uint32_t thread;
    uint32_t vague; /* its wait may end another way than the move says: by a time-out, or shared with others */
    struct move move; /* MOVE_STUCK */
};

struct deeds {
    struct deed *deeds;
    size_t deeds_count, deeds_capacity;
    struct stuck_thread *stuck; /* threads that wait for something at the end */
    size_t stuck_count, stuck_capacity;
    uint32_t last;         /* thread that had the turn last */
    bool ended;            /* it came to its end */
    bool cut_off;          /* the end of the process came before that of some thread, and nobody asked for it */
    bool too_many;         /* the run made more records: these are its first ones */
    bool impossible;       /* something happened only because the machine is held up */
    char unsupported[400]; /* what cannot be explored; "": nothing */
};

void deeds_free(struct deeds *deeds);

/* Numbers that stay the same from run to run. */
struct deed_numbers {
    struct numbered_thread {
        uint32_t maker; /* plus one; 0: the first */
        uint32_t ordinal;
    } * threads;
    size_t threads_count, threads_capacity;
    struct names places; /* memory blocks by their allocation; of a Java program, objects and instructions */
};

void deed_numbers_init(struct deed_numbers *numbers);
void deed_numbers_free(struct deed_numbers *numbers);

/* The number of the thread that is the `ordinal`-th of its creator. */
uint32_t deed_thread(struct deed_numbers *numbers, uint32_t maker, uint32_t ordinal);

/* The ticks of a call that synchronizes. */
uint64_t deed_call_ticks(bool java);
