/* Calls out of instrumented code, as they are made. */
#include "runtime/effects/effects.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/sched_state.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One variable for each part of the environment. They are real variables, so that traces have names for
 * them. */
static struct {
    uint64_t files, environment, random, process;
} surroundings;

static uint64_t *part_of(const struct effect *e)
{
    uint64_t *const parts[PARTS] = {&surroundings.files, &surroundings.environment, &surroundings.random,
                                    &surroundings.process};

    INVARIANT(e->part < PARTS);
    return parts[e->part];
}

void effects_missed(const char *name, uintptr_t pc)
{
    struct session *session = rt.session;
    size_t length = text_length(name), most = sizeof session->unmodelled - 1;

    if (session->unmodelled[0])
        return;
    session_store(&session->unmodelled_pc, (uint64_t)pc);
    copy_bytes(session->unmodelled, name, length < most ? length : most);
}

static bool is_standard_ostream(const void *stream)
{
    static const char *const names[] = {"_ZSt4cout", "_ZSt4cerr", "_ZSt4clog"};
    static const void *streams[sizeof names / sizeof *names];
    bool found = false;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!streams[i])
            streams[i] = dlsym(RTLD_DEFAULT, names[i]);
        found |= stream == streams[i];
    }
    return found;
}

/* The ios_base of an ostream: a virtual base, whose place its table tells. */
static const char *state_of(const void *ostream)
{
    const char *table = *(const char *const *)ostream;

    return (const char *)ostream + *(const ptrdiff_t *)(table - 3 * sizeof(ptrdiff_t));
}

/* What the functions of C++ streams touch: the state that says how to print, which stands for all of the stream. */
static void touch_stream(const struct effect *e, const void *stream, uintptr_t pc)
{
    enum { STATE_START = 8, STATE_END = 226 }; /* from the precision to what fills fields */
    const char *state = (e->kind == EFFECT_INSERTS ? state_of(stream) : (const char *)stream) + STATE_START;

    log_range(RECORD_READ, state, STATE_END - STATE_START, pc);
    if (e->kind == EFFECT_STATES || !is_standard_ostream(stream)) {
        log_settle();
        log_range(RECORD_WRITE, state, STATE_END - STATE_START, pc);
    }
}

/* The memory of the program that the function reads and writes without a hook. */
static void touch_arguments(const struct effect *e, const uint64_t *arguments, uintptr_t pc)
{
    for (unsigned i = 0; i < 6; i++)
        if (e->texts >> i & 1 && arguments[i])
            log_range(RECORD_READ, (const void *)arguments[i], text_length((const char *)arguments[i]) + 1, pc);
    if (e->looked && arguments[e->looked - 1]) {
        uint64_t length = e->looked_length ? arguments[e->looked_length - 1] : e->looked_bytes;
        if (length)
            log_range(RECORD_READ, (const void *)arguments[e->looked - 1], length, pc);
    }
    if (e->result && arguments[e->result - 1]) {
        uint64_t length = e->length ? arguments[e->length - 1] : e->bytes;
        log_settle();
        if (length)
            log_range(RECORD_WRITE, (const void *)arguments[e->result - 1], length, pc);
    }
    if (effect_is_on_stream(e) && arguments[0])
        touch_stream(e, (const void *)arguments[0], pc);
}

static void change(uint64_t *part, uintptr_t pc)
{
    if (part == &surroundings.files)
        session_store(&rt.session->outlasting, 1);
    ++*part;
    log_access(RECORD_RMW, part, sizeof *part, __ATOMIC_SEQ_CST, pc, *part);
}

static bool standard_stream(const struct effect *e, const uint64_t *arguments)
{
    const FILE *stream = e->handle ? (const FILE *)arguments[e->handle - 1] : stdout;

    return stream == stdout || stream == stderr;
}

static bool standard_descriptor(const struct effect *e, const uint64_t *arguments)
{
    int fd = (int)arguments[e->handle - 1];

    return fd == STDOUT_FILENO || fd == STDERR_FILENO;
}

