/* What a recorded program and `heddle record` share: one block of memory, made by the recorder, inherited by
 * the program as a file descriptor, mapped by both.
 *
 * It begins with the settings, then the state the recorder watches, then a ring of chunks of records. Only the
 * thread that holds the turn appends, so the order in the ring is the order of the run. A record is published
 * by its last store (`word`); chunks are zeroed before reuse, so whatever kills the program, all records it
 * made can be read up to the first empty one. */
#pragma once
#include <stdint.h>

#define SESSION_VARIABLE "HEDDLE_SESSION" /* environment: the descriptor, three digits */
/* The same for the Valgrind tool: the runtime of an instrumented program must not use its session. */
#define SESSION_BINARY_VARIABLE "HEDDLE_BINARY_SESSION"
/* Has the loader fill all slots of calls at once, for `effects`; taken out again by the runtime. */
#define SESSION_BIND_VARIABLE "LD_BIND_NOW"
#define SESSION_BIND_VALUE    "heddle"
#define SESSION_MAGIC         UINT64_C(0x316e6f6973736568)

enum {
    SESSION_CHUNK = 1 << 14, /* records in a chunk */
    SESSION_CHUNKS = 32,     /* chunks in the ring */
    SESSION_THREADS = 4096,  /* threads that may be alive or remembered at once */
    SESSION_SYNC = 32,       /* accesses that a synchronization call counts as */
    SESSION_FREED =
        512, /* the most granules of freed memory that count as written, of those that were touched */
    SESSION_LEAPS = 8192, /* of the clock (clock_leaps.c) that passes after the first can repeat */
    SESSION_PREEMPT = 62, /* the signal by which the recorder ends a slice that does not end by itself */
};

/* What both sides change is read and written by these. */
#define session_load(at)         __atomic_load_n(at, __ATOMIC_ACQUIRE)
#define session_store(at, value) __atomic_store_n(at, value, __ATOMIC_RELEASE)
#define session_add(at, value)   __atomic_fetch_add(at, value, __ATOMIC_RELAXED)

enum session_mode {
    SESSION_OFF,    /* nothing is recorded: the program runs as if alone */
    SESSION_ALL,    /* every access is recorded */
    SESSION_MARK,   /* only marks what two threads touch */
    SESSION_FILTER, /* records what a pass before has marked */
};

enum session_policy { POLICY_RANDOM, POLICY_PCT, POLICY_ROUND_ROBIN, POLICY_FEW, POLICY_KIND = 0xff };

/* POLICY_FEW: random priorities, and so many preemptions at random points of a run that is about `length`
 * accesses and calls long: in the bits above the kind, a count, a mantissa and an exponent. POLICY_RANDOM: 0, or the same with a
 * length, and no slice is longer than that. */
enum {
    FEW_COUNT_SHIFT = 8,
    FEW_COUNT = 15,
    FEW_MANTISSA_SHIFT = 12,
    FEW_MANTISSA = 0x7fff,
    FEW_EXPONENT_SHIFT = 27
};

static inline uint32_t policy_slices(uint64_t length)
{
    uint32_t exponent = 0;

    for (; length > FEW_MANTISSA && exponent < 31; length >>= 1)
        exponent++;
    return POLICY_RANDOM | (uint32_t)(length < FEW_MANTISSA ? length : FEW_MANTISSA) << FEW_MANTISSA_SHIFT |
           exponent << FEW_EXPONENT_SHIFT;
}

static inline uint32_t policy_few(unsigned preemptions, uint64_t length)
{
    return POLICY_FEW | (preemptions < FEW_COUNT ? preemptions : FEW_COUNT) << FEW_COUNT_SHIFT |
           policy_slices(length);
}

static inline unsigned policy_preemptions(uint32_t policy)
{
    return policy >> FEW_COUNT_SHIFT & FEW_COUNT;
}

static inline uint64_t policy_length(uint32_t policy)
{
    return (uint64_t)(policy >> FEW_MANTISSA_SHIFT & FEW_MANTISSA) << (policy >> FEW_EXPONENT_SHIFT);
}

