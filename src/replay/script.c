/* Scripts in memory: from a recorded run, and to what the runtime reads. */
#include "replay/script.h"
#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void script_init(struct schedule_script *s)
{
    memset(s, 0, sizeof *s);
    names_init(&s->texts);
    s->stop = s->stepwise = UINT64_MAX;
}

void script_free(struct schedule_script *s)
{
    for (size_t i = 0; i < s->modules_count; i++) {
        free(s->modules[i].path);
        free(s->modules[i].build);
    }
    names_free(&s->texts);
    free(s->title);
    free(s->program);
    free(s->java);
    free(s->threads);
    free(s->modules);
    free(s->inputs);
    free(s->steps);
    memset(s, 0, sizeof *s);
}

static uint32_t add_text(struct schedule_script *s, const char *text)
{
    return names_add(&s->texts, text, strlen(text));
}

void script_from_journal(struct schedule_script *s, const struct journal *j, const struct trace *trace)
{
    char unnamed[32];

    s->seed = j->seed;
    s->policy = j->policy;
    s->two_pass = j->two_pass;
    memcpy(s->clocks, j->clocks, sizeof s->clocks);
    if (trace->origin.program)
        s->program = memory_text(trace->origin.program, strlen(trace->origin.program));
    if (j->java)
        s->java = memory_text(j->java, strlen(j->java));
    for (size_t i = 0; i < j->modules_count; i++) {
        const struct journal_module *m = &j->modules[i];
        ARRAY_PUSH(s, modules,
                   (struct journal_module){.path = memory_text(m->path, strlen(m->path)),
                                           .build = memory_text(m->build, strlen(m->build))});
    }
    for (size_t i = 0; i < j->threads_count; i++) {
        const struct journal_thread *t = &j->threads[i];
        bool named = t->name && t->name <= trace_names(trace, NAME_THREAD);
        snprintf(unnamed, sizeof unnamed, "thread %zu", i);
        ARRAY_PUSH(s, threads,
                   (struct script_name){
                       .name = add_text(s, named ? trace_name(trace, NAME_THREAD, t->name - 1) : unnamed),
                       .parent = t->parent,
                       .ordinal = t->ordinal});
    }
    for (size_t i = 0; i < j->inputs_count; i++)
        ARRAY_PUSH(s, inputs, j->inputs[i]);
}

void script_from_slices(struct schedule_script *s, const struct journal *j)
{
    for (size_t i = 0; i < j->slices_count; i++)
        ARRAY_PUSH(s, steps,
                   (struct schedule_step){.thread = j->slices[i].thread,
                                          .any_op = true,
                                          .arg = NAME_NONE,
                                          .location = NAME_NONE,
                                          .position = j->slices[i].position});
}

uint32_t *script_thread_numbers(const struct journal *j, const struct trace *trace)
{
    size_t count = trace_names(trace, NAME_THREAD);
    uint32_t *numbers = memory_new(count + 1, sizeof *numbers);

    memset(numbers, 0xff, (count + 1) * sizeof *numbers);
    for (size_t i = 0; i < j->threads_count; i++)
        if (j->threads[i].name && j->threads[i].name <= count)
            numbers[j->threads[i].name - 1] = (uint32_t)i;
    return numbers;
}

void script_add_event(struct schedule_script *s, const struct trace *trace, const uint64_t *ticks,
                      const uint32_t *threads, uint32_t event)
{
    struct event e = trace_event(trace, event);
    enum name_class class = kind_argument(op_kind(e.op));
    const char *place = e.location == NAME_NONE ? NULL : trace_name(trace, NAME_LOCATION, e.location);

    assert(event >= 1 && event <= trace->count);
    ARRAY_PUSH(s, steps,
               (struct schedule_step){.thread = threads[e.thread],
                                      .op = e.op,
                                      .arg = class < NAME_CLASSES && e.arg != ARG_NONE
                                                 ? add_text(s, trace_name(trace, class, e.arg))
                                                 : NAME_NONE,
                                      .location = place ? add_text(s, place) : NAME_NONE,
                                      .position = ticks[event],
                                      .event = event});
}

/* Steps as the runtime takes them: a run of steps of one thread is one, up to the last position.
 *
 * Events of one position are parts of one call and cannot be taken apart; they happen where the first of them
 * stands. Only the second half of a wait, which begins by taking the lock again, is a step of its own. */
struct compiler {
    struct script_step *out;
    size_t out_count, out_capacity;
    uint64_t *reached;     /* by thread: its last position */
    enum event_kind *last; /* by thread: the kind of its last step */
    uint64_t stop;         /* the step before which the program stops; UINT64_MAX: none */
    uint64_t *stops;       /* by step of the script: the compiled step that it begins; or NULL */
};

