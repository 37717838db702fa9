/* How the recorded run ended: a list of texts. */
#include "trace/ending.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *outcome_word(enum run_outcome outcome)
{
    static const char *const words[RUN_OUTCOMES] = {
        "", "exit", "signal", "deadlock", "hang", "assertion", "exception",
    };

    return words[outcome];
}

bool trace_end_failed(const struct trace_end *end)
{
    return end->outcome > RUN_EXIT || (end->outcome == RUN_EXIT && end->number != 0);
}

void trace_end_text(const struct trace_end *end, char *to, size_t room)
{
    const char *text = end->text ? end->text : "";

    switch (end->outcome) {
    case RUN_EXIT:
        snprintf(to, room, "exit status %" PRIu64, end->number);
        break;
    case RUN_SIGNAL:
        snprintf(to, room, "signal %" PRIu64 " (%s)", end->number,
                 end->number > 0 && end->number < 65 ? strsignal((int)end->number) : "unknown");
        break;
    case RUN_DEADLOCK:
        snprintf(to, room, "deadlock");
        break;
    case RUN_HANG:
        snprintf(to, room, "hang: every thread waits");
        break;
    case RUN_ASSERTION:
        snprintf(to, room, "failed assertion%s%s", *text ? ": " : "", text);
        break;
    case RUN_EXCEPTION:
        snprintf(to, room, "uncaught exception%s%s", *text ? ": " : "", text);
        break;
    default:
        snprintf(to, room, "unknown");
    }
}

void run_waiter_text(const struct run_waiter *w, char *to, size_t room)
{
    snprintf(to, room, "%s waits for %s%s%s%s%s%s", w->thread, w->what, *w->holder ? ", which " : "", w->holder,
             *w->holder ? " holds" : "", *w->place ? ", at " : "", w->place);
}

/* Files keep a text in one line. */
static char *one_line(const char *text)
{
    return memory_text(text ? text : "", text ? strcspn(text, "\r\n") : 0);
}

void trace_end_outcome(struct trace_end *end, enum run_outcome outcome, uint64_t number, const char *text)
{
    end->outcome = outcome;
    end->number = number;
    free(end->text);
    end->text = text ? one_line(text) : NULL;
}

void trace_end_waiter(struct trace_end *end, const char *thread, const char *what, const char *place,
                      const char *holder)
{
    ARRAY_PUSH(end, waiters,
               (struct run_waiter){one_line(thread), one_line(what), one_line(place), one_line(holder)});
}

void trace_end_incomplete(struct trace_end *end, const char *reason)
{
    ARRAY_PUSH(end, incomplete, one_line(reason));
}

void trace_end_free(struct trace_end *end)
{
    for (size_t i = 0; i < end->waiters_count; i++) {
        free(end->waiters[i].thread);
        free(end->waiters[i].what);
        free(end->waiters[i].place);
        free(end->waiters[i].holder);
    }
    for (size_t i = 0; i < end->incomplete_count; i++)
        free(end->incomplete[i]);
    free(end->waiters);
    free(end->incomplete);
    free(end->text);
    memset(end, 0, sizeof *end);
}
