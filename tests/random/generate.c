/* Random valid traces: the scheduler, accesses and blocks. */
#include "random/generate.h"
#include "random/maker.h"

#include <assert.h>
#include <stdio.h>

/* splitmix64 */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

unsigned random_below(uint64_t *state, unsigned bound)
{
    return (unsigned)((random_next(state) >> 32) * bound >> 32);
}

/* A name is a letter for the class and the number of the object. */
static uint32_t intern(struct maker *k, enum name_class class, unsigned object)
{
    static const char letters[NAME_CLASSES] = {
        [NAME_THREAD] = 'T',  [NAME_VARIABLE] = 'x',  [NAME_LOCK] = 'l',     [NAME_CONDITION] = 'c',
        [NAME_BARRIER] = 'b', [NAME_SEMAPHORE] = 's', [NAME_LOCATION] = 'p',
    };
    char text[16];
    int length = snprintf(text, sizeof text, "%c%u", letters[class], object);

    return names_add(&k->trace->names[class], text, (size_t)length);
}

static struct event event_of(struct maker *k, const struct actor *a, enum event_kind kind,
                             enum memory_ordering order, unsigned object)
{
    enum name_class class = kind_argument(kind);
    struct event e = {.op = op_make(kind, order), .arg = ARG_NONE};

    e.thread = intern(k, NAME_THREAD, (unsigned)(a - k->actors));
    if (class != NAME_CLASSES && class != NAME_BLOCK)
        e.arg = intern(k, class, object);
    e.location = intern(k, NAME_LOCATION, pick(k, k->shape->locations));
    return e;
}

static void append(struct maker *k, struct actor *a, const struct event *e)
{
    trace_append(k->trace, e);
    for (unsigned i = 0; i < a->scope_count; i++)
        a->scopes[i].lasts -= a->scopes[i].lasts > 0;
    a->life -= a->life > 0;
}

bool maker_emit(struct maker *k, struct actor *a, enum event_kind kind, enum memory_ordering order,
                unsigned object)
{
    struct event e = event_of(k, a, kind, order, object);

    if (kind == EVENT_SEM_INIT) {
        e.value_tag = VALUE_UNSIGNED;
        e.value = k->tokens[object];
    }
    append(k, a, &e);
    maker_give_grounds(k, a, NULL);
    return true;
}

static void record_value(struct maker *k, struct event *e, struct made_value value)
{
    char text[2] = {(char)('a' + value.number % 26), '\0'};

    if (!k->shape->values || (k->shape->gaps > 0 && chance(k, k->shape->gaps)))
        return;
    e->value_tag = value.name ? VALUE_NAME : (int64_t)value.number < 0 ? VALUE_NEGATIVE : VALUE_UNSIGNED;
    e->value = value.name ? names_add(&k->trace->names[NAME_VALUE], text, 1) : value.number;
}

/* An access of variable x that writes this, or, where that is NULL, what is chosen here. */
static bool emit_access(struct maker *k, struct actor *a, enum event_kind kind, enum memory_ordering order,
                        unsigned x, const struct made_value *constant)
{
    struct event e = event_of(k, a, kind, order, x);
    struct made_from from = {0};

    if (kind_reads(kind) && a->read_count < ACTOR_READS)
        a->reads[a->read_count++] = (struct made_read){(uint32_t)k->trace->count + 1, x, k->value[x]};
    if (kind_writes(kind) && constant) {
        from.given = k->shape->grounds > 0 && chance(k, k->shape->grounds);
        k->value[x] = *constant;
    } else if (kind_writes(kind)) {
        k->value[x] = maker_choose_from(k, a, x, &from);
    }
    record_value(k, &e, k->value[x]);
    append(k, a, &e);
    if (k->type[x] != TYPE_UNKNOWN)
        trace_set_variable_type(k->trace, e.arg, k->type[x]);
    maker_give_grounds(k, a, kind_writes(kind) ? &from : NULL);
    return true;
}

