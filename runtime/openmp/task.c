/* Tasks: made, queued, run at barriers and waits. */
#include "openmp.h"

#include <assert.h>
#include <sched.h>
#include <string.h>

enum { TASK_FINAL = 1 << 1, TASK_DEPEND = 1 << 3, TASK_UP = 1 << 8, TASK_GRAIN = 1 << 9, TASK_IF = 1 << 10 };
enum { TASK_NOGROUP = 1 << 11, TASK_REDUCTION = 1 << 12, TASK_DETACH = 1 << 13 };

typedef bool which_task(const struct task *, const void *);

static bool any(const struct task *t, const void *none)
{
    (void)t, (void)none;
    return true;
}

static bool is_child(const struct task *t, const void *parent)
{
    return t->parent == parent;
}

static bool in_group(const struct task *t, const void *group)
{
    const struct task_group *g = t->group;

    while (g && g != group)
        g = g->outer;
    return g;
}

/* Wakes a member that waits at the barrier, if there is one; under the lock. */
static bool wake_one(struct team *team)
{
    for (unsigned i = 0; i < team->size; i++)
        if (team->members[i].idle) {
            team->members[i].idle = false;
            team->members[i].woken = true;
            sem_post(&team->members[i].wake);
            return true;
        }
    return false;
}

void task_queue(struct team *team, struct task *t)
{
    struct task **at = team->queue_end;

    assert(!*team->queue_end);
    if (t->priority)
        for (at = &team->queue; *at && (*at)->priority >= t->priority;)
            at = &(*at)->next;
    t->next = *at;
    *at = t;
    if (!t->next)
        team->queue_end = &t->next;
    wake_one(team);
}

/* Whether another member that waits at the barrier should run the task. A race of the task with its creator, or with
 * another task, shows only if they run in different threads. */
static bool left_to_others(const struct team_member *m, const struct task *t)
{
    for (unsigned i = 0; i < m->team->size; i++) {
        const struct team_member *other = &m->team->members[i];

        if (other != m && other != t->creator && (other->idle || other->woken) &&
            (m == t->creator || other->ran < m->ran))
            return true;
    }
    return false;
}

/* Takes the first task of the queue for which `may` is true; under the lock. `more`: other members have yet to reach
 * the barrier, and the caller leaves them the tasks it created. */
static struct task *queue_take(struct team_member *m, bool more, which_task *may, const void *of)
{
    struct team *team = m->team;

    for (struct task **at = &team->queue; *at; at = &(*at)->next) {
        struct task *t = *at;

        if (!may(t, of) || (more && t->creator == m) || left_to_others(m, t))
            continue;
        *at = t->next;
        if (team->queue_end == &t->next)
            team->queue_end = at;
        assert(!*team->queue_end);
        m->ran++;
        if (team->queue)
            wake_one(team);
        return t;
    }
    if (team->queue)
        wake_one(team);
    return NULL;
}

static bool all_here(const struct team_member *m)
{
    return m->team->arrived == (m->phase + 1) * m->team->size;
}

/* All members are here, and no task is left. */
static bool all_met(const struct team_member *m)
{
    return m->team->unfinished == 0 && all_here(m);
}

static void task_finish(struct team_member *m, struct task *t)
{
    struct team *team = m->team;

    free(t->memory);
    depend_free(t);
    team_lock(team);
    depend_finish(team, t);
    sem_post(&t->parent->finished);
    for (struct task_group *g = t->group, *outer; g; g = outer) {
        outer = g->outer; /* the thread that waits for the token frees the group */
        sem_post(&g->finished);
    }
    assert(team->unfinished > 0);
    team->unfinished--;
    if (!team->unfinished) /* perhaps the barrier's last */
        while (wake_one(team))
            ;
    if (t->unwaited || t->kept) { /* its children, or tasks that depend on it, use a semaphore in it */
        t->next = team->kept;
        team->kept = t;
        t = NULL;
    }
    team_unlock(team);
    free(t);
}

