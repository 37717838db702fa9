/* Describes which thread waits for which. */
#include "record/collect/waiting.h"

#include <stdbool.h>

static const char *const verbs[] = {
    [WAIT_NONE] = "is",
    [WAIT_LOCK] = "waits for lock",
    [WAIT_CONDITION] = "waits for condition",
    [WAIT_BARRIER] = "waits at barrier",
    [WAIT_SEMAPHORE] = "waits for semaphore",
    [WAIT_JOIN] = "joins",
    [WAIT_ONCE] = "waits for the initialization of",
    [WAIT_FUTEX] = "waits for a change of",
    [WAIT_TIME] = "sleeps",
    [WAIT_DESCRIPTOR] = "waits for a file descriptor",
};

static void thread_line(const struct session_thread *t, struct naming *naming, note_taker *to)
{
    uint32_t reason = session_load(&t->reason), owner = session_load(&t->owner),
             state = session_load(&t->state);
    uint64_t pc = session_load(&t->pc);
    char name[512], object[1024] = "", place[1024] = "", holder[512] = "";
    struct spelling unused;
    bool held;

    naming_thread(naming, session_load(&t->id) - 1, name, sizeof name);
    if (owner)
        naming_thread(naming, owner - 1, holder, sizeof holder);
    if (pc)
        symbols_place(naming->symbols, pc, place, sizeof place);
    if (state == STATE_RUNNING || state == STATE_RUNNABLE || state == STATE_OUTSIDE) {
        note_add(to, NOTE_DETAIL, "%s %s, last seen at %s", name,
                 state == STATE_RUNNING    ? "has the turn"
                 : state == STATE_RUNNABLE ? "waits for its turn"
                                           : "is in a system call or uninstrumented code",
                 *place ? place : "its start");
        return;
    }
    if (reason == WAIT_JOIN)
        snprintf(object, sizeof object, "%s", holder);
    else if (session_load(&t->key))
        naming_describe(naming, &(struct touched){.address = session_load(&t->key), .pc = pc}, object,
                        sizeof object, &unused);
    held = reason == WAIT_LOCK && owner;
    note_add(to, NOTE_DETAIL, "%s %s%s%s%s%s%s, at %s", name,
             verbs[reason < sizeof verbs / sizeof *verbs ? reason : 0], *object ? " " : "", object,
             held ? ", which " : "", held ? holder : "", held ? " holds" : "",
             *place ? place : "an unknown place");
}

static bool alive(const struct session_thread *t)
{
    uint32_t state = session_load(&t->state);

    return session_load(&t->id) != 0 && state != STATE_FREE && state != STATE_ENDED;
}

static const struct session_thread *thread_with(const struct session *session, uint32_t id)
{
    for (int i = 0; i < SESSION_THREADS; i++)
        if (alive(&session->threads[i]) && session_load(&session->threads[i].id) == id)
            return &session->threads[i];
    return NULL;
}

void stuck_describe(const struct session *session, struct naming *naming, const char *why, note_taker *to)
{
    note_add(to, NOTE_NEWS, "%s:", why);
    for (int i = 0; i < SESSION_THREADS; i++)
        if (alive(&session->threads[i]))
            thread_line(&session->threads[i], naming, to);
}

/* A thread on a cycle of "waits for what is held by", or NULL. */
static const struct session_thread *on_cycle(const struct session *session)
{
    for (int i = 0; i < SESSION_THREADS; i++) {
        const struct session_thread *start = &session->threads[i], *at = start;
        for (int steps = 0; at && alive(at) && steps < SESSION_THREADS; steps++) {
            at = session_load(&at->owner) ? thread_with(session, session_load(&at->owner)) : NULL;
            if (at == start)
                return start;
        }
        if (!alive(start) && session_load(&start->id) == 0)
            break;
    }
    return NULL;
}

void stuck_deadlock(const struct session *session, struct naming *naming, note_taker *to)
{
    const struct session_thread *start = on_cycle(session), *at = start;

    note_add(to, NOTE_NEWS, "deadlock: no thread of the program can continue");
    if (start) {
        do {
            thread_line(at, naming, to);
            at = thread_with(session, session_load(&at->owner));
        } while (at != start);
        note_add(to, NOTE_DETAIL, "which closes the cycle");
        return;
    }
    for (int i = 0; i < SESSION_THREADS; i++)
        if (alive(&session->threads[i]))
            thread_line(&session->threads[i], naming, to);
}
