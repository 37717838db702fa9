/* Rounds and answers as bytes. No byte that is sent is left to chance, and nothing that comes is trusted. */
#include "property/unit_parcel.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <xxhash.h>

struct packed_part {
    uint64_t batch, origin;
    uint32_t part, parts, property, unused;
};

struct packed_shown {
    uint64_t key;
    uint64_t owner;
};

struct packed_finding {
    uint64_t count, count_is_exact;
    uint32_t property, event_count, prefix, tail_count;
};

struct packed_outcome {
    uint64_t property, doubtful, certified;
    uint64_t subjects, candidates, feasible, refuted[REFUTATIONS], undecided, skipped;
    double seconds;
};

/* Whether two processes have the same trace and cut it into the same units. */
static uint64_t digest_of(const struct check_plan *plan)
{
    const struct trace *t = plan->m->trace;
    size_t slots = t->count + 1;
    XXH64_hash_t digest = XXH3_64bits_withSeed(t->op, slots * sizeof *t->op, plan->batches_count);

    digest = XXH3_64bits_withSeed(t->thread, slots * sizeof *t->thread, digest);
    digest = XXH3_64bits_withSeed(t->arg, slots * sizeof *t->arg, digest);
    digest = XXH3_64bits_withSeed(t->location, slots * sizeof *t->location, digest);
    if (t->value)
        digest = XXH3_64bits_withSeed(t->value, slots * sizeof *t->value, digest);
    if (t->grounds)
        digest = XXH3_64bits_withSeed(t->grounds, slots * sizeof *t->grounds, digest);
    return digest;
}

void parcel_put_round(struct buffer *to, const struct check_plan *plan)
{
    uint64_t head[] = {digest_of(plan), plan->is_again, plan->more};

    bytes_put(to, head, sizeof head);
    bytes_put_count(to, plan->is_again ? plan->parts.list_count : 0);
    for (size_t i = 0; plan->is_again && i < plan->parts.list_count; i++) {
        const struct again *a = &plan->parts.list[i];
        struct packed_part part = {a->batch, a->origin, a->part, a->parts, a->property, 0};
        bytes_put(to, &part, sizeof part);
    }
    bytes_put_count(to, plan->shown.entries);
    for (size_t i = 0; i < plan->shown.slot_count; i++)
        if (plan->shown.used[i])
            bytes_put(to, &(struct packed_shown){plan->shown.keys[i], plan->shown.values[i]},
                      sizeof(struct packed_shown));
}

bool parcel_take_round(struct check_plan *plan, const unsigned char *bytes, size_t length)
{
    struct bytes_in in = {bytes, length};
    struct packed_shown shown;
    struct packed_part part;
    uint64_t head[3];
    size_t count;

    plan->parts.list_count = 0;
    map_free(&plan->shown);
    if (!bytes_take(&in, head, sizeof head) || head[0] != digest_of(plan) ||
        !bytes_take_count(&in, sizeof part, &count))
        return false;
    plan->is_again = head[1] != 0;
    plan->more = head[2];
    for (size_t i = 0; i < count && bytes_take(&in, &part, sizeof part); i++) {
        if (part.batch >= plan->batches_count || part.part >= part.parts || part.property >= PROPERTIES)
            return false;
        ARRAY_PUSH(&plan->parts, list,
                   (struct again){.batch = (size_t)part.batch,
                                  .origin = (size_t)part.origin,
                                  .part = part.part,
                                  .parts = part.parts,
                                  .property = (enum property)part.property});
    }
    if (!bytes_take_count(&in, sizeof shown, &count))
        return false;
    while (count-- > 0 && bytes_take(&in, &shown, sizeof shown))
        *map_at(&plan->shown, shown.key) = (uint32_t)shown.owner;
    return true;
}

static void put_findings(struct buffer *to, const struct finding_list *list)
{
    bytes_put_count(to, list->findings_count);
    for (size_t i = 0; i < list->findings_count; i++) {
        const struct finding *f = &list->findings[i];
        struct packed_finding packed = {f->count,       f->count_is_exact,  f->property,
                                        f->event_count, f->schedule.prefix, f->schedule.tail_count};
        bytes_put(to, &packed, sizeof packed);
        bytes_put(to, f->events, f->event_count * sizeof *f->events);
        bytes_put(to, f->schedule.tail, f->schedule.tail_count * sizeof *f->schedule.tail);
    }
}

static void put_outcome(struct buffer *to, const struct again *a)
{
    const struct property_stats *s = &a->outcome.stats;
    struct packed_outcome packed = {
        .property = a->property,
        .doubtful = a->doubtful,
        .certified = a->outcome.certified,
        .subjects = s->subjects,
        .candidates = s->candidates,
        .feasible = s->feasible,
        .undecided = s->undecided,
        .skipped = s->skipped,
        .seconds = s->seconds,
    };

    memcpy(packed.refuted, s->refuted, sizeof packed.refuted);
    bytes_put(to, &packed, sizeof packed);
    put_findings(to, &a->outcome.found);
    put_findings(to, &a->outcome.undecided);
}

