/* Signals that have arrived, and running their handlers. */
#include "runtime/libc/handlers.h"
#include "runtime/grounds/decisions.h"
#include "runtime/io/inputs.h"
#include "runtime/libc/signals.h"
#include "runtime/sched/follow_script.h"
#include "runtime/sched/sched_state.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <errno.h>
#include <ucontext.h>

enum { KEPT = 256 };
enum { PLACES = 4 }; /* at a position */

/* An input: the signal, the ordinal of the wait within its call, the place. */
enum { ROUND_SHIFT = 8, PLACE_SHIFT = 16, BYTE = 0xff };

enum kept_state { KEPT_FREE, KEPT_BUSY, KEPT_READY };

static struct {
    uint32_t state; /* enum kept_state */
    struct thread *thread;
    uint64_t order;
    struct arrival arrival;
} kept[KEPT];

static uint64_t orders;
static uint32_t early[SIGNALS]; /* handlers that a script ran before their signal came */

/* Whether the signal is pending for the thread, so that another one may be the same to it, as in the kernel. That counts where
 * half of the room is taken: the other half is for signals that others do not stand for. */
static bool is_same_again(const struct thread *t, int number)
{
    unsigned taken = 0;
    bool pending = false;

    if (number >= SIGRTMIN)
        return false;
    for (unsigned i = 0; i < KEPT; i++) {
        uint32_t state = __atomic_load_n(&kept[i].state, __ATOMIC_ACQUIRE);
        taken += state != KEPT_FREE;
        pending |= state == KEPT_READY && kept[i].thread == t && kept[i].arrival.info.si_signo == number;
    }
    return pending && taken > KEPT / 2;
}

