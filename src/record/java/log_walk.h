/* The state of a conversion of a Java log, for its files: log_objects.c knows objects, threads and names,
 * log_variables.c variables, log_survey.c goes over the log first, its calls in log_calls.c, log_convert.c writes the trace. */
#pragma once
#include "base/map.h"
#include "record/convert/grounding.h"
#include "record/convert/wants.h"
#include "record/java/jdk_calls.h"
#include "record/java/jdk_edges.h"
#include "record/java/log_convert.h"
#include "trace/htr.h"
#include "trace/validate.h"

enum java_space { SPACE_FIELD, SPACE_STATIC, SPACE_ELEMENT, SPACE_ATOMIC, SPACE_CONTENTS, SPACES };

enum { INVOKE_SPECIAL = 183, OPEN_MOST = 32, NO_THREAD = 0 };

/* Stand for objects: all tasks given to pools, all tasks done. */
#define GIVEN_TASKS UINT32_C(0)
#define DONE_TASKS  UINT32_MAX
/* All threads that have ended; all accesses to volatile fields, and calls that may be such. */
#define ENDED_THREADS   (UINT32_MAX - 1)
#define UNSEEN_ACCESSES (UINT32_MAX - 2)
/* All that was sent through pipes, sockets and processes; all that was done before an object was finalized, … before there was a
 * second thread. */
#define SENT_DATA   (UINT32_MAX - 3)
#define DONE_BEFORE (UINT32_MAX - 4)
#define DONE_ALONE  (UINT32_MAX - 5)
/* What the JDK calls back under its own locks; calls of methods that only the machine knows. */
#define CALLED_BACK    (UINT32_MAX - 6)
#define UNSEEN_CALLS   (UINT32_MAX - 7)
#define FIRST_STAND_IN UNSEEN_CALLS

struct java_object {
    uint32_t type;
    uint32_t thread;     /* that it is, or 0 */
    uint32_t owner;      /* the object that it is a view of, or a condition of, or 0 */
    uint32_t monitor;    /* of one that is a lock itself: stands for its monitor; or 0 */
    uint32_t monitor_of; /* the lock whose monitor this one stands for, or 0 */
    uint32_t number;     /* in names; 0: none yet */
    uint32_t lock, condition, barrier, semaphore; /* names in the trace, + 1 */
    uint32_t parties; /* of a barrier: those of each generation; 0 before the first */
    uint32_t entered, generation;
    uint32_t holders; /* of a lock, as far as the first walk knows */
    uint32_t taker;   /* of a semaphore: who took last and has not given back, or 0 */
    uint8_t family;
    bool derived;    /* its class is the program's own */
    uint32_t caller; /* the first thread that called it, */
    bool shared;     /* and others did, too */
    bool opaque;     /* its calls do not follow the simple pattern: only their order is kept */
    bool counts;     /* a semaphore that is not taken and given back in turn, as a lock is */
    bool handed;     /* some of its calls are by reflection or by a method handle, and not seen */
};

struct java_variable {
    uint32_t object, sub; /* sub: field, or index */
    uint32_t thread;      /* the first that touched it */
    uint32_t id;          /* in the trace, + 1 */
    uint8_t space;
    bool shared, written, known, unseen;
    char letter;   /* of its type */
    read_set made; /* where it is left out: what it holds is made of */
    uint64_t held;
};

/* A call that has begun. */
struct java_open {
    uint32_t site, object;
    bool gives, takes, looks;
    bool inside; /* only what the thread does inside gives and takes */
};

struct java_thread {
    uint64_t first, last; /* slots */
    uint64_t told;        /* the last slot that tells what its events stand on */
    uint32_t object;      /* its Thread */
    uint32_t id;          /* in the trace, + 1 */
    uint32_t waits_on;    /* object that it waits on, + 1 */
    uint32_t wait_lock;   /* the lock given up for it, and how many times it was held */
    uint32_t wait_depth;
    uint32_t wait_site;
    bool forked;         /* its start is in the trace; one method that starts it may call another */
    uint32_t start_site; /* of a call of Thread.start under way, or 0 */
    uint64_t surveyed;   /* records gone over so far */
    uint64_t records;    /* written so far: its position */
    bool ends;           /* was seen to */
    bool signalled;      /* some thread interrupts or unparks it */
    uint32_t inside;     /* the class whose code it ran last, … */
    uint32_t known;      /* … and how many classes were initialized then */
    uint32_t barrier;    /* that it has come to with its last record, + 1 */
    uint32_t number;     /* in the journal */
    uint64_t optimistic; /* the first slot under the optimistic stamp that it has, or 0; */
    uint32_t stamped;    /* of this lock */
    struct java_open open[OPEN_MOST];
    unsigned open_count;
};