void parcel_put_answer(struct buffer *to, struct worker_thread *from, size_t task)
{
    assert(from->keeps_apart);
    if (from->plan->is_again) {
        ARRAY_PUSH(&from->again, list, from->plan->parts.list[task]);
        from->plan->parts.list[task].outcome = (struct unit_outcome){0};
    }
    bytes_put(to, &from->spent, sizeof from->spent);
    bytes_put_count(to, from->again.list_count);
    for (size_t i = 0; i < from->again.list_count; i++) {
        put_outcome(to, &from->again.list[i]);
        outcome_free(&from->again.list[i].outcome);
    }
    from->again.list_count = 0;
    from->spent = 0;
}

/* Numbers of events; NULL if one is too large, or there are not so many. */
static uint32_t *take_events(struct bytes_in *in, uint32_t count, uint32_t largest)
{
    uint32_t *events =
        count <= in->left / sizeof *events ? memory_new((size_t)count + 1, sizeof *events) : NULL;
    bool good = events && bytes_take(in, events, count * sizeof *events);

    for (uint32_t i = 0; good && i < count; i++)
        good = events[i] <= largest;
    if (good)
        return events;
    free(events);
    return NULL;
}

/* Findings of one property; of those that were found, each must be certified. */
static bool take_findings(struct worker *w, enum property property, bool found, struct bytes_in *in,
                          struct finding_list *list)
{
    struct packed_finding packed;
    size_t count;

    if (!bytes_take_count(in, sizeof packed, &count))
        return false;
    for (; count > 0 && bytes_take(in, &packed, sizeof packed); count--) {
        uint32_t *events = take_events(in, packed.event_count, w->m->event_count);
        uint32_t *tail = events ? take_events(in, packed.tail_count, w->m->event_count) : NULL;
        struct schedule schedule = {packed.prefix, packed.tail_count, packed.tail_count > 0 ? tail : NULL};
        if (!tail || packed.event_count == 0 || packed.property != (uint32_t)property) {
            free(events);
            free(tail);
            return false;
        }
        if (!schedule.tail)
            free(tail);
        finding_add(list, property, events, packed.event_count, schedule);
        free(events);
        struct finding *f = &list->findings[list->findings_count - 1];
        f->count = packed.count;
        f->count_is_exact = packed.count_is_exact != 0;
        if (found && !worker_certifies(w, f))
            return false;
    }
    return count == 0;
}

static bool take_outcome_of(struct worker *w, struct bytes_in *in, struct again *a)
{
    struct packed_outcome packed;

    if (!bytes_take(in, &packed, sizeof packed) || packed.property >= PROPERTIES)
        return false;
    a->property = (enum property)packed.property;
    a->doubtful = packed.doubtful;
    a->outcome.certified = packed.certified;
    a->outcome.stats = (struct property_stats){
        .subjects = packed.subjects,
        .candidates = packed.candidates,
        .feasible = packed.feasible,
        .undecided = packed.undecided,
        .skipped = packed.skipped,
        .seconds = packed.seconds,
    };
    memcpy(a->outcome.stats.refuted, packed.refuted, sizeof packed.refuted);
    return take_findings(w, a->property, true, in, &a->outcome.found) &&
           take_findings(w, a->property, false, in, &a->outcome.undecided);
}

/* All outcomes of the task, or false. */
static bool take_outcomes(struct worker_thread *to, size_t task, struct bytes_in *in,
                          struct again_list *outcomes)
{
    const struct check_plan *plan = to->plan;
    size_t count;

    if (!bytes_take_count(in, sizeof(struct packed_outcome), &count) || (plan->is_again && count != 1))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct again a = {.batch = task, .parts = 1};
        bool good = take_outcome_of(&to->w, in, &a);
        if (good && plan->is_again)
            good = a.property == plan->parts.list[task].property;
        ARRAY_PUSH(outcomes, list, a);
        if (!good)
            return false;
    }
    return in->left == 0;
}

bool parcel_take_answer(struct worker_thread *to, size_t task, const unsigned char *bytes, size_t length)
{
    struct bytes_in in = {bytes, length};
    struct again_list outcomes = {0};
    uint64_t spent;
    bool good = bytes_take(&in, &spent, sizeof spent) && take_outcomes(to, task, &in, &outcomes);

    if (good)
        to->spent += spent;
    if (good && to->plan->is_again) {
        struct again *part = &to->plan->parts.list[task];
        part->doubtful = outcomes.list[0].doubtful;
        part->outcome = outcomes.list[0].outcome;
        part->is_done = true;
    } else {
        for (size_t i = 0; i < outcomes.list_count; i++) {
            if (good)
                worker_book(to, &outcomes.list[i]);
            else
                outcome_free(&outcomes.list[i].outcome);
        }
    }
    free(outcomes.list);
    return good;
}