/* The effect of the call with these arguments. */
static enum effect_kind judge(const struct effect *e, const uint64_t *arguments)
{
    switch (e->kind) {
    case EFFECT_STREAM:
        return standard_stream(e, arguments) ? EFFECT_NONE : EFFECT_CHANGES;
    case EFFECT_OUTPUT:
        return standard_descriptor(e, arguments) ? EFFECT_NONE : EFFECT_CHANGES;
    case EFFECT_LOCKS:
        return standard_stream(e, arguments) ? EFFECT_NONE : EFFECT_LIVELY;
    case EFFECT_CLOSES:
        return standard_descriptor(e, arguments) ? EFFECT_LIVELY : EFFECT_CHANGES;
    case EFFECT_CLOSES_STREAM:
        return standard_stream(e, arguments) ? EFFECT_LIVELY : EFFECT_CHANGES;
    case EFFECT_BUFFERS:
        return arguments[e->handle - 1] ? EFFECT_ALWAYS : EFFECT_LIVELY;
    case EFFECT_EXPORTS:
        return rt.environ_seen ? EFFECT_LIVELY : EFFECT_CHANGES;
    case EFFECT_LOOKS: /* the program may have changed `environ` without a call */
        return rt.environ_seen && e->part == PART_ENVIRONMENT ? EFFECT_LIVELY : EFFECT_LOOKS;
    case EFFECT_INSERTS:
    case EFFECT_STATES:
        return EFFECT_NONE;
    case EFFECT_MAPS:
        return arguments[3] & MAP_SHARED && !(arguments[3] & MAP_ANONYMOUS) ? EFFECT_ALWAYS : EFFECT_NONE;
    case EFFECT_MOVES:
        return arguments[1] == 0 ? EFFECT_ALWAYS : EFFECT_LIVELY;
    case EFFECT_FUTEX:
        return arguments[0] == SYS_futex || arguments[0] == SYS_gettid || arguments[0] == SYS_getpid
                   ? EFFECT_NONE
                   : EFFECT_LIVELY;
    case EFFECT_UNKNOWN:
        return EFFECT_LIVELY;
    default:
        return (enum effect_kind)e->kind;
    }
}

/* Records what the call does, at the thread's turn. */
static void act(const struct effect_call *call, enum effect_kind kind, uintptr_t pc)
{
    uint64_t *part = part_of(call->effect);

    INVARIANT(local.turn);
    if (kind == EFFECT_ALWAYS || (kind == EFFECT_LIVELY && sched.live_count > 1))
        effects_missed(call->name, pc);
    else if (kind == EFFECT_CHANGES)
        change(part, pc);
    else if (kind == EFFECT_LOOKS)
        log_access(RECORD_ATOMIC_READ, part, sizeof *part, __ATOMIC_SEQ_CST, pc, *part);
}

void effects_entered(uintptr_t pc)
{
    const struct effect_call *call = local.call;

    INVARIANT(local.turn);
    local.call = NULL;
    act(call, EFFECT_CHANGES, pc);
}

void effects_called(const struct effect_call *call, const uint64_t *arguments, uintptr_t pc)
{
    const struct effect *e = call->effect;
    enum effect_kind kind = judge(e, arguments);

    if ((kind == EFFECT_NONE && !effect_touches(e)) || (rt.instances <= 1 && kind != EFFECT_ALWAYS) ||
        local.inside)
        return;
    if (e->inside && kind == EFFECT_CHANGES && !local.call && (!e->handle || arguments[e->handle - 1])) {
        local.call = call;
        return;
    }
    if (!sync_enter(pc))
        return;
    touch_arguments(e, arguments, pc);
    act(call, kind, pc);
    sync_leave();
}

EXPORT void __heddle_assembly(void)
{
    if (rt.ready && recording() && rt.session->effects && sched.live_count > 1 && !local.inside)
        effects_missed("inline assembly", CALLER);
}
