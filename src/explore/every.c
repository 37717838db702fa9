/* Brute force: every order of all steps that other threads may notice. For comparison with the reduced
 * exploration; it uses none of its states and reductions, only what the runs themselves show. */
#include "base/memory.h"
#include "explore/explorer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A step that others may notice. */
struct every_mark {
    uint32_t thread;
    uint64_t position;
    uint8_t kind; /* as in struct planned */
};

struct every_marks {
    struct every_mark *marks;
    size_t marks_count, marks_capacity;
    uint64_t ended; /* threads that came to their end, as bits */
};

struct every {
    struct explorer explorer;
    struct map touched; /* by byte: threads, as bits; the top bit: written */
    bool shared_more;   /* a run showed more bytes to be shared: orders so far were too coarse */
    uint64_t tries;
};

#define WRITTEN (1u << 31)

static bool is_access(const struct deed *d)
{
    return d->move.kind <= MOVE_ATOMIC;
}

static bool is_shared(uint32_t touched)
{
    uint32_t threads = touched & ~WRITTEN;

    return touched & WRITTEN && threads & (threads - 1);
}

static void note_touched(struct every *v, const struct deeds *deeds)
{
    for (size_t i = 0; i < deeds->deeds_count; i++) {
        const struct deed *d = &deeds->deeds[i];
        for (uint64_t b = 0; is_access(d) && b < d->move.length; b++) {
            uint32_t *touched = map_at(&v->touched, d->move.at + b), before = *touched;
            *touched |= UINT32_C(1) << (d->thread % 31) | (d->move.kind == MOVE_READ ? 0 : WRITTEN);
            v->shared_more |= is_shared(*touched) && !is_shared(before);
        }
    }
}

static bool is_noticed(struct every *v, const struct deed *d)
{
    if (!is_access(d))
        return d->move.kind != MOVE_FENCE && d->move.kind != MOVE_INPUT && d->move.kind != MOVE_LEAVE;
    for (uint64_t b = 0; b < d->move.length; b++)
        if (is_shared(map_get(&v->touched, d->move.at + b)))
            return true;
    return false;
}

static uint8_t deed_kind(const struct deed *d)
{
    return d->move.kind == MOVE_WAIT || d->move.kind == MOVE_WAKE || d->move.kind == MOVE_RESUME ||
                   d->move.kind == MOVE_ENTER
               ? (uint8_t)d->move.kind
               : MOVE_READ;
}

/* A thread of a Java program has records after its last step, which it must be let make to end. */
static void extend_last(const struct every *v, struct every_marks *to, uint32_t thread, uint64_t position)
{
    for (size_t i = to->marks_count; i-- > 0 && v->explorer.history.java;)
        if (to->marks[i].thread == thread) {
            to->marks[i].position = position;
            return;
        }
    if (v->explorer.history.java)
        ARRAY_PUSH(to, marks, (struct every_mark){thread, position, MOVE_READ});
}

static void mark_run(struct every *v, struct every_marks *to)
{
    const struct deeds *deeds = &v->explorer.runs[v->explorer.runs_count - 1];
    bool exits = v->explorer.ends[v->explorer.ends_count - 1] == LESSON_EXIT && !deeds->ended;

    uint64_t positions[EXPLORE_THREADS] = {0}, marked[EXPLORE_THREADS] = {0};

    memset(to, 0, sizeof *to);
    for (size_t i = 0; i < deeds->deeds_count; i++) {
        const struct deed *d = &deeds->deeds[i];
        positions[d->thread] += d->move.ticks;
        if (d->move.kind == MOVE_END) {
            to->ended |= UINT64_C(1) << d->thread;
            extend_last(v, to, d->thread, positions[d->thread]);
        } else if (d->move.kind == MOVE_WAIT && marked[d->thread] == positions[d->thread] &&
                   d->move.value == WAIT_AT_FUTEX) {
            assert(to->marks_count > 0);
            to->marks[to->marks_count - 1].kind = MOVE_WAIT; /* the look at the word before it is the step */
        } else if (is_noticed(v, d) && (marked[d->thread] != positions[d->thread] ||
                                        d->move.kind == MOVE_WAKE || d->move.kind == MOVE_RESUME)) {
            ARRAY_PUSH(to, marks, (struct every_mark){d->thread, positions[d->thread], deed_kind(d)});
            marked[d->thread] = positions[d->thread];
        }
    }
    if (exits) /* the end of the process is a step, too */
        ARRAY_PUSH(to, marks, (struct every_mark){deeds->last, UINT64_MAX, MOVE_READ});
}

