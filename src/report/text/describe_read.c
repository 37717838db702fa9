/* What an order-dependent read decides, in words. */
#include "report/text/narrate.h"

static void say_deciding(struct narrator *n, event_id e)
{
    enum event_kind kind = trace_kind(n->trace, e);

    if (!*event_place(n->trace, e)) {
        say(n, "decides how ");
        say_thread(n, e);
        say(n, " goes on");
        return;
    }
    say(n, "decides whether ");
    if (kind_accesses(kind)) {
        say_argument(n, e);
        say(n, kind_writes(kind) ? " is written at " : " is read at ");
    } else {
        say_thread(n, e);
        say(n, " comes to ");
    }
    buffer_safe(&n->out, event_place(n->trace, e));
}

void say_decision(struct narrator *n, const char *before, struct decision decision, const char *after)
{
    if (decision.kind == DECIDES_UNKNOWN)
        return;
    say(n, before);
    switch (decision.kind) {
    case DECIDES_EVENT:
        say_deciding(n, decision.event);
        break;
    case DECIDES_OUTPUT:
        say(n, "reaches the output");
        break;
    case DECIDES_VALUE:
        say(n, "becomes part of ");
        say_argument(n, decision.event);
        say(n, " at ");
        buffer_safe(&n->out, event_place(n->trace, decision.event));
        break;
    default:
        say(n, "nothing depends on it");
        break;
    }
    say(n, after);
}
