/* From the records of a Java virtual machine to events: the last walk. */
#include "record/java/log_walk.h"

#include <stdio.h>
#include <string.h>

static void put_event(struct java_converter *c, struct event *e)
{
    struct error err;

    if (!kind_accesses(op_kind(e->op)))
        java_ground_event(c, e);
    if (!validator_quick(&c->validator, e) && validator_event(&c->validator, e, &err) != HEDDLE_OK) {
        if (c->result->refused++ == 0)
            snprintf(c->result->refusal, sizeof c->result->refusal, "%.500s", err.text);
        return;
    }
    htr_append(c->writer, e);
    c->result->events++;
    java_ground_put(c, e);
    java_journal_event(c);
}

static struct event logged_event_at(struct java_converter *c, uint32_t thread, uint32_t site,
                                    enum event_kind kind)
{
    return (struct event){.op = op_make(kind, ORDER_NONE),
                          .thread = java_thread_name(c, thread),
                          .arg = ARG_NONE,
                          .location = java_place_name(c, site)};
}

static void put_simple(struct java_converter *c, const struct java_record *r, enum event_kind kind,
                       uint32_t arg)
{
    struct event e = logged_event_at(c, java_thread_of(r), r->site, kind);

    e.arg = arg;
    put_event(c, &e);
}

static void put_exit(struct java_converter *c, const struct java_record *r)
{
    struct event e = logged_event_at(c, java_thread_of(r), r->site, EVENT_EXIT);

    e.location = names_add(&c->trace.names[NAME_LOCATION], "", 0);
    put_event(c, &e);
}

static void set_value(struct event *e, const struct java_variable *v, uint64_t raw)
{
    if (!strchr("ZBCSIJ", v->letter))
        return;
    e->value = java_value(v, raw);
    e->value_tag = (int64_t)e->value < 0 ? VALUE_NEGATIVE : VALUE_UNSIGNED;
}

static void write_access(struct java_converter *c, const struct java_record *r)
{
    struct java_variable *v = java_variable_at(c, r);
    bool reads = java_is_read(c, r), writes = java_is_write(c, r);
    enum event_kind kind;

    if (!v || !java_kept(v) || java_is_discarded(c, r)) {
        c->result->dropped_events++;
        java_ground_dropped(c, r, v);
        return;
    }
    if (java_is_volatile(c, v))
        kind = reads && writes ? (java_is_conditional(c, r) ? EVENT_CAS : EVENT_RMW)
               : writes        ? EVENT_ATOMIC_WRITE
                               : EVENT_ATOMIC_READ;
    else
        kind = writes ? EVENT_WRITE : EVENT_READ;
    struct event e = logged_event_at(c, java_thread_of(r), r->site, kind);
    e.arg = java_variable_name(c, v);
    set_value(&e, v, r->value);
    java_ground_access(c, r, v, &e);
    put_event(c, &e);
}

static uint32_t lock_name(struct java_converter *c, uint32_t object, uint32_t site)
{
    return java_object_name(c, &c->objects[object].lock, NAME_LOCK, object, site);
}

static uint32_t *depth_at(struct java_converter *c, uint32_t lock, uint32_t thread)
{
    return map_at(&c->depths, map_pair(lock, thread));
}

static void acquire(struct java_converter *c, const struct java_record *r, uint32_t lock, bool shared,
                    enum memory_ordering order)
{
    struct event e = logged_event_at(c, java_thread_of(r), r->site, EVENT_ACQUIRE);

    if (!shared)
        ++*depth_at(c, lock, java_thread_of(r));
    e.op = op_make(shared ? EVENT_SHARED_ACQUIRE : EVENT_ACQUIRE, order);
    e.arg = lock_name(c, lock, r->site);
    put_event(c, &e);
}

static void release(struct java_converter *c, const struct java_record *r, uint32_t lock, bool shared)
{
    uint32_t *depth = depth_at(c, lock, java_thread_of(r));

    *depth -= !shared && *depth > 0;
    put_simple(c, r, shared ? EVENT_SHARED_RELEASE : EVENT_RELEASE, lock_name(c, lock, r->site));
}

static uint32_t semaphore_name(struct java_converter *c, uint32_t object, uint32_t site)
{
    return java_object_name(c, &c->objects[object].semaphore, NAME_SEMAPHORE, object, site);
}

static void take(struct java_converter *c, const struct java_record *r, uint32_t semaphore,
                 enum memory_ordering order)
{
    if (c->objects[semaphore].counts)
        put_simple(c, r, EVENT_SEM_WAIT, semaphore_name(c, semaphore, r->site));
    else
        acquire(c, r, semaphore, false, order);
}

static void give_back(struct java_converter *c, const struct java_record *r, uint32_t semaphore)
{
    if (c->objects[semaphore].counts)
        put_simple(c, r, EVENT_POST, semaphore_name(c, semaphore, r->site));
    else
        release(c, r, semaphore, false);
}

static uint32_t condition_name(struct java_converter *c, uint32_t object, uint32_t site)
{
    return java_object_name(c, &c->objects[object].condition, NAME_CONDITION, object, site);
}

