/* Findings: what the properties hand to the certifier and to the reports.
 *
 * Knows the trace's event numbers and nothing else: the certifier reads findings without the model. */
#pragma once
#include "finding/property.h"
#include "trace/event.h"

/* What the exact method says of a race that was found with data ignored. */
enum confirmation {
    CONFIRMATION_NONE,       /* nobody has asked */
    CONFIRMATION_EXACT,      /* a race with data, too */
    CONFIRMATION_OTHER_PATH, /* a race only if the program, seeing other values, comes to both accesses all the
                                same */
    CONFIRMATION_UNDECIDED   /* the budget ran out */
};

/* A run: the first `prefix` events of the trace as observed, then the events of `tail`, in this order. */
struct schedule {
    uint32_t prefix;
    uint32_t tail_count;
    uint32_t *tail;
};

/* The events of a finding, by property.
 *
 * nondet: read, observed source, alternative source (0: the initial write).
 *
 * final: observed last write, alternative.
 *
 * race: first, second; first < second; the schedule ends before both.
 *
 * unordered: first, second; no schedule.
 *
 * deadlock: the acquires, ascending.
 *
 * atomicity: first, remote, second; the schedule ends in second.
 *
 * stale: read, remote, write; the schedule ends in the write.
 *
 * observed: the last events of the threads that waited when the run ended; may be none. How it ended is in the
 * trace.
 *
 * stuck: the events that wait, ascending; the schedule ends before all of them.
 *
 * determinism: a conflict, that is the block, first and second; or a cycle as for serializability.
 *
 * serializability: a cycle of k transactions, each by its first event; then for each of these an event of it
 * and one of the next that conflict: 3k events. Observed ones have no schedule. */
struct finding {
    enum property property;
    uint32_t event_count;
    uint32_t *events;
    struct schedule schedule;
    bool synchronization; /* data is ignored, and the schedule's tail has synchronization events only: what is
                             between them in a thread happens with them */
    enum confirmation confirmation;
    unsigned kind; /* of a witness of the graph method, which has no schedule: 1, 2, 3; otherwise 0 */
    enum severity severity;
    uint32_t number; /* in its id: 1, 2 … among those of its property */
    uint64_t reads;  /* of a race in a grouped check: findings about reads of the same accesses it stands for */
    uint32_t group;  /* findings of one property with the same set of source locations share a number */
    uint64_t count;  /* event-level findings this one stands for; 1 with --all */
    bool count_is_exact; /* false: at least that many */
};

struct finding_list {
    struct finding *findings;
    size_t findings_count, findings_capacity;
};

/* Whether a finding about blocks is a conflict inside one; else it is a cycle of finding_cycle transactions. */
static inline bool finding_is_conflict(const struct finding *f)
{
    return f->property == PROPERTY_DETERMINISM && f->event_count == 3;
}

static inline uint32_t finding_cycle(const struct finding *f)
{
    return !property_traits(f->property)->about_blocks || finding_is_conflict(f) ? 0 : f->event_count / 3;
}

/* "exact", "needs another path", "undecided". */
const char *confirmation_word(enum confirmation confirmation);

/* Events that order threads: what a schedule of synchronization events is made of. */
static inline bool kind_synchronizes(enum event_kind kind)
{
    return kind >= EVENT_ACQUIRE && kind <= EVENT_SEM_WAIT;
}

/* Copies `events` and takes over the schedule's tail. */
void finding_add(struct finding_list *list, enum property property, const uint32_t *events,
                 uint32_t event_count, struct schedule schedule);
void finding_list_free(struct finding_list *list);
