/* Is this trace possible? One small automaton per thread, lock, condition and barrier. */
#include "trace/validate.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void validator_init(struct validator *v, const struct trace *trace)
{
    memset(v, 0, sizeof *v);
    v->trace = trace;
}

void validator_free(struct validator *v)
{
    free(v->stage);
    free(v->locks);
    map_free(&v->readers);
    map_free(&v->waiting);
    map_free(&v->arrived);
    map_free(&v->tokens);
    map_free(&v->atomic);
    map_free(&v->deterministic);
}

static const char *thread_name(const struct validator *v, thread_id thread)
{
    return trace_name(v->trace, NAME_THREAD, thread);
}

static uint8_t *stage_of(struct validator *v, thread_id thread)
{
    if (thread >= v->stage_capacity) {
        size_t old = v->stage_capacity;
        v->stage = memory_grow(v->stage, &v->stage_capacity, (size_t)thread + 1, sizeof *v->stage);
        memset(v->stage + old, THREAD_UNSEEN, v->stage_capacity - old);
    }
    return &v->stage[thread];
}

static inline struct lock_state *lock_of(struct validator *v, lock_id lock)
{
    if (lock >= v->lock_capacity) {
        size_t old = v->lock_capacity;
        v->locks = memory_grow(v->locks, &v->lock_capacity, (size_t)lock + 1, sizeof *v->locks);
        memset(v->locks + old, 0, (v->lock_capacity - old) * sizeof *v->locks);
    }
    return &v->locks[lock];
}

static enum status check_acquire(struct validator *v, const struct event *e, bool shared, struct error *err)
{
    struct lock_state *lock = lock_of(v, e->arg);

    if (lock->exclusive > 0 && lock->owner != e->thread)
        return fail(err, HEDDLE_BAD_TRACE, "%.80s takes lock %.80s while %.80s holds it",
                    thread_name(v, e->thread), trace_name(v->trace, NAME_LOCK, e->arg),
                    thread_name(v, lock->owner));
    if (shared) {
        ++*map_at(&v->readers, map_pair(e->arg, e->thread));
        lock->shared++;
        return HEDDLE_OK;
    }
    if (lock->shared > 0 && lock->shared > map_get(&v->readers, map_pair(e->arg, e->thread)))
        return fail(err, HEDDLE_BAD_TRACE,
                    "%.80s takes lock %.80s while another thread holds it in reader mode",
                    thread_name(v, e->thread), trace_name(v->trace, NAME_LOCK, e->arg));
    assert(lock->exclusive == 0 || lock->owner == e->thread);
    lock->owner = e->thread;
    lock->exclusive++;
    return HEDDLE_OK;
}

static enum status check_release(struct validator *v, const struct event *e, bool shared, struct error *err)
{
    struct lock_state *lock = lock_of(v, e->arg);

    if (shared) {
        uint32_t *holds = map_at(&v->readers, map_pair(e->arg, e->thread));
        if (*holds == 0)
            return fail(err, HEDDLE_BAD_TRACE,
                        "%.80s releases lock %.80s, which it does not hold in reader mode",
                        thread_name(v, e->thread), trace_name(v->trace, NAME_LOCK, e->arg));
        assert(lock->shared >= *holds);
        --*holds;
        lock->shared--;
        return HEDDLE_OK;
    }
    if (lock->exclusive == 0 || lock->owner != e->thread)
        return fail(err, HEDDLE_BAD_TRACE, "%.80s releases lock %.80s, which it does not hold",
                    thread_name(v, e->thread), trace_name(v->trace, NAME_LOCK, e->arg));
    lock->exclusive--;
    return HEDDLE_OK;
}

static enum status check_try_fail(struct validator *v, const struct event *e, struct error *err)
{
    const struct lock_state *lock = lock_of(v, e->arg);

    if (lock->exclusive == 0 && lock->shared == 0)
        return fail(err, HEDDLE_BAD_TRACE, "%.80s fails to take lock %.80s, which nobody holds",
                    thread_name(v, e->thread), trace_name(v->trace, NAME_LOCK, e->arg));
    return HEDDLE_OK;
}

static enum status check_fork(struct validator *v, const struct event *e, struct error *err)
{
    uint8_t *child = stage_of(v, e->arg);

    if (*child != THREAD_UNSEEN)
        return fail(err, HEDDLE_BAD_TRACE, "%.80s forks %.80s, which %s", thread_name(v, e->thread),
                    thread_name(v, e->arg), *child == THREAD_FORKED ? "was forked already" : "already ran");
    *child = THREAD_FORKED;
    return HEDDLE_OK;
}

static enum status check_join(struct validator *v, const struct event *e, struct error *err)
{
    if (e->arg == e->thread)
        return fail(err, HEDDLE_BAD_TRACE, "%.80s joins itself", thread_name(v, e->thread));
    assert(*stage_of(v, e->thread) == THREAD_RUNNING);
    *stage_of(v, e->arg) = THREAD_JOINED;
    return HEDDLE_OK;
}

/* waitpre/waitpost and benter/bexit: the second needs the first, by the same thread on the same object. */
static enum status check_pair(struct validator *v, const struct event *e, struct map *open, bool opens,
                              const char *missing, struct error *err)
{
    uint32_t *flag = map_at(open, map_pair(e->arg, e->thread));

    if (!opens && !*flag)
        return fail(err, HEDDLE_BAD_TRACE, "%.80s: %s(%.80s) without %s", thread_name(v, e->thread),
                    kind_word(op_kind(e->op)), trace_name(v->trace, kind_argument(op_kind(e->op)), e->arg),
                    missing);
    *flag = opens;
    return HEDDLE_OK;
}