/* Kinds of records. Up to RECORD_LAST_EVENT they become events of the trace. */
enum record_kind {
    RECORD_NONE, /* an empty slot */
    RECORD_READ,
    RECORD_WRITE,
    RECORD_ATOMIC_READ,
    RECORD_ATOMIC_WRITE,
    RECORD_RMW,
    RECORD_CAS, /* a compare-and-exchange that succeeded; one that failed is a RECORD_ATOMIC_READ */
    RECORD_FENCE,
    RECORD_ACQUIRE, /* value: TRIES_… when the call would have given up rather than waited forever */
    RECORD_RELEASE,
    RECORD_SHARED_ACQUIRE, /* the same */
    RECORD_SHARED_RELEASE,
    RECORD_TRY_FAIL, /* value: TRIES_… */
    RECORD_FORK,     /* value: the thread */
    RECORD_JOIN,
    RECORD_WAIT_PRE,  /* value: 1 when the wait has a time-out */
    RECORD_WAIT_POST, /* value: 1 when it timed out */
    RECORD_NOTIFY,
    RECORD_NOTIFY_ALL,
    RECORD_BARRIER_ENTER, /* value: 1 for the last one */
    RECORD_BARRIER_EXIT,
    RECORD_POST,
    RECORD_SEM_WAIT,  /* value: TRIES_… */
    RECORD_ONCE_DONE, /* the object is initialised from here on; value: 1 if the program looks at it by itself */
    RECORD_ONCE_SEEN, /* the thread went on because the object was initialised */
    RECORD_SEM_INIT,  /* value: the semaphore's count */
    RECORD_LAST_EVENT = RECORD_SEM_INIT,

    RECORD_THREAD, /* value: the thread all following records belong to */
    RECORD_START,  /* the thread begins: pc is its function, address and value its stack and length */
    RECORD_ALLOC, /* address and value: a block and its length, new from here on; size: bytes behind it that it may
                      grow into, as new as it is */
    RECORD_GROW, /* address and value: a block that kept its place and contents, and its new length */
    RECORD_MAP,  /* address and value: mapped memory, new from here on */
    RECORD_NEW, /* a lock, condition … at the address was made or destroyed: what follows is another one; value:
                   the semaphore's or barrier's number */
    RECORD_MODULE, /* pc: where it was loaded; value: length; size: 1 when it is instrumented; RECORD_TEXTs
                      follow */
    RECORD_TEXT,   /* 16 bytes of text in pc and value, the count in size */
    RECORD_BLOCK,  /* and the three kinds after it: a declared block begins or ends, in the order of annotate.h;
                      value: the length of its name, RECORD_TEXTs follow */
    RECORD_BLOCK_LAST = RECORD_BLOCK + 3,
    RECORD_TICKS, /* value: how far the thread got since its last record */
    RECORD_STOP, /* the slice is over; address: 1 when it held more than accesses; value: the thread's position,
                    doubled, plus one when it stands before the step that took it there */
    RECORD_INPUT,    /* address: enum input_kind; value: what the thread got */
    RECORD_FRAME,    /* a call under way in the thread: address: stack pointer at the call it made; pc: where it
                        will go on. The innermost first, after one with address 0 */
    RECORD_END,      /* the thread ends; value: 1 when others may look whether it has */
    RECORD_OUTPUT,   /* address: the stream or 0; value: the descriptor, standard output or error */
    RECORD_ONCE_RUN, /* the thread begins to initialise the object */
    RECORD_SEM_FAIL, /* the semaphore was not to be had; value: TRIES_… */
    RECORD_FRESH, /* address and value: where data of a library was or is now, or what a block grew by; new from
                        here on */
    RECORD_CALL,  /* a path of calls that is new; address: its number, from 1; pc: where its innermost call will
                     go on; value: the number of the rest, 0: nothing */
    RECORD_ALIAS, /* address and value: memory that is, byte by byte, the one at `pc`, in the same file */
    RECORD_FREE, /* address and value: memory that is freed; what was touched of it is written; size: enum freed_kind */
    RECORD_STACK, /* value: the path of calls that the thread's events are in from here on, 0: none is known */
    RECORD_UNION, /* the thread's next label stands for those in address and value together; LABEL_LINEAR in one
                     of them: it is of their sum */
    RECORD_BY,    /* before the thread's next event: the label in `address` decides, and the one in `value`; or,
                     with SESSION_COMPARED in `size`, a comparison of `value`, which has the label, with `pc` */
    RECORD_BY_ALL,    /* all that the thread read decides */
    RECORD_BY_MEMORY, /* what is at the address decides; value: how many bytes */
    RECORD_FROM,      /* the label in `address` is that of the value that is written next; size: SESSION_OF_…,
                         of an atomic change; value: what was there before */
    RECORD_PRINTED,   /* the label in `address` is that of a value that the thread's next RECORD_OUTPUT prints;
                         size 1: that has been printed; 2: it went elsewhere */
    RECORD_NAME, /* address: a thread; value: the length of the name that the program gave it, RECORD_TEXTs follow */
    RECORD_SEM_VALUE,  /* the thread looked at a semaphore; value: its count */
    RECORD_LOOK_ENDED, /* the thread looked whether another one, `value`, has ended */
    RECORD_FUTEX_WAIT, /* explored: the thread waits at the word from here on */
    RECORD_FUTEX_WOKEN,
    RECORD_FUTEX_WAKE, /* explored; value: how many were woken, doubled, plus one if all were to be */
    RECORD_LABELS,     /* in what the recorder keeps of a batch: so many labels were given */
    RECORD_NEEDS,      /* … and it may be taken for the batch if this label stands for no read */
    RECORD_KINDS,
};

