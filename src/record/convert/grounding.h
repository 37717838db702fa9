/* Grounds of recorded events (semantics §1): turns labels, as the program's code reports them, into lists of
 * reads.
 *
 * Each thread's labels are counted as its records come. A label stands for reads: of a read that became an
 * event, for that event; of one that was dropped because its variable is not shared, for what the value there
 * was made of, which is remembered for each word of such memory. What decides is collected until the thread's
 * next event, whose `by` it is: earlier decisions are grounds of earlier events, which a run that holds this
 * one holds, too. A write also names its thread's last comparison of the variable itself, so that a check
 * and the write that follows from it are found together, unless the threads met in between or wrote to it. */
#pragma once
#include "base/map.h"
#include "record/convert/compared.h"
#include "record/convert/read_sets.h"
#include "runtime/protocol/session.h"
#include "trace/trace.h"

struct converter;

enum {
    GROUNDING_WRITES = 16,
    GROUNDING_ITEMS = 12,
    GROUNDING_RECENT = 1 << 14,
    GROUNDING_DECIDED = 256,
    GROUNDING_NEAR = 1024,
    GROUNDING_WORDS = 2048 /* of a page */
};

/* A read that decides, and the values that lead the same way; no ranges: none but the one it saw. */
struct deciding_read {
    uint32_t event;
    bool idle; /* nothing depends on it once the function that compared has returned */
    uint32_t range_count;
    struct value_range ranges[COMPARED_RANGES];
};

/* A label that stands for some read. */
struct known_label {
    uint32_t label;
    read_set reads;
    struct seen_number seen; /* of one read of a whole variable; TYPE_UNKNOWN: no number */
};

/* A read of several variables at once, one event each: which bytes of its value are whose. */
enum { SPLIT_PARTS = 4, SPLIT_READS = 1 << 10 };
struct split_read {
    uint32_t thread, label;
    uint64_t value;
    unsigned size, count;
    struct split_part {
        uint32_t event;
        unsigned offset, length;
        struct seen_number seen;
    } parts[SPLIT_PARTS];
};

struct grounding_thread {
    uint32_t labels;    /* so far */
    uint32_t forgotten; /* labels up to this one that stood for some read may be forgotten */
    struct known_label *known;
    size_t known_count, known_capacity;

    bool all; /* all that was read decides the next event */
    struct deciding_read by[GROUNDING_ITEMS];
    uint32_t by_count;
    uint32_t decided[GROUNDING_DECIDED]; /* reads that decided some event, by their last bits */

    struct printing { /* what the thread's next output may print */
        read_set reads;
        uint64_t pc; /* of the call that read it; 0: its caller did */
    } printing[GROUNDING_ITEMS];
    uint32_t printing_count;

    uint32_t met;          /* the last event at which it met another thread */
    uint32_t synchronized; /* its last event that is no access */
    uint32_t all_decided;  /* its last event that every earlier read decided */

    struct own_write {
        uint32_t event;
        variable_id variable;
    } writes[GROUNDING_WRITES]; /* its last ones */
    uint32_t writes_made;       /* ever */

    uint32_t from;      /* the label of the value that is written next */
    read_set from_more; /* what it is made of besides */
    unsigned from_how;
    uint64_t from_old;
    uint64_t copy, copy_length; /* private memory that a copy is made to, whose read comes next */
};

struct grounding {
    bool any;                  /* some event has grounds */
    struct htr_writer *writer; /* of the events */
    struct grounding_thread *threads;
    size_t threads_count, threads_capacity;
    struct read_sets sets;

    struct map memory; /* page of private memory → index + 1 in `pages` */
    struct grounding_page **pages;
    size_t pages_count, pages_capacity;
    struct near_page {
        uint64_t number;             /* plus one */
        struct grounding_page *page; /* NULL: there is none */
    } near[GROUNDING_NEAR];          /* those asked for last, by the last bits of their numbers */
    size_t tainted;                  /* words that are made of some read */