static enum status check_block(struct validator *v, const struct event *e, struct map *open, bool opens,
                               const char *missing, struct error *err)
{
    uint32_t *depth = map_at(open, e->thread);

    if (!opens && *depth == 0)
        return fail(err, HEDDLE_BAD_TRACE, "%.80s: %s without its %s", thread_name(v, e->thread),
                    kind_word(op_kind(e->op)), missing);
    *depth += opens ? 1 : UINT32_MAX;
    return HEDDLE_OK;
}

static enum status check_semaphore(struct validator *v, const struct event *e, struct error *err)
{
    const char *thread = thread_name(v, e->thread), *name = trace_name(v->trace, NAME_SEMAPHORE, e->arg);
    uint32_t *tokens = map_at(&v->tokens, e->arg);

    if (op_kind(e->op) == EVENT_SEM_INIT) {
        if (*tokens > 0)
            return fail(err, HEDDLE_BAD_TRACE, "%.80s initialises semaphore %.80s, which was %s", thread, name,
                        *tokens > 1 ? "initialised already" : "used before");
        if (e->value_tag != VALUE_UNSIGNED || e->value > INT32_MAX)
            return fail(err, HEDDLE_BAD_TRACE, "seminit(%.80s) needs a count between 0 and %d after '='", name,
                        INT32_MAX);
        *tokens = 2 + (uint32_t)e->value;
    } else if (*tokens < 2) {
        *tokens = 1;
    } else if (op_kind(e->op) == EVENT_POST) {
        ++*tokens;
    } else if (--*tokens < 2) {
        return fail(err, HEDDLE_BAD_TRACE, "%.80s takes a token of semaphore %.80s, which has none", thread,
                    name);
    }
    return HEDDLE_OK;
}

enum status validator_event(struct validator *v, const struct event *e, struct error *err)
{
    enum event_kind kind = op_kind(e->op);

    if (e->thread >= v->stage_capacity || v->stage[e->thread] != THREAD_RUNNING) {
        uint8_t *stage = stage_of(v, e->thread);
        if (*stage == THREAD_JOINED)
            return fail(err, HEDDLE_BAD_TRACE, "%.80s runs after it was joined", thread_name(v, e->thread));
        if (*stage == THREAD_EXITED)
            return fail(err, HEDDLE_BAD_TRACE, "%.80s runs after its exit", thread_name(v, e->thread));
        *stage = THREAD_RUNNING;
    }

    if ((op_order(e->op) != ORDER_NONE || kind == EVENT_FENCE) && !order_allowed(kind, op_order(e->op)))
        return fail(err, HEDDLE_BAD_TRACE,
                    op_order(e->op) == ORDER_NONE  ? "%s%s needs a memory order"
                    : op_order(e->op) == ORDER_TRY ? "%s%s: only the taking of a lock may be a try"
                                                   : "%s%s: the operation does not take that memory order",
                    kind_word(kind), order_suffix(op_order(e->op)));

    switch (kind) {
    case EVENT_ACQUIRE:
        return check_acquire(v, e, false, err);
    case EVENT_RELEASE:
        return check_release(v, e, false, err);
    case EVENT_SHARED_ACQUIRE:
        return check_acquire(v, e, true, err);
    case EVENT_SHARED_RELEASE:
        return check_release(v, e, true, err);
    case EVENT_TRY_FAIL:
        return check_try_fail(v, e, err);
    case EVENT_FORK:
        return check_fork(v, e, err);
    case EVENT_JOIN:
        return check_join(v, e, err);
    case EVENT_WAIT_PRE:
    case EVENT_WAIT_POST:
        return check_pair(v, e, &v->waiting, kind == EVENT_WAIT_PRE, "waitpre", err);
    case EVENT_BARRIER_ENTER:
    case EVENT_BARRIER_EXIT:
        return check_pair(v, e, &v->arrived, kind == EVENT_BARRIER_ENTER, "benter", err);
    case EVENT_POST:
    case EVENT_SEM_WAIT:
    case EVENT_SEM_INIT:
        return check_semaphore(v, e, err);
    case EVENT_EXIT:
        *stage_of(v, e->thread) = THREAD_EXITED;
        return HEDDLE_OK;
    case EVENT_BEGIN:
    case EVENT_END:
        return check_block(v, e, &v->atomic, kind == EVENT_BEGIN, "begin", err);
    case EVENT_DET_BEGIN:
    case EVENT_DET_END:
        return check_block(v, e, &v->deterministic, kind == EVENT_DET_BEGIN, "dbegin", err);
    default:
        return HEDDLE_OK;
    }
}

enum status validate_again(const struct trace *trace, size_t *at, struct error *err)
{
    enum status status = HEDDLE_OK;
    struct validator v;

    validator_init(&v, trace);
    for (size_t e = 1; e <= trace->count && status == HEDDLE_OK; e++) {
        struct event event = trace_event(trace, e);
        status = validator_event(&v, &event, err);
        if (at)
            *at = e;
    }
    validator_free(&v);
    return status;
}
