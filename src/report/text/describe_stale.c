/* A stale read in words: the read, the write that overtook it, the write that depends on it. */
#include "report/text/narrate.h"
#include "trace/grounds.h"

static struct value value_at(const struct narrator *n, const struct finding *f, event_id e)
{
    return value_of_step(&n->values, &f->schedule, e);
}

/* "stock = 1", "stock" where the value is not known. */
static void say_variable(struct narrator *n, event_id e, struct value value)
{
    say_argument(n, e);
    if (value_known(value)) {
        say(n, " = ");
        say_value(n, value);
    }
}

void say_stale_title(struct narrator *n, const struct finding *f)
{
    struct value read = value_at(n, f, f->events[0]), remote = value_at(n, f, f->events[1]);

    say(n, "Stale read: ");
    say_thread(n, f->events[2]);
    say(n, " writes ");
    say_variable(n, f->events[2], value_at(n, f, f->events[2]));
    if (value_known(read)) {
        say(n, " because it read ");
        say_variable(n, f->events[0], read);
    } else {
        say(n, " because of what it read before");
    }
    say(n, "; meanwhile ");
    say_thread(n, f->events[1]);
    say(n, " can write ");
    if (value_known(remote))
        say_value(n, remote);
    else
        say(n, "it");
}

static void say_line(struct narrator *n, const struct finding *f, const char *label, event_id e)
{
    say(n, label);
    say_thread(n, e);
    say(n, " ");
    say_event(n, e, value_at(n, f, e));
    say(n, " at ");
    say_place(n, e);
    say(n, "\n");
    say_callers(n, "      ", e);
}

static bool is_named(struct ground_list list, event_id read)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (ground_at(&list, i).read == read)
            return true;
    return false;
}

/* What comes of it, as far as the write's grounds say what the read is to it. */
static void say_effect(struct narrator *n, const struct finding *f)
{
    struct ground_list from = trace_from(n->trace, f->events[2]);

    if (!from.given) {
        say(n, "the write depends on what was read before ");
        say_thread(n, f->events[1]);
        say(n, " wrote: an update is lost, or a check no longer holds");
    } else if (is_named(from, f->events[0])) {
        say(n, "what ");
        say_thread(n, f->events[1]);
        say(n, " wrote is lost: the new value is computed from the one read before");
    } else {
        say(n, "the check no longer holds: it was made before ");
        say_thread(n, f->events[1]);
        say(n, " wrote");
    }
}

void say_stale_details(struct narrator *n, const struct finding *f)
{
    say_line(n, f, "    ", f->events[0]);
    say_line(n, f, "      meanwhile  ", f->events[1]);
    say_line(n, f, "    ", f->events[2]);
    say(n, "      ");
    say_effect(n, f);
    say(n, "\n");
}
