/* What a run must show to prove a finding: the definitions of semantics §3. */
#include "certify/certify_parts.h"

#include <assert.h>

static bool is_event(const struct certifier *c, uint32_t e)
{
    return e >= 1 && e <= c->index->count;
}

static enum event_kind claimed_kind(const struct certifier *c, uint32_t e)
{
    return trace_kind(c->index->trace, e);
}

static thread_id claimed_thread(const struct certifier *c, uint32_t e)
{
    return c->index->trace->thread[e];
}

/* The event is an access; its number is one of the trace. */
static bool is_access(struct certifier *c, uint32_t e)
{
    if (!is_event(c, e))
        return reject(c, "event %u does not exist: the trace has events 1 to %u", e, c->index->count);
    return kind_accesses(claimed_kind(c, e)) || reject(c, "event %u is not a read or write", e);
}

static bool same_variable(struct certifier *c, uint32_t a, uint32_t b)
{
    return c->index->trace->arg[a] == c->index->trace->arg[b] ||
           reject(c, "events %u and %u touch different variables", a, b);
}

static bool ends_in(struct certifier *c, const struct schedule *s, uint32_t e)
{
    uint32_t last = s->tail_count > 0 ? s->tail[s->tail_count - 1] : s->prefix;

    return last == e || reject(c, "the run ends in event %u, not in event %u", last, e);
}

bool is_next(struct certifier *c, uint32_t e)
{
    const struct certify_index *index = c->index;
    uint32_t before = index->before[e], fork = index->forked_by[claimed_thread(c, e)];

    if (in_run(c, e))
        return reject(c, "event %u is in the run", e);
    if (before && !in_run(c, before))
        return reject(c, "event %u is not the next of its thread: event %u has not run", e, before);
    if (!before && fork && !in_run(c, fork))
        return reject(c, "event %u cannot run before event %u, which forks its thread", e, fork);
    return grounds_hold(c, e);
}

/* Whether the event of the run wrote: a cas only if it saw what it saw in the trace. */
static bool wrote(const struct certifier *c, uint32_t e)
{
    return kind_writes(claimed_kind(c, e)) && !(claimed_kind(c, e) == EVENT_CAS && news_of(c, e));
}

/* The same for an event that is next. */
static bool would_write(struct certifier *c, uint32_t e)
{
    return kind_writes(claimed_kind(c, e)) && (claimed_kind(c, e) != EVENT_CAS || sight_of(c, e).as_observed);
}

static bool shows_nondeterminism(struct certifier *c, const struct finding *f)
{
    uint32_t read = f->events[0], observed = f->events[1], alternative = f->events[2];
    const struct news *news;

    if (!is_access(c, read))
        return false;
    if (!kind_reads(claimed_kind(c, read)))
        return reject(c, "event %u is not a read", read);
    if (source_of(c->index, read) != observed)
        return reject(c, "event %u read from %u in the trace, not from %u", read, source_of(c->index, read),
                      observed);
    if (alternative == observed)
        return reject(c, "event %u read from %u in the trace: that is no alternative", read, observed);
    if (!ends_in(c, &f->schedule, read))
        return false;
    news = news_of(c, read);
    if (!news)
        return reject(c, "event %u reads what it read in the trace", read);
    return news->source == alternative ||
           reject(c, "event %u reads from %u, not from %u", read, news->source, alternative);
}

static bool shows_final_state(struct certifier *c, const struct finding *f)
{
    const struct certify_index *index = c->index;
    uint32_t observed = f->events[0], alternative = f->events[1], last;
    const struct certified_variable *x;
    struct content then;

    if (!is_access(c, observed))
        return false;
    if (!kind_writes(claimed_kind(c, observed)))
        return reject(c, "event %u is not a write", observed);
    last = index->writes[index->write_start[index->trace->arg[observed] + 1] - 1];
    if (last != observed)
        return reject(c, "the last write to the variable of event %u is %u in the trace", observed, last);
    if ((uint64_t)f->schedule.prefix + f->schedule.tail_count != index->count)
        return reject(c, "the run has %llu events, the trace %u",
                      (unsigned long long)f->schedule.prefix + f->schedule.tail_count, index->count);
    x = &c->variables[index->trace->arg[observed]];
    then = content_written(c, observed, index->trace->arg[observed]);
    if (x->epoch == c->epoch)
        last = x->last;
    if (last != alternative)
        return reject(c, "the last write to the variable is %u, not %u", last, alternative);
    if (x->epoch != c->epoch)
        return reject(c, "event %u is the last write in the trace too", alternative);
    if (content_known(then) && content_same(then, x->content))
        return reject(c, "event %u leaves the value that event %u left in the trace", alternative, observed);
    return content_known(then) || alternative != observed ||
           reject(c, "event %u is the last write in the trace too", alternative);
}

