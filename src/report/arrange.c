/* Sorts findings by how serious they are. */
#include "report/arrange.h"
#include "base/map.h"
#include "base/memory.h"
#include "finding/place.h"
#include "report/decided.h"
#include "report/report.h"
#include "report/value.h"

#include <stdlib.h>
#include <string.h>

/* A finding with what is said of it elsewhere. */
struct arranged_entry {
    struct finding finding;
    struct mark mark;
    struct finding_note note;
    unsigned settled; /* 1: in the baseline, 2: suppressed */
    unsigned weight;  /* of notes: those that decide something come first */
    size_t at;
};

static int compare_entries(const void *left, const void *right)
{
    const struct arranged_entry *a = left, *b = right;

    if (a->settled != b->settled)
        return a->settled < b->settled ? -1 : 1;
    if (a->finding.severity != b->finding.severity)
        return a->finding.severity < b->finding.severity ? -1 : 1;
    if (a->note.effect != b->note.effect)
        return a->note.effect > b->note.effect ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* Whether the name is that of a part of the C++ library's own bookkeeping: ends of vectors, links, counts of references. */
static bool is_internal(const char *name)
{
    return name[name_own_length(name)] != '\0';
}

/* Notes whose read decides what its thread does, then those that become part of a value, then others; the bookkeeping of
 * libraries last. */
static unsigned weight_of(const struct trace *trace, const struct decided *decided, const struct finding *f)
{
    enum { INTERNAL = DECIDES_UNKNOWN + 1 };
    event_id subject = finding_subject(f);

    if (severity_is_problem(f->severity))
        return 0;
    if (f->property != PROPERTY_NONDET)
        return DECIDES_UNKNOWN;
    return is_internal(trace_name(trace, NAME_VARIABLE, trace->arg[subject]))
               ? INTERNAL
               : decided_by(decided, subject).kind;
}

/* Recorders write pointers as "0x…", "&name" and "NULL". */
static bool writes_pointer(const struct values *v, event_id e)
{
    struct value value;
    const char *text;

    if (e == EVENT_INIT || !kind_writes(trace_kind(v->trace, e)))
        return false;
    value = value_written(v, e, v->trace->arg[e]);
    if (value.tag != VALUE_NAME)
        return false;
    text = trace_name(v->trace, NAME_VALUE, (uint32_t)value.number);
    return text[0] == '&' || strncmp(text, "0x", 2) == 0 || strcmp(text, "NULL") == 0;
}

/* Whether a race with the access may make a thread use memory that is no longer, or never was, what it takes it for. */
static bool is_dangerous(const struct values *v, event_id e)
{
    return trace_is_freeing(v->trace, e) || writes_pointer(v, e);
}

/* Whether the read is known to see the same value from either write. */
static bool same_value(const struct values *v, const struct finding *f)
{
    struct value seen, other;

    if (f->property != PROPERTY_NONDET || f->kind > 0)
        return false;
    seen = value_observed(v, f->events[0]);
    other = value_in_run(v, &f->schedule, f->events[2], v->trace->arg[f->events[0]]);
    return value_known(seen) && value_known(other) && value_equal(seen, other);
}

static enum severity severity_of(const struct values *v, const struct finding *f,
                                 const struct finding_note *note, bool deterministic)
{
    enum severity severity = property_traits(f->property)->severity;

    if (f->property == PROPERTY_RACE && (is_dangerous(v, f->events[0]) || is_dangerous(v, f->events[1])))
        return SEVERITY_DANGEROUS_RACE;
    if (severity_is_problem(severity))
        return severity;
    if (deterministic && f->property == PROPERTY_NONDET)
        return SEVERITY_NOT_DETERMINISTIC;
    if (note && note->effect == EFFECT_FAILED)
        return SEVERITY_FAILED;
    if (note && note->effect == EFFECT_OUTPUT)
        return SEVERITY_CHANGED;
    return same_value(v, f) ? SEVERITY_MINOR_NOTE : severity;
}

static void arrange_found(struct finding_list *list, const struct values *v, struct marks *marks,
                          struct finding_note *notes, bool deterministic)
{
    struct arranged_entry *entries = memory_new(list->findings_count, sizeof *entries);
    struct decided *decided = decided_new(v->trace, list);

    for (size_t i = 0; i < list->findings_count; i++) {
        struct finding *f = &list->findings[i];
        f->severity = severity_of(v, f, notes ? &notes[i] : NULL, deterministic);
        entries[i] =
            (struct arranged_entry){.finding = *f,
                                    .settled = mark_is_suppressed(marks, i) ? 2 : mark_is_known(marks, i),
                                    .weight = weight_of(v->trace, decided, f),
                                    .at = i};
        if (marks)
            entries[i].mark = marks->found[i];
        if (notes)
            entries[i].note = notes[i];
    }
    if (list->findings_count > 1)
        qsort(entries, list->findings_count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < list->findings_count; i++) {
        list->findings[i] = entries[i].finding;
        if (marks)
            marks->found[i] = entries[i].mark;
        if (notes)
            notes[i] = entries[i].note;
    }
    free(entries);
    decided_free(decided);
}

void findings_arrange(struct results *results, const struct trace *trace, struct marks *marks,
                      struct finding_note *notes, bool deterministic)
{
    struct values v;

    values_init(&v, trace);
    arrange_found(&results->found, &v, marks, notes, deterministic);
    arrange_found(&results->undecided, &v, NULL, NULL, deterministic);
    values_free(&v);
    results_number(results);
}

/* The two places of a race, in either order. */
static uint64_t pair_of(const struct trace *trace, event_id a, event_id b)
{
    uint32_t one = place_of(trace, a), other = place_of(trace, b);

    return one < other ? (uint64_t)one << 32 | other : (uint64_t)other << 32 | one;
}

/* Findings that stand for nothing any more go. */
static void drop_uncounted(struct results *results)
{
    struct finding_list *list = &results->found;
    size_t kept = 0;

    for (size_t i = 0; i < list->findings_count; i++) {
        struct finding *f = &list->findings[i];
        if (f->count > 0) {
            list->findings[kept++] = *f;
            continue;
        }
        free(f->events);
        free(f->schedule.tail);
    }
    list->findings_count = kept;
    results_number(results);
}

void findings_merge_reads(struct results *results, const struct trace *trace)
{
    struct finding_list *list = &results->found;
    struct map races = {0}; /* pair of places → index of the race + 1 */

    if (!results->grouped)
        return;
    for (size_t i = 0; i < list->findings_count; i++)
        if (list->findings[i].property == PROPERTY_RACE)
            *map_at(&races, pair_of(trace, list->findings[i].events[0], list->findings[i].events[1])) =
                (uint32_t)(i + 1);
    /* Races may come after the reads in the list: counts are added first, then findings are moved. */
    for (size_t i = 0; i < list->findings_count; i++) {
        struct finding *f = &list->findings[i];
        uint32_t race = 0;
        for (uint32_t k = 1; f->property == PROPERTY_NONDET && k < 3 && race == 0; k++)
            if (f->events[k] != EVENT_INIT)
                race = map_get(&races, pair_of(trace, f->events[0], f->events[k]));
        if (race == 0)
            continue;
        list->findings[race - 1].reads += f->count;
        f->count = 0;
    }
    map_free(&races);
    drop_uncounted(results);
}

/* Whether the variable is a count of owners in the standard library's shared pointers. */
static bool counts_owners(const char *variable)
{
    static const char *const members[] = {"_M_use_count", "_M_weak_count", "__shared_owners_",
                                          "__shared_weak_owners_"};
    size_t length = strlen(variable);

    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (length >= strlen(members[i]) && strcmp(variable + length - strlen(members[i]), members[i]) == 0)
            return true;
    return false;
}

void findings_drop_owner_counts(struct results *results, const struct trace *trace)
{
    for (size_t i = 0; results->grouped && i < results->found.findings_count; i++) {
        struct finding *f = &results->found.findings[i];
        event_id write = f->property == PROPERTY_STALE ? f->events[2] : EVENT_INIT;
        if (write != EVENT_INIT && trace_kind(trace, write) == EVENT_RMW &&
            counts_owners(trace_name(trace, NAME_VARIABLE, trace->arg[write])))
            f->count = 0;
    }
    if (results->grouped)
        drop_uncounted(results);
}

void findings_drop_idle(struct results *results, const struct trace *trace)
{
    struct finding_list *list = &results->found;
    struct decided *decided;

    if (!results->grouped || results->grounds_ignore)
        return;
    decided = decided_new(trace, list);
    for (size_t i = 0; i < list->findings_count; i++) {
        struct finding *f = &list->findings[i];
        if (f->property == PROPERTY_NONDET && decided_is_idle(decided, f->events[0])) {
            results->idle_reads += f->count;
            f->count = 0;
        }
    }
    decided_free(decided);
    drop_uncounted(results);
}
