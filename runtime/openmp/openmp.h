/* An OpenMP library over POSIX threads, for programs that are recorded.
 *
 * A recorded program uses this library instead of gcc's libgomp, whose threads synchronize by futex calls that the
 * recorder does not see. Every order that OpenMP guarantees is a call that the recorder sees: creating a thread, a
 * barrier, a mutex, a semaphore. OpenMP leaves open which thread gets which chunk, section, task or `single`. The lists
 * and counters that decide this are not instrumented, so they order nothing: a prediction holds for every
 * implementation that distributes the work as it was recorded.
 *
 * Only one thread waits on each semaphore, or the waiting thread posts the token back. Otherwise a prediction could hand
 * a token to a thread that the library's lists would not have woken.
 *
 * The functions that programs call have the names and the interface of libgomp. */
#pragma once
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

typedef void region_function(void *);
typedef unsigned long long ull;

enum schedule { SCHEDULE_STATIC = 1, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED, SCHEDULE_AUTO };
enum { MOST_LEVELS = 64 };

/* A worksharing construct that the members of a team share out: its iterations are numbered from 0. */
struct work_share {
    struct work_share *next;
    uint64_t ordinal;       /* how many the team met before it */
    _Atomic uint64_t taken; /* iterations or sections that are given away */
    void *copied;           /* what `single copyprivate` hands round */
    sem_t *turns; /* one for each chunk whose ordered part may run, or each iteration that was posted */
};

/* What a member knows of the loop it is in. */
struct work_loop {
    struct work_share *share;
    enum schedule schedule;
    uint64_t count, chunk, trip; /* trip: chunks of a static schedule this member has had */
    uint64_t ordinal;            /* the chunk it works on, if ordered */
    bool ordered, in_chunk, has_turn;
    ull start, end, step;
    uint64_t first, last;   /* iterations of the chunk */
    uint64_t dimensions[8]; /* of nested loops that wait for each other's iterations */
    unsigned dimension_count;
};

struct task_group {
    struct task_group *outer;
    uint64_t made;  /* tasks in it, and in groups inside */
    sem_t finished; /* a token for each that has */
    uintptr_t *reductions;
};

struct task {
    region_function *run;
    void *data, *memory; /* its arguments; the block they are in */
    struct task *parent, *next;
    struct team_member *creator;
    struct task_group *group;
    bool final, undeferred;
    int priority;
    sem_t ready;                  /* its creator's token */
    uint64_t unwaited;            /* children nobody has waited for yet */
    sem_t finished;               /* a token for each child that has */
    bool kept, over;              /* others may look at it until the team ends; it has finished */
    uint64_t missing;             /* tasks it depends on that have not finished */
    struct task_link *after;      /* those it depends on */
    struct task_link *followers;  /* those that depend on it */
    sem_t done;                   /* a token when it has finished, for whoever comes after it */
    struct depend_place **places; /* what its children depend on */
};

struct team_member {
    struct team *team;
    unsigned number;
    uint64_t met;   /* worksharing constructs so far */
    uint64_t phase; /* barriers so far */
    struct work_loop loop;
    struct task *task;
    struct task implicit;
    uint64_t ran; /* tasks */
    bool idle;    /* waits at a barrier for tasks, or for the others */
    bool woken;   /* it was, and is about to look for a task */
    sem_t wake;   /* a token for that */
};

/* Settings that OpenMP calls internal control variables. */
struct controls {
    unsigned threads, limit, levels;
    bool dynamic;
    enum schedule schedule;
    ull chunk;
};

struct team {
    unsigned size, level, active_level;
    struct controls controls; /* the creator's, which its members begin with */
    struct team_member *creator;
    struct team_thread **workers; /* the first of those that run it */
    region_function *run;
    void *data;
    struct work_loop
        first; /* of `parallel for` and `parallel sections`: the construct every member is in at once */
    bool has_first;
    pthread_barrier_t barrier;
    _Atomic bool lock; /* of all that follows, which nobody else sees */
    struct work_share *shares;
    struct task *queue, **queue_end;
    struct task *kept;   /* finished tasks whose children may still post */
    uint64_t unfinished; /* tasks */
    uint64_t arrived;    /* at barriers, in programs with tasks */
    struct team_member members[];
};

/* Functions of the runtime, NULL where there is none: the hooks of a read and a write of some bytes; the function at
 * `callee` is called next, with arguments that stand on no read; what this thread does next stands only on what the
 * program's code decided so far. */
#define OF_RUNTIME __attribute__((weak))
OF_RUNTIME void __tsan_read_range(void *at, size_t length);
OF_RUNTIME void __tsan_write_range(void *at, size_t length);
OF_RUNTIME void heddle_call_1(uintptr_t callee);
OF_RUNTIME void heddle_vouch_1(void);

/* The program's memory was written here. */
static inline void program_written(void *at, size_t length)
{
    if (__tsan_write_range)
        __tsan_write_range(at, length);
}

/* The calling thread's place in its team; a thread outside of any parallel region is a team of one. */
struct team_member *member_self(void);

/* Begins a region of `wanted` threads (0: as many as usual) and returns the caller's place in it. */
struct team_member *team_begin(region_function *run, void *data, unsigned wanted,
                               const struct work_loop *first);
/* Waits for the members and their tasks. */
void team_end(struct team_member *m);
/* All members and all tasks made so far have come here. */
void team_barrier(struct team_member *m);
void team_lock(struct team *team);
void team_unlock(struct team *team);
/* Calls a function of the program, whose argument stands on no read. */
void program_run(region_function *run, void *data);

/* The worksharing construct the member meets next, with as many `turns`; `first` tells who met it first. */
struct work_share *share_meet(struct team_member *m, uint64_t turns, bool *first);
/* Frees the constructs that every member has left: called by one of them behind a barrier. */
void share_forget(struct team_member *m);

/* Takes the next chunk of the member's loop into `first` and `last`; false when none is left. */
bool loop_take(struct team_member *m);
/* Describes a loop; `up` and the step as gcc gives them. */
struct work_loop loop_of(bool up, ull start, ull end, ull step, enum schedule schedule, ull chunk,
                         bool ordered);
/* The schedule that OMP_SCHEDULE or omp_set_schedule chose. */
enum schedule schedule_chosen(ull *chunk);

/* All members are at the barrier, and no task is left: until then the caller runs tasks. */
void tasks_meet(struct team_member *m);
/* The program has tasks: its barriers run them. */
bool tasks_used(void);
/* Finds out which unfinished siblings a new task has to wait for; under the team's lock. */
void depend_register(struct task *parent, struct task *t, void **depend);
/* Waits for them. */
void depend_wait(struct task *t);
/* The task has finished: those that waited for it alone are queued; under the team's lock. */
void depend_finish(struct team *team, struct task *t);
/* Frees what is known of the children's dependences. */
void depend_free(struct task *parent);
void task_queue(struct team *team, struct task *t);

/* Makes private copies of what the group's tasks reduce into. */
void reduction_register(struct team_member *m, uintptr_t *description);

/* The calling thread's. */
struct controls *controls_get(void);

/* Ends the program: this library lacks the construct. */
_Noreturn void openmp_lacks(const char *what);
/* calloc that does not fail. */
void *openmp_new(size_t size);
