/* Tokens of semaphores and notifies of conditions (semantics §2, condition 3): what the trace has of them after each prefix, and
 * what the tail does to them.
 *
 * A notify serves one wait. Waits are served as they end, each by the oldest notify since it began that is not
 * spent: an older notify can serve fewer of the others. If that fails for a wait, every choice does. */
#include "certify/certify_parts.h"

#include <assert.h>
#include <stdlib.h>

static bool is_about(const struct trace *trace, uint32_t e, enum name_class class)
{
    return kind_argument(trace_kind(trace, e)) == class;
}

/* The least initial counts that make the trace possible; those of seminits. */
static void find_initial_tokens(struct certify_index *index, size_t semaphores)
{
    const struct trace *trace = index->trace;
    uint64_t *posts = memory_new(semaphores, sizeof *posts);

    for (uint32_t e = 1; e <= index->count; e++) {
        enum event_kind kind = trace_kind(trace, e);
        uint32_t s = trace->arg[e];

        if (kind == EVENT_SEM_INIT)
            index->initial_tokens[s] = trace->value[e];
        if (kind == EVENT_SEM_INIT)
            posts[s] = trace->value[e];
        if (kind == EVENT_POST)
            posts[s]++;
        if (kind == EVENT_SEM_WAIT && posts[s] > 0)
            posts[s]--;
        else if (kind == EVENT_SEM_WAIT)
            index->initial_tokens[s]++;
    }
    free(posts);
}

void index_tokens(struct certify_index *index)
{
    const struct trace *trace = index->trace;
    size_t semaphores = trace_names(trace, NAME_SEMAPHORE);
    uint32_t *next = memory_new(semaphores, sizeof *next);
    uint64_t *count = memory_new(semaphores, sizeof *count);

    index->seminit = memory_new(semaphores, sizeof *index->seminit);
    index->initial_tokens = memory_new(semaphores, sizeof *index->initial_tokens);
    find_initial_tokens(index, semaphores);
    index->token_start = memory_new(semaphores + 1, sizeof *index->token_start);
    for (uint32_t e = 1; semaphores > 0 && e <= index->count; e++)
        if (is_about(trace, e, NAME_SEMAPHORE))
            index->token_start[trace->arg[e] + 1]++;
    index->tokens = memory_new(starts_from_counts(index->token_start, semaphores), sizeof *index->tokens);
    for (size_t s = 0; s < semaphores; s++) {
        next[s] = index->token_start[s];
        count[s] = index->initial_tokens[s];
    }
    for (uint32_t e = 1; semaphores > 0 && e <= index->count; e++) {
        uint32_t s = trace->arg[e];
        if (!is_about(trace, e, NAME_SEMAPHORE))
            continue;
        count[s] += trace_kind(trace, e) == EVENT_POST;
        count[s] -= trace_kind(trace, e) == EVENT_SEM_WAIT;
        index->tokens[next[s]++] = (struct certified_tokens){e, count[s]};
    }
    free(next);
    free(count);
}

static struct semaphore_now *semaphore_at(struct certifier *c, uint32_t s)
{
    const struct certify_index *index = c->index;
    struct semaphore_now *now = &c->semaphores[s];
    uint32_t low = index->token_start[s], high = index->token_start[s + 1];

    if (now->epoch == c->epoch)
        return now;
    while (low < high) { /* the first after the prefix */
        uint32_t middle = low + (high - low) / 2;
        if (index->tokens[middle].event <= c->prefix)
            low = middle + 1;
        else
            high = middle;
    }
    *now = (struct semaphore_now){c->epoch, low > index->token_start[s] ? index->tokens[low - 1].count
                                                                        : index->initial_tokens[s]};
    return now;
}

bool token_there(struct certifier *c, uint32_t semwait)
{
    return semaphore_at(c, c->index->trace->arg[semwait])->count > 0 ||
           reject(c, "event %u takes a token of semaphore %.80s, which has none", semwait,
                  trace_name(c->index->trace, NAME_SEMAPHORE, c->index->trace->arg[semwait]));
}

void take_token(struct certifier *c, uint32_t semwait)
{
    semaphore_at(c, c->index->trace->arg[semwait])->count--;
}

void add_token(struct certifier *c, uint32_t post)
{
    semaphore_at(c, c->index->trace->arg[post])->count++;
}

