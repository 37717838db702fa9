/* The Valgrind tool: what its files share.
 *
 * Valgrind runs one thread at a time, so the order of what is logged is the order of the run. The records and
 * the memory they go to are those of the compiler-based runtime (runtime/protocol/session.h). */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#pragma once
#include "pub_tool_basics.h"
#include "runtime/protocol/session.h"
#include "runtime/shared/channels.h"

enum { PENDING = 4 };

/* An event that has happened or is about to, but is not logged yet. */
struct pending_call {
    UInt kind; /* enum record_kind */
    Addr object;
    Addr pc;
    ULong value;
};

/* A call that moves bytes through a channel. */
struct moving {
    struct channel_key key; /* kind CHANNEL_NONE: it is in no such call */
    Int fd;
    SizeT length;
    ULong value; /* for an event counter */
    Addr pc;
};

/* A call of the program's code that is under way. */
struct noted_call {
    Addr slot; /* where on the stack its return address is */
    Addr back; /* that address */
    UInt path; /* once it is known */
    Addr low;  /* the lowest slot of a call that its function made; 0: none is known */
};

struct calls {
    Addr low; /* of the thread's stack */
    SizeT size;
    Addr lowest;           /* tool.lowest, while others run */
    struct noted_call *at; /* the outermost first */
    UInt count, capacity;
};

enum { LABELS_DECIDED = 64, LABELS_UNIONS = 64 };

/* What a thread has told of labels (grind_labels.h). */
struct guest_labels {
    UInt last;                    /* label that was given */
    UInt all;                     /* labels up to this one decide */
    Bool vouched;                 /* it is in a call whose events stand on nothing but what was told */
    Bool resolving;               /* the loader looks up the function that it calls */
    UInt left;                    /* tool.left, while others run */
    UInt decided[LABELS_DECIDED]; /* labels that decide, by their last bits */
    struct label_union {
        UInt one, other, both;
    } unions[LABELS_UNIONS];
};

/* A thread of the program, found by Valgrind's number for it, which is used again. */
struct guest {
    UInt id;         /* from 0 (main), in the order of creation */
    ThreadId number; /* Valgrind's */
    Bool alive;
    UInt depth;        /* wrapped calls it is in: only the outermost counts */
    UInt signal_depth; /* the same, below the signal handler it is in */
    struct pending_call pending[PENDING];
    UInt pending_count;
    ULong announced; /* orders threads by when they entered their call */

    Addr wants; /* the lock it is about to take, 0: none */
    UInt wants_way;
    Addr wants_pc;
    Bool got;       /* … and it was logged as taken already */
    Addr condition; /* it waits for, 0: none */
    ULong sequence; /* of the condition before it waited */
    Addr call_pc;   /* where the outermost call comes from */

    Bool creating;        /* is in pthread_create */
    Bool ends;            /* has asked the system to end it, and no other thread */
    Addr start, argument; /* of the thread it creates, then of itself */
    UInt process;         /* the kernel's number of the thread */

    struct moving writing, reading;

    struct calls calls;
    UInt told; /* the path that the recorder takes it to be in */

    struct guest_labels labels;
};

/* A lock, barrier or semaphore. */
struct grind_object {
    struct grind_object *next; /* as the hash table wants it: next and key come first */
    UWord key;
    UInt owner; /* number of the thread that has it exclusively, plus one */
    UInt depth;
    UInt readers;
    UInt needed;                  /* barrier: threads it waits for; 0: not known */
    UInt entered;                 /* barrier: logged as arrived in this generation */
    Int tokens;                   /* semaphore */
    Bool robust;                  /* a mutex that is given back when its owner ends */
    struct channel_call given_up; /* by the last that let go of it */
    UInt runner; /* what is done once: number of the last thread that began, plus one; 0: it is done */
};

struct tool {
    struct session *session;
    Bool recording;
    struct record *next_record, *limit;
    UInt logged;         /* thread of the last RECORD_THREAD, plus one */
    UInt current;        /* the same while its path is told, too; 0: look whether it is */
    struct guest *guest; /* that runs */
    UInt instances;      /* threads ever made */
    ULong announced;
    Bool handlers;           /* the program handles signals: they may end a wait */
    struct record *decision; /* a decision that has room for another, if it is the last record */
    UInt left;               /* the thread that runs was in the program's code since it was in the system's */
    Addr low, lowest;        /* of its stack; and of what was recorded of that, in frames that have not ended */
};

