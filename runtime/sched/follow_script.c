/* Following a script: exactly, slice by slice, or only the order of some events. */
#include "runtime/sched/follow_script.h"
#include "runtime/io/inputs.h"
#include "runtime/sched/code_store.h"
#include "runtime/sched/policy.h"
#include "runtime/sched/sched_state.h"
#include "runtime/system.h"

#include <poll.h>
#include <sys/mman.h>
#include <time.h>

/* How long a thread may be away in a system call before the script is given up. */
#define PATIENCE UINT64_C(5000000000)

enum { LONGEST = 1 << 30 };

static const struct script *script;
static const struct script_thread *threads;
static const struct script_step *steps;
static const struct script_input *inputs; /* by thread, then kind, then order */
static bool with_signals;                 /* some of them are signals */
static uint64_t at;                       /* the step in progress */
static bool begun;                        /* its thread has had the turn for it */
static const struct thread *finishing;    /* runs to its end, beside the step */
static uint64_t waiting;                  /* since when its thread is away; 0: it is present */
static uint32_t others;                   /* threads the script does not know */
static uint32_t without_maker;            /* threads made by nobody that is known */

EXPORT struct replay_view heddle_replay_view; /* for a debugger */

bool script_open(int fd)
{
    struct script head = {0};
    size_t bytes;

    if (system_call(SYS_pread64, fd, (long)&head, sizeof head, 0, 0, 0) != sizeof head ||
        head.magic != SCRIPT_MAGIC)
        return false;
    bytes = sizeof head + head.thread_count * sizeof *threads + head.step_count * sizeof *steps +
            head.input_count * sizeof *inputs;
    script = system_map(bytes, MAP_SHARED, fd, 0);
    system_call(SYS_close, fd, 0, 0, 0, 0, 0);
    if (!script)
        return false;
    INVARIANT(script->magic == SCRIPT_MAGIC);
    threads = (const struct script_thread *)(script + 1);
    steps = (const struct script_step *)(threads + script->thread_count);
    inputs = (const struct script_input *)(steps + script->step_count);
    for (uint64_t i = 0; i < script->input_count && !with_signals; i++)
        with_signals = inputs[i].kind == INPUT_SIGNAL;
    rt.scripted = script->step_count > 0;
    heddle_replay_view = (struct replay_view){.until = script->mode == SCRIPT_EXACT ? script->stop : UINT64_MAX,
                                              .threads = rt.session->threads};
    session_store(&rt.session->script_state, rt.scripted ? SCRIPT_RUNNING : SCRIPT_DONE);
    return true;
}

static void finish(enum script_state state, enum script_trouble trouble)
{
    rt.scripted = false;
    session_store(&rt.session->script_trouble, trouble);
    session_store(&rt.session->script_state, state);
}

static struct thread *thread_numbered(uint32_t id)
{
    for (unsigned i = 0; i < sched.live_count; i++)
        if (sched.live[i]->id == id)
            return sched.live[i];
    for (unsigned i = 0; i < sched.pool_used; i++)
        if (sched.pool[i].id == id && sched.pool[i].state == STATE_ENDED)
            return &sched.pool[i];
    return NULL;
}

/* After the last one its thread goes on, if priorities say who does: what it saw has consequences. */
static void next_step(void)
{
    struct thread *last;

    INVARIANT(rt.scripted && at < script->step_count);
    begun = false;
    waiting = 0;
    session_store(&rt.session->script_at, ++at);
    heddle_replay_view.at = at;
    if (at < script->step_count)
        return;
    finish(SCRIPT_DONE, TROUBLE_NONE);
    last = thread_numbered(steps[at - 1].thread);
    if (last)
        policy_favour(last);
}

/* Whether the thread is where the step wants it. A thread that is inside a call at exactly that tick must
 * get the turn once more: that is how it leaves a wait. */
static bool step_done(const struct thread *t)
{
    bool before = t->position > t->end; /* it stands before the step that its position is for */
    uint64_t done = t->position - before;

    INVARIANT(at < script->step_count && steps[at].thread == t->id);
    if (t->away && t->state != STATE_ENDED && !steps[at].kind)
        return false; /* it waits, or did and does not know yet, for what the step is about */
    bool waits = steps[at].kind == STEP_ATTEMPT && t->state == STATE_BLOCKED; /* as it should */
    return done >= steps[at].position && (begun || before || waits || t->state == STATE_ENDED);
}

/* Something comes from outside the scheduler's control, in real time: whether it is still waited for. */
static bool patient(void)
{
    uint64_t now = system_clock(CLOCK_MONOTONIC);

    if (!waiting)
        waiting = now;
    return now - waiting < PATIENCE;
}

