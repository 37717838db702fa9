/* Findings about declared blocks in words: which block, which operations, why nothing orders them. */
#include "report/text/narrate.h"

static enum event_kind kind_at(const struct narrator *n, event_id e)
{
    return trace_kind(n->trace, e);
}

static bool is_block(const struct narrator *n, event_id first)
{
    return kind_argument(kind_at(n, first)) == NAME_BLOCK;
}

/* "T1's block checksum that begins at sort.c:12 (event 3)", "what T2 does at sort.c:40 (event 9)" */
static void say_transaction(struct narrator *n, event_id first)
{
    if (!is_block(n, first)) {
        say(n, "what ");
        say_thread(n, first);
        say(n, " does at ");
        say_place(n, first);
        return;
    }
    say_thread(n, first);
    say(n, "'s block ");
    if (n->trace->arg[first] != ARG_NONE) {
        say_argument(n, first);
        say(n, " ");
    }
    say(n, "that begins at ");
    say_place(n, first);
}

static void say_conflict_title(struct narrator *n, const struct finding *f)
{
    event_id a = f->events[1], b = f->events[2];

    say(n, "Block is not deterministic: ");
    say_thread(n, a);
    say(n, " and ");
    say_thread(n, b);
    say(n, kind_argument(kind_at(n, b)) == NAME_LOCK        ? " race for the lock "
           : kind_argument(kind_at(n, b)) == NAME_SEMAPHORE ? " race for the semaphore "
                                                            : " race for ");
    say_argument(n, b);
    say(n, " in it");
}

static void say_conflict(struct narrator *n, const struct finding *f)
{
    event_id a = f->events[1], b = f->events[2];
    enum name_class class = kind_argument(kind_at(n, b));

    say(n, "    in ");
    say_transaction(n, f->events[0]);
    say_done(n, "\n      ", a);
    say_done(n, "\n      ", b);
    say(n, "\n    No fork or join, and no barrier, condition or semaphore, orders the two:\n    ");
    if (class == NAME_LOCK)
        say(n, "the scheduler decides who gets the lock first.\n");
    else if (class == NAME_SEMAPHORE)
        say(n, "the scheduler decides who gets which token.\n");
    else if (kind_atomic(kind_at(n, a)) && kind_atomic(kind_at(n, b)))
        say(n, "atomics are safe to use at once, but the scheduler decides who comes first.\n");
    else
        say(n, "the scheduler decides which comes first, locks around them or not.\n");
}

/* Why one event comes before the other in every run that looks like this one to the program. */
static void say_reason(struct narrator *n, event_id a, event_id b)
{
    enum name_class class = kind_argument(kind_at(n, b));

    if (n->trace->thread[a] == n->trace->thread[b]) {
        say(n, "one thread does both");
    } else if (class == kind_argument(kind_at(n, a)) && class != NAME_THREAD && class != NAME_CLASSES &&
               n->trace->arg[a] == n->trace->arg[b]) {
        say(n, "both are about ");
        say_argument(n, b);
    } else {
        say(n, "a thread starts or ends");
    }
}

static void say_cycle(struct narrator *n, const struct finding *f)
{
    uint32_t length = finding_cycle(f);
    const uint32_t *edge = f->events + length;

    say(n, "    ");
    say_transaction(n, f->events[0]);
    for (uint32_t i = 0; i < length; i++, edge += 2) {
        say_done(n, "\n      ", edge[0]);
        say_done(n, "\n      before ", edge[1]);
        say(n, ": ");
        say_reason(n, edge[0], edge[1]);
        say(n, i + 1 < length ? "\n    so it comes before " : "\n    and so before itself: ");
        say_transaction(n, f->events[(i + 1) % length]);
    }
    say(n, "\n    No order of these, one after the other, does the same.\n");
}

void say_block_title(struct narrator *n, const struct finding *f)
{
    if (finding_is_conflict(f)) {
        say_conflict_title(n, f);
        return;
    }
    say(n,
        f->property == PROPERTY_DETERMINISM ? "Block is not deterministic: " : "Block is not serializable: ");
    say_thread(n, f->events[1]);
    say(n, finding_has_schedule(f) ? " can interfere with " : " interferes with ");
    say_thread(n, f->events[0]);
    say(n, "'s block");
}

void say_block_details(struct narrator *n, const struct finding *f)
{
    if (finding_is_conflict(f))
        say_conflict(n, f);
    else
        say_cycle(n, f);
}

bool say_block_mark(struct narrator *n, const struct finding *f, event_id e)
{
    uint32_t length = finding_cycle(f);

    if (finding_is_conflict(f)) {
        if (e != f->events[2])
            return false;
        say(n, "nothing orders it after event ");
        buffer_number(&n->out, f->events[1]);
        return true;
    }
    for (uint32_t i = length; i < f->event_count; i += 2) {
        if (e != f->events[i + 1])
            continue;
        say(n, "comes after event ");
        buffer_number(&n->out, f->events[i]);
        if (i + 2 == f->event_count) {
            say(n, ", yet inside the block of event ");
            buffer_number(&n->out, f->events[0]);
        }
        return true;
    }
    return false;
}
