/* The second walk: events of locks and their like, and the names of these. */
#include "base/memory.h"
#include "record/convert/convert.h"
#include "record/convert/walk.h"

#include <string.h>

/* What is known of an object of the class at the address; NULL: nothing. */
static struct converted_object *converted_object_at(struct converter *c, enum name_class class,
                                                    uint64_t address)
{
    uint32_t index = map_get(&c->objects, (uint64_t) class << 56 | address);
    struct converted_object *o = index ? &c->object[index - 1] : NULL;

    return o && o->cell == cells_id(&c->cells, address) ? o : NULL;
}

static struct converted_object *new_object(struct converter *c, enum name_class class, uint64_t address)
{
    uint32_t *index = map_at(&c->objects, (uint64_t) class << 56 | address);

    if (*index == 0) {
        ARRAY_PUSH(c, object, (struct converted_object){0});
        *index = (uint32_t)c->object_count;
    }
    c->object[*index - 1] = (struct converted_object){.cell = cells_id(&c->cells, address)};
    return &c->object[*index - 1];
}

static uint32_t object_of(struct converter *c, enum name_class class, uint64_t address, uint64_t pc,
                          const char *prefix)
{
    struct touched what = {.address = address, .pc = pc, .thread = c->thread};
    struct converted_object *o = converted_object_at(c, class, address);
    struct spelling unused;

    if (!o)
        o = new_object(c, class, address);
    if (o->id == 0)
        o->id = naming_add(&c->naming, &c->trace.names[class], class, &what, prefix, &unused) + 1;
    return o->id - 1;
}

void converter_object_name(struct converter *c, enum name_class class, uint64_t address, uint64_t pc, char *to,
                           size_t room)
{
    const struct converted_object *o = converted_object_at(c, class, address);
    struct spelling unused;

    if (o && o->id > 0)
        snprintf(to, room, "%s", trace_name(&c->trace, class, o->id - 1));
    else
        naming_describe(&c->naming, &(struct touched){.address = address, .pc = pc}, to, room, &unused);
}

/* Synchronization: kind of the event and class of its object. */
static const uint8_t event_of[RECORD_LAST_EVENT + 1] = {
    [RECORD_ACQUIRE] = EVENT_ACQUIRE,
    [RECORD_RELEASE] = EVENT_RELEASE,
    [RECORD_SHARED_ACQUIRE] = EVENT_SHARED_ACQUIRE,
    [RECORD_SHARED_RELEASE] = EVENT_SHARED_RELEASE,
    [RECORD_TRY_FAIL] = EVENT_TRY_FAIL,
    [RECORD_WAIT_PRE] = EVENT_WAIT_PRE,
    [RECORD_WAIT_POST] = EVENT_WAIT_POST,
    [RECORD_NOTIFY] = EVENT_NOTIFY,
    [RECORD_NOTIFY_ALL] = EVENT_NOTIFY_ALL,
    [RECORD_BARRIER_ENTER] = EVENT_BARRIER_ENTER,
    [RECORD_BARRIER_EXIT] = EVENT_BARRIER_EXIT,
    [RECORD_POST] = EVENT_POST,
    [RECORD_SEM_WAIT] = EVENT_SEM_WAIT,
    [RECORD_SEM_INIT] = EVENT_SEM_INIT,
};

struct event converted_event_at(struct converter *c, const struct record *r, enum event_kind kind)
{
    return (struct event){.op = op_make(kind, ORDER_NONE),
                          .thread = converted_thread(c, c->thread),
                          .arg = ARG_NONE,
                          .location = naming_place(&c->naming, &c->trace.names[NAME_LOCATION], pc_of(r))};
}

void write_once(struct converter *c, const struct record *r, bool done)
{
    struct once *once = once_at(c, r);
    struct event e = converted_event_at(c, r, done ? EVENT_POST : EVENT_SEM_WAIT);
    uint32_t times = done ? once->seen : 1;
    bool first = first_sight(c, once);

    once->done |= done;
    if (!done && !first)
        return;
    e.arg = object_of(c, NAME_SEMAPHORE, address_of(r), pc_of(r), is_channel(address_of(r)) ? "" : "once ");
    for (uint32_t i = 0; i < times; i++)
        converter_put_event(c, &e);
}

/* The condition or barrier that the thread entered: by the time it leaves, the memory may have been reused. */
static uint32_t *wait_of(struct converter *c)
{
    while (c->waits_count <= c->thread)
        ARRAY_PUSH(c, waits, 0);
    return &c->waits[c->thread];
}

void write_sync(struct converter *c, const struct record *r, unsigned kind)
{
    struct event e = converted_event_at(c, r, event_of[kind]);
    bool leaves = kind == RECORD_WAIT_POST || kind == RECORD_BARRIER_EXIT;
    bool takes = kind == RECORD_ACQUIRE || kind == RECORD_SHARED_ACQUIRE || kind == RECORD_SEM_WAIT;
    bool waits = takes && *wait_of(c) > 0; /* reacquires the lock that it released to wait */

    if ((kind == RECORD_ACQUIRE || kind == RECORD_SHARED_ACQUIRE) && r->value)
        e.op = op_make(event_of[kind], ORDER_TRY);
    if (leaves && *wait_of(c) > 0)
        e.arg = *wait_of(c) - 1;
    else
        e.arg = object_of(c, kind_argument(event_of[kind]), address_of(r), pc_of(r), "");
    if (kind == RECORD_WAIT_PRE || kind == RECORD_BARRIER_ENTER)
        *wait_of(c) = e.arg + 1;
    else if (leaves)
        *wait_of(c) = 0;
    bool use = is_use(r) && !leaves && !waits; /* a wait ends with its acquire and nothing after that */

    if (use && !takes) /* after the call others may be done with the object */
        write_use(c, r);
    converter_put_event(c, &e);
    if (use && takes)
        write_use(c, r);
}

/* The count, where all tokens that were taken are accounted for. */
void write_count(struct converter *c, const struct record *r)
{
    struct event e = converted_event_at(c, r, EVENT_SEM_INIT);

    e.arg = object_of(c, NAME_SEMAPHORE, address_of(r), pc_of(r), "");
    e.value = r->value;
    e.value_tag = VALUE_UNSIGNED;
    converter_put_event(c, &e);
}

void forget_object(struct converter *c, uint64_t address)
{
    cells_id(&c->cells, address); /* as in the first walk */
    for (int class = NAME_LOCK; class <= NAME_SEMAPHORE; class ++) {
        struct converted_object *o = converted_object_at(c, class, address);
        if (o)
            o->id = 0;
    }
}