struct java_converter {
    const struct java_record *records;
    uint64_t count;
    struct java_list *list;
    struct java_object *objects; /* by number */
    size_t objects_count, objects_capacity;
    struct java_thread *threads; /* by number */
    size_t threads_count, threads_capacity;
    struct map variable_of[SPACES];
    struct java_variable *variables;
    size_t variables_count, variables_capacity;
    uint8_t *discarded;     /* bits by slot: reads that the program does not use; NULL: there are none */
    uint16_t *effects;      /* by site: what its last call was, if of the same kind of object */
    struct map generations; /* (barrier, thread) → generation + 1 at its entry */
    struct map depths;      /* (lock object, thread) → how often it is held */
    struct java_edges edges;
    uint32_t last_number;
    uint32_t initialized; /* classes so far */
    bool field_calls;     /* there are calls that access fields, */
    bool unseen_order;    /* and all orders with such calls are kept */
    uint32_t ending;      /* the thread that ends the machine, or NO_THREAD */
    uint32_t finalizer;   /* the thread that finalizes objects, or NO_THREAD */
    bool collects;        /* something is done because the collector found an object that nobody can get at */
    uint32_t skipper;     /* the thread that records were taken out of, or NO_THREAD */
    bool skipping;        /* and it has made none since */

    struct trace trace; /* names only */
    struct map places;  /* site → location + 1 */
    struct map uses;    /* hash of a thread's name → how many */
    struct validator validator;
    struct htr_writer *writer;
    size_t next_in, next_out; /* edges to come */
    struct journal *journal;
    struct map numbered; /* objects: threads whose start was seen */
    uint64_t *ticks;     /* by event; NULL if not wanted */
    size_t ticks_count, ticks_capacity;
    uint32_t *bytecodes;
    size_t bytecodes_count, bytecodes_capacity;
    bool keep_ticks;
    bool partial;       /* only what threads share was recorded */
    struct wants wants; /* accesses to be kept in any case */
    uint64_t position;  /* of the record being written */
    const struct java_record *writing;
    struct java_conversion *result;
    struct grounding grounding;
    uint8_t *types; /* by variable: enum value_type */
    size_t types_count, types_capacity;
};

/* What a record is about. */
struct java_action {
    enum java_effect effect;
    uint32_t object; /* what it acts on: the owner of a view */
    uint32_t lock;   /* of locks and conditions: the object that is locked */
    bool monitor;    /* waits on or notifies an object's monitor, not a condition */
    bool shared;     /* in reader mode */
};
struct java_action java_action(struct java_converter *c, const struct java_record *r);

static inline unsigned java_kind_of(const struct java_record *r)
{
    return r->word & 0xff;
}

static inline uint32_t java_thread_of(const struct java_record *r)
{
    return r->word >> 8;
}

/* Whether the record has no part in its thread's positions. */
static inline bool java_is_aside(const struct java_record *r)
{
    return (java_kind_of(r) == JAVA_OUT || java_kind_of(r) == JAVA_ENDS) && r->value == 2;
}

/* Whether it records an action of a thread of the program, other than its end. */
static inline bool java_is_work(const struct java_record *r)
{
    unsigned kind = java_kind_of(r);

    return kind > JAVA_THREAD && kind < JAVA_ENDS && java_thread_of(r) != NO_THREAD;
}

/* Whether it stands for records that are no longer there. */
static inline bool java_is_skipped(const struct java_record *r)
{
    return java_kind_of(r) == JAVA_SKIPPED && java_thread_of(r) != NO_THREAD;
}

/* Whether it tells what events stand on. */
static inline bool java_is_ground(const struct java_record *r)
{
    unsigned kind = java_kind_of(r);

    return kind >= JAVA_UNION && kind <= JAVA_OUTPUT && java_thread_of(r) != NO_THREAD;
}

