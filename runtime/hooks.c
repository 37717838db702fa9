/* What the compiler calls before plain accesses: gcc 12 and clang 14 to 19. */
#include "runtime/access.h"
#include "runtime/grounds/decisions.h"
#include "runtime/libc/handlers.h"
#include "runtime/sched/follow_script.h"
#include "runtime/sched/sched.h"

enum { LOOK = 512 }; /* ranges up to this length are tested for being private */

/* Whether the runtime may act for the calling thread. */
static bool may_act(void)
{
    if (!rt.ready)
        runtime_start();
    if (!recording()) {
        hot.budget = 0;
        return false;
    }
    if (local.inside) { /* a signal handler that interrupted the runtime, or a thread past its end */
        hot.budget = 0;
        session_add(&rt.session->lost, 1);
        return false;
    }
    return true;
}

/* Before the access that is about to be made, which has the turn afterwards. */
static void run_handlers(void)
{
    handlers_run(BEFORE_OPERATION);
    if (may_act()) {
        local.inside = true;
        sched_take_turn_at(0);
        local.inside = false;
    }
}

bool hook_turn(bool copying)
{
    if (!may_act())
        return false;
    if (copying && local.turn && !(rt.scripted && script_write_done()))
        return true; /* the write is hooked but not done: the slice ends at the next hook */
    local.inside = true;
    sched_take_turn_at(copying ? 1 : 0);
    local.inside = false;
    if (UNLIKELY(local.due) && !copying)
        run_handlers();
    if (UNLIKELY(local.self && local.self->at_once && local.self->cancelled))
        pthread_testcancel();
    return recording();
}

bool hook_beyond(bool copying)
{
    if (!may_act() || (copying && local.turn && !(rt.scripted && script_write_done())))
        return false;
    INVARIANT(!local.inside);
    local.inside = true;
    sched_run_ahead();
    local.inside = false;
    if (UNLIKELY(local.due) && !copying)
        handlers_run(BEFORE_OPERATION);
    return false;
}

void heddle_read_1(uint64_t address, unsigned size, uintptr_t pc)
{
    if (UNLIKELY(rt.exploring) && hot.wrote)
        pc |= script_copies(pc);
    if (wanted(address, size, false))
        read_value(append(record_word(address, RECORD_READ, size), pc, 0), address, size);
}

void heddle_write_1(uint64_t address, unsigned size, uintptr_t pc)
{
    if (wanted(address, size, true)) {
        settle();
        rt.pending = append(record_word(address, RECORD_WRITE, size), pc, 0);
    }
    if (UNLIKELY(rt.scripted || rt.exploring))
        script_note_write((const void *)address, size, pc);
}

/* `x += 1` as one hook: nothing may come between the two. */
static void change(uint64_t address, unsigned size, uintptr_t pc)
{
    if (!wanted(address, size, true))
        return;
    INVARIANT(local.turn && !local.inside);
    settle();
    append(record_word(address, RECORD_READ, size), pc | RECORD_VALUED, peek(address, size));
    rt.pending = append(record_word(address, RECORD_WRITE, size), pc, 0);
}

/* A read gets its label and a write tells its own once the thread has its turn: while it waits, handlers of signals may run. Their
 * reads are logged first, and labels are numbered in the order of the log; their first event would take what was told of a write. */
static uintptr_t label_range(bool write, uint32_t *label)
{
    INVARIANT(local.turn);
    if (write) {
        grounds_tell_value(*label);
        return RECORD_GROUNDED;
    }
    *label = grounds_new_label();
    return *label == LABEL_ALL ? RECORD_GROUNDED : RECORD_GROUNDED | RECORD_LABELLED;
}

/* Records what is touched, at the thread's turn, which it keeps. `label`: NULL, or that of what is read or written. */
static bool touch(const void *at, size_t length, bool write, bool copying, uintptr_t pc, uint32_t *label)
{
    uint64_t address = (uint64_t)(uintptr_t)at;
    unsigned kind = write ? RECORD_WRITE : RECORD_READ;

    if (!label)
        grounds_touched(at, length, write);
    if (length == 0 || rt.mode == SESSION_OFF ||
        (rt.mode != SESSION_ALL && !shadow_wants_range(address, length, write)) || !with_turn(copying))
        return false;
    if (rt.trial)
        shadow_try(address, length, write);
    INVARIANT(local.turn);
    pc |= label ? label_range(write, label) : 0;
    if (length > 8) {
        log_range(kind, at, length, pc);
        return true;
    }
    if (write) {
        settle();
        rt.pending = append(record_word(address, kind, (unsigned)length), pc, 0);
    } else {
        append(record_word(address, kind, (unsigned)length), pc | RECORD_VALUED,
               peek(address, (unsigned)length));
    }
    return true;
}

/* The number of accesses that a range counts as. */
static int32_t weight(size_t length)
{
    return 1 + (int32_t)(length < 4096 ? length / 16 : 256);
}

bool touch_lightly(size_t length)
{
    INVARIANT(weight(length) > 0);
    hot.budget -= weight(length);
    hot.wrote = false;
    if (rt.mode == SESSION_ALL || UNLIKELY(!local.self))
        return with_turn(false);
    if (hot.budget < 0)
        hook_beyond(false);
    return recording();
}

