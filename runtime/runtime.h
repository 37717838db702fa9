/* The runtime inside a recorded program: what its files share.
 *
 * One thread has the turn; whatever is recorded is done and logged by it. In the passes that know, or find
 * out, what is shared, the other threads may run ahead of their turn through private memory. Everything here
 * that is not atomic belongs to the thread with the turn; what others must change too (states, the turn
 * itself) is behind the scheduler's lock. The runtime calls no function of the program, its allocator or
 * stdio. */
#pragma once
#include "runtime/hot.h"
#include "runtime/protocol/session.h"
#include "runtime/shared/runtime_invariant.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT      __attribute__((visibility("default")))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CALLER      ((uintptr_t)__builtin_return_address(0))

enum { CALLS_MOST = 48 }; /* of a path; those around them are left out */

/* The calls under way at a thread's last event (call_paths.h). */
struct call_path {
    uintptr_t back[CALLS_MOST]; /* where they go on, the innermost first */
    unsigned count;
    const struct call_link *end; /* the link after them, which ended the path; NULL: none */
    uintptr_t end_back;
    uintptr_t low, high; /* of the stack, while they are looked for on it; 0, 0: not known */
    uint32_t told;       /* the number of the path as the log has it; 0: none */
};

struct effect_call;
struct pollfd;

/* An atomic read, for telling polls (sched/spinning.h). */
struct poll_seen {
    const void *at;
    uintptr_t pc;
    uint64_t value;
    uint64_t position; /* of the thread then */
};

struct thread {
    uint32_t id; /* from 0 (main), in the order of creation */
    uint32_t tid;
    uint32_t state; /* enum thread_state */
    uint32_t go;    /* futex: set when the turn is given to this thread */
    uint32_t reason;
    uint32_t owner;    /* number of the thread that has what it waits for, plus one; 0: nobody */
    const void *key;   /* what a blocked thread waits for */
    uintptr_t pc;      /* of the call it waits in */
    uint64_t deadline; /* on the scheduler's clock; TIME_NEVER: none */
    uint64_t arrival;  /* orders threads that wait for the same key */
    struct pollfd *fds;
    unsigned fd_count;
    uint64_t position; /* accesses it has made, or will have made with its next turn */
    uint64_t end;      /* accesses its slices allow it, all in all */
    bool ran;          /* it has had a turn */
    bool ending;       /* it ends the process, others had their turns before */
    bool ahead;        /* runs without the turn; `position` lags behind */
    uint32_t wake;     /* enum wake: why it may go on */
    bool cancelled;    /* pthread_cancel was called on it */
    bool at_once;      /* … which is to act wherever the thread is (PTHREAD_CANCEL_ASYNCHRONOUS) */
    bool detached;
    bool joined;              /* by pthread_join; the slot may be used again */
    bool shares;              /* what it waits for it would share with others */
    bool foreign;             /* what it waits for may come from another process or a signal handler */
    int32_t preempt_budget;   /* what was left of its slice when it was last found not to end it */
    uint32_t idle_preempts;   /* how often that was so, without a hook in between */
    uint32_t arrived;         /* signals that are kept for it (libc/handlers.h) */
    uint32_t waits;           /* how often it has waited in its current call */
    uint32_t interrupted;     /* INTERRUPT_…, by signals since its current call began */
    uint32_t priority;        /* for the PCT policy */
    struct poll_seen seen[4]; /* its last atomic reads, by place */
    uint32_t polls;           /* how many of them in a row found what was found before */
    uint32_t rounds;          /* of thread-specific destructors seen */
    uint32_t children;        /* threads it made */
    uint64_t told;            /* its position as the recorder knows it */
    uint64_t looked;          /* its position when it last asked for the time */
    bool away;                /* it gave up the turn to wait, and has not had it since */
    uint64_t held;            /* number of the script's step it waits for, plus one; 0: none */
    uint64_t draws;           /* random numbers made for it */
    uint64_t characters;      /* read one by one, and their sum */
    uint64_t characters_sum;
    uint64_t inputs[INPUT_KINDS]; /* where its next input of a script is, plus one; 0: not looked for yet */
    uint32_t *events;             /* by kind: its events so far, for a script that counts them */
    pthread_t handle;
    void *(*start)(void *);
    void *argument;
    size_t stack_size;
    void *frame;        /* of its first function: its variables are below */
    sigset_t mask;      /* of signals */
    sigset_t held_back; /* those that the handlers it runs block */
    struct call_path path;
};

