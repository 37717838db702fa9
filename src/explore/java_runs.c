/* Checks and notes about the runs of a Java program. */
#include "explore/explorer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

void explorer_limit(struct explorer *e, const char *format, ...)
{
    va_list list;

    if (e->limit[0])
        return;
    va_start(list, format);
    vsnprintf(e->limit, sizeof e->limit, format, list);
    va_end(list);
}

/* What of a Java program's run keeps us from claiming that all was explored. */
static void note_limits(struct explorer *e, const struct deeds *deeds, const struct outcome *o,
                        const struct lesson *lesson)
{
    if (deeds->unsupported[0])
        explorer_limit(e, "not explored: %.400s", deeds->unsupported);
    if (o->ending == ENDED_SIGNAL)
        explorer_miss(e, INCOMPLETE_UNSUPPORTED, "not explored: signal %d ended the virtual machine",
                      o->status);
    if (o->ending == ENDED_HANG && lesson->exit)
        explorer_miss(e, INCOMPLETE_DIVERGED, "run %llu did not end in time", (unsigned long long)e->to->runs);
    if (deeds->cut_off && o->ending != ENDED_DEADLOCK && o->ending != ENDED_HANG)
        explorer_limit(e, "not explored: threads that end with the process (daemons)");
}

static uint32_t end_sum(const struct outcome *o)
{
    uint64_t sum = XXH3_64bits_withSeed(o->output[0].bytes, o->output[0].length, (uint64_t)o->ending << 32);

    sum = XXH3_64bits_withSeed(o->output[1].bytes, o->output[1].length, sum + (uint64_t)o->status);
    return (uint32_t)(sum >> 32) | 1;
}

/* Time, chance and the like are no input that could be given to a Java program again, and what a run leaves
 * behind in files no other run forgets: what depends on them must not pass for the doing of schedules. */
void explorer_compare(struct explorer *e, const struct lesson *lesson, const struct outcome *o)
{
    uint32_t *way, end = end_sum(o);

    if (lesson->broken || lesson->recount || o->ending == ENDED_HANG)
        return;
    way = map_at(&e->ways, lesson_sum(&e->history, lesson));
    if (*way && *way != end)
        explorer_limit(e,
                       "run %llu ended differently from a run in which all threads read the same values: the "
                       "program depends on something that is not recorded, such as time, random numbers, %s",
                       (unsigned long long)e->to->runs,
                       e->outlasting ? "or files that an earlier run left behind" : "or uninstrumented code");
    *way = end;
}

void explorer_note_java(struct explorer *e, const struct deeds *deeds, const struct outcome *o,
                        const struct lesson *lesson)
{
    note_limits(e, deeds, o, lesson);
    explorer_compare(e, lesson, o);
}

void explorer_conclude(struct explorer *e)
{
    bool other = e->to->incomplete == INCOMPLETE_DIVERGED || e->to->incomplete == INCOMPLETE_OTHER;
    size_t length = strlen(e->to->reason);

    if (!e->limit[0])
        return;
    if (e->to->incomplete && !other) {
        snprintf(e->to->reason + length, sizeof e->to->reason - length, "; %s", e->limit);
        return;
    }
    e->to->incomplete = INCOMPLETE_NOT; /* that is why a run may have gone another way, too */
    explorer_miss(e, INCOMPLETE_UNSUPPORTED, "%s", e->limit);
}