extern struct tool tool;

/* tool_log.c */
void log_open(void);
void log_next_chunk(void);
/* A record of the thread that the last RECORD_THREAD names. */
void log_append(ULong word, ULong pc, ULong value);
/* Of an event `pc` is where the thread goes on after the call that it is made by. */
void log_record(struct guest *guest, UInt kind, Addr object, UInt size, ULong pc, ULong value);
/* Of an access that the thread itself makes. */
void log_access(struct guest *guest, ULong word, ULong pc, ULong value);
void log_path(UInt number, Addr back, UInt rest);
void log_text(const HChar *text);
/* A function has ended by its return, and with it what it had on the stack from `low` to before `end`. */
void log_frame_end(struct guest *guest, Addr low, Addr end, Addr pc);
/* Something at that address is recorded. */
static inline void log_noted(Addr address)
{
    if (address - tool.low < tool.lowest - tool.low)
        tool.lowest = address;
}

/* threads.c */
void threads_track(void);
struct guest *guest_of(ThreadId tid);
struct guest *guest_at(UInt index); /* by Valgrind's number; NULL: none is alive */
UInt guest_count(void);
Bool thread_find(Addr handle, UInt *id);
void thread_forget(Addr handle);
void thread_begin(ThreadId tid, Addr handle);
void guest_state(struct guest *guest, UInt state, UInt reason, Addr key, UInt owner);
/* The thread is about to wait, in one of the ways of requests.h; `foreign`: another process may end it. */
void guest_waits(struct guest *guest, UInt way, UInt reason, Addr key, UInt owner, Bool foreign);

/* call_stacks.c */
void stacks_begin(struct guest *guest, ThreadId tid);
void stacks_end(struct guest *guest);
/* The thread that runs makes a call: its return address is put in the slot. */
void grind_stacks_call(HWord slot, HWord back);
/* The number of the path that the thread is in, 0: nobody called it. */
UInt stacks_path(struct guest *guest);
/* The same around the call that will go on at `back`. */
UInt stacks_path_around(struct guest *guest, Addr back);
/* A signal's handler is about to run. */
void stacks_interrupt(struct guest *guest);
/* The path of all calls that are noted. */
UInt stacks_path_noted(struct guest *guest);

/* frame_returns.c: a call that is about to be noted below others; a return, after which that is the stack pointer. */
void frames_called(struct guest *guest, Addr slot, Addr back);
void grind_frames_return(HWord pointer, HWord pc);

/* tool_objects.c */
struct grind_object *grind_object_at(Addr address);
struct grind_object *object_held_by(UInt thread); /* the next robust mutex of the thread's, NULL: none */
void object_renew(Addr address);

/* wrapped_calls.c */
Bool calls_handle(ThreadId tid, UWord *arguments, UWord *result);

/* pending.c */
void pending_flush(struct guest *guest);
/* lock_calls.c: the robust mutexes of a thread that ends are given back. */
void locks_end_thread(struct guest *guest);
void pending_add(struct guest *guest, UInt kind, Addr object, Addr pc);

/* code_origin.c: the pc that a call from the program's own code returns to, or the innermost. */
Addr modules_caller(ThreadId tid);
Bool modules_is_system(Addr pc);
/* Whether accesses of the code there are the program's: its own, or the C++ library's to its containers. */
Bool modules_is_seen(Addr pc);
/* The program's own code that made the library call which the thread is in, 0: a library made it. */
Addr modules_direct_caller(ThreadId tid);
/* Whether the thread is in the loader. */
Bool modules_is_loader(ThreadId tid);
void modules_look(void);
void modules_log_frames(ThreadId tid);

/* allocations.c */
void memory_track(void);
Bool memory_handle(ThreadId tid, const UWord *arguments, UWord *result);

/* descriptor_calls.c */
void descriptors_track(void);
/* signal_calls.c */
void signals_track(void);
void streams_handle(ThreadId tid, Int fd, Bool wrote, Addr pc);
