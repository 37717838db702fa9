/* A finding in words: what can go wrong, who does it, where, with which values. */
#include "report/text/narrate.h"
#include "trace/journal.h"

#include <string.h>

struct value alternative_value(const struct narrator *n, const struct finding *f)
{
    uint32_t alternative = f->events[f->property == PROPERTY_NONDET ? 2 : 1];
    variable_id x = n->trace->arg[f->events[0]];

    return value_in_run(&n->values, &f->schedule, alternative, x);
}

struct value observed_value(const struct narrator *n, const struct finding *f)
{
    if (f->property == PROPERTY_NONDET)
        return value_observed(&n->values, f->events[0]);
    return value_written(&n->values, f->events[0], n->trace->arg[f->events[0]]);
}

event_id deadlock_holder(const struct model *m, const struct finding *f, event_id e)
{
    for (uint32_t i = 0; i < f->event_count; i++) {
        event_id other = f->events[i];
        if (other == e)
            continue;
        for (uint32_t h = model_hold_at(m, thread_of(m, other), m->position[other]); h != HOLD_NONE;
             h = m->holds[h].outer)
            if (section_lock(&m->sections[m->holds[h].section]) == arg_of(m, e))
                return other;
    }
    return EVENT_NONE;
}

void say_difference(struct narrator *n, const struct finding *f, const char *can_be, const char *otherwise)
{
    struct value seen = observed_value(n, f);
    struct value other = alternative_value(n, f);

    if (!value_known(seen) || !value_known(other)) {
        say(n, otherwise);
        return;
    }
    say(n, can_be);
    if (value_equal(seen, other)) {
        say(n, "the same value, ");
        say_value(n, other);
        say(n, ", from another write");
        return;
    }
    say_value(n, other);
    say(n, " instead of ");
    say_value(n, seen);
}

static const char *access_verb(const struct narrator *n, event_id e)
{
    enum event_kind kind = trace_kind(n->trace, e);

    if (trace_is_freeing(n->trace, e))
        return "frees";
    return kind_updates(kind) ? "updates" : kind_writes(kind) ? "writes" : "reads";
}

static void say_pair(struct narrator *n, const struct finding *f, const char *between)
{
    say_thread(n, f->events[0]);
    say(n, " ");
    say(n, access_verb(n, f->events[0]));
    say(n, " ");
    say_argument(n, f->events[0]);
    say(n, between);
    say_thread(n, f->events[1]);
    say(n, " ");
    say(n, access_verb(n, f->events[1]));
    say(n, " it");
}

/* What an unserializable pattern does, for people: R and W for the block's first access, the other thread's and
 * the block's second. Updates are both: no pattern fits alone. */
static const char *pattern_effect(const struct narrator *n, const struct finding *f)
{
    static const struct {
        char pattern[4];
        const char *effect;
    } effects[] = {
        {"RWR", "the block reads two different things"},
        {"RWW", "the block overwrites what it has not seen: an update is lost"},
        {"WRW", "the other thread sees what was meant to stay inside the block"},
        {"WWR", "the block does not read back what it wrote"},
        {"WWW", "the block overwrites the other thread's write"},
    };
    char pattern[4] = "";

    for (size_t i = 0; i < 3; i++) {
        enum event_kind kind = trace_kind(n->trace, f->events[i]);
        if (kind_updates(kind))
            return "no serial order of the block and the access has the same effect";
        pattern[i] = kind_writes(kind) ? 'W' : 'R';
    }
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
        if (strcmp(effects[i].pattern, pattern) == 0)
            return effects[i].effect;
    return "the block does not take effect in one step";
}

/* With data ignored, only what exact confirms is. */
static bool race_is_certain(const struct finding *f)
{
    return f->confirmation == CONFIRMATION_NONE || f->confirmation == CONFIRMATION_EXACT;
}

void say_title(struct narrator *n, const struct finding *f)
{
    switch (f->property) {
    case PROPERTY_NONDET:
        say(n, "Nondeterministic read: ");
        say_argument(n, f->events[0]);
        say_difference(n, f, " can be ", " can come from another write");
        break;
    case PROPERTY_FINAL:
        say(n, "Nondeterministic final state: ");
        say_argument(n, f->events[0]);
        say_difference(n, f, " can end as ", " can end with another write");
        break;
    case PROPERTY_RACE:
        say(n, race_is_certain(f) ? "Data race: " : "Possible data race: ");
        say_pair(n, f, " while ");
        break;
    case PROPERTY_UNORDERED:
        say(n, "Unordered accesses: ");
        say_pair(n, f, " and ");
        break;
    case PROPERTY_DEADLOCK:
        say(n, "Deadlock: ");
        say_count(n, f->event_count, "thread");
        say(n, " can wait for each other forever");
        break;
    case PROPERTY_ATOMICITY:
        say(n, "Atomicity violation: ");
        say_thread(n, f->events[1]);
        say(n, " ");
        say(n, access_verb(n, f->events[1]));
        say(n, " ");
        say_argument(n, f->events[1]);
        say(n, " inside an atomic block of ");
        say_thread(n, f->events[0]);
        break;
    case PROPERTY_STALE:
        say_stale_title(n, f);
        break;
    case PROPERTY_STUCK:
        say_stuck_title(n, f);
        break;
    case PROPERTY_OBSERVED:
        say_observed_title(n, f);
        break;
    case PROPERTY_DETERMINISM:
    case PROPERTY_SERIALIZABILITY:
        say_block_title(n, f);
        break;
    case PROPERTIES:
        break;
    }
}