/* What RECORD_FREE is about. The ends of local variables count as accesses. What nobody wrote is not written by the end of a frame,
 * which is only noticed where something of it is recorded in any case. */
enum freed_kind { FREED_BLOCK, FREED_VARIABLE, FREED_FRAME };

/* How RECORD_BY encodes a comparison: its operation, the logarithm of the number of bytes, whether it is one of
 * signed numbers. */
enum {
    SESSION_COMPARED = 0x80,
    SESSION_OPERATION = 7, /* enum session_operation */
    SESSION_SIZE_SHIFT = 3,
    SESSION_SIGNED = 0x20
};
enum session_operation { COMPARED_EQ, COMPARED_NE, COMPARED_LT, COMPARED_LE, COMPARED_GT, COMPARED_GE };

/* What an atomic change computes its value from: its operand alone, the old value plus the operand (and exactly that where the
 * operand turns out to stand for no read), or both in some way. */
enum { SESSION_OF_GIVEN = 1, SESSION_OF_SUM, SESSION_OF_BOTH };

/* How a call would have given up: at once, or after a time-out. */
enum { TRIES_ONCE = 1, TRIES_FOR_A_TIME = 2, TRIES_SHARED = 4 };

/* Calls on pipes, sockets and event counters have addresses here, in the order they were made; nothing else
 * has. */
#define CHANNEL_BASE  UINT64_C(0x0dd000000000)
#define CHANNEL_BYTES (UINT64_C(1) << 36)

static inline int is_channel(uint64_t address)
{
    return address - CHANNEL_BASE < CHANNEL_BYTES;
}

/* word: address in 48 bits, kind in 8, size in 8 (0: the length is in `value`, which is no value then). Of
 * calls on locks and their like, size is 1 when code with hooks made the call: its use of the object is an
 * access. pc: program counter in 48 bits, memory order in 3 (as __ATOMIC_…), bits about grounds and copies,
 * RECORD_VALUED, and in the top 7 bits how far the thread got since the record before (RECORD_TEXT has none of
 * this). */
struct record {
    uint64_t word;
    uint64_t pc;
    uint64_t value;
};

#define RECORD_ADDRESS UINT64_C(0xffffffffffff)
#define RECORD_VALUED  (UINT64_C(1) << 56)