bool maker_open_scope(struct maker *k, struct actor *a, enum event_kind begin, enum event_kind end,
                      unsigned object)
{
    bool lock = begin == EVENT_ACQUIRE || begin == EVENT_SHARED_ACQUIRE;

    if (a->scope_count == sizeof a->scopes / sizeof *a->scopes)
        return false;
    maker_emit(k, a, begin, lock && chance(k, 15) ? ORDER_TRY : ORDER_NONE, object);
    a->scopes[a->scope_count++] = (struct scope){end, object, chance(k, 7) ? UINT32_MAX : pick(k, 4)};
    if (begin == EVENT_ACQUIRE)
        a->exclusive[object]++;
    if (begin == EVENT_SHARED_ACQUIRE)
        a->shared[object]++;
    return true;
}

static bool is_block(const struct scope *scope)
{
    return scope->end == EVENT_END || scope->end == EVENT_DET_END;
}

/* The scope to close now: one that has lasted long enough, mostly the innermost such; blocks stay nested.
 * The number of scopes if there is none. */
static unsigned scope_due(struct maker *k, const struct actor *a)
{
    bool inner_block = false;
    unsigned due = a->scope_count;

    for (unsigned i = a->scope_count; i-- > 0;) {
        const struct scope *scope = &a->scopes[i];
        if (scope->lasts == 0 && !(is_block(scope) && inner_block) && (due == a->scope_count || chance(k, 20)))
            due = i;
        inner_block |= is_block(scope);
    }
    return due;
}

static bool close_scope(struct maker *k, struct actor *a)
{
    unsigned due = scope_due(k, a);

    if (due == a->scope_count || a->duty_count > 0)
        return false;

    struct scope scope = a->scopes[due];
    a->scope_count--;
    for (unsigned i = due; i < a->scope_count; i++)
        a->scopes[i] = a->scopes[i + 1];
    if (scope.end == EVENT_RELEASE)
        a->exclusive[scope.object]--;
    if (scope.end == EVENT_SHARED_RELEASE)
        a->shared[scope.object]--;
    return maker_emit(k, a, scope.end, ORDER_NONE, scope.object);
}

static enum memory_ordering random_order(struct maker *k, enum event_kind kind)
{
    enum memory_ordering order;

    do
        order = (enum memory_ordering)pick(k, ORDERS);
    while (!order_allowed(kind, order));
    return order;
}

/* Where most accesses are under one lock, or after one word was taken: takes that first, as far as it can. */
static bool wants_guard(struct maker *k, const struct actor *a)
{
    bool inside = k->shape->words > 0 ? a->has_word[k->shape->variables] : a->exclusive[0] > 0;

    return k->shape->guarded > 0 && !inside && !(k->trace->count < 3 && chance(k, 60)) &&
           chance(k, k->shape->guarded);
}

static bool make_access(struct maker *k, struct actor *a, bool atomic)
{
    static const enum event_kind plain[] = {EVENT_READ, EVENT_WRITE};
    static const enum event_kind atomics[] = {EVENT_ATOMIC_READ, EVENT_ATOMIC_WRITE, EVENT_RMW, EVENT_CAS};
    unsigned x = pick(k, k->shape->variables);
    enum event_kind kind = atomic ? atomics[pick(k, 4)] : plain[pick(k, 2)];

    if (k->style[x] == (atomic ? STYLE_PLAIN : STYLE_ATOMIC))
        return false;
    return emit_access(k, a, kind, random_order(k, kind), x, NULL);
}

/* A step of a spin lock: takes the word if it is free, gives it back, or looks at it while another thread has it. Now
 * and then something that a lock would not do. */
static bool make_spin(struct maker *k, struct actor *a)
{
    static const enum event_kind takes[] = {EVENT_RMW, EVENT_CAS};
    static const enum event_kind gives[] = {EVENT_WRITE, EVENT_ATOMIC_WRITE, EVENT_RMW};
    unsigned x = k->shape->variables + pick(k, k->shape->words);
    bool is_free = k->value[x].number == 0;
    struct made_value value = {.number = 0};
    enum event_kind kind = EVENT_ATOMIC_READ;

    if (odd(k)) {
        kind = chance(k, 50) ? takes[pick(k, 2)] : gives[pick(k, 3)];
        value.number = pick(k, 3);
    } else if (a->has_word[x]) {
        kind = gives[pick(k, 3)];
        a->has_word[x] = false;
    } else if (is_free) {
        kind = takes[pick(k, 2)];
        value.number = 1 + pick(k, 2);
        a->has_word[x] = true;
    } else if (chance(k, 40)) { /* who waits says so */
        kind = EVENT_RMW;
        value.number = 2;
    }
    return emit_access(k, a, kind, random_order(k, kind), x, &value);
}