static bool leaves_wait(enum event_kind before, enum event_kind now)
{
    return (before == EVENT_RELEASE && now == EVENT_ACQUIRE) ||
           (before == EVENT_SHARED_RELEASE && now == EVENT_SHARED_ACQUIRE) ||
           (before == EVENT_BARRIER_ENTER && now == EVENT_BARRIER_EXIT); /* who destroys it waits for that */
}

/* Whether a thread that made this step may be waiting in the same call. */
static enum step_end end_of(const struct schedule_step *step)
{
    enum event_kind kind = op_kind(step->op);
    bool waits = step->any_op || kind == EVENT_WAIT_PRE || kind == EVENT_RELEASE ||
                 kind == EVENT_SHARED_RELEASE || kind == EVENT_BARRIER_ENTER;

    return step->attempt ? STEP_ATTEMPT : waits ? STEP_WAITS : STEP_PLAIN;
}

static void compile_exact(struct compiler *c, const struct schedule_step *step)
{
    uint32_t t = step->thread;
    enum event_kind before = c->last[t];
    assert(step->any_op || op_kind(step->op) < EVENT_KINDS);
    bool same = c->reached[t] == step->position, leaves = same && leaves_wait(before, op_kind(step->op));

    if (step->position == STEP_UNKNOWN && !step->any_op)
        return;
    if (!step->any_op)
        c->last[t] = op_kind(step->op);
    else if (!same)
        c->last[t] = EVENT_READ; /* which event brought the thread here is not known; none that waits */
    if (same && !leaves && !step->any_op) {
        if (c->out_count > 0 && c->out[c->out_count - 1].thread == t) /* the rest of the call, at once */
            c->out[c->out_count - 1].kind = end_of(step);
        return;
    }
    c->reached[t] = step->position;
    if (leaves || c->out_count == 0 || c->out[c->out_count - 1].thread != t)
        ARRAY_PUSH(c, out, (struct script_step){.thread = t});
    assert(c->out[c->out_count - 1].thread == t);
    c->out[c->out_count - 1].position = step->position;
    c->out[c->out_count - 1].kind = end_of(step);
}

/* First right up to the step, then the step by itself; the compiled step that it begins. UINT64_MAX: the thread cannot
 * stop before it. */
static uint64_t compile_stop(struct compiler *c, const struct schedule_step *step)
{
    struct schedule_step before = *step;

    if (step->position == STEP_UNKNOWN || step->position == 0 || step->position == c->reached[step->thread])
        return UINT64_MAX;
    before.any_op = true;
    before.position--;
    compile_exact(c, &before);
    assert(c->reached[step->thread] <= step->position);
    ARRAY_PUSH(c, out,
               (struct script_step){.thread = step->thread, .position = step->position, .kind = end_of(step)});
    return c->out_count - 1;
}

/* What the runtime calls the kind; RECORD_NONE: it cannot order such events. */
static enum record_kind record_of(enum event_kind kind)
{
    static const uint8_t kinds[EVENT_KINDS] = {
        [EVENT_ACQUIRE] = RECORD_ACQUIRE,
        [EVENT_RELEASE] = RECORD_RELEASE,
        [EVENT_SHARED_ACQUIRE] = RECORD_SHARED_ACQUIRE,
        [EVENT_SHARED_RELEASE] = RECORD_SHARED_RELEASE,
        [EVENT_TRY_FAIL] = RECORD_TRY_FAIL,
        [EVENT_FORK] = RECORD_FORK,
        [EVENT_JOIN] = RECORD_JOIN,
        [EVENT_WAIT_PRE] = RECORD_WAIT_PRE,
        [EVENT_WAIT_POST] = RECORD_WAIT_POST,
        [EVENT_NOTIFY] = RECORD_NOTIFY,
        [EVENT_NOTIFY_ALL] = RECORD_NOTIFY_ALL,
        [EVENT_BARRIER_ENTER] = RECORD_BARRIER_ENTER,
        [EVENT_BARRIER_EXIT] = RECORD_BARRIER_EXIT,
        [EVENT_POST] = RECORD_POST,
        [EVENT_SEM_WAIT] = RECORD_SEM_WAIT,
    };

    return (enum record_kind)kinds[kind];
}

static void compile_order(struct compiler *c, const struct schedule_step *step)
{
    enum record_kind kind = record_of(op_kind(step->op));

    if (kind != RECORD_NONE)
        ARRAY_PUSH(c, out,
                   (struct script_step){.thread = step->thread, .kind = kind, .position = step->position});
}