static void task_run(struct team_member *m, struct task *t)
{
    struct task *before = m->task;

    sem_wait(&t->ready);
    depend_wait(t);
    m->task = t;
    program_run(t->run, t->data);
    assert(m->task == t); /* tasks nest */
    m->task = before;
    task_finish(m, t);
}

static void run_taken(struct team_member *m, struct task *t)
{
    sched_yield(); /* others may take the next */
    task_run(m, t);
}

/* Runs a task of those, if there is one. */
static bool run_one(struct team_member *m, which_task *may, const void *of)
{
    struct task *t;

    team_lock(m->team);
    t = queue_take(m, false, may, of);
    team_unlock(m->team);
    if (t)
        run_taken(m, t);
    return t;
}

void tasks_meet(struct team_member *m)
{
    struct team *team = m->team;

    team_lock(team);
    team->arrived++;
    if (all_met(m))
        while (wake_one(team))
            ;
    assert(team->arrived <= (m->phase + 1) * team->size && !m->idle);
    while (!all_met(m)) {
        struct task *t = queue_take(m, !all_here(m), any, NULL);

        m->idle = !t;
        team_unlock(team);
        if (t)
            run_taken(m, t);
        else
            sem_wait(&m->wake);
        team_lock(team);
        m->woken = false;
    }
    team_unlock(team);
}

/* The task's arguments are a copy that the program's own code makes, or plain bytes. */
static struct task *task_new(region_function *run, void *data, void (*copy)(void *, void *), size_t size,
                             size_t align)
{
    struct task *t = openmp_new(sizeof *t);

    t->run = run;
    t->memory = openmp_new(size + align + 1);
    t->data = (void *)(((uintptr_t)t->memory + align) / (align ? align : 1) * (align ? align : 1));
    if (copy) {
        if (heddle_call_1)
            heddle_call_1((uintptr_t)copy);
        copy(t->data, data);
        if (heddle_vouch_1)
            heddle_vouch_1();
    } else if (size) {
        if (__tsan_read_range)
            __tsan_read_range(data, size);
        program_written(t->data, size);
        memcpy(t->data, data, size);
    }
    return t;
}

/* Makes it known to its parent, its groups and the team, and starts it: now, or when a member takes it. */
static void task_start(struct team_member *m, struct task *t, bool now, void **depend)
{
    struct team *team = m->team;
    bool deferred =
        !now && !m->task->final && team->size > 1; /* then it may be gone once the lock is given back */

    assert(!t->parent && !t->over);
    t->final = t->final || m->task->final;
    t->undeferred = !deferred;
    t->parent = m->task;
    t->creator = m;
    t->group = m->task->group;
    team_lock(team);
    team->unfinished++;
    t->parent->unwaited++;
    for (struct task_group *g = t->group; g; g = g->outer)
        g->made++;
    if (depend)
        depend_register(t->parent, t, depend);
    sem_post(&t->ready);
    if (!t->missing && deferred)
        task_queue(team, t);
    team_unlock(team);
    if (deferred) {
        sched_yield(); /* others may take it */
        return;
    }
    while (run_one(m, is_child, m->task)) /* what it depends on may wait for this thread */
        ;
    task_run(m, t);
}

EXPORT void GOMP_task(region_function *run, void *data, void (*copy)(void *, void *), long size, long align,
                      bool deferred, unsigned flags, void **depend, int priority, void *detach)
{
    struct task *t;

    (void)detach;
    if (flags & TASK_DETACH)
        openmp_lacks("detached tasks");
    t = task_new(run, data, copy, (size_t)size, (size_t)align);
    t->final = flags & TASK_FINAL;
    t->priority = priority;
    task_start(member_self(), t, !deferred, flags & TASK_DEPEND ? depend : NULL);
}