/* A wait begins: the lock is given up, however often it is held. */
static void begin_wait(struct java_converter *c, const struct java_record *r, const struct java_action *a)
{
    struct java_thread *t = &c->threads[java_thread_of(r)];

    t->waits_on = a->object + 1;
    t->wait_lock = a->lock;
    t->wait_depth = *depth_at(c, a->lock, java_thread_of(r));
    t->wait_site = r->site;
    put_simple(c, r, EVENT_WAIT_PRE, condition_name(c, a->object, r->site));
    for (uint32_t i = 0; i < t->wait_depth; i++)
        release(c, r, a->lock, false);
}

/* The thread goes on after a wait, or after the exception that ended it. */
static void end_wait(struct java_converter *c, const struct java_record *r)
{
    struct java_thread *t = &c->threads[java_thread_of(r)];
    struct java_record at = *r;

    at.site = t->wait_site;
    for (uint32_t i = 0; i < t->wait_depth; i++)
        acquire(c, &at, t->wait_lock, false, ORDER_NONE);
    put_simple(c, &at, EVENT_WAIT_POST, condition_name(c, t->waits_on - 1, t->wait_site));
    t->waits_on = 0;
}

/* Only the holder in the trace so far can have been in the way. */
static void try_failed(struct java_converter *c, const struct java_record *r, uint32_t object)
{
    uint32_t lock = lock_name(c, object, r->site);

    if (lock < c->validator.lock_capacity && c->validator.locks[lock].exclusive > 0)
        put_simple(c, r, EVENT_TRY_FAIL, lock);
}

/* What is read of an object without hooks decides, also what is written. */
static void put_contents(struct java_converter *c, const struct java_record *r, enum event_kind kind,
                         struct java_variable *v)
{
    struct event e = logged_event_at(c, java_thread_of(r), r->site, kind);

    e.arg = java_variable_name(c, v);
    java_ground_access(c, r, v, &e);
    put_event(c, &e);
}

static void write_contents(struct java_converter *c, const struct java_record *r, uint32_t object, bool writes)
{
    struct java_variable *v = java_contents(c, object);

    if (!java_kept(v)) {
        c->result->dropped_events++;
        return;
    }
    put_contents(c, r, EVENT_READ, v);
    if (writes)
        put_contents(c, r, EVENT_WRITE, v);
}

/* Joined when it has ended: its last record came before. */
static void write_join(struct java_converter *c, const struct java_record *r)
{
    uint32_t thread = c->objects[r->object].thread;
    const struct java_thread *t = &c->threads[thread];
    uint64_t slot = (uint64_t)(r - c->records);

    if (r->value == 0 && thread != NO_THREAD && t->first < slot && t->last < slot)
        put_simple(c, r, EVENT_JOIN, java_thread_name(c, thread));
}

static bool returns_from_join(struct java_converter *c, const struct java_record *r)
{
    return java_kind_of(r) == JAVA_RETURNED && java_action(c, r).effect == EFFECT_JOIN;
}

/* Whether the JDK waits in the call, as Thread.join does, on a monitor that the thread holds: others take it
 * before the thread does anything else. */
static bool gives_monitor_up(struct java_converter *c, const struct java_record *r)
{
    if (*depth_at(c, java_monitor(c, r->object), java_thread_of(r)) == 0)
        return false;
    for (const struct java_record *next = r + 1; next < c->records + c->count; next++) {
        if (java_thread_of(next) == java_thread_of(r) && java_kind_of(next) > JAVA_THREAD)
            return false;
        if (java_kind_of(next) == JAVA_ACQUIRED && next->object == r->object)
            return true;
    }
    return false;
}

static void write_call(struct java_converter *c, const struct java_record *r)
{
    struct java_action a = java_action(c, r);
    uint32_t monitor = java_monitor(c, r->object);

    if (a.effect != EFFECT_WAIT && gives_monitor_up(c, r))
        begin_wait(c, r, &(struct java_action){.object = monitor, .lock = monitor});
    switch (a.effect) {
    case EFFECT_READS:
    case EFFECT_WRITES:
        write_contents(c, r, a.object, a.effect == EFFECT_WRITES);
        break;
    case EFFECT_START:
        c->threads[java_thread_of(r)].start_site = r->site;
        break;
    case EFFECT_UNLOCK:
        release(c, r, a.lock, a.shared);
        break;
    case EFFECT_WAIT:
        begin_wait(c, r, &a);
        break;
    case EFFECT_NOTIFY:
    case EFFECT_NOTIFY_ALL:
        put_simple(c, r, a.effect == EFFECT_NOTIFY ? EVENT_NOTIFY : EVENT_NOTIFY_ALL,
                   condition_name(c, a.object, r->site));
        break;
    case EFFECT_POST:
        give_back(c, r, a.object);
        break;
    case EFFECT_BARRIER:
        put_simple(c, r, EVENT_BARRIER_ENTER,
                   java_object_name(c, &c->objects[a.object].barrier, NAME_BARRIER, a.object, r->site));
        break;
    default:
        break;
    }
}