/* Whether it is a read whose result the program does not use. */
static inline bool java_is_discarded(const struct java_converter *c, const struct java_record *r)
{
    uint64_t slot = (uint64_t)(r - c->records);

    return c->discarded && c->discarded[slot / 8] >> slot % 8 & 1;
}

/* log_optimistic.c: finds those reads. */
void java_follow_stamps(struct java_converter *c);

/* log_objects.c */
void java_meet_objects(struct java_converter *c);
const char *java_object_type(const struct java_converter *c, uint32_t object);

/* Adds what the virtual machine reported to how the run ended. */
void java_fill_end(struct java_converter *c, struct trace_end *end);

/* The object as traces name it: "Object@2". */
void java_object_in_words(struct java_converter *c, uint32_t object, char *to, size_t room);
uint32_t java_owner(const struct java_converter *c, uint32_t object);

/* The lock that synchronized code takes: another one than that of a ReentrantLock's own methods. */
uint32_t java_monitor(const struct java_converter *c, uint32_t object);

/* wording.c */
thread_id java_thread_name(struct java_converter *c, uint32_t thread);
/* log_reach.c: the places of accesses, and those that the log has records of. */
struct code_reach;
void java_reach(struct java_converter *c, struct code_reach *reach);

location_id java_place_name(struct java_converter *c, uint32_t site);
variable_id java_variable_name(struct java_converter *c, struct java_variable *v);
uint32_t java_object_name(struct java_converter *c, uint32_t *id, enum name_class class, uint32_t object,
                          uint32_t site);
uint32_t java_channel_name(struct java_converter *c, struct java_channel *channel);

/* log_journal.c: numbers the threads, as the script does if there is one. */
void java_journal_threads(struct java_converter *c, const struct script_thread *threads, size_t count);
/* A record's position in its thread; an event of it, which goes into the trace. */
void java_journal_record(struct java_converter *c, const struct java_record *r);
void java_journal_event(struct java_converter *c);
/* What the thread learned from outside. */
void java_journal_input(struct java_converter *c, const struct java_record *r);
/* Names of the threads, when all are known; false when the run is too long to be repeated, or part of it is not in the log. */
bool java_journal_end(struct java_converter *c);

/* log_variables.c: the variable of an access; NULL when it is none that counts. */
struct java_variable *java_variable_at(struct java_converter *c, const struct java_record *r);
struct java_variable *java_contents(struct java_converter *c, uint32_t object);
uint64_t java_value(const struct java_variable *v, uint64_t raw);
bool java_is_write(struct java_converter *c, const struct java_record *r);
bool java_is_read(struct java_converter *c, const struct java_record *r);
bool java_is_access(const struct java_record *r);
/* Whether it changed the variable only because that held what was expected. */
bool java_is_conditional(const struct java_converter *c, const struct java_record *r);
bool java_is_volatile(const struct java_converter *c, const struct java_variable *v);
/* Of an atomic variable whose class is the program's own only some calls are known as such, those by the name
 * of the JDK's class: of all of them the order is kept. */
bool java_is_derived_atomic(const struct java_converter *c, const struct java_record *r);

/* log_survey.c: goes over the log. */
void java_survey(struct java_converter *c);

/* log_grounds.c: a record that tells what events stand on; the begin of another one, and its end. */
void java_ground_record(struct java_converter *c, const struct java_record *r);
void java_ground_begin(struct java_converter *c, const struct java_record *r);
void java_ground_end(struct java_converter *c, const struct java_record *r);
/* Reads that are no longer in the log: in every run they saw what they saw. */
void java_ground_skipped(struct java_converter *c, const struct java_record *r);
/* An access that becomes the event; one that is left out; any other event; an event that was written. */
void java_ground_access(struct java_converter *c, const struct java_record *r, const struct java_variable *v,
                        struct event *e);
void java_ground_dropped(struct java_converter *c, const struct java_record *r, struct java_variable *v);
void java_ground_event(struct java_converter *c, struct event *e);
void java_ground_put(struct java_converter *c, const struct event *e);

/* log_events.c: writes a record as events, with what comes in before it and what goes out after it. */
void java_write_record(struct java_converter *c, const struct java_record *r, uint64_t slot);

/* Whether calls on a plain object are written as accesses only. */
static inline bool java_kept(const struct java_variable *v)
{
    return v->shared && v->written && !v->unseen;
}
