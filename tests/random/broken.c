/* Right and broken schedules of findings. */
#include "random/broken.h"
#include "certify/certify.h"
#include "random/generate.h"
#include "random/oracle_meaning.h"

#include <string.h>

enum { BROKEN_FINDINGS = 6, BROKEN_WAYS = 2 }; /* of a trace; of a finding */

/* A finding whose events and schedule can be changed. */
struct broken_claim {
    struct finding finding;
    uint32_t events[TUPLE_LENGTH], run[2 * EVENT_SLOTS];
    uint32_t count; /* of the run; the finding's schedule says how many of it are its prefix */
};

static void copy_claim(struct broken_claim *b, const struct finding *f)
{
    b->finding = *f;
    memcpy(b->events, f->events, f->event_count * sizeof *b->events);
    for (b->count = 0; b->count < f->schedule.prefix; b->count++)
        b->run[b->count] = b->count + 1;
    for (uint32_t i = 0; i < f->schedule.tail_count; i++)
        b->run[b->count++] = f->schedule.tail[i];
    b->finding.events = b->events;
}

/* An event that comes next in its thread, mostly. */
static uint32_t likely_event(const struct broken_claim *b, uint64_t *random, const struct meaning *m)
{
    const uint8_t *events = m->by_thread[random_below(random, (unsigned)m->thread_count)];
    bool done[EVENT_SLOTS] = {false};

    if (random_below(random, 4) == 0)
        return random_below(random, (unsigned)m->count + 1);
    for (uint32_t i = 0; i < b->count; i++)
        done[b->run[i]] = true;
    while (*events && done[*events])
        events++;
    return *events;
}

/* One of the many ways to be wrong; some are none. */
static void break_claim(struct broken_claim *b, uint64_t *random, const struct meaning *m)
{
    uint32_t count = b->count, at = count > 0 ? random_below(random, count) : 0;
    uint32_t moved = b->run[at];

    switch (random_below(random, count > 0 ? 7 : 2)) {
    case 0: /* another event in the claim */
        b->events[random_below(random, b->finding.event_count)] = likely_event(b, random, m);
        break;
    case 1: /* one that is left out, at the end */
        b->run[count] = likely_event(b, random, m);
        b->count++;
        break;
    case 2: /* one fewer */
        memmove(&b->run[at], &b->run[at + 1], (--b->count - at) * sizeof *b->run);
        break;
    case 3: /* the last one is missing */
        b->count--;
        break;
    case 4: /* earlier */
        memmove(&b->run[1], &b->run[0], at * sizeof *b->run);
        b->run[0] = moved;
        break;
    case 5: /* later */
        memmove(&b->run[at], &b->run[at + 1], (count - 1 - at) * sizeof *b->run);
        b->run[count - 1] = moved;
        break;
    default: /* two neighbours the other way round */
        at = at > 0 ? at : count - 1;
        moved = b->run[at];
        b->run[at] = b->run[at > 0 ? at - 1 : 0];
        b->run[at > 0 ? at - 1 : 0] = moved;
    }
}

/* What of the run is as observed may be its prefix. */
static void set_schedule(struct broken_claim *b, uint64_t *random)
{
    uint32_t observed = 0, prefix;

    while (observed < b->count && b->run[observed] == observed + 1)
        observed++;
    prefix = random_below(random, observed + 1);
    b->finding.schedule = (struct schedule){prefix, b->count - prefix, b->run + prefix};
}

bool broken_differ(FILE *out, const struct trace *t, struct oracle_options how,
                   const struct finding_list *right, const struct oracle_sets *sets,
                   struct tuple (*tuple_of)(const struct trace *t, const struct finding *f),
                   enum oracle_property (*counterpart)(enum property property))
{
    struct certify_options options = {how.values_ignore, how.grounds_ignore, how.atomic_locks};
    uint64_t random = t->count * 0x9e3779b97f4a7c15u + right->findings_count;
    struct certify_index *index = certify_index_new(t);
    struct certifier *c = certifier_new(index);
    struct meaning m;
    bool differ = false;

    meaning_init(&m, t, how);
    for (size_t k = 0; k < BROKEN_FINDINGS * BROKEN_WAYS && right->findings_count > 0 && !differ; k++) {
        const struct finding *f = &right->findings[right->findings_count > BROKEN_FINDINGS
                                                       ? random_below(&random, (unsigned)right->findings_count)
                                                       : k / BROKEN_WAYS % right->findings_count];
        struct broken_claim b;
        size_t run[2 * EVENT_SLOTS];

        if (f->property == PROPERTY_UNORDERED)
            continue;
        copy_claim(&b, f);
        set_schedule(&b, &random);
        differ = !certifier_accepts(c, &b.finding, &options, NULL);
        for (unsigned ways = 1 + random_below(&random, 3); ways > 0; ways--)
            break_claim(&b, &random, &m);
        set_schedule(&b, &random);
        for (uint32_t i = 0; i < b.count; i++)
            run[i] = b.run[i];
        bool feasible = meaning_run_feasible(&m, run, b.count);
        differ |= certifier_run_feasible(c, &b.finding.schedule, &options, NULL) != feasible;
        if (certifier_accepts(c, &b.finding, &options, NULL)) {
            struct tuple tuple = tuple_of(t, &b.finding);
            differ |= !feasible || !tuples_contain(&sets->of[counterpart(f->property)], &tuple);
        }
        if (differ)
            fprintf(out, "the checker differs on a schedule of %u events made of a finding of %s\n", b.count,
                    property_option(f->property));
    }
    certifier_free(c);
    certify_index_free(index);
    return differ;
}