#define TIME_NEVER UINT64_MAX

/* What a handler does to the call that its thread waits in: it ends some calls always, others only if it was
 * set without SA_RESTART. */
/* Why a wait is over. */
enum wake {
    WAKE_TIME,   /* its deadline came */
    WAKE_CALL,   /* another thread, or a descriptor */
    WAKE_SIGNAL, /* a handler ran in the thread */
    WAKE_CANCEL, /* the thread is to be cancelled; if it does not let itself, it goes on waiting */
    WAKE_LOOK,   /* unknown: the thread checks for itself, and may continue to wait */
};

enum { INTERRUPT_SOME = 1, INTERRUPT_ALL = 2 };

/* What a thread knows of itself, besides what its hooks look at first. */
struct local {
    bool turn;      /* it has the turn, and knows */
    bool inside;    /* is in the runtime: hooks of signal handlers that interrupt it are not recorded */
    bool outside;   /* it is in a call that the scheduler does not see */
    bool due;       /* a handler may have to run at its next operation */
    uint64_t limit; /* its position when the budget is used up */
    struct thread *self;
    const struct effect_call *call; /* one that is to be recorded when its wrapper has the turn; NULL: none */
    uintptr_t free_pc;              /* the caller of `operator delete`, while free runs for it */
    uintptr_t alloc_pc;             /* the caller of `operator new`, while malloc runs for it */
};

struct runtime {
    uint32_t mode; /* enum session_mode */
    bool ready;
    bool grounds; /* records which reads events depend on, where the code reports it */
    bool stacks;  /* records which calls are under way */
    bool trial;   /* records all and marks, too, until it turns out that most is private */
    struct session *session;
    struct record *next, *limit; /* in the current chunk */
    struct record *pending;      /* a write whose value is not known yet: it was hooked, not yet done */
    uint32_t logged;             /* thread of the last RECORD_THREAD, plus one */
    struct thread *turn;
    int32_t slice;            /* length of the running slice */
    uint64_t ticked;          /* position of the running thread at the last record */
    bool real_time;           /* sleeps take real time; never under a script, which determines when they end */
    bool scripted;            /* a script determines which thread runs */
    bool exploring;           /* records what exploration needs, too (session.h: effects) */
    bool acted;               /* the running slice holds more than accesses */
    uint64_t start;           /* real clock (monotonic) at the start */
    uint64_t virtual_;        /* nanoseconds since the start, on the scheduler's clock */
    uint64_t accesses;        /* in slices that are over */
    uint64_t instances;       /* threads ever made */
    uint64_t plain, private_; /* plain accesses in the trial, and those to a thread's own memory */
    bool helpers;             /* the C library may make threads by itself */
    bool ends_watched;        /* the program may look whether a thread has ended, without waiting for it */
    bool environ_seen;        /* the program may look at the environment without calling a function */
    bool shares;              /* the program has memory that other processes may have, too */
    bool handlers;            /* the program has signal handlers: a wait may end by one */
    uintptr_t text, text_end; /* the runtime's own code */
    uintptr_t linked, linked_end; /* and what of it is in the program */
};

extern _Thread_local struct local local __attribute__((tls_model("initial-exec")));
extern struct runtime rt;

static inline bool recording(void)
{
    return rt.mode != SESSION_OFF;
}

/* start.c: makes the runtime ready; any number of times. */
void runtime_start(void);
/* start.c: from now on nothing is recorded (in a child process, or because the recorder has ended). */
void runtime_stop(void);

