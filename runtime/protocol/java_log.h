/* What a recorded Java virtual machine writes: a log of records and a list of names.
 *
 * The log is a file mapped into the machine: a header, then records of 24 bytes, each slot taken by one atomic
 * addition. A record's first word is written last; a slot where it is 0 was taken but never filled. The list
 * holds, one after the other, entries of a tag byte, a length (32 bits) and that many bytes: numbers in the
 * machine's order, texts with their length (16 bits) in front. Both are whole up to the last record and entry
 * whenever the machine ends. */
#pragma once
#include <stdint.h>

#define JAVA_LOG_MAGIC UINT64_C(0x31676f6c61766a68) /* "hjvalog1" */

struct java_log_header {
    uint64_t magic;
    uint64_t capacity; /* records */
    uint64_t next;     /* slot; may have grown past the capacity */
    uint64_t pid;
    uint64_t stolen; /* stripes taken from a thread that did not release them */
    uint64_t ended;  /* recording ended before the machine did; `next` was then set to JAVA_LOG_ENDED */
    uint64_t kept;   /* if it did: so many records are whole */
    uint64_t error;  /* … and why: an errno, or 0 for the limit */
};

/* Files by which machines that share a folder are numbered begin so. */
#define JAVA_MACHINE "machine-"

/* A machine that runs nothing of a program makes so many records when it starts: of its first thread. */
#define JAVA_LOG_FIRST 3

/* Beyond every slot that a log may have. */
#define JAVA_LOG_ENDED (UINT64_C(1) << 62)

struct java_record {
    uint32_t word; /* kind in the low byte, thread above */
    uint32_t site;
    uint32_t object;
    uint32_t index; /* of an array's element; of a write to a field: the label of what is written */
    uint64_t value;
};

enum java_kind {
    JAVA_NONE,
    JAVA_OBJECT, /* object is new; value: number of its class; index: JAVA_INDEX_… */
    JAVA_THREAD, /* a thread's first record; object: its Thread */
    JAVA_READ,   /* of a field or element */
    JAVA_WRITE,
    JAVA_STATIC_READ,
    JAVA_STATIC_WRITE,
    JAVA_ACQUIRED, /* monitor */
    JAVA_RELEASING,
    JAVA_FORK,       /* object: the Thread */
    JAVA_CALL,       /* a call on an object of the JDK is about to happen */
    JAVA_RETURNED,   /* value: its result, where there is one */
    JAVA_ATOMIC,     /* a call on an atomic variable was made; value: what it holds now */
    JAVA_ATOMIC_NOT, /* the same, and it did not succeed */
    JAVA_OUT,     /* a task is handed on (value 1), or done (0); object: the task. 2: a thread is interrupted,
                     which the JDK may or may not do as time goes: no part of a thread's positions */
    JAVA_IN,      /* a task begins */
    JAVA_TOUCHED, /* object was passed to a method of the JDK */
    JAVA_BEGIN,   /* declared blocks, by the site's kind */
    JAVA_END,
    JAVA_MADE, /* the object of the call before made this one: value: the other object */
    /* Of a machine that is explored only. */
    JAVA_BORN,    /* object was made; value: permits of a semaphore, count of a latch, parties of a barrier */
    JAVA_PRINT,   /* a call on a stream is about to happen */
    JAVA_PRINTED, /* it has returned */
    JAVA_OUTSIDE, /* a call is about to happen that asks or tells the world outside, or ends the process */
    JAVA_DIES,    /* an exception that nobody caught is about to be told; object: the Thread */
    /* Of every machine. */
    JAVA_ENDS, /* the thread does; object: the Thread. Value 2: no part of its positions */
    /* What events stand on (labels.h): no part of positions either. Reads of sites that give labels and the
     * unions below are counted, for each thread: the number is the label. */
    JAVA_UNION,  /* index and value: labels whose union gets the next one */
    JAVA_BY,     /* index: a label that decides */
    JAVA_BY_ALL, /* all that was read so far decides */
    JAVA_COMPARED, /* index: the label of what was compared; site: how (session.h), JAVA_IDLE_…; value: of ints, what was
                      compared in the high half and with what in the low one; of longs, with what */
    JAVA_FROM,   /* what the thread's next access writes is made of, where its record has no room: labels in
                      index, site, object and the halves of value */
    JAVA_OUTPUT, /* index: the label of what is printed */
    JAVA_INPUT,  /* the thread learned the value from outside; index: enum input_kind. No part of positions */
    JAVA_SKIPPED, /* of the time when one thread was alone: so many accesses of it (value) were taken out of the log here;
                      index: how many labels it had made in all when that was done */
    /* Of programs that are run twice. */
    JAVA_PHASE, /* the clock has another value; index: enum java_phase; thread: whose that is */
    JAVA_STRAY, /* something is shared that was taken for unshared: the field of the site, or the array of number index among
                   those touched at the start, or those first touched at the site (index -1). Value: enum java_stray */
    JAVA_KINDS
};

/* A phase begins in which the thread is alone, or in which there are several; the thread has met others at a barrier. Or,
 * with no other value of the clock: in the second pass the thread got at what another wrote before they met, or before a phase began. */
enum java_phase { JAVA_ALONE, JAVA_SEVERAL, JAVA_MET, JAVA_HANDED };

