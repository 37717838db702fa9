/* What all reports agree on: letters, schedules, colours, the exit status. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char property_letter(enum property property)
{
    static const char letters[] = {
        [PROPERTY_NONDET] = 'N',      [PROPERTY_FINAL] = 'F',           [PROPERTY_RACE] = 'R',
        [PROPERTY_UNORDERED] = 'U',   [PROPERTY_DEADLOCK] = 'L',        [PROPERTY_ATOMICITY] = 'A',
        [PROPERTY_DETERMINISM] = 'D', [PROPERTY_SERIALIZABILITY] = 'S',
    };
    _Static_assert(sizeof letters == PROPERTIES, "every property has a letter");

    return letters[property];
}

unsigned property_rank(enum property property)
{
    static const uint8_t ranks[] = {
        [PROPERTY_RACE] = 0,        [PROPERTY_DEADLOCK] = 1,        [PROPERTY_ATOMICITY] = 2,
        [PROPERTY_DETERMINISM] = 3, [PROPERTY_SERIALIZABILITY] = 4, [PROPERTY_NONDET] = 5,
        [PROPERTY_FINAL] = 8,       [PROPERTY_UNORDERED] = 9,
    };
    _Static_assert(sizeof ranks == PROPERTIES, "every property has a rank");

    return ranks[property];
}

bool finding_has_schedule(const struct finding *f)
{
    if (f->property == PROPERTY_DETERMINISM || f->property == PROPERTY_SERIALIZABILITY)
        return f->schedule.prefix > 0 || f->schedule.tail_count > 0;
    return f->property != PROPERTY_UNORDERED && f->kind == 0;
}

uint32_t finding_subject(const struct finding *f)
{
    return finding_is_conflict(f) ? f->events[1] : f->event_count > 0 ? f->events[0] : EVENT_INIT;
}

const char *event_place(const struct trace *trace, event_id e)
{
    location_id place = trace->location[e];

    return e == EVENT_INIT || place == NAME_NONE ? "" : trace_name(trace, NAME_LOCATION, place);
}

bool report_wants_color(FILE *to)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    if (no_color && *no_color)
        return false;
    return terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(to));
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