/* Of events: RECORD_BY… says all that was decided since the thread's last event, and RECORD_FROM what the value
 * is made of (none: of nothing). The read has the thread's next label. */
#define RECORD_GROUNDED (UINT64_C(1) << 51)
#define RECORD_LABELLED (UINT64_C(1) << 52)
/* In place of a RECORD_BY: the thread's last label, not counting the one that the read has itself, decides. */
#define RECORD_LAST_DECIDES (UINT64_C(1) << 54)
/* Of a plain write of up to RECORD_MADE_SIZE bytes, in place of a RECORD_FROM: the upper half of `value` holds the label of what
 * is written, by the thread's last one (label_distance). Of a plain read, in place of a RECORD_BY: of a label that decides. Of
 * both, in place of the RECORD_UNION right before: that union (union_told), which is what a write writes. */
#define RECORD_MADE        (UINT64_C(1) << 55)
#define RECORD_GROUND_BITS (RECORD_GROUNDED | RECORD_LABELLED)

/* Of a read, with `effects`: it is that of a structure's copy, whose write is the thread's record before it. The thread cannot
 * stop between the two, and reads first. */
#define RECORD_COPIES (UINT64_C(1) << 53)

enum { RECORD_TICK_SHIFT = 57, RECORD_TICK_MOST = 127, RECORD_MADE_SIZE = 4, RECORD_MADE_SHIFT = 32 };

static inline uint64_t record_word(uint64_t address, unsigned kind, unsigned size)
{
    return (address & RECORD_ADDRESS) | (uint64_t)kind << 48 | (uint64_t)size << 56;
}

static inline unsigned record_kind(uint64_t word)
{
    return (unsigned)(word >> 48) & 0xff;
}

static inline unsigned record_size(uint64_t word)
{
    return (unsigned)(word >> 56);
}

enum thread_state {
    STATE_FREE,
    STATE_RUNNING,  /* has the turn */
    STATE_RUNNABLE, /* waits for it */
    STATE_BLOCKED,  /* waits for `key` */
    STATE_SLEEPING, /* waits for time to pass */
    STATE_POLLING,  /* waits for a file descriptor */
    STATE_OUTSIDE,  /* is in uninstrumented code or a system call */
    STATE_ENDED,
};

/* What a thread waits for: how `key` and `owner` are to be read. */
enum wait_reason {
    WAIT_NONE,
    WAIT_LOCK,
    WAIT_CONDITION,
    WAIT_BARRIER,
    WAIT_SEMAPHORE,
    WAIT_JOIN,
    WAIT_ONCE,
    WAIT_FUTEX,
    WAIT_TIME,
    WAIT_DESCRIPTOR,
};

/* A thread as the recorder sees it when it names what is stuck. */
struct session_thread {
    uint32_t id; /* number of the thread, plus one; 0: the slot was never used */
    uint32_t tid;
    uint32_t state;
    uint32_t reason;
    uint32_t owner; /* number of the thread that holds or is `key`, plus one; 0: nobody */
    uint32_t
        vague; /* 1: its wait may end while somebody still holds `key`: by a time-out, or shared with others */
    uint64_t key;
    uint64_t pc; /* of the call that waits */
};

/* Inputs from outside. The numbers are part of traces: add at the end. */
enum input_kind {
    INPUT_CLOCK,   /* nanoseconds */
    INPUT_RANDOM,  /* rand() and its like */
    INPUT_PROCESS, /* the number of the process */
    INPUT_READ,    /* the sum of what was read */
    INPUT_SIGNAL,  /* a handler ran: which and where (libc/handlers.c) */
    INPUT_MILLIS,  /* of a Java program: milliseconds on the wall clock */
    INPUT_INSTANT, /* seconds and nanoseconds on the wall clock, one after the other */
    INPUT_SEED,    /* of a new generator of random numbers */
    INPUT_BYTES,   /* random bytes, eight at a time */
    INPUT_KINDS
};