    struct recent_read { /* by the last bits of its event number: what it read */
        uint32_t event;
        variable_id variable;
    } * recent;
    struct variable_view { /* what a thread knows of a variable */
        uint32_t thread;   /* plus 1; 0: nobody has looked */
        uint32_t look;     /* its last read of it */
        uint32_t check;    /* index + 1 of its last decision on it; 0: it never made one */
        uint32_t next;     /* that of another thread: index + 1 in `views` */
    } * viewed;            /* by variable: the view that was used last */
    size_t viewed_count, viewed_capacity;
    struct variable_view *views; /* the others */
    size_t views_count, views_capacity;
    struct deciding_read *check;
    size_t check_count, check_capacity;

    struct event_set printed;
    grounds_id undecided; /* of an event that nothing decided on; GROUNDS_NONE: there was none so far */

    uint32_t thread; /* the running one */
    uint32_t next;   /* the number of the event that is put next */

    /* The record that is being turned into events. */
    uint64_t bits; /* RECORD_GROUND_BITS */
    uint64_t pc;
    bool unused;             /* nobody sees what the event that is put next reads */
    read_set label;          /* what its label stands for, so far, and: */
    struct read_list events; /* those that were made of it */
    struct seen_number seen;
    struct split_read split;
    struct split_read *splits; /* the last ones, by the last bits of their labels */
};

void grounding_init(struct grounding *grounding);
void grounding_free(struct grounding *grounding);

/* The grounding of a conversion, for the thread that runs and the event that comes next. */
struct grounding *grounding_now(struct converter *converter);

/* Whether the record only tells about grounds; then it is taken. */
bool grounding_record(struct converter *converter, const struct record *record);

/* Whether nothing that was left out of a batch, for these records, can stand for some read. */
bool grounding_can_skip(struct converter *converter, const struct record *records, size_t count);

/* Before the events of a record. */
void grounding_begin(struct converter *converter, const struct record *record);

/* Bytes of an access whose variable is not shared. */
void grounding_dropped(struct converter *converter, const struct record *record, uint64_t address,
                       uint64_t length);

/* All of a record: a plain access of a few bytes, whose variables are not shared. */
void grounding_plain(struct converter *converter, const struct record *record);

/* An access that becomes the event `e`: sets its grounds. */
struct accessed {
    enum value_type type;    /* of the variable; TYPE_UNKNOWN: its values are no numbers */
    bool whole;              /* the event is all of the access; if not: */
    unsigned offset, length; /* its bytes */
    uint64_t old;            /* of an atomic change: the number before */
    enum library_part { LIBRARY_NONE, LIBRARY_OTHER, LIBRARY_WAIT } library; /* C++'s that makes the change */
};

/* What was there before the atomic change that is being looked at, as it was in memory. */
uint64_t grounding_old(struct converter *converter);
void grounding_access(struct grounding *grounding, struct event *e, const struct accessed *what);

/* An access to the variable comes: fetches what threads know of it. */
static inline void grounding_expect(const struct grounding *grounding, variable_id variable)
{
    if (variable < grounding->viewed_count)
        __builtin_prefetch(&grounding->viewed[variable]);
}

/* The same once that is there. */
static inline void grounding_expect_more(const struct grounding *grounding, variable_id variable)
{
    const struct variable_view *view = variable < grounding->viewed_count ? &grounding->viewed[variable] : NULL;

    if (view && view->check)
        __builtin_prefetch(&grounding->check[view->check - 1]);
    if (view && view->next)
        __builtin_prefetch(&grounding->views[view->next - 1]);
}

/* Any other event of the running thread; a read that its call adds to it, whose value nobody sees. */
void grounding_event(struct grounding *grounding, struct event *e);

/* The same of a write that frees memory. */
void grounding_freed(struct grounding *grounding, struct event *e);
void grounding_use(struct grounding *grounding, struct event *e);

/* The event is in the trace, as number `number`. */
void grounding_put(struct grounding *grounding, const struct event *e, uint32_t number);

/* The read `e` is left out of the trace: it repeats event `number`, which stands for it from now on. */
void grounding_poll(struct grounding *grounding, const struct event *e, enum value_type type, uint32_t number);

/* The running thread is about to print what these reads saw; it prints, from the call at `pc`. */
void grounding_printing(struct grounding *grounding, read_set reads, uint64_t pc);
void grounding_output(struct grounding *grounding, uint64_t pc);

/* After all events of an access. */
void grounding_end(struct converter *converter, const struct record *record);
