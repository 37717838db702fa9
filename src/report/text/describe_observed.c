/* How the recorded run ended, in words. */
#include "report/text/narrate.h"

void say_observed_title(struct narrator *n, const struct finding *f)
{
    const struct trace_end *end = &n->trace->end;
    char text[512];

    (void)f;
    say(n, "The recorded run ");
    switch (end->outcome) {
    case RUN_EXIT:
        say(n, "ended with exit status ");
        buffer_number(&n->out, end->number);
        return;
    case RUN_DEADLOCK:
        say(n, "stopped in a deadlock");
        break;
    case RUN_HANG:
        say(n, "stopped making progress");
        break;
    default:
        trace_end_text(end, text, sizeof text);
        say(n, end->outcome == RUN_SIGNAL ? "died of " : "ended in ");
        say(n, end->outcome == RUN_SIGNAL ? "" : end->outcome == RUN_EXCEPTION ? "an " : "a ");
        buffer_safe(&n->out, text);
        return;
    }
    if (end->waiters_count > 0) {
        say(n, "; ");
        say_count(n, end->waiters_count, "thread");
        say(n, end->waiters_count == 1 ? " waits" : " wait");
    }
}

void say_observed_details(struct narrator *n, const struct finding *f)
{
    const struct trace_end *end = &n->trace->end;
    char text[1024];

    (void)f;
    for (size_t i = 0; i < end->waiters_count; i++) {
        run_waiter_text(&end->waiters[i], text, sizeof text);
        say(n, "    ");
        buffer_safe(&n->out, text);
        say(n, "\n");
    }
    say(n, "      this happened while the program was recorded; it is not a prediction\n");
}