static void compile(struct compiler *c, const struct schedule_script *s, uint64_t count)
{
    c->stop = UINT64_MAX;
    c->reached = memory_new(s->threads_count + 1, sizeof *c->reached);
    c->last = memory_new(s->threads_count + 1, sizeof *c->last);
    for (uint64_t i = 0; i < count && i < s->steps_count; i++) {
        if (s->steps[i].thread >= s->threads_count)
            continue;
        uint64_t begins = UINT64_MAX;
        if ((i == s->stop || i >= s->stepwise) && s->mode == SCRIPT_EXACT)
            begins = compile_stop(c, &s->steps[i]);
        if (i == s->stop)
            c->stop = begins;
        if (c->stops)
            c->stops[i] = begins;
        if (s->mode == SCRIPT_EXACT)
            compile_exact(c, &s->steps[i]);
        else
            compile_order(c, &s->steps[i]);
    }
    assert(c->stop == UINT64_MAX || c->stop < c->out_count);
    free(c->reached);
    free(c->last);
}

uint64_t script_compiled_before(const struct schedule_script *s, uint64_t step)
{
    struct compiler c = {0};
    uint64_t count;

    compile(&c, s, step);
    count = c.out_count;
    free(c.out);
    return count;
}

uint64_t *script_stops(const struct schedule_script *s, uint64_t *all)
{
    struct compiler c = {.stops = memory_new(s->steps_count + 1, sizeof *c.stops)};

    memset(c.stops, 0xff, (s->steps_count + 1) * sizeof *c.stops);
    compile(&c, s, s->steps_count);
    *all = c.out_count;
    free(c.out);
    return c.stops;
}

static size_t known_inputs(const struct schedule_script *s)
{
    size_t count = 0;

    for (size_t i = 0; i < s->inputs_count; i++)
        count += s->inputs[i].thread < s->threads_count && s->inputs[i].kind < INPUT_KINDS;
    return count;
}

/* Inputs as the runtime looks them up: by thread, then kind, each in its order. */
static struct script_input *sort_inputs(const struct schedule_script *s)
{
    struct script_input *out = memory_new(s->inputs_count + 1, sizeof *out);
    size_t *place = memory_new(s->threads_count * INPUT_KINDS + 1, sizeof *place), sum = 0;

    for (size_t i = 0; i < s->inputs_count; i++)
        if (s->inputs[i].thread < s->threads_count && s->inputs[i].kind < INPUT_KINDS)
            place[s->inputs[i].thread * INPUT_KINDS + s->inputs[i].kind]++;
    for (size_t i = 0; i < s->threads_count * INPUT_KINDS; i++) {
        size_t count = place[i];
        place[i] = sum;
        sum += count;
    }
    assert(sum <= s->inputs_count && sum == known_inputs(s));
    for (size_t i = 0; i < s->inputs_count; i++) {
        const struct journal_input *in = &s->inputs[i];
        if (in->thread < s->threads_count && in->kind < INPUT_KINDS)
            out[place[in->thread * INPUT_KINDS + in->kind]++] =
                (struct script_input){.thread = in->thread, .kind = in->kind, .value = in->value};
    }
    free(place);
    return out;
}

static bool write_all(int fd, const void *bytes, size_t length)
{
    const char *at = bytes;

    while (length > 0) {
        ssize_t put = write(fd, at, length);
        if (put <= 0)
            return false;
        at += put;
        length -= (size_t)put;
    }
    return true;
}

int script_compile(const struct schedule_script *s)
{
    struct compiler c = {0};
    int fd = memfd_create("heddle-script", MFD_CLOEXEC);
    bool good;

    compile(&c, s, s->steps_count);
    struct script head = {.magic = SCRIPT_MAGIC,
                          .mode = s->mode,
                          .thread_count = (uint32_t)s->threads_count,
                          .step_count = c.out_count,
                          .input_count = known_inputs(s),
                          .stop = c.stop};
    good = fd >= 0 && write_all(fd, &head, sizeof head);
    for (size_t i = 0; i < s->threads_count && good; i++) {
        struct script_thread t = {.parent = s->threads[i].parent, .ordinal = s->threads[i].ordinal};
        good = write_all(fd, &t, sizeof t);
    }
    good = good && write_all(fd, c.out, c.out_count * sizeof *c.out);
    struct script_input *inputs = sort_inputs(s);
    good = good && write_all(fd, inputs, head.input_count * sizeof *inputs);
    free(inputs);
    free(c.out);
    if (!good && fd >= 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}