/* "    T2 reads counter at counter.c:9 (event 10)", and who called that. */
static void say_access(struct narrator *n, const char *label, event_id e)
{
    say_done(n, label, e);
    say(n, "\n");
    say_callers(n, "      ", e);
}

/* "0, the initial value", "1, written by T1 at counter.c:12 (event 7)", "what T1 wrote at …" */
static void say_write(struct narrator *n, const char *label, event_id write, struct value value)
{
    say(n, label);
    if (value_known(value)) {
        say_value(n, value);
        say(n, write == EVENT_INIT ? ", the initial value\n" : ", written by ");
    } else {
        say(n, write == EVENT_INIT ? "the initial value\n" : "the value written by ");
    }
    if (write == EVENT_INIT)
        return;
    say_thread(n, write);
    say(n, " at ");
    say_place(n, write);
    say(n, "\n");
    say_callers(n, "                 ", write);
}

static void say_waiting(struct narrator *n, const struct finding *f)
{
    for (uint32_t i = 0; i < f->event_count; i++) {
        event_id e = f->events[i];
        event_id holder = deadlock_holder(n->model, f, e);

        say(n, "    ");
        say_thread(n, e);
        say(n, " wants ");
        say_argument(n, e);
        say(n, " at ");
        say_place(n, e);
        if (holder != EVENT_NONE) {
            say(n, "; ");
            say_thread(n, holder);
            say(n, " holds it");
        }
        say(n, "\n");
        say_callers(n, "      ", e);
    }
}

static bool of_java(const struct narrator *n)
{
    return journal_is_java(n->trace->journal, n->trace->journal_length);
}

void say_details(struct narrator *n, const struct finding *f)
{
    switch (f->property) {
    case PROPERTY_NONDET:
        say_access(n, "    ", f->events[0]);
        say_write(n, "      saw        ", f->events[1], observed_value(n, f));
        say_write(n, "      could see  ", f->events[2], alternative_value(n, f));
        if (n->decided)
            say_decision(n, "      ", decided_by(n->decided, f->events[0]), "\n");
        break;
    case PROPERTY_FINAL:
        say(n, "    when all threads are done, ");
        say_argument(n, f->events[0]);
        say_write(n, "\n      was        ", f->events[0], observed_value(n, f));
        say_write(n, "      could be   ", f->events[1], alternative_value(n, f));
        break;
    case PROPERTY_RACE:
        say_access(n, "    ", f->events[0]);
        say_access(n, "    ", f->events[1]);
        say(n, !race_is_certain(f) ? "      synchronization does not keep them apart\n"
               : of_java(n)
                   ? "      both can run at the same moment: a data race by the Java memory model\n"
                   : "      both can run at the same moment; what then happens is undefined in C and C++\n");
        say_confirmation(n, f);
        break;
    case PROPERTY_UNORDERED:
        say_access(n, "    ", f->events[0]);
        say_access(n, "    ", f->events[1]);
        say(n,
            of_java(n)
                ? "      no lock, volatile or other synchronization orders the two: a data race by the Java\n"
                  "      memory model even if they never run at the same moment. Only what is reached through "
                  "a\n"
                  "      final field is seen all the same, if it was written before the constructor ended\n"
                : "      no lock, atomic or other synchronization orders the two: undefined in C and C++ even "
                  "if\n"
                  "      they never run at the same moment\n");
        break;
    case PROPERTY_DEADLOCK:
        say_waiting(n, f);
        break;
    case PROPERTY_ATOMICITY:
        say_access(n, "    ", f->events[0]);
        say_access(n, "      between  ", f->events[1]);
        say_access(n, "    ", f->events[2]);
        say(n, "      ");
        say(n, pattern_effect(n, f));
        say(n, "\n");
        break;
    case PROPERTY_STALE:
        say_stale_details(n, f);
        break;
    case PROPERTY_STUCK:
        say_stuck_details(n, f);
        break;
    case PROPERTY_OBSERVED:
        say_observed_details(n, f);
        break;
    case PROPERTY_DETERMINISM:
    case PROPERTY_SERIALIZABILITY:
        say_block_details(n, f);
        break;
    case PROPERTIES:
        break;
    }
}
