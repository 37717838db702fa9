/* The steps of a run that other threads may notice, in their order, for brute force (every.c). Only what the run shows is used. */
#pragma once
#include "base/map.h"
#include "explore/history.h"
#include "explore/learn.h"

enum touch_how {
    TOUCH_READ,
    TOUCH_WRITE, /* or uses an object: no other use of it can change places with this one */
    TOUCH_TAKE,  /* the same of a lock that it waits for, and takes alone */
    TOUCH_FORK,  /* at: the thread */
    TOUCH_JOIN,
};

struct every_touch {
    uint64_t at, length;
    enum touch_how how;
};

/* A step that others may notice. */
struct every_mark {
    uint32_t thread;
    uint8_t kind; /* as in struct planned */
    bool
        repeats; /* the loop of the thread is where it was a round ago, and has seen nothing new: no order need go on from there */
    bool vague;  /* what it touches is not known: it changes places with nothing */
    uint64_t position; /* UINT64_MAX: the end of the process */
    size_t touches, touches_count;
};

/* A lock changes hands. */
struct every_lock {
    uint64_t at;
    size_t mark; /* that it belongs to */
    uint32_t thread;
    uint32_t kind; /* MOVE_ACQUIRE, MOVE_RELEASE or MOVE_NEW */
};

struct every_marks {
    struct every_mark *marks;
    size_t marks_count, marks_capacity;
    struct every_touch *touches; /* of all marks, in their order */
    size_t touches_count, touches_capacity;
    struct every_lock *locks;
    size_t locks_count, locks_capacity;
    uint64_t ended; /* threads that came to their end, as bits */
    uint32_t awaits
        [EXPLORE_THREADS]; /* by thread: whose end it waits for when the run ends, plus one; 0: nobody's */
};

/* The marks of a run, to be freed. `shared`: bytes that several threads use (every_note_touched). */
void every_marks_of(const struct deeds *deeds, enum lesson_end end, bool java, const struct map *shared,
                    struct every_marks *to);
void every_marks_free(struct every_marks *marks);

/* Adds what the run touches; true: more bytes turn out to be shared, so that marks made before are too few. */
bool every_note_touched(const struct deeds *deeds, struct map *shared);

/* The thread's next mark after the first `count`; NULL: the run shows none. */
const struct every_mark *every_next(const struct every_marks *marks, size_t count, uint32_t thread);

/* Whether the thread can make its next step after the first `count` marks, as far as that is plain: it has been created and has not ended,
 * the thread that it joins has ended, and nobody else holds the lock that it takes. */
bool every_may_go(const struct every_marks *marks, size_t count, uint32_t thread);

/* Whether two steps of different threads, both of which can be made, may change places and nobody notices. */
bool every_commute(const struct every_marks *of_a, const struct every_mark *a, const struct every_marks *of_b,
                   const struct every_mark *b);
