/* Parallel regions: teams, the threads they run on, barriers. */
#include "openmp.h"

#include <assert.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* A thread that waits for regions. The thread that made it is the only one to give it any. */
struct team_thread {
    struct team_thread *next;
    pthread_t thread;
    sem_t go, left;          /* a region to run; the worker has left it */
    struct team_member *job; /* NULL: end */
};

static _Thread_local struct team_member *self;
/* The calling thread's workers; those from `idle` on have no region. A nested region takes the next ones. */
static _Thread_local struct team_thread *workers, **idle;
static pthread_t initial_thread;
static struct team_thread **initial_workers;

void *openmp_new(size_t size)
{
    void *memory = calloc(1, size);

    if (!memory) {
        fputs("OpenMP: out of memory\n", stderr);
        abort();
    }
    return memory;
}

void openmp_lacks(const char *what)
{
    fprintf(stderr, "heddle: OpenMP's %s cannot be recorded: leave it out, or run the program without heddle\n",
            what);
    abort();
}

void team_lock(struct team *team)
{
    while (__atomic_exchange_n((bool *)&team->lock, true, __ATOMIC_ACQUIRE))
        sched_yield();
}

void team_unlock(struct team *team)
{
    __atomic_store_n((bool *)&team->lock, false, __ATOMIC_RELEASE);
}

/* What the library does next, it does because the program's code returned, not because of what that code
 * read. */
void program_run(region_function *run, void *data)
{
    if (heddle_call_1)
        heddle_call_1((uintptr_t)run);
    run(data);
    if (heddle_vouch_1)
        heddle_vouch_1();
}

static struct team *team_new(unsigned size, struct team_member *creator)
{
    struct team *team = openmp_new(sizeof *team + size * sizeof(struct team_member));

    assert(size > 0);
    team->size = size;
    team->creator = creator;
    if (creator) {
        team->level = creator->team->level + 1;
        team->active_level = creator->team->active_level + (size > 1);
    }
    pthread_barrier_init(&team->barrier, NULL, size);
    team->queue_end = &team->queue;
    for (unsigned i = 0; i < size; i++) {
        struct team_member *m = &team->members[i];

        m->team = team;
        m->number = i;
        m->task = &m->implicit;
    }
    return team;
}

struct team_member *member_self(void)
{
    if (!self)
        self = &team_new(1, NULL)->members[0];
    return self;
}

void team_barrier(struct team_member *m)
{
    assert(m->number < m->team->size);
    if (tasks_used())
        tasks_meet(m);
    if (m->team->size > 1)
        pthread_barrier_wait(&m->team->barrier);
    m->phase++;
    if (m->number == 0)
        share_forget(m);
}

static void member_run(struct team_member *m)
{
    struct team *team = m->team;

    self = m;
    *controls_get() = team->controls;
    if (team->has_first) {
        m->loop = team->first;
        m->loop.share = team->shares;
        m->met = 1;
    }
    program_run(team->run, team->data);
    team_barrier(m);
}

static void *openmp_worker(void *argument)
{
    struct team_thread *w = argument;

    while (w->job) {
        member_run(w->job);
        sem_post(&w->left);
        sem_wait(&w->go);
    }
    return NULL;
}

/* Gives `m` to the worker at `*at`, which is made if there is none. */
static struct team_thread **worker_give(struct team_thread **at, struct team_member *m)
{
    struct team_thread *w = *at;

    assert(m->number > 0 && m->number < m->team->size);
    if (w) {
        w->job = m;
        sem_post(&w->go);
        return &w->next;
    }
    w = openmp_new(sizeof *w);
    w->job = m;
    if (pthread_create(&w->thread, NULL, openmp_worker, w)) {
        fputs("OpenMP: cannot create a thread\n", stderr);
        abort();
    }
    *at = w;
    return &w->next;
}

static unsigned team_size(const struct team_member *creator, unsigned wanted)
{
    const struct controls *s = controls_get();
    unsigned size = wanted ? wanted : s->threads;

    if (creator->team->active_level >= s->levels)
        return 1;
    assert(size > 0);
    return size > s->limit ? s->limit : size;
}

/* The threads of a program that ends in its initial thread, outside of any region, end before it. */
static void end_workers(void)
{
    if (!pthread_equal(initial_thread, pthread_self()) || (self && self->team->creator))
        return;
    for (struct team_thread *w = *initial_workers; w; w = w->next) {
        w->job = NULL;
        sem_post(&w->go);
        pthread_join(w->thread, NULL);
    }
}