static bool conflict(struct certifier *c, uint32_t a, uint32_t b)
{
    if (!is_access(c, a) || !is_access(c, b) || !same_variable(c, a, b))
        return false;
    if (a >= b)
        return reject(c, "events %u and %u are not in ascending order", a, b);
    if (claimed_thread(c, a) == claimed_thread(c, b))
        return reject(c, "events %u and %u are of the same thread", a, b);
    if (!kind_writes(claimed_kind(c, a)) && !kind_writes(claimed_kind(c, b)))
        return reject(c, "events %u and %u are both reads", a, b);
    if (kind_atomic(claimed_kind(c, a)) && kind_atomic(claimed_kind(c, b)))
        return reject(c, "events %u and %u are both atomic", a, b);
    return true;
}

static bool shows_race(struct certifier *c, const struct finding *f)
{
    uint32_t a = f->events[0], b = f->events[1];

    if (!conflict(c, a, b) || !is_next(c, a) || !is_next(c, b))
        return false;
    return f->synchronization || would_write(c, a) || would_write(c, b) ||
           reject(c, "events %u and %u do not write: the compare-and-exchange fails", a, b);
}

/* The acquire whose thread holds the lock that `e` waits for; 0 after a rejection. */
static uint32_t waits_for(struct certifier *c, const struct finding *f, uint32_t e)
{
    thread_id owner = holder_of(c, e);

    if (owner == NOBODY || owner == claimed_thread(c, e)) {
        reject(c, "event %u waits for nobody: no other thread holds its lock exclusively", e);
        return 0;
    }
    for (uint32_t i = 0; i < f->event_count; i++)
        if (claimed_thread(c, f->events[i]) == owner)
            return f->events[i];
    reject(c, "event %u waits for %.80s, which has no event in the cycle", e,
           trace_name(c->index->trace, NAME_THREAD, owner));
    return 0;
}

/* Every thread holds what another one waits for and each waits for one, so it is enough to come round once: k
 * steps from the first back to it, no sooner, have been through all. */
static bool shows_deadlock(struct certifier *c, const struct finding *f)
{
    uint32_t e, steps = 0;

    if (f->event_count < 2)
        return reject(c, "a deadlock takes two threads or more");
    if (f->event_count > c->index->thread_count)
        return reject(c, "the trace has fewer than %u threads", f->event_count);
    for (uint32_t i = 0; i < f->event_count; i++) {
        e = f->events[i];
        if (!is_event(c, e))
            return reject(c, "event %u does not exist: the trace has events 1 to %u", e, c->index->count);
        if (i > 0 && f->events[i - 1] >= e)
            return reject(c, "events %u and %u are not in ascending order", f->events[i - 1], e);
        if (claimed_kind(c, e) != EVENT_ACQUIRE)
            return reject(c, "event %u does not take a lock exclusively", e);
        if (op_order(c->index->trace->op[e]) == ORDER_TRY)
            return reject(c, "event %u would give up rather than wait for its lock", e);
        if (!is_next(c, e))
            return false;
    }
    e = f->events[0];
    do {
        e = waits_for(c, f, e);
        if (e == 0)
            return false;
    } while (++steps < f->event_count && e != f->events[0]);
    if (e != f->events[0])
        return reject(c, "events wait for each other in a cycle without event %u", f->events[0]);
    return steps == f->event_count ||
           reject(c, "the cycle through event %u has %u events, not %u", e, steps, f->event_count);
}

static bool one_block(const struct block_list *list, uint32_t first, uint32_t last)
{
    const struct certified_block *block = block_around(list, first);

    return block && last <= block->last;
}

uint32_t claimed_place(const struct schedule *s, uint32_t e)
{
    uint32_t i = 0;

    if (e <= s->prefix)
        return e;
    while (s->tail[i] != e)
        i++;
    return s->prefix + 1 + i;
}