static void plan_mark(struct run_plan *plan, const struct every_mark *m, bool known)
{
    ARRAY_PUSH(plan, steps,
               (struct planned){.thread = m->thread,
                                .node = known && m->position != UINT64_MAX ? 0 : NODE_NONE,
                                .kind = m->kind,
                                .position = m->position});
}

/* What the thread does after the first `count` marks; false: it has ended. Where the run does not show it, the
 * thread is to go on for the length of a call. */
static bool next_mark(const struct every_marks *m, size_t count, uint32_t thread, uint64_t call,
                      struct every_mark *next, bool *known)
{
    uint64_t position = 0;

    for (size_t i = count; i < m->marks_count; i++)
        if (m->marks[i].thread == thread) {
            *next = m->marks[i];
            *known = true;
            return true;
        }
    for (size_t i = 0; i < count; i++)
        if (m->marks[i].thread == thread)
            position = m->marks[i].position;
    *known = false;
    *next = (struct every_mark){.thread = thread, .position = position + call};
    return !(m->ended >> thread & 1);
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
    if (!next_mark(m, count, thread, history_call(&e->history), &next, &known))
        return HEDDLE_OK;
    if (e->to->runs >= e->settings->most_runs || (e->settings->stop && *e->settings->stop)) {
        explorer_miss(e, e->settings->stop && *e->settings->stop ? INCOMPLETE_STOPPED : INCOMPLETE_RUNS,
                      "the limit of %llu runs was reached, or it was interrupted",
                      (unsigned long long)e->settings->most_runs);
        return HEDDLE_OK;
    }
    for (size_t i = 0; i < count; i++)
        plan_mark(&plan, &m->marks[i], true);
    plan_mark(&plan, &next, known);
    status = explorer_run(e, &plan, &lesson, &grown, &relearned);
    free(plan.steps);
    if (status != HEDDLE_OK || e->to->incomplete || e->runs_count == runs)
        return status;
    note_touched(v, &e->runs[e->runs_count - 1]);
    mark_run(v, now);
    *went = same_start(m, now, count) && now->marks_count > count && now->marks[count].thread == thread;
    v->tries += !*went && behaviours == e->to->behaviours;
    return HEDDLE_OK;
}

/* All orders that begin with the first `fixed` marks. */
static enum status every_from(struct every *v, const struct every_marks *m, size_t fixed)
{
    enum status status = HEDDLE_OK;

    for (size_t i = m->marks_count; i-- > fixed && status == HEDDLE_OK;) {
        for (uint32_t t = 0; t < v->explorer.history.threads_count && status == HEDDLE_OK; t++) {
            struct every_marks now;
            bool went;
            if (v->shared_more || v->explorer.to->incomplete)
                return HEDDLE_OK;
            if (m->marks[i].thread == t)
                continue;
            status = try_order(v, m, i, t, &now, &went);
            if (status == HEDDLE_OK && went && !v->shared_more)
                status = every_from(v, &now, i + 1);
            free(now.marks);
        }
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
        v.shared_more = false;
        status = explorer_run(&v.explorer, &none, &lesson, &grown, &relearned);
        if (v.explorer.runs_count == 0)
            explorer_miss(&v.explorer, INCOMPLETE_DIVERGED, "the first run could not be repeated");
        if (status != HEDDLE_OK || to->incomplete || v.explorer.runs_count == 0)
            break;
        note_touched(&v, &v.explorer.runs[v.explorer.runs_count - 1]);
        v.shared_more = false;
        mark_run(&v, &first);
        status = every_from(&v, &first, 0);
        free(first.marks);
    } while (status == HEDDLE_OK && v.shared_more && !to->incomplete);
    explorer_conclude(&v.explorer);
    *tries = v.tries;
    map_free(&v.touched);
    explorer_free(&v.explorer);
    explore_rank(to);
    return status;
}