/* A script: which thread runs up to which point, one step after the other. `heddle` writes it to a memory file
 * of its own, which the program maps: this header, then the threads, the steps and the inputs.
 *
 * Threads keep the numbers they had when the script was written, in whatever order they are created now: a
 * thread is identified by its creator and its ordinal among that creator's threads.
 *
 * A position in a thread is counted in ticks, the unit of time slices: the cost of its accesses and
 * synchronization calls so far. It does not depend on other threads. */
#define SCRIPT_MAGIC UINT64_C(0x747069726373)

enum script_mode {
    SCRIPT_EXACT, /* a step: the thread runs until its next tick would be beyond `position` */
    SCRIPT_ORDER, /* a step: the thread's `position`-th event of a kind; nothing else is ordered */
};

struct script_thread {
    uint32_t parent;  /* number of its creator, plus one; 0: unknown */
    uint32_t ordinal; /* its ordinal among that creator's threads, from 1 */
};

/* How an exact step may end besides at its position. */
enum step_end { STEP_PLAIN, STEP_WAITS /* the thread may be left waiting */, STEP_ATTEMPT /* for a lock */ };

struct script_step {
    uint32_t thread;
    uint32_t kind; /* SCRIPT_ORDER: enum record_kind; SCRIPT_EXACT: enum step_end */
    uint64_t position;
};

struct script_input {
    uint32_t thread;
    uint32_t kind; /* enum input_kind */
    uint64_t value;
};

struct script {
    uint64_t magic;
    uint32_t mode;
    uint32_t thread_count;
    uint64_t step_count;
    uint64_t input_count; /* ordered by thread, then kind */
    uint64_t
        stop; /* SCRIPT_EXACT: the first step before which the program stops for a debugger; UINT64_MAX: none */
};

enum script_state { SCRIPT_NONE, SCRIPT_RUNNING, SCRIPT_DONE, SCRIPT_DIVERGED };

/* What a debugger sees of a program that follows a script (`heddle_replay_view`, for heddle-gdb.py), and what it
 * may change there: `until`. */
struct replay_view {
    uint64_t at; /* the step in progress */
    uint64_t
        until; /* the program stops before this step, or the next one where it can; UINT64_MAX: nowhere. Reset
                       at the stop */
    const struct session_thread *threads; /* SESSION_THREADS of them */
};

/* Why a script could not be followed. */
enum script_trouble {
    TROUBLE_NONE,
    TROUBLE_NO_THREAD, /* the thread does not exist */
    TROUBLE_ENDED,     /* it has ended */
    TROUBLE_BLOCKED,   /* it waits for something that no thread will do */
    TROUBLE_OUTSIDE,   /* it does not return from a system call */
    TROUBLE_ORDER,     /* every thread waits for an event of another thread */
};

/* The reason why a program ended itself. */
enum last_words_kind {
    LAST_WORDS_NONE,
    LAST_WORDS_ASSERTION, /* of assert */
    LAST_WORDS_EXCEPTION, /* an uncaught exception: its type, ": ", its message */
};

/* The clock caught up with work that no hook counted. */
struct clock_leap {
    uint64_t look; /* the ordinal of the look at a clock before which it did */
    uint64_t nanoseconds;
};

struct session {
    uint64_t magic;
    uint64_t seed;
    uint32_t mode;
    uint32_t policy;
    uint32_t real_time;
    uint32_t grounds;   /* code with labels reports which reads events depend on */
    uint32_t stacks;    /* the calls around events are recorded */
    uint32_t shadow_fd; /* marks of the passes before */
    uint32_t trial;     /* with SESSION_ALL: marks, too, and goes on as SESSION_MARK when most is private */
    uint32_t tentative; /* with `trial`: nobody sees this run, which ends when most turns out to be shared */
    uint32_t confined;  /* nobody sees this run, and nothing of it must last (collect/harmless.h) */
    uint64_t realtime;  /* clocks at the start of the first pass, in nanoseconds; 0: this is the first */
    uint64_t monotonic;
    uint32_t steady;      /* the clocks count what is hooked and nothing else: the same in every run */
    uint32_t leaps_count; /* of the clock, in the first pass; later passes repeat them */
    struct clock_leap leaps[SESSION_LEAPS];
    uint64_t bytes; /* of the whole block */
    uint32_t
        effects; /* calls out of instrumented code are intercepted, and recorded where they affect others */