/* log.c: append to the ring; the caller has the turn. */
void log_emit(unsigned kind, const void *object, uintptr_t pc, uint64_t value);
void log_access(unsigned kind, const void *address, unsigned size, unsigned order, uintptr_t pc,
                uint64_t value);
void log_range(unsigned kind, const void *address, size_t length, uintptr_t pc);
/* Local variables end; `what`: enum freed_kind. */
void log_scope_end(const void *from, size_t length, unsigned what, uintptr_t pc);
/* A block of the heap is new, with `slack` bytes behind it that it may grow into. */
void log_block(const void *block, size_t length, unsigned slack, uintptr_t pc);
void log_text(const char *text, size_t length);
/* Notes more ticks than a record has room for. */
void log_ticks(uint64_t ticks);
/* Gets the next chunk of the ring, waiting for the recorder if it lags behind. */
void log_next_chunk(void);
/* Fills in the value of the last write; before anything that may change or unmap what it wrote. */
void log_settle(void);

/* hooks.c: an access that needs the turn, or one that does not and for which there is no budget. False: nothing
 * is to be recorded. `copying`: it may belong to a copy whose write was hooked just before and is not done
 * yet: nothing may come between the two. */
bool hook_turn(bool copying);
bool hook_beyond(bool copying);
/* hooks.c: a range of any length; false when it is not recorded. `label`: NULL, or where the label of what is read goes, or that of
 * what is written. */
bool hook_range(const void *at, size_t length, bool write, uintptr_t pc, uint32_t *label);
/* Accesses by library functions on behalf of instrumented code: after touch_begin nothing comes between what
 * they look at, what they touch and what they do; after touch_lightly nothing between what they touch and what
 * they do. False: nothing is to be recorded. */
bool touch_begin(size_t length);
bool touch_lightly(size_t length);

/* After touch_lightly, for bytes or a text that the function reads: nothing comes between that and what it
 * does; what is the thread's own needs no turn for it. */
bool touch_look(const void *at, size_t length);
bool touch_look_text(const char *text);
void touch_read(const void *address, size_t length, uintptr_t pc);
void touch_write(const void *address, size_t length, uintptr_t pc);

/* state.c: the process is about to end, and the program has not cleaned up yet. */
void state_ends(void);

/* process.c: before the program can set handlers of its own for forks. */
void process_start(void);

/* thread.c: lets the runtime know when the calling thread ends. */
void thread_watch_end(void);
/* thread.c: the stack of the first thread, which begins before recording does; of one that was created without
 * the runtime. */
void thread_log_main(void);
void thread_log_found(void);
/* facets.c: before there is a second thread; any number of times. */
void facets_fill(void);
/* timers.c: first call in a thread that was created without the runtime. */
void timers_told(void);

/* modules.c: what is loaded that was not before; what was before and is no more. */
void modules_log(void);
void modules_forget(void);
bool module_instrumented(uintptr_t pc);
/* Whether the module that was loaded there is instrumented; whether the address is in some module's code. */
bool module_instrumented_at(uintptr_t base);
bool module_code(uintptr_t pc);

/* heap.c: malloc, as the program sees it. */
void *runtime_allocate(size_t length);
/* heap.c: waits for the turn. False when nothing is to be logged: nothing is recorded, or the runtime itself is
 * calling. */
bool heap_may_log(void);
/* heap.c: the same, for a call that frees memory: a step of its own. Then the memory, which the caller frees
 * right after. */
bool heap_may_free(uintptr_t pc);
void heap_freed(void *memory, size_t length, uintptr_t pc);
/* heap.c: memory that is new, other than blocks of the heap; for a caller that may log. */
void heap_note(unsigned kind, void *memory, size_t length, uintptr_t pc);

/* plain_text.c: what the runtime needs of libc's memory and string functions, without calling them. */
void copy_bytes(void *to, const void *from, size_t length);
void clear_bytes(void *to, size_t length);
size_t text_length(const char *text);
bool text_begins(const char *text, const char *beginning);
int text_index(const char *text, char byte); /* -1: not there */