struct team_member *team_begin(region_function *run, void *data, unsigned wanted, const struct work_loop *first)
{
    struct team_member *creator = member_self();
    unsigned size = team_size(creator, wanted);
    struct team *team = team_new(size, creator);

    if (!creator->team->creator && !initial_workers) {
        initial_thread = pthread_self();
        initial_workers = &workers;
        atexit(end_workers);
    }
    team->controls = *controls_get();
    team->run = run;
    team->data = data;
    if (first) {
        team->first = *first;
        team->has_first = true;
        team->shares = openmp_new(sizeof *team->shares);
    }
    team->workers = idle = idle ? idle : &workers;
    for (unsigned i = 1; i < size; i++)
        idle = worker_give(idle, &team->members[i]);
    return &team->members[0];
}

void team_end(struct team_member *m)
{
    struct team *team = m->team;
    struct team_thread **at = team->workers;

    for (unsigned i = 1; i < team->size; i++, at = &(*at)->next)
        sem_wait(&(*at)->left);
    assert(self == m && team->unfinished == 0 && !team->queue);
    idle = team->workers;
    self = team->creator;
    while (team->shares) {
        struct work_share *s = team->shares;

        team->shares = s->next;
        free(s->turns);
        free(s);
    }
    for (unsigned i = 0; i < team->size; i++)
        depend_free(&team->members[i].implicit);
    while (team->kept) {
        struct task *t = team->kept;

        team->kept = t->next;
        free(t);
    }
    pthread_barrier_destroy(&team->barrier);
    free(team);
}

static void region(region_function *run, void *data, unsigned wanted, const struct work_loop *first)
{
    struct team_member *m = team_begin(run, data, wanted, first);

    member_run(m);
    team_end(m);
}

EXPORT void GOMP_parallel(region_function *run, void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    region(run, data, threads, NULL);
}

EXPORT void GOMP_parallel_sections(region_function *run, void *data, unsigned threads, unsigned count,
                                   unsigned flags)
{
    struct work_loop sections = {.count = count, .schedule = SCHEDULE_STATIC, .chunk = 1};

    (void)flags;
    region(run, data, threads, &sections);
}

#define PARALLEL_LOOP(name, schedule)                                                                          \
    EXPORT void GOMP_parallel_loop_##name(region_function *run, void *data, unsigned threads, long start,      \
                                          long end, long step, long chunk, unsigned flags)                     \
    {                                                                                                          \
        struct work_loop l = loop_of(step > 0, (ull)start, (ull)end, (ull)step, schedule, (ull)chunk, false);  \
                                                                                                               \
        (void)flags;                                                                                           \
        region(run, data, threads, &l);                                                                        \
    }

PARALLEL_LOOP(static, SCHEDULE_STATIC)
PARALLEL_LOOP(dynamic, SCHEDULE_DYNAMIC)
PARALLEL_LOOP(guided, SCHEDULE_GUIDED)
PARALLEL_LOOP(nonmonotonic_dynamic, SCHEDULE_DYNAMIC)
PARALLEL_LOOP(nonmonotonic_guided, SCHEDULE_GUIDED)

#define PARALLEL_LOOP_RUNTIME(name)                                                                            \
    EXPORT void GOMP_parallel_loop_##name(region_function *run, void *data, unsigned threads, long start,      \
                                          long end, long step, unsigned flags)                                 \
    {                                                                                                          \
        ull chunk;                                                                                             \
        enum schedule schedule = schedule_chosen(&chunk);                                                      \
        struct work_loop l = loop_of(step > 0, (ull)start, (ull)end, (ull)step, schedule, chunk, false);       \
                                                                                                               \
        (void)flags;                                                                                           \
        region(run, data, threads, &l);                                                                        \
    }

PARALLEL_LOOP_RUNTIME(runtime)
PARALLEL_LOOP_RUNTIME(nonmonotonic_runtime)
PARALLEL_LOOP_RUNTIME(maybe_nonmonotonic_runtime)

/* Host teams: a league of one. */
EXPORT void GOMP_teams_reg(region_function *run, void *data, unsigned teams, unsigned limit, unsigned flags)
{
    (void)teams, (void)limit, (void)flags;
    program_run(run, data);
}

EXPORT void GOMP_barrier(void)
{
    team_barrier(member_self());
}

EXPORT bool GOMP_barrier_cancel(void)
{
    team_barrier(member_self());
    return false;
}

EXPORT bool GOMP_cancel(int which, bool wanted)
{
    (void)which, (void)wanted;
    return false; /* as with OMP_CANCELLATION unset */
}

EXPORT bool GOMP_cancellation_point(int which)
{
    (void)which;
    return false;
}