/* The first signal of the condition after an event. */
static uint32_t first_signal(const struct certify_index *index, uint32_t condition, uint32_t after)
{
    uint32_t low = index->signal_start[condition], high = index->signal_start[condition + 1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (index->signals[middle].event <= after)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether a notifyall of the trace comes after `begin` and up to `end`. */
static bool broadcast_between(const struct certify_index *index, uint32_t condition, uint32_t begin,
                              uint32_t end)
{
    uint32_t after = first_signal(index, condition, end);

    return after > index->signal_start[condition] && index->signals[after - 1].last_for_all > begin;
}

/* The end of a woken wait in the trace: spends a notify, unless a notifyall came. */
static void spend(struct certify_index *index, uint32_t end)
{
    uint32_t begin = map_get(&index->woken_at, end), condition = index->trace->arg[begin];

    if (broadcast_between(index, condition, begin, end))
        return;
    for (uint32_t i = first_signal(index, condition, begin); i < index->signal_start[condition + 1]; i++) {
        struct signal *signal = &index->signals[i];
        if (signal->event < end && !signal->spent_on) {
            signal->spent_on = end;
            return;
        }
    }
    assert(false && "a wait that was woken has a notify of its own");
}

static bool is_signal(const struct trace *trace, uint32_t e)
{
    return trace_kind(trace, e) == EVENT_NOTIFY || trace_kind(trace, e) == EVENT_NOTIFY_ALL;
}

void index_signals(struct certify_index *index)
{
    const struct trace *trace = index->trace;
    size_t conditions = trace_names(trace, NAME_CONDITION);
    uint32_t *next = memory_new(conditions, sizeof *next), *all = memory_new(conditions, sizeof *all);

    index->signal_start = memory_new(conditions + 1, sizeof *index->signal_start);
    for (uint32_t e = 1; conditions > 0 && e <= index->count; e++)
        if (is_signal(trace, e))
            index->signal_start[trace->arg[e] + 1]++;
    index->signals = memory_new(starts_from_counts(index->signal_start, conditions), sizeof *index->signals);
    for (size_t i = 0; i < conditions; i++)
        next[i] = index->signal_start[i];
    for (uint32_t e = 1; conditions > 0 && e <= index->count; e++) {
        if (!is_signal(trace, e))
            continue;
        if (trace_kind(trace, e) == EVENT_NOTIFY_ALL)
            all[trace->arg[e]] = e;
        index->signals[next[trace->arg[e]]++] = (struct signal){.event = e, .last_for_all = all[trace->arg[e]]};
    }
    for (uint32_t e = 1; index->woken_at.entries > 0 && e <= index->count; e++)
        if (map_get(&index->woken_at, e))
            spend(index, e);
    free(next);
    free(all);
}

static struct condition_now *condition_at(struct certifier *c, uint32_t condition)
{
    struct condition_now *now = &c->conditions[condition];

    if (now->epoch != c->epoch) {
        now->epoch = c->epoch;
        now->spent_count = now->late_count = 0;
        now->last_for_all = 0;
    }
    return now;
}

void certifier_begin_wait(struct certifier *c, uint32_t waitpre)
{
    uint32_t end = c->index->ends_at.entries > 0 ? map_get(&c->index->ends_at, waitpre) : 0;

    if (end)
        ARRAY_PUSH(c, waits, ((struct open_wait){end, c->place}));
}

/* Where the wait that ends at `end` began: an event of the prefix, or a place in the tail. */
static uint32_t begin_of(const struct certifier *c, uint32_t end)
{
    uint32_t waitpre = map_get(&c->index->woken_at, end);

    for (size_t i = 0; waitpre > c->prefix && i < c->waits_count; i++)
        if (c->waits[i].end == end)
            return c->waits[i].place;
    return waitpre;
}

static bool spent_in_tail(const struct condition_now *now, uint32_t notify)
{
    for (size_t i = 0; i < now->spent_count; i++)
        if (now->spent[i] == notify)
            return true;
    return false;
}

/* The oldest notify of the prefix after `begin` that is not spent, or 0. */
static uint32_t early_signal(const struct certifier *c, const struct condition_now *now, uint32_t condition,
                             uint32_t begin)
{
    const struct certify_index *index = c->index;
    uint32_t end = index->signal_start[condition + 1];

    for (uint32_t i = first_signal(index, condition, begin); i < end; i++) {
        const struct signal *signal = &index->signals[i];
        bool spent = signal->spent_on && signal->spent_on <= c->prefix;
        if (signal->event > c->prefix)
            break;
        if (trace_kind(index->trace, signal->event) == EVENT_NOTIFY && !spent &&
            !spent_in_tail(now, signal->event))
            return signal->event;
    }
    return 0;
}

static struct late_signal *late_signal(struct condition_now *now, uint32_t begin)
{
    for (size_t i = 0; i < now->late_count; i++)
        if (now->late[i].place > begin && !now->late[i].spent)
            return &now->late[i];
    return NULL;
}

static bool broadcast_since(struct certifier *c, uint32_t condition, uint32_t begin)
{
    if (condition_at(c, condition)->last_for_all > begin)
        return true;
    return begin <= c->prefix && broadcast_between(c->index, condition, begin, c->prefix);
}

static uint32_t condition_of(const struct certifier *c, uint32_t end)
{
    return c->index->trace->arg[map_get(&c->index->woken_at, end)];
}

bool signal_there(struct certifier *c, uint32_t end)
{
    uint32_t condition = condition_of(c, end), begin = begin_of(c, end);
    struct condition_now *now = condition_at(c, condition);

    if (broadcast_since(c, condition, begin) ||
        (begin <= c->prefix && early_signal(c, now, condition, begin)) || late_signal(now, begin))
        return true;
    return reject(c, "event %u ends a wait on condition %.80s without a notify for it", end,
                  trace_name(c->index->trace, NAME_CONDITION, condition));
}

void certifier_end_wait(struct certifier *c, uint32_t end)
{
    uint32_t condition = condition_of(c, end), begin = begin_of(c, end), early;
    struct condition_now *now = condition_at(c, condition);
    struct late_signal *late;

    if (broadcast_since(c, condition, begin))
        return;
    early = begin <= c->prefix ? early_signal(c, now, condition, begin) : 0;
    if (early) {
        ARRAY_PUSH(now, spent, early);
        return;
    }
    late = late_signal(now, begin);
    assert(late);
    late->spent = true;
}

void add_signal(struct certifier *c, uint32_t notify)
{
    struct condition_now *now = condition_at(c, c->index->trace->arg[notify]);

    if (trace_kind(c->index->trace, notify) == EVENT_NOTIFY_ALL)
        now->last_for_all = c->place;
    else
        ARRAY_PUSH(now, late, ((struct late_signal){.place = c->place}));
}