EXPORT void GOMP_taskwait(void)
{
    struct team_member *m = member_self();

    while (m->task->unwaited) {
        if (run_one(m, is_child, m->task))
            continue;
        sem_wait(&m->task->finished);
        assert(m->task->unwaited > 0);
        m->task->unwaited--;
    }
}

static void nothing(void *data)
{
    (void)data;
}

/* A task without work that depends on them: when it could start, they are done. */
EXPORT void GOMP_taskwait_depend(void **depend)
{
    task_start(member_self(), task_new(nothing, NULL, NULL, 0, 1), true, depend);
}

EXPORT void GOMP_taskyield(void)
{
}

EXPORT void GOMP_taskgroup_start(void)
{
    struct team_member *m = member_self();
    struct task_group *g = openmp_new(sizeof *g);

    g->outer = m->task->group;
    m->task->group = g;
}

EXPORT void GOMP_taskgroup_end(void)
{
    struct team_member *m = member_self();
    struct task_group *g = m->task->group;

    for (uint64_t waited = 0; waited < g->made;) {
        if (run_one(m, in_group, g))
            continue;
        sem_wait(&g->finished);
        waited++;
    }
    assert(m->task->group == g); /* groups nest */
    m->task->group = g->outer;
    free(g);
}

/* How many tasks a loop of `count` iterations makes: `wanted` tasks, or tasks of `wanted` iterations at least. */
static uint64_t tasks_of(uint64_t count, unsigned flags, uint64_t wanted, unsigned size)
{
    uint64_t tasks = wanted ? wanted : size;

    if (flags & TASK_GRAIN && wanted)
        tasks = count / wanted ? count / wanted : 1;
    assert(tasks > 0 && count > 0);
    return tasks > count ? count : tasks;
}

static void task_loop(region_function *run, void *data, void (*copy)(void *, void *), long size, long align,
                      unsigned flags, unsigned long wanted, int priority, const struct work_loop *l)
{
    struct team_member *m = member_self();
    uint64_t tasks, first = 0;

    if (!(flags & TASK_NOGROUP)) {
        GOMP_taskgroup_start();
        if (flags & TASK_REDUCTION)
            reduction_register(m, ((uintptr_t **)data)[2]); /* behind the bounds */
    }
    tasks = l->count ? tasks_of(l->count, flags, wanted, m->team->size) : 0;
    for (uint64_t i = 0; i < tasks; i++) {
        struct task *t = task_new(run, data, copy, (size_t)size, (size_t)align);
        ull *bounds = t->data;
        uint64_t length = l->count / tasks + (i < l->count % tasks);

        bounds[0] = l->start + first * l->step;
        first += length;
        bounds[1] = l->start + first * l->step;
        program_written(bounds, 2 * sizeof *bounds);
        t->final = flags & TASK_FINAL;
        t->priority = priority;
        task_start(m, t, !(flags & TASK_IF), NULL);
    }
    assert(first == l->count); /* every iteration is in one task */
    if (!(flags & TASK_NOGROUP))
        GOMP_taskgroup_end();
}

EXPORT void GOMP_taskloop(region_function *run, void *data, void (*copy)(void *, void *), long size, long align,
                          unsigned flags, unsigned long tasks, int priority, long start, long end, long step)
{
    struct work_loop l = loop_of(step > 0, (ull)start, (ull)end, (ull)step, SCHEDULE_STATIC, 0, false);

    task_loop(run, data, copy, size, align, flags, tasks, priority, &l);
}

EXPORT void GOMP_taskloop_ull(region_function *run, void *data, void (*copy)(void *, void *), long size,
                              long align, unsigned flags, unsigned long tasks, int priority, ull start, ull end,
                              ull step)
{
    struct work_loop l = loop_of(flags & TASK_UP, start, end, step, SCHEDULE_STATIC, 0, false);

    task_loop(run, data, copy, size, align, flags, tasks, priority, &l);
}
