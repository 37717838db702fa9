#!/usr/bin/env bats
# The two recorders lead to the same verdicts: programs with known verdicts, built plainly, recorded as they are.

load support

setup() {
    needs_valgrind
    cd "$BATS_TEST_TMPDIR"
}

# corpus LEVEL PROGRAM…: as many at once as there are processors
corpus() {
    level=$1
    shift
    run sh -c 'level=$0; printf "%s\n" "$@" | xargs -P "$(nproc)" -I{} "$PROGRAMS"/check-program {} valgrind "$level" 1' \
        "$level" "$@"
    echo "$output"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "one program of each kind, -O2" {
    programs=
    for name in at_thread_exit.cpp c11.c cancel.c cpp_waits.cpp double_checked_atomic.c eventfd.c exceptions.cpp halves.c heap_reuse.c kept_stacks.c leaving.cpp library_writes.c local_static.cpp \
        lost_update.c meeting_outside.c mutex_kinds.c once.c philosophers.c pipe.c pipe_pool.c pipe_writers.c reader_writer.c semaphores.c seqlock.c shared_pointer.cpp sigwait.c stencil_broken.c streams.c \
        tcp.c thread_local.cpp ticket_lock.c try_locks.c watched.c; do
        programs="$programs $PROGRAMS/$name"
    done
    corpus -O2 $programs
}

@test "all programs, -O0 and -O2" {
    only_long
    # docs/valgrind.md says why some are left out
    corpus -O0 "$PROGRAMS"/*.c "$PROGRAMS"/*.cpp
    corpus -O2 $(ls "$PROGRAMS"/*.c "$PROGRAMS"/*.cpp | grep -v /untaken.c)
}