/* A section of the first lock that takes something if it is there, gives back what its thread took, or only looks. Now and then
 * it gives what another thread took, or more than there was. */
static bool make_take(struct maker *k, struct actor *a)
{
    unsigned x = k->shape->variables + pick(k, k->shape->words);
    bool gives = a->has_word[x] || odd(k), is_free = k->value[x].number == 0;

    if (a->scope_count > 0 || a->duty_count > 0 || k->trace->count + 4 > k->shape->max_events)
        return false;
    for (unsigned i = 0; i < k->actor_count; i++)
        if (k->actors[i].exclusive[0] > 0 || k->actors[i].shared[0] > 0)
            return false;
    maker_emit(k, a, EVENT_ACQUIRE, ORDER_NONE, 0);
    if (!gives || odd(k))
        emit_access(k, a, EVENT_READ, ORDER_NONE, x, NULL);
    if (gives || is_free)
        emit_access(k, a, EVENT_WRITE, ORDER_NONE, x,
                    &(struct made_value){.number = gives ? 0 : 1 + pick(k, 2)});
    a->has_word[x] = gives ? false : is_free;
    return maker_emit(k, a, EVENT_RELEASE, ORDER_NONE, 0);
}

/* A step of a flag that the first thread sets where it is free, and others free where it is set: a look at it, or, after one that
 * showed that it is its thread's turn, the write that hands it over. Now and then something else. */
static bool make_hand(struct maker *k, struct actor *a)
{
    unsigned x = k->shape->variables + pick(k, k->shape->words);
    bool sets = a == k->actors, is_free = k->value[x].number == 0, writes = odd(k);
    struct made_value value = {.number = writes ? pick(k, 3) : sets ? 1 + pick(k, 2) : 0};
    enum event_kind kind = EVENT_ATOMIC_READ;

    if (writes || a->has_word[x]) {
        kind = EVENT_ATOMIC_WRITE;
        a->has_word[x] = false;
    } else {
        a->has_word[x] = is_free == sets;
    }
    return emit_access(k, a, kind, random_order(k, kind), x, &value);
}

static bool make_fence(struct maker *k, struct actor *a)
{
    return maker_emit(k, a, EVENT_FENCE, random_order(k, EVENT_FENCE), 0);
}

static bool make_event(struct maker *k, struct actor *a, enum shape_group group)
{
    if ((group == GROUP_PLAIN || group == GROUP_ATOMIC || group == GROUP_CONDITION) && wants_guard(k, a))
        return k->shape->weight[GROUP_TAKE] > 0 ? make_take(k, a)
               : k->shape->words > 0            ? make_spin(k, a)
                                                : make_lock(k, a);
    switch (group) {
    case GROUP_PLAIN:
        return make_access(k, a, false);
    case GROUP_ATOMIC:
        return make_access(k, a, true);
    case GROUP_FENCE:
        return make_fence(k, a);
    case GROUP_LOCK:
        return make_lock(k, a);
    case GROUP_SHARED:
        return make_shared_lock(k, a);
    case GROUP_TRY:
        return make_try(k, a);
    case GROUP_THREAD:
        return make_thread(k, a);
    case GROUP_CONDITION:
        return make_condition(k, a);
    case GROUP_BARRIER:
        return make_barrier(k, a);
    case GROUP_SEMAPHORE:
        return make_semaphore(k, a);
    case GROUP_SPIN:
        return make_spin(k, a);
    case GROUP_HAND:
        return make_hand(k, a);
    case GROUP_TAKE:
        return make_take(k, a);
    case GROUP_BLOCK:
        return maker_open_scope(k, a, EVENT_BEGIN, EVENT_END, 0);
    default:
        return maker_open_scope(k, a, EVENT_DET_BEGIN, EVENT_DET_END, 0);
    }
}

