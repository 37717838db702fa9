/* Locks of streams, and closing streams. */
#include "runtime/io/streams.h"
#include "runtime/libc/file_locks.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/touching.h"
#include "runtime/sync/objects.h"

EXPORT void flockfile(FILE *stream)
{
    uintptr_t pc = CALLER;
    struct sync_object *o;

    FIND_REAL(flockfile);
    if (!stream_enter(stream, pc)) {
        real.flockfile(stream);
        return;
    }
    o = object_at(stream);
    o->depth = o->owner == local.self->id + 1 ? o->depth + 1 : 1;
    o->owner = local.self->id + 1;
    log_emit(RECORD_ACQUIRE, stream, pc, 0);
    sync_leave();
}

EXPORT int ftrylockfile(FILE *stream)
{
    uintptr_t pc = CALLER;
    struct sync_object *o;
    int busy;

    FIND_REAL(ftrylockfile);
    if (!stream_enter(NULL, pc))
        return real.ftrylockfile(stream);
    busy = real.ftrylockfile(stream);
    o = object_at(stream);
    if (!busy) {
        o->depth = o->owner == local.self->id + 1 ? o->depth + 1 : 1;
        o->owner = local.self->id + 1;
        log_emit(RECORD_ACQUIRE, stream, pc, TRIES_ONCE);
    } else if (o->owner) {
        log_emit(RECORD_TRY_FAIL, stream, pc, TRIES_ONCE);
    }
    sync_leave();
    return busy;
}

EXPORT void funlockfile(FILE *stream)
{
    uintptr_t pc = CALLER;
    struct sync_object *o;

    FIND_REAL(funlockfile);
    if (!stream_enter(NULL, pc)) {
        real.funlockfile(stream);
        return;
    }
    real.funlockfile(stream);
    o = object_at(stream);
    if (o->depth > 0 && --o->depth == 0)
        o->owner = 0;
    log_emit(RECORD_RELEASE, stream, pc, 0);
    sched_wake(stream, UINT32_MAX);
    sync_leave();
}

/* The order is noted before: afterwards there is no stream. */
EXPORT int fclose(FILE *stream)
{
    uintptr_t pc = CALLER;

    FIND_REAL(fclose);
    if (stream_enter(stream, pc)) {
        stream_begin_call();
        real.fflush(stream);
        stream_end_call();
        stream_after_output(stream, pc);
        file_locks_closed(fileno(stream), pc);
        stream_leave(stream);
    }
    return real.fclose(stream);
}