/* Nothing is known of some thread; meetings at barriers order nothing; the site touched an array that is recorded;
 * elements of the array are unshared, but not the array as a whole. */
enum java_stray {
    JAVA_STRAY_SHARED,
    JAVA_STRAY_UNKNOWN,
    JAVA_STRAY_APART,
    JAVA_STRAY_NOT_PLAIN,
    JAVA_STRAY_NOT_WHOLE
};

/* Of a comparison: the method does nothing afterwards that others may notice if it holds, or if it does not. */
enum { JAVA_IDLE_IF = 0x40, JAVA_IDLE_ELSE = 0x80 };

/* What an object is beside its class: one of these, or of a Class the number of the class it stands for. */
#define JAVA_INDEX_OUT  UINT32_MAX       /* System.out as the program finds it */
#define JAVA_INDEX_ERR  (UINT32_MAX - 1) /* System.err */
#define JAVA_INDEX_OWES (UINT32_MAX - 2) /* a semaphore that has less than no permits */

/* Entries of the list. */
enum java_entry {
    JAVA_ENTRY_CLASS =
        'C', /* number, access (16), name, super, source, count (16) of fields: access (16), name, descriptor */
    JAVA_ENTRY_SITE =
        'S', /* number, class, line, place (16), kind (8), JAVA_GROUNDED and such (8), method, its descriptor, owner, name, descriptor */
    JAVA_ENTRY_TYPE = 'K',   /* number of an object's class, name, 1 (8) if it is the JDK's */
    JAVA_ENTRY_THREAD = 'T', /* thread, name */
    JAVA_ENTRY_LEFT = 'L',   /* class, method, why: left as it was */
    JAVA_ENTRY_WAIT =
        'W', /* kind (enum java_wait), object or 0, the thread's own object or 0, its name, class or thread waited for,
                who holds it, where: a thread that waits forever */
    JAVA_ENTRY_DIED = 'D', /* thread, exception: that nobody caught */
};

/* What a thread waits for. */
enum java_wait { JAVA_WAIT_LOCK = 1, JAVA_WAIT_NOTIFY, JAVA_WAIT_JOIN, JAVA_WAIT_OTHER };

/* What is told of a site: what its events stand on is; what it reads has a label. */
enum { JAVA_GROUNDED = 1, JAVA_LABELLED = 2 };

/* Kinds of sites: the opcode, or one of these. */
enum java_site {
    JAVA_SITE_METHOD = 1,        /* a synchronized method */
    JAVA_SITE_ATOMIC = 2,        /* a method that is meant to be atomic, … */
    JAVA_SITE_DETERMINISTIC = 3, /* … deterministic */
    JAVA_SITE_INITIALIZER = 4,   /* the end of a static initializer */
    JAVA_SITE_HOOK = 5,          /* a hook in a class of the JDK */
    JAVA_SITE_LOADS = 6,         /* a method of a class loader that the machine calls */
    JAVA_SITE_RUNS = 7,          /* a thread runs code of the class for the first time */
};

/* The gate of a machine that follows a script (runtime/protocol/session.h): a file mapped into it, which also
 * shows how far it got. Threads of the log have a slot each, by number; threads beyond the last run freely. */
#define JAVA_GATE_MAGIC UINT64_C(0x3165746167766a68) /* "hjvgate1" */
enum { JAVA_GATE_THREADS = 4096 };

/* A thread waits for a lock, or for anything else. */
enum { JAVA_STUCK_LOCK = 1, JAVA_STUCK_WAIT = 2 };

struct java_gate_thread {
    uint64_t begun;     /* ordinal of the record it made last or is about to make */
    uint64_t allowed;   /* ordinal up to which it goes on without asking */
    uint32_t waiting;   /* in a wait that the runtime looks after: 1; with a time-out: 2 */
    uint32_t in_call;   /* its last record tells of a call that has not returned */
    uint32_t script;    /* number in the script, plus one; 0: not known there */
    uint32_t stuck;     /* when nobody could move: JAVA_STUCK_… */
    uint32_t wanted;    /* the monitor that it asked for last, … */
    uint32_t busy;      /* it prints or ends the process: nobody else may do anything until it asks again */
    uint64_t wanted_at; /* … and the ordinal of the record that it makes when it has it */
    uint64_t polls;     /* how often it checked, in a wait, whether the wait is over, in vain */
    uint64_t spare;
};

struct java_gate {
    uint64_t magic;
    uint32_t state;    /* enum script_state */
    uint32_t trouble;  /* enum script_trouble */
    uint64_t at;       /* steps done */
    uint32_t deadlock; /* no thread could continue; the machine was ended */
    uint32_t over;     /* the script is: waits end by themselves again */
    uint32_t explores; /* everything that exploration needs is recorded */
    uint32_t exits;    /* a thread ends the process: the others stay where they are */
    uint32_t strayed;  /* others went on although a thread was in the middle of something */
    uint32_t
        drawn; /* after the script, who goes on and who is notified is drawn from this seed; 0: the next one in order */
    uint64_t spares[2];
    struct java_gate_thread threads[JAVA_GATE_THREADS];
};

/* Access flags of fields that the converter asks for (as in class files). */
enum java_access { JAVA_STATIC = 0x0008, JAVA_FINAL = 0x0010, JAVA_VOLATILE = 0x0040 };
