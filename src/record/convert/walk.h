/* The state of a conversion, for its files: survey.c has the first walk and what both walks do alike, convert.c
 * the second, accesses.c the part of it that is about variables, sync_events.c the one about locks and their like,
 * keep.c what it keeps of the run itself. */
#pragma once
#include "record/convert/aliases.h"
#include "record/convert/atomic_evidence.h"
#include "record/convert/callers.h"
#include "record/convert/cells.h"
#include "record/convert/convert.h"
#include "record/convert/grounding.h"
#include "record/convert/lives.h"
#include "record/convert/polls.h"
#include "record/convert/semaphore_counts.h"
#include "record/convert/survey_labels.h"
#include "record/convert/wants.h"
#include "trace/htr.h"
#include "trace/journal.h"
#include "trace/validate.h"

/* Something that is initialised once: as many posts as threads see it done (semantics §1 has no "after this"). */
struct once {
    uint32_t seen; /* threads, counted in the first walk */
    bool done;
};

/* What a variable was last seen to hold. There may be millions. */
struct held {
    uint64_t value;
    bool known;
    bool together;  /* it was stored with others, at once */
    uint32_t shape; /* what is known of its type, in `shapes`; the first of them is nothing */
};

struct shape {
    struct spelling spelling;
    uint64_t local; /* the local variable it is, 0: none */
};

/* What is remembered of a thread while its slices go by. */
struct kept_thread {
    uint64_t ticks;
    uint32_t children;
};

enum { NAMELESS = 1024, SHAPES_RECENT = 256 };

struct converter {
    struct cells cells;
    struct naming naming;
    uint64_t *pointed; /* addresses that values show by name */
    size_t pointed_count, pointed_capacity;
    struct map pointed_at;  /* id of such a name → index of its address, plus 1 */
    struct callers callers; /* second walk */
    uint64_t pc;            /* of the record being looked at */
    bool binary;            /* the program is not instrumented */
    bool unnamed;           /* first walk: it is not known what function the thread began in */
    uint32_t called;        /* the thread whose name is being read, plus one */
    bool stacked;           /* first walk: it is told which calls are under way */
    struct atomics atomics;
    struct map untyped; /* variables counted as such */
    uint32_t thread;    /* of the next record */
    uint64_t last_pc;   /* of the last record that has one */
    uint64_t module;    /* where the module whose name is being read was loaded */
    bool instrumented;
    char path[4096];
    size_t path_wanted, path_count;
    struct record *rest; /* first walk: of the batch, without its plain accesses */
    size_t rest_count, rest_capacity;
    uint64_t left_out;  /* of these, since the batch began */
    uint64_t ticks_out; /* their ticks, since the last record that is not left out */
    bool any_out;       /* there is one since then */
    struct batch_rest told;
    struct aliases aliases;         /* at the record being looked at */
    struct map used;                /* locks and their like whose uses are left out: 1 */
    uint64_t unused_uses;           /* how many these are: no variables of the program */
    struct semaphore_tokens tokens; /* of semaphores that are initialised */
    struct code_reach *reach;       /* first walk: gets the addresses of records; or NULL */
    struct wants wants;             /* first walk: accesses to be kept in any case */
    struct record block;            /* a declared block whose name is being read; word 0: it is a module's */
    bool block_named;               /* the name is whole, in `path` */
    char plain[1024];               /* modules that are not instrumented */
    struct map onces;               /* cell id → index + 1 */
    struct once *once;
    size_t once_count, once_capacity;
    struct map saw; /* (once, thread) → 1 */
    struct map
        guards; /* address of a once object that the program looks at by itself, in static memory: index + 1 */

    struct trace trace; /* second walk: names, and which events free memory */
    struct validator validator;
    struct htr_writer *writer;
    uint64_t kept_accesses; /* records of accesses that became events */
    bool dropping;          /* all plain accesses of the batch are dropped */
    struct map objects;     /* address and class → index + 1 of the object that was last there */
    struct converted_object {
        uint64_t cell; /* where it is; the same address may be another cell's by now */
        uint32_t id;   /* plus one; 0: it is gone */
    } * object;
    size_t object_count, object_capacity;
    void (*fill_end)(void *to, struct converter *converter, struct trace_end *end); /* or NULL */
    void *fill_end_to;
    double seconds;    /* of processor time for the second walk; 0: no limit */
    uint32_t *threads; /* by thread: thread id + 1 */
    size_t threads_count, threads_capacity;
    uint32_t *waits; /* by thread: the condition or barrier it is at, plus one */
    size_t waits_count, waits_capacity;
    struct map looked; /* (variable, pc) → 1: a write of the same local, if it is one */
    struct held *held; /* by variable */
    size_t held_count, held_capacity;
    struct shape *shapes;
    size_t shapes_count, shapes_capacity;
    uint32_t blocks;             /* heap blocks so far */
    struct lives lives;          /* second walk */
    struct grounding grounding;  /* second walk */
    struct survey_labels survey; /* first walk */
    bool grounded;               /* first walk: some event has grounds */
    struct polls polls;          /* second walk */
    bool keep_polls;             /* leaves none out */
    uint8_t *types;              /* enum value_type, by variable */
    size_t types_count, types_capacity;
    struct conversion *result;

