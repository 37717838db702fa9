/* Threads that wait forever, in words: which thread waits for what, and which thread would have had to act. */
#include "report/lack.h"
#include "report/text/narrate.h"

static void say_name(struct narrator *n, thread_id thread)
{
    buffer_safe(&n->out, trace_name(n->trace, NAME_THREAD, thread));
}

/* The condition of the wait that `e` is part of. */
static void say_condition(struct narrator *n, event_id e)
{
    const struct model *m = n->model;

    if (kind_of(m, e) != EVENT_WAIT_POST && !is_thread_end(m, e))
        e = event_at(m, thread_of(m, e), m->position[e] + 1); /* after the acquire that ends the wait */
    say_argument(n, e);
}

/* "T2 can wait forever for a signal on ready" */
static void say_wait(struct narrator *n, event_id e, const struct lacking *l)
{
    switch (l->what) {
    case LACK_LOCK:
        say(n, "for the lock ");
        say_argument(n, e);
        break;
    case LACK_SIGNAL:
        say(n, "for a signal on ");
        say_condition(n, e);
        break;
    case LACK_TOKEN:
        say(n, "for the semaphore ");
        say_argument(n, e);
        break;
    case LACK_PARTNER:
        say(n, "at the barrier ");
        say_argument(n, e);
        break;
    case LACK_END:
        say(n, "for the end of ");
        say_argument(n, e);
        break;
    }
}

/* The thread that waits because of an event, not only for another waiting thread: it is described first. */
static event_id root_of(const struct narrator *n, const struct finding *f)
{
    for (uint32_t i = 0; i < f->event_count; i++)
        if (!stuck_lacks(n->model, f, f->events[i]).waits)
            return f->events[i];
    return f->events[0];
}

void say_stuck_title(struct narrator *n, const struct finding *f)
{
    event_id root = root_of(n, f);
    struct lacking l = stuck_lacks(n->model, f, root);

    say(n, "Stuck: ");
    say_thread(n, root);
    say(n, " can wait forever ");
    say_wait(n, root, &l);
    if (f->event_count > 1) {
        say(n, ", and ");
        say_count(n, f->event_count - 1, "other thread");
        say(n, " with it");
    }
}

/* What the thread that would have had to act does instead. */
static void say_instead(struct narrator *n, const struct lacking *l)
{
    say(n, l->waits ? " waits itself" : l->over ? " has ended" : " has not been started");
}

static void say_helper(struct narrator *n, event_id e, const struct lacking *l)
{
    static const char *const acts[] = {
        [LACK_SIGNAL] = "signal ", [LACK_TOKEN] = "post ", [LACK_PARTNER] = "arrive at "};

    if (l->what == LACK_LOCK) {
        say_name(n, l->who);
        say(n, " holds it since ");
        say_place(n, l->event);
        say(n, l->waits ? " and waits itself" : " and has ended");
        return;
    }
    if (l->who == NAME_NONE) {
        say(n, l->what == LACK_TOKEN ? "no token is left for it" : "nobody signals it");
        return;
    }
    say_name(n, l->who);
    if (l->what == LACK_END) {
        say_instead(n, l);
        return;
    }
    if (l->happened && l->what == LACK_SIGNAL) {
        say(n, " signals it at ");
        say_place(n, l->event);
        say(n, l->early ? ", before " : ", but that wakes another thread than ");
        say_thread(n, e);
        say(n, l->early ? " waits" : "");
        return;
    }
    if (l->happened) {
        say(n, " posts it at ");
        say_place(n, l->event);
        say(n, ", but another thread takes that token");
        return;
    }
    say(n, " would have to ");
    say(n, acts[l->what]);
    say(n, "it at ");
    say_place(n, l->event);
    say(n, " but");
    say_instead(n, l);
}

void say_stuck_details(struct narrator *n, const struct finding *f)
{
    for (uint32_t i = 0; i < f->event_count; i++) {
        event_id e = f->events[i];
        struct lacking l = stuck_lacks(n->model, f, e);

        say(n, "    ");
        say_thread(n, e);
        say(n, " waits ");
        say_wait(n, e, &l);
        say(n, " at ");
        say_place(n, e);
        say(n, "\n      ");
        say_helper(n, e, &l);
        say(n, "\n");
        say_callers(n, "      ", e);
    }
}

void say_stuck_mark(struct narrator *n, const struct finding *f, event_id e)
{
    struct lacking l = stuck_lacks(n->model, f, e);

    say(n, "waits forever ");
    say_wait(n, e, &l);
}
