/* Brute force: every order of all steps that other threads may notice, but for orders that differ only in neighbouring steps that touch
 * nothing in common, of which one is run (sleep sets). For comparison with the reduced exploration; it uses none of its states and
 * reductions, only what the runs themselves show. */
#include "base/memory.h"
#include "explore/every_marks.h"
#include "explore/explorer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct every {
    struct explorer explorer;
    struct map touched; /* by byte, as every_note_touched has it */
    bool shared_more;   /* a run showed more bytes to be shared: orders so far were too coarse */
    uint64_t tries;
};

/* A step whose orders were all run before it was put off: as long as only steps follow that can change places with it, making it leads to
 * nothing new. */
struct sleeper {
    const struct every_marks *of;
    const struct every_mark *mark;
    size_t until; /* the last number of marks after which it sleeps */
};

struct sleepers {
    struct sleeper list[EXPLORE_THREADS];
    size_t count;
};

static void mark_run(struct every *v, struct every_marks *to)
{
    const struct explorer *e = &v->explorer;

    every_marks_of(&e->runs[e->runs_count - 1], (enum lesson_end)e->ends[e->ends_count - 1], e->history.java,
                   &v->touched, to);
}

static void plan_mark(struct run_plan *plan, const struct every_mark *m, bool known)
{
    ARRAY_PUSH(plan, steps,
               (struct planned){.thread = m->thread,
                                .node = known && m->position != UINT64_MAX ? 0 : NODE_NONE,
                                .kind = m->kind,
                                .position = m->position});
}

/* What the thread does after the first `count` marks. Where the run does not show it, the thread is to go on for the length of a call. */
static struct every_mark next_mark(const struct every_marks *m, size_t count, uint32_t thread, uint64_t call,
                                   bool *known)
{
    const struct every_mark *next = every_next(m, count, thread);
    uint64_t position = 0;

    *known = next != NULL;
    if (next)
        return *next;
    for (size_t i = 0; i < count; i++)
        if (m->marks[i].thread == thread)
            position = m->marks[i].position;
    return (struct every_mark){.thread = thread, .position = position + call};
}

static bool same_start(const struct every_marks *a, const struct every_marks *b, size_t count)
{
    if (a->marks_count < count || b->marks_count < count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (a->marks[i].thread != b->marks[i].thread || a->marks[i].position != b->marks[i].position)
            return false;
    return true;
}

/* Whether no more runs may be made; says why. */
static bool out_of_runs(struct explorer *e)
{
    bool stopped = e->settings->stop && *e->settings->stop;

    if (stopped)
        explorer_miss(e, INCOMPLETE_STOPPED, "it was interrupted");
    else if (e->to->runs >= e->settings->most_runs)
        explorer_miss(e, INCOMPLETE_RUNS, "the limit of %llu runs was reached",
                      (unsigned long long)e->settings->most_runs);
    return e->to->incomplete;
}

/* Runs the first `count` marks, then the thread. Whether it went that way. */
static enum status try_order(struct every *v, const struct every_marks *m, size_t count, uint32_t thread,
                             struct every_marks *now, bool *went)
{
    struct explorer *e = &v->explorer;
    struct run_plan plan = {0};
    struct lesson lesson;
    struct every_mark next;
    bool grown, relearned, known;
    uint64_t behaviours = e->to->behaviours;
    size_t runs = e->runs_count;
    enum status status = HEDDLE_OK;

    assert(count < m->marks_count && m->marks[count].thread != thread);
    *went = false;
    memset(now, 0, sizeof *now);
    if (!every_may_go(m, count, thread) || out_of_runs(e))
        return HEDDLE_OK;
    next = next_mark(m, count, thread, history_call(&e->history), &known);
    for (size_t i = 0; i < count; i++)
        plan_mark(&plan, &m->marks[i], true);
    plan_mark(&plan, &next, known);
    status = explorer_run(e, &plan, &lesson, &grown, &relearned);
    free(plan.steps);
    if (status != HEDDLE_OK || e->to->incomplete || e->runs_count == runs)
        return status;
    v->shared_more |= every_note_touched(&e->runs[e->runs_count - 1], &v->touched);
    mark_run(v, now);
    *went = same_start(m, now, count) && now->marks_count > count && now->marks[count].thread == thread;
    v->tries += !*went && behaviours == e->to->behaviours;
    return HEDDLE_OK;
}

/* How long each sleeps while the marks are made. Returns the first mark from `fixed` on that is a sleeper's or repeats what a loop did: from
 * there on, there is nothing new. */
static size_t put_to_sleep(struct sleepers *s, const struct every_marks *m, size_t fixed)
{
    size_t end = fixed;

    while (end < m->marks_count && !m->marks[end].repeats)
        end++;
    for (size_t k = 0; k < s->count; k++) {
        size_t i = fixed;
        while (i < m->marks_count && m->marks[i].thread != s->list[k].mark->thread &&
               every_commute(m, &m->marks[i], s->list[k].of, s->list[k].mark))
            i++;
        s->list[k].until = i;
        if (i < end && m->marks[i].thread == s->list[k].mark->thread)
            end = i;
    }
    return end;
}

static bool sleeps(const struct sleepers *s, size_t count, uint32_t thread)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i].mark->thread == thread && s->list[i].until >= count)
            return true;
    return false;
}