bool handlers_keep(struct thread *t, const struct arrival *arrival)
{
    if (is_same_again(t, arrival->info.si_signo))
        return true;
    for (unsigned i = 0; i < KEPT; i++) {
        uint32_t free_state = KEPT_FREE;
        if (!__atomic_compare_exchange_n(&kept[i].state, &free_state, KEPT_BUSY, false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        kept[i].thread = t;
        kept[i].order = __atomic_add_fetch(&orders, 1, __ATOMIC_RELAXED);
        copy_bytes(&kept[i].arrival, arrival, sizeof *arrival);
        __atomic_store_n(&kept[i].state, KEPT_READY, __ATOMIC_RELEASE);
        __atomic_fetch_add(&t->arrived, 1, __ATOMIC_RELAXED);
        return true;
    }
    return false;
}

/* The first that was kept for the thread (NULL: for any), of this signal (0: of any but those); KEPT: none. */
static unsigned find(const struct thread *t, int number, const sigset_t *but)
{
    unsigned first = KEPT;

    for (unsigned i = 0; i < KEPT; i++) {
        int of = kept[i].arrival.info.si_signo;
        if (__atomic_load_n(&kept[i].state, __ATOMIC_ACQUIRE) == KEPT_READY && (!t || kept[i].thread == t) &&
            (number ? of == number : sigismember(but, of) != 1) &&
            (first == KEPT || kept[i].order < kept[first].order))
            first = i;
    }
    return first;
}

static bool take(const struct thread *t, int number, const sigset_t *but, struct arrival *arrival)
{
    unsigned first = find(t, number, but);

    if (first == KEPT)
        return false;
    copy_bytes(arrival, &kept[first].arrival, sizeof *arrival);
    INVARIANT(kept[first].thread->arrived > 0);
    __atomic_fetch_sub(&kept[first].thread->arrived, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&kept[first].state, KEPT_FREE, __ATOMIC_RELEASE);
    return true;
}

void handlers_forget(struct thread *t)
{
    struct arrival arrival;
    sigset_t none;

    sigemptyset(&none);
    while (take(t, 0, &none, &arrival))
        ;
}

bool handlers_scripted(void)
{
    return rt.scripted && script_has_signals();
}

bool handlers_pending(const struct thread *self)
{
    uint64_t value;

    return handlers_scripted() ? script_next_input(self, INPUT_SIGNAL, &value)
                               : __atomic_load_n(&self->arrived, __ATOMIC_RELAXED) > 0;
}

/* Which of the waits of its call the thread is in; all of them once nothing but the signal can end it. */
static unsigned round_of(const struct thread *t)
{
    return t->wake == WAKE_SIGNAL || t->wake == WAKE_LOOK ? BYTE : t->waits & BYTE;
}

/* What the script runs there. The signal itself may have come, to this thread or another, or not yet. */
static bool take_scripted(uint64_t place, struct arrival *arrival)
{
    uint64_t value;
    int number;

    if (!script_next_input(local.self, INPUT_SIGNAL, &value) || value >> PLACE_SHIFT > place ||
        (value >> PLACE_SHIFT == place && place % PLACES == BEFORE_OPERATION &&
         round_of(local.self) < (value >> ROUND_SHIFT & BYTE)))
        return false;
    script_input(local.self, INPUT_SIGNAL, &value);
    number = (int)(value & BYTE);
    if (number <= 0 || number >= SIGNALS)
        return false;
    if (take(local.self, number, NULL, arrival) || take(NULL, number, NULL, arrival))
        return true;
    if (!signals_handled(number, &arrival->action))
        return false;
    early[number]++;
    clear_bytes(&arrival->info, sizeof arrival->info);
    arrival->info.si_signo = number;
    arrival->info.si_code = SI_KERNEL;
    return true;
}

/* The next that is to run at the place. Without a script one whose handler ran too early is skipped. */
static bool next_due(uint64_t place, struct arrival *arrival)
{
    sigset_t blocked, later;

    if (handlers_scripted())
        return take_scripted(place, arrival);
    real.pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    sigandset(&later, &blocked, &local.self->held_back);
    while (take(local.self, 0, &later, arrival)) {
        if (early[arrival->info.si_signo] == 0)
            return true;
        early[arrival->info.si_signo]--;
    }
    return false;
}

/* As the kernel does: with the handler's mask, and a context it may look at. */
static void call_handler(struct arrival *a)
{
    int number = a->info.si_signo, error = errno;
    sigset_t block = a->action.sa_mask, old, held = local.self->held_back;
    ucontext_t context;

    if (!(a->action.sa_flags & SA_NODEFER))
        sigaddset(&block, number);
    sigdelset(&block, SESSION_PREEMPT);
    real.pthread_sigmask(SIG_BLOCK, &block, &old);
    sigorset(&local.self->held_back, &held, &block);
    signals_mask_changed();
    struct ground_words words = grounds_put_away();
    if (a->action.sa_flags & SA_SIGINFO) {
        getcontext(&context);
        a->action.sa_sigaction(number, &a->info, &context);
    } else {
        a->action.sa_handler(number);
    }
    grounds_put_back(&words);
    real.pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (local.self)
        local.self->held_back = held;
    signals_mask_changed();
    errno = error;
}

static uintptr_t place_in_handler(const struct arrival *a)
{
    return (a->action.sa_flags & SA_SIGINFO ? (uintptr_t)a->action.sa_sigaction
                                            : (uintptr_t)a->action.sa_handler) +
           1;
}

/* The thread has the turn and is inside the runtime; after the handler it may have lost the turn. */
static void run(struct arrival *a, uint64_t place)
{
    INVARIANT(local.inside);
    if (recording()) {
        INVARIANT(local.turn);
        log_settle();
        log_emit(RECORD_INPUT, (const void *)(uintptr_t)INPUT_SIGNAL, 0,
                 place << PLACE_SHIFT | (uint64_t)(local.self->waits & BYTE) << ROUND_SHIFT |
                     (unsigned)a->info.si_signo);
        hot.budget -= SESSION_SYNC;
        signal_received(a->info.si_signo, place_in_handler(a));
    }
    local.inside = false;
    call_handler(a);
}

static uint64_t place_now(enum handler_place place)
{
    return sched_position() * PLACES + (uint64_t)place;
}

/* A tick after the last one sets what comes then apart: a handler that ran in the second wait of a call, for one. */
void handlers_run(enum handler_place place)
{
    struct arrival arrival;
    bool ran = true;

    INVARIANT(!local.inside);
    while (ran && local.due && local.self) {
        uint64_t now = place_now(place);
        ran = false;
        while (local.due && next_due(now, &arrival)) {
            local.inside = true;
            sched_take_turn();
            run(&arrival, now);
            now = place_now(AFTER_OPERATION);
            ran = true;
        }
        if (ran && recording())
            hot.budget--;
        place = AFTER_OPERATION;
    }
    if (local.self)
        local.due = handlers_pending(local.self);
}

/* The wait is that of the runtime's caller, who looks again: what the handler does in between may end it. */
void handlers_run_in_wait(void)
{
    struct thread *self = local.self;
    uint32_t wake = self->wake, owner = self->owner, interrupted = self->interrupted, waits = self->waits;
    uint64_t now = place_now(BEFORE_OPERATION);
    bool foreign = self->foreign, ran = false;
    uintptr_t pc = self->pc;
    struct arrival arrival;

    INVARIANT(local.inside && local.turn);
    while (local.due && next_due(now, &arrival)) {
        const struct effect_call *call = local.call;
        interrupted |= handler_interrupts(arrival.action.sa_flags);
        local.call = NULL;
        run(&arrival, now);
        local.inside = true;
        local.call = call;
        now = place_now(AFTER_OPERATION);
        sched_take_turn();
        ran = true;
    }
    if (ran && recording()) {
        hot.budget--;
        sched_take_turn();
    }
    local.due = handlers_pending(self);
    self->wake = wake;
    self->waits = waits;
    self->owner = owner;
    self->foreign = foreign;
    self->pc = pc;
    self->interrupted = interrupted;
}

/* Where the script stops the thread before the handler, it comes to wait. */
void handlers_before_wait(void)
{
    uint64_t value;

    if (local.due && hot.budget > 0 && handlers_scripted() &&
        script_next_input(local.self, INPUT_SIGNAL, &value) &&
        value >> PLACE_SHIFT == place_now(BEFORE_OPERATION)) {
        local.self->wake = WAKE_LOOK;
        handlers_run_in_wait();
    }
}

void handlers_run_outside(const struct arrival *arrival)
{
    struct arrival a = *arrival;
    bool inside = local.inside;
    int error = errno;

    local.inside = true;
    sched_inside();
    run(&a, place_now(BEFORE_OPERATION));
    if (recording() && local.self) {
        local.inside = true;
        sched_take_turn();
        sched_outside();
    }
    local.inside = inside;
    errno = error;
}

bool handlers_end_wait(struct thread *t)
{
    struct sigaction action;
    sigset_t later;
    uint64_t value;
    unsigned first;

    if (!handlers_scripted()) {
        sigandset(&later, &t->mask, &t->held_back);
        first = find(t, 0, &later);
        if (first != KEPT)
            t->interrupted |= handler_interrupts(kept[first].arrival.action.sa_flags);
        return first != KEPT;
    }
    if (!script_next_input(t, INPUT_SIGNAL, &value) ||
        value >> PLACE_SHIFT > t->position * PLACES + AFTER_INTERRUPTION ||
        !signals_handled((int)(value & BYTE), &action))
        return false;
    t->interrupted |= handler_interrupts(action.sa_flags);
    return true;
}