bool touch_begin(size_t length)
{
    if (!touch_lightly(length))
        return false;
    if (rt.mode == SESSION_MARK)
        return true;
    if (!with_turn(false))
        return false;
    settle(); /* the function may write before it reports where */
    return true;
}

/* Whether nothing can come between what the thread sees and what it does about it, or whether that does not
 * matter. */
static bool may_look(void)
{
    return rt.mode == SESSION_MARK || (local.turn && hot.budget >= 0);
}

bool touch_look(const void *at, size_t length)
{
    return may_look() || (length <= LOOK && !shadow_any((uint64_t)(uintptr_t)at, length)) || with_turn(false);
}

bool touch_look_text(const char *text)
{
    if (may_look())
        return true;
    for (size_t i = 0; i < LOOK && !shadow_any((uint64_t)(uintptr_t)&text[i], 1); i++)
        if (!text[i])
            return true;
    return with_turn(false);
}

void touch_read(const void *address, size_t length, uintptr_t pc)
{
    touch(address, length, false, false, pc, NULL);
}

void touch_write(const void *address, size_t length, uintptr_t pc)
{
    touch(address, length, true, false, pc, NULL);
}

/* A range of any length, hooked by the compiler. */
bool hook_range(const void *at, size_t length, bool write, uintptr_t pc, uint32_t *label)
{
    bool copying = !write && hot.wrote, recorded;

    if (copying && UNLIKELY(rt.exploring))
        pc |= script_copies(pc);
    hot.wrote = write;
    hot.budget -= weight(length);
    if (UNLIKELY(!local.self) && !hook_turn(false))
        return false;
    recorded = touch(at, length, write, copying, pc, label);
    if (hot.budget < 0 && rt.mode >= SESSION_MARK)
        hook_beyond(copying);
    if (write && UNLIKELY(rt.scripted || rt.exploring))
        script_note_write(at, length, pc);
    return recorded;
}

HOT_HOOKS(EXPORT)

#define PLAIN(size)                                                                                            \
    EXPORT void __tsan_unaligned_read##size(void *at)                                                          \
    {                                                                                                          \
        hot_read(at, size);                                                                                    \
    }                                                                                                          \
    EXPORT void __tsan_unaligned_write##size(void *at)                                                         \
    {                                                                                                          \
        hot_write(at, size);                                                                                   \
    }                                                                                                          \
    EXPORT void __tsan_volatile_read##size(void *at)                                                           \
    {                                                                                                          \
        hot_read(at, size);                                                                                    \
    }                                                                                                          \
    EXPORT void __tsan_volatile_write##size(void *at)                                                          \
    {                                                                                                          \
        hot_write(at, size);                                                                                   \
    }                                                                                                          \
    EXPORT void __tsan_unaligned_volatile_read##size(void *at)                                                 \
    {                                                                                                          \
        hot_read(at, size);                                                                                    \
    }                                                                                                          \
    EXPORT void __tsan_unaligned_volatile_write##size(void *at)                                                \
    {                                                                                                          \
        hot_write(at, size);                                                                                   \
    }                                                                                                          \
    EXPORT void __tsan_read_write##size(void *at)                                                              \
    {                                                                                                          \
        change((uint64_t)(uintptr_t)at, size, CALLER);                                                         \
    }                                                                                                          \
    EXPORT void __tsan_unaligned_read_write##size(void *at)                                                    \
    {                                                                                                          \
        change((uint64_t)(uintptr_t)at, size, CALLER);                                                         \
    }

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)

#define WIDE(name, write)                                                                                      \
    EXPORT void name(void *at)                                                                                 \
    {                                                                                                          \
        hook_range(at, 16, write, CALLER, NULL);                                                               \
    }

WIDE(__tsan_read16, false)
WIDE(__tsan_write16, true)
WIDE(__tsan_unaligned_read16, false)
WIDE(__tsan_unaligned_write16, true)
WIDE(__tsan_volatile_read16, false)
WIDE(__tsan_volatile_write16, true)
WIDE(__tsan_unaligned_volatile_read16, false)
WIDE(__tsan_unaligned_volatile_write16, true)

static void change_wide(const void *at, uintptr_t pc)
{
    hook_range(at, 16, false, pc, NULL);
    touch(at, 16, true, false, pc, NULL);
    hot.wrote = true;
}

EXPORT void __tsan_read_write16(void *at)
{
    change_wide(at, CALLER);
}

EXPORT void __tsan_unaligned_read_write16(void *at)
{
    change_wide(at, CALLER);
}

EXPORT void __tsan_read_range(void *at, size_t length)
{
    hook_range(at, length, false, CALLER, NULL);
}

EXPORT void __tsan_write_range(void *at, size_t length)
{
    hook_range(at, length, true, CALLER, NULL);
}

/* Only a change of the table pointer is a write: constructors of base and derived class set it in turn. */
EXPORT void __tsan_vptr_update(void **at, void *table)
{
    if (*at != table)
        hot_write(at, 8);
}

EXPORT void __tsan_vptr_read(void **at)
{
    hot_read(at, 8);
}

void heddle_linked_2(uintptr_t begin, uintptr_t end)
{
    rt.linked = begin;
    rt.linked_end = end;
}

EXPORT void __tsan_init(void)
{
    runtime_start();
}

EXPORT void __tsan_ignore_thread_begin(void)
{
}

EXPORT void __tsan_ignore_thread_end(void)
{
}