/* The thread is away. Whether it is back or may come back; false when it never will. */
static bool bring_back(struct thread *t)
{
    struct timespec none = {0};
    bool foreign = t->foreign || (rt.handlers && (t->reason == WAIT_SEMAPHORE || t->reason == WAIT_FUTEX));

    if (rt.handlers && sched_heed_signal(t))
        return true;
    if (t->state == STATE_POLLING &&
        system_call(SYS_ppoll, (long)t->fds, t->fd_count, (long)&none, 0, 0, 0) != 0) {
        sched_make_runnable(t, WAKE_CALL);
        return true;
    }
    if (t->deadline != TIME_NEVER && (t->state == STATE_BLOCKED || t->state == STATE_SLEEPING ||
                                      t->state == STATE_POLLING)) { /* time passes when the script says so */
        if (t->deadline > rt.virtual_)
            rt.virtual_ = t->deadline;
        sched_make_runnable(t, WAKE_TIME);
        return true;
    }
    if (t->state != STATE_BLOCKED || foreign)
        return patient();
    if (t->reason != WAIT_FUTEX || rt.session->effects)
        return false;
    sched_make_runnable(t, WAKE_CALL); /* the kernel allows it: callers look again (futex(2)) */
    return true;
}

/* Whether the script has something for the thread still to do. */
static bool has_steps(uint32_t id)
{
    for (uint64_t i = at; i < script->step_count; i++)
        if (steps[i].thread == id)
            return true;
    return false;
}

/* A thread whose end is awaited, and that has no more steps in the script, runs to its end. */
static struct thread *last_of(const struct thread *t)
{
    struct thread *joined =
        t->state == STATE_BLOCKED && t->reason == WAIT_JOIN && t->owner ? thread_numbered(t->owner - 1) : NULL;

    return joined && joined->state != STATE_ENDED && !has_steps(joined->id) ? joined : NULL;
}

static enum script_trouble trouble_of(const struct thread *t)
{
    return !t                          ? TROUBLE_NO_THREAD
           : t->state == STATE_ENDED   ? TROUBLE_ENDED
           : t->state == STATE_BLOCKED ? TROUBLE_BLOCKED
                                       : TROUBLE_OUTSIDE;
}

bool script_pick(struct thread **chosen)
{
    struct thread *t, *joined;

    finishing = NULL;
    if (script->mode == SCRIPT_ORDER)
        return false;
    while (rt.scripted && (t = thread_numbered(steps[at].thread)) && step_done(t))
        next_step();
    if (!rt.scripted)
        return false;
    if (!t && rt.helpers && patient()) { /* the C library is about to make it */
        *chosen = NULL;
        return true;
    }
    while (t && (joined = last_of(t)))
        finishing = t = joined;
    if (!t || t->state == STATE_ENDED || (t->state != STATE_RUNNABLE && !bring_back(t))) {
        finish(SCRIPT_DIVERGED, trouble_of(t));
        return false;
    }
    INVARIANT(t->state != STATE_ENDED && t->state != STATE_FREE);
    *chosen = t->state == STATE_RUNNABLE ? t : NULL;
    return true;
}

uint64_t script_end(const struct thread *self)
{
    if (script->mode == SCRIPT_ORDER)
        return self->end + (uint64_t)policy_slice();
    if (self == finishing)
        return (self->position > self->end ? self->position : self->end) + LONGEST;
    if (steps[at].thread != self->id)
        return self->position;
    begun = true;
    waiting = 0;
    if (steps[at].position > self->position + LONGEST)
        return self->position + LONGEST;
    return steps[at].position > self->position ? steps[at].position : self->position;
}

/* If there is no choice, a long script is not searched. */
struct thread *script_waiter(const void *key)
{
    unsigned waiters = 0;

    for (unsigned i = 0; i < sched.live_count; i++)
        waiters += sched.live[i]->state == STATE_BLOCKED && sched.live[i]->key == key;
    if (script->mode != SCRIPT_EXACT || waiters < 2)
        return NULL;
    for (uint64_t i = at; i < script->step_count; i++) {
        struct thread *t = thread_numbered(steps[i].thread);
        if (t && t->state == STATE_BLOCKED && t->key == key)
            return t;
    }
    return NULL;
}

EXPORT void heddle_replay_stop(void);

/* Where `heddle replay --gdb` has its breakpoint. */
EXPORT __attribute__((noinline)) void heddle_replay_stop(void)
{
    __asm__ volatile("");
}

void script_resumed(void)
{
    if (script->mode != SCRIPT_EXACT || at < heddle_replay_view.until || steps[at].thread != local.self->id)
        return;
    heddle_replay_view.until = UINT64_MAX;
    heddle_replay_stop();
}

/* Compilers hook the write of a structure copy before its read, and do both later. A write that is done
 * differs in memory, if that has changed, or in the code, if the store comes right after the hook. */
static struct {
    const unsigned char *at;
    size_t length;
    uint64_t sum;
    uint64_t position; /* of the thread, at the write */
    uintptr_t pc;      /* where its hook returned to */
} noted;

enum { HEAVIEST = 257 }; /* what an access counts at most */

static uint64_t sum_of(const unsigned char *at_byte, size_t length)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < length && i < 4096; i++)
        sum = (sum ^ at_byte[i]) * UINT64_C(0x100000001b3);
    return sum;
}

