/* The ring: appending records, handing full chunks to the recorder. */
#include "runtime/access.h"
#include "runtime/frames.h"
#include "runtime/grounds/taint.h"
#include "runtime/sched/follow_script.h"
#include "runtime/system.h"

#include <errno.h>
#include <time.h>

enum {
    TRIAL_CHUNKS = 8,      /* before anything can be said */
    TENTATIVE_CHUNKS = 32, /* a run that nobody sees ends if nothing is wasted by then */
};

/* A chunk can be reused when the recorder has taken its previous content. If the recorder does not respond,
 * it is gone, and nobody would end this program if it hung. */
static void wait_for_room(struct session *session, uint64_t produced)
{
    uint64_t consumed;

    while (produced - (consumed = session_load(&session->consumed)) >= SESSION_CHUNKS) {
        struct timespec second = {.tv_sec = 1};
        long r = system_futex_wait_shared((uint32_t *)&session->consumed, (uint32_t)consumed, &second);
        if (r == -ETIMEDOUT && !system_parent_lives()) {
            system_print("heddle: the recorder has ended\n");
            system_exit(1);
        }
    }
}

/* Whether the trial shows that recording everything is a waste: most accesses are to memory of one thread. */
static bool is_waste(uint64_t chunks)
{
    INVARIANT(rt.private_ <= rt.plain);
    return rt.trial && chunks >= TRIAL_CHUNKS && rt.private_ / 3 > rt.plain / 4;
}

void log_next_chunk(void)
{
    struct session *session = rt.session;
    uint64_t produced = session_load(&session->produced) + 1;

    settle(); /* only whole records leave */
    INVARIANT(!rt.pending);
    INVARIANT(produced - session_load(&session->consumed) <= SESSION_CHUNKS); /* a session's sequence numbers */
    session_store(&session->produced, produced);
    if (is_waste(produced)) {
        rt.trial = false;
        rt.mode = SESSION_MARK;
        session_store(&session->gave_up, 1);
    }
    if (rt.trial && session->tentative && produced >= TENTATIVE_CHUNKS)
        system_exit(0);
    wait_for_room(session, produced);
    INVARIANT(produced - session_load(&session->consumed) < SESSION_CHUNKS);
    rt.next = session->ring[produced % SESSION_CHUNKS];
    rt.limit = rt.next + SESSION_CHUNK;
}

void log_ticks(uint64_t ticks)
{
    append_bare(record_word(0, RECORD_TICKS, 0), 0, ticks);
}

void log_settle(void)
{
    settle();
}

void log_emit(unsigned kind, const void *object, uintptr_t pc, uint64_t value)
{
    bool direct = false; /* the program itself calls, not a library */
    uintptr_t frame = 0;

    settle();
    INVARIANT(rt.next <= rt.limit);
    if (UNLIKELY(rt.scripted) && kind <= RECORD_LAST_EVENT)
        script_after(kind);
    if ((kind <= RECORD_LAST_EVENT || kind == RECORD_NEW) && object)
        shadow_keep((uint64_t)(uintptr_t)object); /* the block a lock is in is worth a name */
    if ((kind == RECORD_END || kind == RECORD_OUTPUT || (kind == RECORD_FREE && grounds_vouched())) &&
        ground_state.telling)
        grounds_flush(0);
    if (kind == RECORD_END)
        taint_forget();
    if (rt.mode == SESSION_MARK)
        return;
    if ((kind >= RECORD_ACQUIRE && kind <= RECORD_LAST_EVENT) || kind == RECORD_NEW) {
        direct = module_instrumented(pc);
        if (!direct && kind != RECORD_NEW)
            pc = frames_caller(pc, &frame);
    }
    if (rt.stacks && frame)
        call_paths_tell_from(frame);
    else if (rt.stacks && (kind <= RECORD_LAST_EVENT || kind == RECORD_NEW || kind == RECORD_FREE))
        call_paths_tell(pc & RECORD_ADDRESS, __builtin_frame_address(0));
    append_told(record_word((uint64_t)(uintptr_t)object, kind, direct),
                (pc & RECORD_ADDRESS) | grounds_vouched(), value);
}

void log_scope_end(const void *from, size_t length, unsigned what, uintptr_t pc)
{
    uint64_t bits = grounds_vouched();

    INVARIANT(length > 0 && local.turn);
    settle();
    if (rt.mode == SESSION_MARK)
        return;
    if (bits && ground_state.telling)
        grounds_flush(0);
    if (rt.stacks)
        call_paths_tell(pc & RECORD_ADDRESS, __builtin_frame_address(0));
    append_told(record_word((uint64_t)(uintptr_t)from, RECORD_FREE, what), (pc & RECORD_ADDRESS) | bits,
                length);
}

void log_block(const void *block, size_t length, unsigned slack, uintptr_t pc)
{
    INVARIANT(length > 0 && local.turn);
    settle();
    if (rt.stacks)
        call_paths_tell(pc & RECORD_ADDRESS, __builtin_frame_address(0));
    append(record_word((uint64_t)(uintptr_t)block, RECORD_ALLOC, slack), pc & RECORD_ADDRESS, length);
}

void log_access(unsigned kind, const void *address, unsigned size, unsigned order, uintptr_t pc, uint64_t value)
{
    INVARIANT(local.turn);
    settle();
    append(record_word((uint64_t)(uintptr_t)address, kind, size),
           (pc & (RECORD_ADDRESS | RECORD_GROUND_BITS)) | (uint64_t)order << 48 |
               (size <= 8 ? RECORD_VALUED : 0),
           value);
}

void log_range(unsigned kind, const void *address, size_t length, uintptr_t pc)
{
    INVARIANT(length > 0 && local.turn);
    if (kind != RECORD_READ)
        settle();
    append(record_word((uint64_t)(uintptr_t)address, kind, 0), pc & (RECORD_ADDRESS | RECORD_GROUND_BITS),
           length);
}

void log_text(const char *text, size_t length)
{
    while (length > 0 && rt.mode != SESSION_MARK) {
        uint64_t part[2] = {0, 0};
        unsigned take = length < sizeof part ? (unsigned)length : (unsigned)sizeof part;
        copy_bytes(part, text, take);
        append_bare(record_word(0, RECORD_TEXT, take), part[0], part[1]);
        text += take;
        length -= take;
    }
}