    uint32_t script_fd;         /* 0: the policy chooses */
    uint32_t script_state;      /* enum script_state */
    uint32_t script_trouble;    /* enum script_trouble, once it diverged */
    uint64_t script_at;         /* steps done */
    uint64_t other_inputs;      /* reads of something else than the script's run read */
    uint64_t other_input_pc;    /* the first of them */
    char other_input_path[256]; /* the file it was of; "": not known */
    uint32_t clock_used;        /* the program asked for the time */
    uint32_t outlasting;        /* with `effects`: files were changed, which the next run may find changed */
    uint64_t unmodelled_pc;     /* with `effects`: the first call that exploration cannot model */
    char unmodelled[128];       /* the function it called; "": there was none */

    uint32_t pid;      /* of the process that is recorded; 0: none so far */
    uint32_t refused;  /* processes that came too late */
    uint32_t held;     /* futex: the program does not begin yet, its trace is about to be announced */
    uint32_t deadlock; /* set when no thread can ever run again; the process ends right after */
    uint32_t turn;     /* tid of the thread that has the turn, 0: nobody */
    uint64_t beat;     /* grows whenever a slice ends */
    uint64_t accesses; /* hooks run so far, brought up to date when a slice ends */
    uint64_t syncs;    /* synchronization calls among them, each of which counts as SESSION_SYNC */
    uint64_t steps;    /* other calls that count as one: memory freed, ends of threads */
    uint64_t
        bare; /* accesses that have no record though all have one: ends of frames of which nothing was recorded */
    uint32_t gave_up; /* the trial is over: what was recorded is not wanted */
    uint64_t strays;  /* granules found to be shared that were not marked before */
    uint64_t lost;    /* accesses in signal handlers that could not be recorded */
    uint32_t forks;   /* child processes, which are not recorded */
    uint32_t exec;    /* the program has called exec, or is about to; the new program is not recorded */
    char became[256]; /* its name; "": not known */
    uint32_t cut;     /* slices that the recorder ended: the run does not depend on the seed alone */

    uint32_t last_words_kind; /* enum last_words_kind; set after the text */
    char last_words[512];

    uint64_t produced; /* whole chunks made, ever */
    uint64_t consumed; /* whole chunks taken, ever; its low half is a futex */

    struct session_thread threads[SESSION_THREADS];
    _Alignas(4096) struct record ring[SESSION_CHUNKS][SESSION_CHUNK];
};

/* Marks: a sparse file of 16 bits for each 8 bytes of the address space, mapped by the
 * program at a fixed place, so that a mark is found by one shift. */
#define SHADOW_BASE  UINT64_C(0x100000000000)
#define SHADOW_BYTES (UINT64_C(1) << 45)

/* After them in the file, before them in the program, a byte for each block of the heap, by its number: 1 when
 * it is known to be private. */
#define SHADOW_BLOCKS (UINT64_C(1) << 32)
#define SHADOW_NOTES  (SHADOW_BASE - SHADOW_BLOCKS)

#define SHADOW_SHARED  0x8000u
#define SHADOW_WRITTEN 0x4000u
#define SHADOW_KEPT    (SHADOW_SHARED | SHADOW_WRITTEN)
#define SHADOW_ONCE    0x2000u /* kept at some time, in this pass or one before */
#define SHADOW_TOUCHED 0x1000u /* in this pass, by an owner that is forgotten or while kept */
#define SHADOW_OWNER   0x0fffu

/* The same bit where there is an owner, who has touched it: some word may have a label (runtime/grounds/taint.h). */
#define SHADOW_LABELLED SHADOW_TOUCHED
