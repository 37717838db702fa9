/* What all reports agree on: schedules, colours, the exit status. */
#include "report/report.h"
#include "finding/observed.h"
#include "trace/own_places.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool finding_has_schedule(const struct finding *f)
{
    if (property_traits(f->property)->about_blocks)
        return f->schedule.prefix > 0 || f->schedule.tail_count > 0;
    return !property_traits(f->property)->observed_only && f->kind == 0;
}

uint32_t finding_subject(const struct finding *f)
{
    if (f->property == PROPERTY_OBSERVED)
        return EVENT_INIT;
    return finding_is_conflict(f) ? f->events[1] : f->event_count > 0 ? f->events[0] : EVENT_INIT;
}

size_t name_own_length(const char *name)
{
    static const char *const internals[] = {"._M_", ": _M_", "::_M_"};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof internals / sizeof *internals; i++) {
        const char *at = strstr(name, internals[i]);
        if (at && at > name && (size_t)(at - name) < length)
            length = (size_t)(at - name);
    }
    if (name[length] && length > 2 && strncmp(name + length - 2, ".c", 2) == 0)
        length -= 2; /* the container inside a queue or stack */
    return length;
}

stack_id event_own_stack(const struct trace *trace, event_id e)
{
    stack_id stack = trace->stacks && e != EVENT_INIT ? trace_stack(trace, e) : STACK_NONE;
    location_id place = trace->location[e];

    if (place == NAME_NONE || place_is_own(trace_name(trace, NAME_LOCATION, place)))
        return STACK_NONE;
    while (stack != STACK_NONE && !place_is_own(stack_place(trace->stacks, stack)))
        stack = stack_rest(trace->stacks, stack);
    return stack;
}

const char *event_place(const struct trace *trace, event_id e)
{
    location_id place = trace->location[e];
    stack_id own;

    if (e == EVENT_INIT || place == NAME_NONE)
        return "";
    own = event_own_stack(trace, e);
    return own == STACK_NONE ? trace_name(trace, NAME_LOCATION, place) : stack_place(trace->stacks, own);
}

bool report_wants_color(FILE *to)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    if (no_color && *no_color)
        return false;
    return terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(to));
}

size_t report_columns(FILE *to)
{
    struct winsize size;

    if (!isatty(fileno(to)) || ioctl(fileno(to), TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

void report_leading_id(const struct results *results, const struct report_options *options, char *to,
                       size_t room)
{
    size_t i = 0;

    while (i < results->found.findings_count &&
           (!finding_has_schedule(&results->found.findings[i]) || mark_is_suppressed(options->marks, i)))
        i++;
    *to = '\0';
    if (i < results->found.findings_count)
        snprintf(to, room, "%c%u", property_letter(results->found.findings[i].property),
                 results->found.findings[i].number);
}

bool results_undecided(const struct results *results, enum property property)
{
    for (size_t i = 0; i < results->undecided.findings_count; i++)
        if (results->undecided.findings[i].property == property)
            return true;
    return results->stats[property].undecided > 0;
}

bool results_settled(const struct results *results, const struct trace *trace, enum property property)
{
    bool only_undecided = !results->interrupted && !results->graph.used && !trace->note &&
                          !trace_incomplete(trace, 0) && results->undecided.findings_count > 0;

    return (results->complete ? !results->interrupted : only_undecided) &&
           !results_undecided(results, property);
}

bool results_problems_settled(const struct results *results, const struct trace *trace)
{
    bool asked = false;

    for (enum property p = 0; p < PROPERTIES; p++) {
        if (!results->stats[p].checked || !severity_is_problem(property_traits(p)->severity))
            continue;
        asked = true;
        if (!results_settled(results, trace, p))
            return false;
    }
    for (size_t i = 0; i < results->undecided.findings_count; i++)
        if (finding_is_problem(&results->undecided.findings[i]))
            return false;
    return asked || results_open_status(results) == 0;
}

int results_open_status(const struct results *results)
{
    enum { NOTHING_FOUND = 0, INCOMPLETE = 3 };

    if (!results->complete || results->interrupted || results->undecided.findings_count > 0)
        return INCOMPLETE;
    for (enum property p = 0; p < PROPERTIES; p++)
        if (results->stats[p].undecided > 0)
            return INCOMPLETE;
    return NOTHING_FOUND;
}