/* Those that sleep after the first `count` marks and go on doing so while another step is made. */
static void sleep_on(const struct sleepers *from, size_t count, const struct every_marks *of,
                     const struct every_mark *step, struct sleepers *to)
{
    for (size_t i = 0; i < from->count; i++)
        if (from->list[i].until >= count && from->list[i].mark->thread != step->thread &&
            every_commute(of, step, from->list[i].of, from->list[i].mark)) {
            assert(to->count < EXPLORE_THREADS);
            to->list[to->count++] = from->list[i];
        }
}

static enum status every_from(struct every *v, const struct every_marks *m, size_t fixed,
                              struct sleepers *asleep);

/* All other threads after the first `count` marks. `first`: the mark that follows there was a new one. */
static enum status other_threads(struct every *v, const struct every_marks *m, size_t count, bool first,
                                 const struct sleepers *asleep)
{
    struct every_marks tried[EXPLORE_THREADS];
    struct sleepers done = {0};
    enum status status = HEDDLE_OK;
    uint32_t t;

    if (first)
        done.list[done.count++] = (struct sleeper){m, &m->marks[count], SIZE_MAX};
    for (t = 0; t < v->explorer.history.threads_count && t < EXPLORE_THREADS && status == HEDDLE_OK; t++) {
        struct sleepers below = {0};
        bool went = false;
        memset(&tried[t], 0, sizeof tried[t]);
        if (v->shared_more || v->explorer.to->incomplete || m->marks[count].thread == t ||
            sleeps(asleep, count, t))
            continue;
        status = try_order(v, m, count, t, &tried[t], &went);
        if (status != HEDDLE_OK || !went || v->shared_more || tried[t].marks[count].repeats)
            continue;
        sleep_on(asleep, count, &tried[t], &tried[t].marks[count], &below);
        sleep_on(&done, count, &tried[t], &tried[t].marks[count], &below);
        status = every_from(v, &tried[t], count + 1, &below);
        done.list[done.count++] = (struct sleeper){&tried[t], &tried[t].marks[count], SIZE_MAX};
    }
    while (t-- > 0)
        every_marks_free(&tried[t]);
    return status;
}

/* All orders that begin with the first `fixed` marks. */
static enum status every_from(struct every *v, const struct every_marks *m, size_t fixed,
                              struct sleepers *asleep)
{
    enum status status = HEDDLE_OK;
    size_t end = put_to_sleep(asleep, m, fixed);

    for (size_t i = end < m->marks_count ? end + 1 : end; i-- > fixed && status == HEDDLE_OK;) {
        if (v->shared_more || v->explorer.to->incomplete)
            return HEDDLE_OK;
        status = other_threads(v, m, i, i < end, asleep);
    }
    return status;
}

enum status explore_every_order(const struct explore_settings *settings, struct exploration *to,
                                uint64_t *tries, struct error *err)
{
    struct every v = {0};
    struct run_plan none = {0};
    struct lesson lesson;
    bool grown, relearned;
    enum status status;

    explorer_init(&v.explorer, settings, to, err);
    v.explorer.history.timeless = true; /* clocks count the steps of all threads, in whatever order */
    do {
        struct every_marks first;
        struct sleepers nobody = {0};
        status = explorer_run(&v.explorer, &none, &lesson, &grown, &relearned);
        if (v.explorer.runs_count == 0)
            explorer_miss(&v.explorer, INCOMPLETE_DIVERGED, "the first run could not be repeated");
        if (status != HEDDLE_OK || to->incomplete || v.explorer.runs_count == 0)
            break;
        every_note_touched(&v.explorer.runs[v.explorer.runs_count - 1], &v.touched);
        v.shared_more = false;
        mark_run(&v, &first);
        status = every_from(&v, &first, 0, &nobody);
        every_marks_free(&first);
    } while (status == HEDDLE_OK && v.shared_more && !to->incomplete);
    explorer_conclude(&v.explorer);
    *tries = v.tries;
    map_free(&v.touched);
    explorer_free(&v.explorer);
    explore_rank(to);
    return status;
}