    struct journal journal;
    struct journal part;      /* slices and inputs that are not in the file yet */
    struct kept_thread *kept; /* by thread */
    size_t kept_count, kept_capacity;
    uint64_t tick;   /* of the running thread, at the record being read */
    bool running;    /* its slice has not ended */
    bool shown;      /* and has events */
    bool keep_ticks; /* and the slices and inputs */
    uint64_t *ticks; /* by event */
    size_t ticks_count, ticks_capacity;

    struct nameless {
        uint64_t pc;
        uint32_t path;
    } nameless[NAMELESS]; /* first walk: places asked lately that do not tell how the thread began */
    uint32_t shape_recent[SHAPES_RECENT]; /* those that were given out last, by what they are */
};

/* convert.c: the thread of the trace; an event, which is left out if it would make the trace impossible. */
thread_id converted_thread(struct converter *converter, uint32_t thread);
void converter_put_event(struct converter *converter, struct event *event);

/* sync_events.c: an event of the running thread at the place of the record, about nothing yet. */
struct event converted_event_at(struct converter *converter, const struct record *record, enum event_kind kind);

/* sync_events.c: a lock or its like was used; `kind` is that of the record, or one that it stands for. */
void write_sync(struct converter *converter, const struct record *record, unsigned kind);

/* sync_events.c: something that is initialised once was done, or seen done. */
void write_once(struct converter *converter, const struct record *record, bool done);

/* sync_events.c: the count that a semaphore begins with. */
void write_count(struct converter *converter, const struct record *record);

/* sync_events.c: what is at the address from now on is another object. */
void forget_object(struct converter *converter, uint64_t address);

/* keep.c: a poll was left out that repeats the event. */
void keep_poll(struct converter *converter, uint32_t event);

/* accesses.c: one event for each cell of the access that is kept. */
void converter_write_access(struct converter *converter, const struct record *record);

/* accesses.c: freed memory is written, as far as it is kept. */
void write_freed(struct converter *converter, const struct record *record);

/* accesses.c: the use of a lock or its like (is_use). */
void write_use(struct converter *converter, const struct record *record);

/* accesses.c: the memory order that a record carries. */
enum memory_ordering order_of(const struct record *record);

/* keep.c: every record of the second walk, before it is looked at. */
void keep_record(struct converter *converter, const struct record *record);

/* The same of a plain access. */
static inline void keep_plain(struct converter *c, const struct record *r)
{
    c->running = true;
    c->tick += r->pc >> RECORD_TICK_SHIFT;
}

/* keep.c: an event was made of the record; `own`: for the thread that was running. */
void keep_event(struct converter *converter, bool own);

/* keep.c: a file with hooks was loaded. */
void keep_module(struct converter *converter, const char *path);

/* keep.c: after the last record. */
void keep_finish(struct converter *converter);

/* keep.c: after that: what is known of the run goes into the file. */
void keep_write(struct converter *converter);

/* The entry of something that is initialised once. */
struct once *once_at(struct converter *converter, const struct record *record);

/* Whether this thread sees it done for the first time: what follows in the thread comes after anyway. */
bool first_sight(struct converter *converter, const struct once *once);

/* A look at the guard of a function-local static that is initialised: the compiler's way past the call. */
bool is_guard_looked_at(struct converter *converter, const struct record *record);

static inline bool is_guard_look(struct converter *c, const struct record *r)
{
    return c->once_count > 0 && is_guard_looked_at(c, r);
}

/* What both walks do alike with records that are no events. Returns whether it was one. */
bool walk_common(struct converter *converter, const struct record *record);

static inline uint64_t address_of(const struct record *r)
{
    return r->word & RECORD_ADDRESS;
}

static inline uint64_t pc_of(const struct record *r)
{
    return r->pc & RECORD_ADDRESS;
}

static inline uint64_t length_of(const struct record *r)
{
    return record_size(r->word) ? record_size(r->word) : r->value;
}

static inline bool record_is_access(unsigned kind)
{
    return kind >= RECORD_READ && kind <= RECORD_CAS;
}

/* Whether the record is of a call by which code with hooks uses a lock or its like: that touches its first
 * byte, and to make it or destroy it is a write. */
static inline bool is_use(const struct record *r)
{
    unsigned kind = record_kind(r->word);

    if (record_size(r->word) == 0 || is_channel(address_of(r)))
        return false;
    return kind == RECORD_NEW || kind == RECORD_ACQUIRE || kind == RECORD_SHARED_ACQUIRE ||
           kind == RECORD_TRY_FAIL || kind == RECORD_WAIT_PRE || kind == RECORD_NOTIFY ||
           kind == RECORD_NOTIFY_ALL || kind == RECORD_BARRIER_ENTER || kind == RECORD_POST ||
           kind == RECORD_SEM_WAIT;
}