static bool shows_atomicity_violation(struct certifier *c, const struct finding *f)
{
    uint32_t first = f->events[0], remote = f->events[1], second = f->events[2];
    const struct certify_index *index = c->index;

    if (!is_access(c, first) || !is_access(c, remote) || !is_access(c, second) ||
        !same_variable(c, first, remote) || !same_variable(c, first, second))
        return false;
    if (claimed_thread(c, first) != claimed_thread(c, second) || first >= second)
        return reject(c, "event %u does not come before event %u in one thread", first, second);
    if (claimed_thread(c, remote) == claimed_thread(c, first))
        return reject(c, "event %u is of the same thread as events %u and %u", remote, first, second);
    if (!one_block(&index->declared[claimed_thread(c, first)], first, second) &&
        !(c->options.atomic_locks && one_block(&index->lock_scopes[claimed_thread(c, first)], first, second)))
        return reject(c, "events %u and %u are not in one atomic block", first, second);
    if (!ends_in(c, &f->schedule, second))
        return false;
    if (!in_run(c, remote))
        return reject(c, "event %u is not in the run", remote);
    /* RWR RWW WWR WWW: whatever is around a write; WRW: a read between two writes. */
    if (!wrote(c, remote) && !(wrote(c, first) && wrote(c, second)))
        return reject(c, "events %u, %u, %u have the effect of some serial order", first, remote, second);
    return claimed_place(&f->schedule, first) < claimed_place(&f->schedule, remote) ||
           reject(c, "event %u comes after event %u in the run", first, remote);
}

/* The last read of the write's variable that a list names, or 0; the thread does not look again after it. */
static uint32_t last_look(const struct certifier *c, struct ground_list list, uint32_t write)
{
    uint32_t last = 0;

    for (uint32_t i = 0; list.given && i < list.count; i++) {
        uint32_t read = ground_at(&list, i).read;
        if (c->index->trace->arg[read] == c->index->trace->arg[write] && read > last)
            last = read;
    }
    return last;
}

/* Whether the check that the write stands on lets the number pass: each item of `by` that names the read has
 * ranges, and no part of the value is made of it. */
static bool check_passes(const struct certifier *c, uint32_t read, uint32_t write, struct content content)
{
    struct ground_list by = trace_by(c->index->trace, write);
    bool named = false;

    if (c->options.values_ignore || content.kind != CONTENT_NUMBER || stands_on(c, write, read, true))
        return false;
    for (uint32_t i = 0; i < by.count; i++) {
        struct ground item = ground_at(&by, i);
        if (item.read != read)
            continue;
        if (item.form != GROUND_RANGES || !ground_allows(&item, content.number))
            return false;
        named = true;
    }
    return named;
}

static bool may_be_stale(struct certifier *c, uint32_t read, uint32_t remote, uint32_t write)
{
    const struct trace *trace = c->index->trace;

    if (!is_access(c, read) || !is_access(c, remote) || !is_access(c, write) ||
        !same_variable(c, read, remote) || !same_variable(c, read, write))
        return false;
    if (!kind_reads(claimed_kind(c, read)) || !kind_writes(claimed_kind(c, remote)) ||
        !kind_writes(claimed_kind(c, write)))
        return reject(c, "events %u, %u, %u are not a read and two writes", read, remote, write);
    if (claimed_thread(c, read) != claimed_thread(c, write) || read >= write)
        return reject(c, "event %u does not come before event %u in one thread", read, write);
    if (claimed_thread(c, remote) == claimed_thread(c, read))
        return reject(c, "event %u is of the same thread as events %u and %u", remote, read, write);
    if (claimed_kind(c, write) == EVENT_CAS)
        return reject(c, "event %u is a compare-and-exchange, which compares again as it writes", write);
    if (c->options.grounds_ignore || (last_look(c, trace_by(trace, write), write) != read &&
                                      last_look(c, trace_from(trace, write), write) != read))
        return reject(c, "event %u does not depend on event %u as its last read of the variable", write, read);
    return true;
}

/* The remote write is the last one before the write that ends the run, comes after the read, and left something
 * else. */