static void write_return(struct java_converter *c, const struct java_record *r)
{
    struct java_action a = java_action(c, r);

    switch (a.effect) {
    case EFFECT_LOCK:
        acquire(c, r, a.lock, a.shared, ORDER_NONE);
        break;
    case EFFECT_TRY_LOCK:
    case EFFECT_TRY_LOCK_TIMED:
        if (r->value != 0)
            acquire(c, r, a.lock, a.shared, ORDER_TRY);
        else
            try_failed(c, r, a.lock);
        break;
    case EFFECT_START:
        c->threads[java_thread_of(r)].start_site = 0;
        break;
    case EFFECT_JOIN:
        write_join(c, r);
        break;
    case EFFECT_SEMAPHORE_TRY:
    case EFFECT_SEMAPHORE_WAIT:
        take(c, r, a.object, a.effect == EFFECT_SEMAPHORE_TRY ? ORDER_TRY : ORDER_NONE);
        break;
    case EFFECT_BARRIER:
        put_simple(c, r, EVENT_BARRIER_EXIT,
                   java_object_name(c, &c->objects[a.object].barrier, NAME_BARRIER, a.object, r->site));
        break;
    default:
        break;
    }
}

static void write_block(struct java_converter *c, const struct java_record *r, bool begins)
{
    const struct java_site_info *site = java_site(c->list, r->site);
    char text[1024];

    if (site->kind != JAVA_SITE_ATOMIC && site->kind != JAVA_SITE_DETERMINISTIC)
        return;
    snprintf(text, sizeof text, "%.1000s", java_text(c->list, site->method));
    put_simple(c, r,
               site->kind == JAVA_SITE_ATOMIC ? begins ? EVENT_BEGIN : EVENT_END
               : begins                       ? EVENT_DET_BEGIN
                                              : EVENT_DET_END,
               names_add(&c->trace.names[NAME_BLOCK], text, strlen(text)));
}

/* At the place that calls Thread.start, if it is the program's own. */
static void write_fork(struct java_converter *c, const struct java_record *r)
{
    uint32_t thread = c->objects[r->object].thread;
    uint32_t site = c->threads[java_thread_of(r)].start_site;
    struct java_record at = *r;

    if (site != 0)
        at.site = site;
    if (thread == NO_THREAD || c->threads[thread].forked)
        return;
    c->threads[thread].forked = true;
    put_simple(c, &at, EVENT_FORK, java_thread_name(c, thread));
}

static void write_record(struct java_converter *c, const struct java_record *r)
{
    uint32_t thread;

    switch (java_kind_of(r)) {
    case JAVA_ACQUIRED:
        acquire(c, r, java_monitor(c, r->object), false, ORDER_NONE);
        break;
    case JAVA_RELEASING:
        release(c, r, java_monitor(c, r->object), false);
        break;
    case JAVA_FORK:
        write_fork(c, r);
        break;
    case JAVA_CALL:
        write_call(c, r);
        break;
    case JAVA_RETURNED:
        write_return(c, r);
        break;
    case JAVA_TOUCHED:
        thread = java_owner(c, r->object);
        if (c->objects[thread].family == FAMILY_PLAIN && !c->objects[thread].derived)
            write_contents(c, r, thread, false);
        break;
    case JAVA_BEGIN:
    case JAVA_END:
        write_block(c, r, java_kind_of(r) == JAVA_BEGIN);
        break;
    default:
        if (java_is_access(r))
            write_access(c, r);
    }
}

/* The thread ends right after its last record. What it decided from then on stands in the log as late as others let it run, and
 * is taken now: a run that is made again has the end at the same place. */
static void write_end(struct java_converter *c, const struct java_record *last, uint64_t slot)
{
    const struct java_thread *t = &c->threads[java_thread_of(last)];

    for (uint64_t i = slot + 1; i <= t->told; i++)
        if (java_is_ground(&c->records[i]) && java_thread_of(&c->records[i]) == java_thread_of(last))
            java_ground_record(c, &c->records[i]);
    if (t->told > slot)
        c->grounding.bits = RECORD_GROUNDED;
    put_exit(c, last);
}

void java_write_record(struct java_converter *c, const struct java_record *r, uint64_t slot)
{
    struct java_edges *e = &c->edges;
    struct java_thread *t = &c->threads[java_thread_of(r)];

    c->writing = r;
    java_journal_record(c, r);
    java_ground_begin(c, r);
    for (; c->next_in < e->edges_count && e->edges[c->next_in].to == slot; c->next_in++)
        put_simple(c, r, EVENT_SEM_WAIT, java_channel_name(c, &e->channels[e->edges[c->next_in].channel]));
    if (t->waits_on && returns_from_join(c, r)) { /* the end of the thread is what woke it */
        write_join(c, r);
        end_wait(c, r);
    } else {
        if (t->waits_on)
            end_wait(c, r);
        write_record(c, r);
    }
    for (; c->next_out < e->edges_count && e->edges[e->by_from[c->next_out]].from == slot; c->next_out++)
        put_simple(c, r, EVENT_POST,
                   java_channel_name(c, &e->channels[e->edges[e->by_from[c->next_out]].channel]));
    java_ground_end(c, r);
    if (t->ends && slot == t->last)
        write_end(c, r, slot);
}