void script_note_write(const void *bytes, size_t length, uintptr_t pc)
{
    noted.pc = pc & RECORD_ADDRESS;
    noted.at = bytes;
    noted.length = length;
    noted.sum = sum_of(noted.at, length);
    noted.position = sched_position();
}

uint64_t script_copies(uintptr_t pc)
{
    return code_copies(noted.pc, pc & RECORD_ADDRESS) ? RECORD_COPIES : 0;
}

bool script_write_done(void)
{
    if (sched_position() - noted.position > HEAVIEST) /* the thread's last write was to its own memory */
        return true;
    return sum_of(noted.at, noted.length) != noted.sum || code_stores(noted.pc, noted.at, noted.length);
}

uint32_t script_number(struct thread *parent)
{
    uint32_t maker = parent ? parent->id + 1 : 0, ordinal = parent ? ++parent->children : ++without_maker;

    rt.instances++;
    if (!script)
        return (uint32_t)rt.instances - 1;
    for (uint32_t i = 0; i < script->thread_count; i++)
        if (threads[i].parent == maker && threads[i].ordinal == ordinal)
            return i;
    return script->thread_count + others++;
}

void script_discard(struct thread *parent)
{
    INVARIANT(rt.instances > 0 && (!parent || parent->children > 0));
    rt.instances--;
    if (parent)
        parent->children--;
}

/* The first input of the thread and kind. */
static uint64_t first_input(uint32_t thread, uint32_t kind)
{
    uint64_t low = 0, high = script->input_count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (inputs[middle].thread < thread || (inputs[middle].thread == thread && inputs[middle].kind < kind))
            low = middle + 1;
        else
            high = middle;
    }
    INVARIANT(low == 0 || inputs[low - 1].thread < thread || inputs[low - 1].kind < kind); /* they are sorted */
    return low;
}

bool script_next_input(const struct thread *t, enum input_kind kind, uint64_t *value)
{
    uint64_t next;

    if (!script)
        return false;
    next = t->inputs[kind] ? t->inputs[kind] - 1 : first_input(t->id, kind);
    if (next >= script->input_count || inputs[next].thread != t->id || inputs[next].kind != kind)
        return false;
    *value = inputs[next].value;
    return true;
}

bool script_input(struct thread *self, enum input_kind kind, uint64_t *value)
{
    if (!script_next_input(self, kind, value))
        return false;
    self->inputs[kind] = (self->inputs[kind] ? self->inputs[kind] : first_input(self->id, kind) + 1) + 1;
    return true;
}

bool script_has_signals(void)
{
    return with_signals;
}

/* The step that is this event, from the one in progress on; UINT64_MAX: none. */
static uint64_t find_step(const struct thread *t, unsigned kind, uint64_t ordinal)
{
    for (uint64_t i = at; i < script->step_count; i++)
        if (steps[i].thread == t->id && steps[i].kind == kind && steps[i].position == ordinal)
            return i;
    return UINT64_MAX;
}

bool script_holds(const struct thread *t)
{
    return rt.scripted && t->held > at + 1;
}

static uint64_t next_step_of(const struct thread *t, unsigned kind)
{
    return kind && t->events ? find_step(t, kind, t->events[kind] + UINT64_C(1)) : UINT64_MAX;
}

void script_before_either(unsigned kind, unsigned other)
{
    struct thread *self = local.self;
    uint64_t step, second;

    if (!rt.scripted || script->mode != SCRIPT_ORDER)
        return;
    if (!self->events)
        self->events = system_map(4096, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    step = next_step_of(self, kind);
    second = next_step_of(self, other);
    if (second < step)
        step = second;
    while (rt.scripted && step != UINT64_MAX && step > at) {
        self->held = step + 1;
        sched_yield_turn();
    }
    self->held = 0;
}

void script_before(unsigned kind)
{
    script_before_either(kind, 0);
}

/* Whether the thread may still come back: from a sleep, a descriptor, a system call. */
static bool may_return(const struct thread *t)
{
    return t->state == STATE_OUTSIDE || t->state == STATE_POLLING || t->foreign ||
           (t->state != STATE_RUNNABLE && t->deadline != TIME_NEVER);
}

bool script_release(void)
{
    bool held = false;

    for (unsigned i = 0; i < sched.live_count; i++) {
        if (may_return(sched.live[i]))
            return false;
        held |= sched.live[i]->state == STATE_RUNNABLE;
    }
    if (held)
        finish(SCRIPT_DIVERGED, TROUBLE_ORDER);
    return held;
}

void script_after(unsigned kind)
{
    struct thread *self = local.self;

    if (!rt.scripted || script->mode != SCRIPT_ORDER || !self->events)
        return;
    INVARIANT(kind <= RECORD_LAST_EVENT && at < script->step_count);
    self->events[kind]++;
    if (steps[at].thread == self->id && steps[at].kind == kind && steps[at].position == self->events[kind])
        next_step();
}