static bool shows_stale(struct certifier *c, const struct finding *f)
{
    const struct schedule *s = &f->schedule;
    uint32_t read = f->events[0], remote = f->events[1], write = f->events[2];
    struct schedule shorter = *s;
    const struct certified_variable *x;
    const struct news *news;

    if (!may_be_stale(c, read, remote, write) || !ends_in(c, s, write))
        return false;
    if (s->tail_count > 0)
        shorter.tail_count--;
    else
        shorter.prefix--;
    if (!run_schedule(c, &shorter))
        return false;
    x = variable_at(c, write);
    if (x->last != remote)
        return reject(c, "the last write to the variable before event %u is %u, not %u", write, x->last,
                      remote);
    if (claimed_place(&shorter, remote) < claimed_place(&shorter, read))
        return reject(c, "event %u does not come after event %u in the run", remote, read);
    news = news_of(c, read);
    if (content_known(x->content) && content_same(x->content, news ? news->seen : content_read(c, read)))
        return reject(c, "event %u writes the value that event %u read", remote, read);
    if (check_passes(c, read, write, x->content))
        return reject(c, "event %u writes a value that passes the check of event %u", remote, read);
    return run_step(c, write);
}

static bool shows(struct certifier *c, const struct finding *f)
{
    switch (f->property) {
    case PROPERTY_NONDET:
        return shows_nondeterminism(c, f);
    case PROPERTY_FINAL:
        return shows_final_state(c, f);
    case PROPERTY_RACE:
        return shows_race(c, f);
    case PROPERTY_DEADLOCK:
        return shows_deadlock(c, f);
    case PROPERTY_STALE:
        return shows_stale(c, f);
    case PROPERTY_STUCK:
        return shows_stuck(c, f);
    case PROPERTY_DETERMINISM:
    case PROPERTY_SERIALIZABILITY:
        return shows_cycle(c, f, &f->schedule);
    default:
        assert(f->property == PROPERTY_ATOMICITY);
        return shows_atomicity_violation(c, f);
    }
}

/* Conditions 1–3 of semantics §2. */
static bool shows_race_without_data(struct certifier *c, const struct finding *f)
{
    if (f->property != PROPERTY_RACE)
        return reject(c, "a schedule of synchronization events shows races only, not %s",
                      property_title(f->property));
    return conflict(c, f->events[0], f->events[1]) &&
           run_synchronization(c, &f->schedule, f->events[0], f->events[1]) && shows_race(c, f);
}

bool certifier_accepts(struct certifier *c, const struct finding *f, const struct certify_options *options,
                       struct error *why)
{
    static const uint32_t lengths[PROPERTIES] = {[PROPERTY_NONDET] = 3,
                                                 [PROPERTY_FINAL] = 2,
                                                 [PROPERTY_RACE] = 2,
                                                 [PROPERTY_ATOMICITY] = 3,
                                                 [PROPERTY_STALE] = 3};

    c->why = why;
    c->options = *options;
    if (f->property == PROPERTY_UNORDERED || f->property == PROPERTY_OBSERVED || finding_is_conflict(f))
        return reject(c, "%s have no schedule",
                      finding_is_conflict(f)              ? "conflicts in a block"
                      : f->property == PROPERTY_UNORDERED ? "unordered findings"
                                                          : "observed findings");
    if (lengths[f->property] > 0 && f->event_count != lengths[f->property])
        return reject(c, "a %s finding has %u events, not %u", property_title(f->property),
                      lengths[f->property], f->event_count);
    if (f->synchronization)
        return shows_race_without_data(c, f);
    return run_schedule(c, &f->schedule) && shows(c, f);
}

bool certifier_conflict(struct certifier *c, const struct finding *f, struct error *why)
{
    c->why = why;
    return (f->event_count == 2 || reject(c, "a conflict has 2 events, not %u", f->event_count)) &&
           conflict(c, f->events[0], f->events[1]);
}

bool certifier_end(struct certifier *c, const struct finding *f, struct error *why)
{
    const struct trace *trace = c->index->trace;
    const struct trace_end *end = &trace->end;

    c->why = why;
    if (end->outcome == RUN_UNKNOWN || (end->outcome == RUN_EXIT && end->number == 0))
        return reject(c, "the trace does not say that the run failed");
    for (uint32_t i = 0; i < f->event_count; i++) {
        if (f->events[i] == EVENT_INIT || f->events[i] > trace->count)
            return reject(c, "the trace has no event %u", f->events[i]);
        for (size_t e = f->events[i] + 1; e <= trace->count; e++)
            if (trace->thread[e] == trace->thread[f->events[i]])
                return reject(c, "event %u is not the last of its thread", f->events[i]);
    }
    return true;
}