static enum shape_group random_group(struct maker *k)
{
    unsigned total = 0, group = 0;

    for (unsigned g = 0; g < SHAPE_GROUPS; g++)
        total += k->shape->weight[g];
    for (unsigned at = pick(k, total); at >= k->shape->weight[group]; group++)
        at -= k->shape->weight[group];
    return (enum shape_group)group;
}

static void maker_init(struct maker *k)
{
    const struct shape *shape = k->shape;

    assert(shape->max_threads <= SHAPE_OBJECTS && shape->variables + shape->words <= SHAPE_OBJECTS);
    assert(shape->locks <= SHAPE_OBJECTS && shape->semaphores <= SHAPE_OBJECTS);
    k->actor_count = shape->min_threads + pick(k, shape->max_threads - shape->min_threads + 1);
    for (unsigned i = 0; i < k->actor_count; i++) {
        bool forked = i > 0 && shape->weight[GROUP_THREAD] > 0 && chance(k, 60);
        k->actors[i].stage = forked ? ACTOR_UNBORN : ACTOR_RUNNING;
        k->actors[i].life = 1 + pick(k, 6);
        if (forked && shape->idle > 0 && chance(k, shape->idle))
            k->actors[i].life = 0;
    }
    for (unsigned x = 0; x < shape->variables; x++) {
        bool both = shape->weight[GROUP_PLAIN] > 0 && shape->weight[GROUP_ATOMIC] > 0;
        k->style[x] = both ? (enum variable_style)pick(k, STYLES) : STYLE_MIXED;
        if (shape->grounds > 0 && chance(k, 25))
            k->type[x] = chance(k, 50) ? TYPE_U8 : TYPE_I8;
        k->value[x] = maker_any_value(k, x);
    }
    for (unsigned s = 0; s < shape->semaphores; s++)
        k->tokens[s] = chance(k, 30) ? 1 + pick(k, 2) : 0;
}

/* Whether the thread ends here. Thread 0 goes on, to join the others. */
static bool ends(struct maker *k, const struct actor *a)
{
    if (a == k->actors || a->life > 0 || k->shape->weight[GROUP_THREAD] == 0)
        return false;
    return a->duty_count == 0 && (a->scope_count == 0 || odd(k));
}

/* One try of a thread to do something. */
static void act(struct maker *k, struct actor *a)
{
    if (ends(k, a)) {
        if (chance(k, 50))
            maker_emit(k, a, EVENT_EXIT, ORDER_NONE, 0);
        a->stage = ACTOR_ENDED;
    } else if (a->duty_count > 0 && !odd(k))
        make_duty(k, a);
    else if (!chance(k, 80) || !close_scope(k, a))
        make_event(k, a, random_group(k));
}

/* Now and then the whole run is in the trace. */
static void end_all(struct maker *k)
{
    if (k->shape->weight[GROUP_THREAD] == 0 || !chance(k, 40))
        return;
    for (unsigned i = 0; i < k->actor_count; i++) {
        struct actor *a = &k->actors[i];
        while (a->stage == ACTOR_RUNNING && k->trace->count < k->shape->max_events && chance(k, 90) &&
               close_scope(k, a))
            continue;
        if (a->stage == ACTOR_RUNNING && k->trace->count < k->shape->max_events && a->duty_count == 0 &&
            chance(k, 90))
            maker_emit(k, a, EVENT_EXIT, ORDER_NONE, 0);
    }
}

void random_trace(struct trace *t, uint64_t seed, const struct shape *shape)
{
    struct maker k = {.trace = t, .shape = shape, .random = seed};
    unsigned current = 0;

    trace_init(t);
    maker_init(&k);
    unsigned wanted = shape->min_events + pick(&k, shape->max_events - shape->min_events + 1);
    for (unsigned tries = 0; t->count < wanted && tries < 100 * wanted; tries++) {
        /* Threads run on for a while, as real ones do: this makes whole sections more likely. */
        if (chance(&k, 40))
            current = pick(&k, k.actor_count);
        if (k.actors[current].stage == ACTOR_RUNNING)
            act(&k, &k.actors[current]);
    }
    end_all(&k);
}
