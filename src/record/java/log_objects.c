/* Objects and threads of a log: the first walk, and what a record acts on. */
#include "base/memory.h"
#include "record/java/log_walk.h"

#include <stdio.h>
#include <string.h>

const char *java_object_type(const struct java_converter *c, uint32_t object)
{
    return object < c->objects_count ? java_type_name(c->list, c->objects[object].type) : "";
}

static struct java_object *logged_object_at(struct java_converter *c, uint32_t number)
{
    while (c->objects_count <= number)
        ARRAY_PUSH(c, objects, (struct java_object){0});
    return &c->objects[number];
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The family of a class of the program is that of the nearest class above it that is not. */
static void meet_object(struct java_converter *c, const struct java_record *r)
{
    struct java_object *object = logged_object_at(c, r->object);
    const char *signature = java_type_name(c->list, (uint32_t)r->value);
    char above[1024];
    size_t length = strlen(signature);

    object->type = (uint32_t)r->value;
    for (int steps = 0; steps < 100 && length > 2 && signature[0] == 'L'; steps++) {
        uint32_t name = names_find(&c->list->texts, signature + 1, length - 2);
        if (name == NAME_NONE || name >= c->list->class_of_count || c->list->class_of[name] == 0 ||
            starts(signature, "Ljava/"))
            break;
        object->derived = true;
        snprintf(above, sizeof above, "L%.1000s;",
                 java_text(c->list, c->list->classes[c->list->class_of[name]].super));
        signature = above;
        length = strlen(above);
    }
    object->family = java_family(signature);
    object->opaque |= r->index == JAVA_INDEX_OWES;
}

static void meet_thread(struct java_converter *c, const struct java_record *r, uint64_t slot)
{
    uint32_t number = java_thread_of(r);
    struct java_thread *thread;

    if (number == NO_THREAD)
        return;
    while (c->threads_count <= number)
        ARRAY_PUSH(c, threads, (struct java_thread){.first = UINT64_MAX});
    thread = &c->threads[number];
    if (thread->first == UINT64_MAX)
        thread->first = slot;
    if (java_kind_of(r) == JAVA_ENDS)
        thread->ends = true; /* right after its last record: nobody waits for a turn to end */
    else if (java_is_ground(r))
        thread->told = slot;
    else if (java_kind_of(r) < JAVA_INPUT)
        thread->last = slot;
    if (java_kind_of(r) == JAVA_THREAD) {
        logged_object_at(c, r->object)->thread = number;
        thread->object = r->object;
    }
}

/* A result through which the receiver can be reached: only these methods return one. */
static void meet_view(struct java_converter *c, const struct java_record *r)
{
    static const char *const views[] = {"iterator",
                                        "listIterator",
                                        "spliterator",
                                        "keySet",
                                        "values",
                                        "entrySet",
                                        "subList",
                                        "subSet",
                                        "subMap",
                                        "headMap",
                                        "headSet",
                                        "tailMap",
                                        "tailSet",
                                        "elements",
                                        "keys",
                                        "descendingIterator",
                                        "descendingMap",
                                        "descendingSet",
                                        "navigableKeySet",
                                        "readLock",
                                        "writeLock",
                                        "asReadLock",
                                        "asWriteLock",
                                        "asReadWriteLock",
                                        "newCondition",
                                        NULL};
    static const char *const entries[] = {"next",       "firstEntry",   "lastEntry",
                                          "floorEntry", "ceilingEntry", NULL};
    const char *name = java_text(c->list, java_site(c->list, r->site)->name);
    uint32_t made = (uint32_t)r->value;
    bool view = starts(name, "unmodifiable") || starts(name, "synchronized") || starts(name, "checked");

    if (made == r->object || made == 0)
        return;
    for (const char *const *v = views; *v; v++)
        view |= strcmp(name, *v) == 0;
    for (const char *const *v = entries; *v; v++)
        view |= strcmp(name, *v) == 0 && strchr(java_object_type(c, made), '$');
    view |=
        starts(java_object_type(c, made), "Ljava/util/stream/"); /* it looks at its source when it is used */
    if (view && logged_object_at(c, made)->owner == 0)
        logged_object_at(c, made)->owner = java_owner(c, r->object);
    if (view && starts(name, "synchronized")) /* its own lock guards it: only the order of calls is known */
        logged_object_at(c, java_owner(c, r->object))->opaque = true;
}

uint32_t java_owner(const struct java_converter *c, uint32_t object)
{
    for (int steps = 0; steps < 8 && object < c->objects_count && c->objects[object].owner; steps++)
        object = c->objects[object].owner;
    return object;
}

/* An object that calls reach which are not seen: its own calls keep their order with those. What is done to threads is known
 * from what they do. */
static void meet_handed(struct java_converter *c, const struct java_record *r)
{
    struct java_object *object = &c->objects[java_owner(c, r->object)];

    if (object->thread == NO_THREAD && java_is_by_handle(c->list, java_site(c->list, r->site)))
        object->handed = object->opaque = true;
}

/* Whether a semaphore is taken and given back in turn, each time by one thread: then it is a lock in all orders of these events. */
static void look_at_turns(struct java_object *semaphore, const struct java_record *r, enum java_effect effect)
{
    uint32_t thread = java_thread_of(r);

    if (java_kind_of(r) == JAVA_CALL && effect == EFFECT_POST) {
        semaphore->counts |= semaphore->taker != thread;
        semaphore->taker = 0;
    } else if (java_kind_of(r) == JAVA_RETURNED &&
               (effect == EFFECT_SEMAPHORE_WAIT || (effect == EFFECT_SEMAPHORE_TRY && r->value != 0))) {
        semaphore->counts |= semaphore->taker != 0;
        semaphore->taker = thread;
    }
}

/* Whether a semaphore or barrier is used in ways that the trace's kinds of events can express. */
static void look_at_use(struct java_converter *c, const struct java_record *r)
{
    struct java_action action = java_action(c, r);
    struct java_object *object = logged_object_at(c, action.object);
    uint32_t *generation;
    bool returned = java_kind_of(r) == JAVA_RETURNED;

    if (object->family == FAMILY_SEMAPHORE) {
        object->opaque |= action.effect == EFFECT_OPAQUE ||
                          (action.effect == EFFECT_SEMAPHORE_TRY && returned && r->value == 0);
        look_at_turns(object, r, action.effect);
    }
    if (object->family == FAMILY_BARRIER)
        object->opaque |= action.effect == EFFECT_OPAQUE;
    if (action.effect != EFFECT_BARRIER)
        return;
    generation = map_at(&c->generations, map_pair(r->object, java_thread_of(r)));
    if (!returned) {
        object->opaque |= *generation != 0;
        *generation = object->generation + 1;
        object->entered++;
    } else if (*generation == 0) {
        object->opaque = true;
    } else {
        if (*generation - 1 == object->generation) {
            object->opaque |= object->parties != 0 && object->parties != object->entered;
            object->parties = object->entered;
            object->entered = 0;
            object->generation++;
        }
        *generation = 0;
    }
}

/* A barrier with an action: the last thread to arrive runs it before it leaves, which the trace's kinds of
 * events cannot express. */
static void look_into_barrier(struct java_converter *c, const struct java_record *r)
{
    struct java_thread *t = &c->threads[java_thread_of(r)];
    unsigned kind = java_kind_of(r);

    if (t->barrier && !(kind == JAVA_RETURNED && java_owner(c, r->object) == t->barrier - 1))
        logged_object_at(c, t->barrier - 1)->opaque = true;
    t->barrier = 0;
    if (kind == JAVA_CALL) {
        struct java_action action = java_action(c, r);
        t->barrier = action.effect == EFFECT_BARRIER ? action.object + 1 : 0;
    }
}

/* An attempt at a lock that failed although no thread is known to hold it: the holder released it before its
 * acquire was recorded, or held it in shared mode. No kind of event expresses that; the order of calls does. */
static void look_at_lock(struct java_converter *c, const struct java_record *r)
{
    struct java_action a = java_action(c, r);
    struct java_object *lock = logged_object_at(c, a.lock);
    bool returned = java_kind_of(r) == JAVA_RETURNED;
    bool tries = a.effect == EFFECT_TRY_LOCK || a.effect == EFFECT_TRY_LOCK_TIMED;

    if (tries && returned && r->value == 0 && lock->holders == 0)
        lock->opaque = true;
    if (a.shared)
        return;
    if (returned && (a.effect == EFFECT_LOCK || (tries && r->value != 0)))
        lock->holders++;
    else if (!returned && a.effect == EFFECT_UNLOCK && lock->holders > 0)
        lock->holders--;
    else if (a.effect == EFFECT_WAIT && a.object != a.lock)
        lock->holders = returned;
}

uint32_t java_monitor(const struct java_converter *c, uint32_t object)
{
    return object < c->objects_count && c->objects[object].monitor ? c->objects[object].monitor : object;
}

static bool is_lock_family(unsigned family)
{
    return family == FAMILY_LOCK || family == FAMILY_READ_LOCK || family == FAMILY_WRITE_LOCK;
}

/* A monitor of a lock, of a pair of locks, of a condition or of a semaphore, which may be a lock in the trace. */
static void meet_monitor(struct java_converter *c, uint32_t object)
{
    unsigned family = c->objects[object].family;

    if (c->objects[object].monitor || !(is_lock_family(family) || family == FAMILY_CONDITION ||
                                        family == FAMILY_IMMUTABLE || family == FAMILY_SEMAPHORE))
        return;
    c->objects[object].monitor = (uint32_t)c->objects_count;
    ARRAY_PUSH(c, objects, (struct java_object){.monitor_of = object});
}

void java_meet_objects(struct java_converter *c)
{
    logged_object_at(c, GIVEN_TASKS)->family = FAMILY_POOL;
    ARRAY_PUSH(c, threads,
               (struct java_thread){.first = UINT64_MAX}); /* NO_THREAD: of records that have none */
    for (uint64_t i = 0; i < c->count; i++) {
        const struct java_record *r = &c->records[i];
        if (java_kind_of(r) != JAVA_FROM)   /* which has a label there */
            logged_object_at(c, r->object); /* known or not */
        meet_thread(c, r, i);
        if (java_kind_of(r) == JAVA_OBJECT)
            meet_object(c, r);
    }
    for (uint64_t i = 0; i < c->count; i++)
        if (java_kind_of(&c->records[i]) == JAVA_MADE)
            meet_view(c, &c->records[i]);
    for (uint64_t i = 0; i < c->count; i++)
        if (java_kind_of(&c->records[i]) == JAVA_ACQUIRED)
            meet_monitor(c, c->records[i].object);
        else if (java_kind_of(&c->records[i]) == JAVA_TOUCHED)
            meet_handed(c, &c->records[i]);
    for (uint64_t i = 0; i < c->count; i++) {
        const struct java_record *r = &c->records[i];
        if (java_kind_of(r) > JAVA_THREAD && java_kind_of(r) < JAVA_INPUT && java_thread_of(r) != NO_THREAD)
            look_into_barrier(c, r);
        if (java_kind_of(r) == JAVA_CALL || java_kind_of(r) == JAVA_RETURNED)
            look_at_use(c, r);
    }
    for (uint64_t i = 0; i < c->count; i++) {
        const struct java_record *r = &c->records[i];
        if (java_kind_of(r) == JAVA_CALL || java_kind_of(r) == JAVA_RETURNED)
            look_at_lock(c, r);
    }
}

/* Comparing names takes long; a site's calls are mostly alike. */
static enum java_effect effect_at(struct java_converter *c, uint32_t number, unsigned family, bool derived)
{
    const struct java_site_info *site = java_site(c->list, number);
    unsigned key = (family << 1 | derived) + 1;
    uint16_t *known;

    if (number >= c->list->sites_count)
        return java_effect(c->list, site, (enum java_family)family, derived);
    if (!c->effects)
        c->effects = memory_new(c->list->sites_count, sizeof *c->effects);
    known = &c->effects[number];
    if (*known >> 8 != key)
        *known = (uint16_t)(key << 8 | java_effect(c->list, site, (enum java_family)family, derived));
    return (enum java_effect)(*known & 0xff);
}

/* Whether it is Object's wait or notify, not await or signal of a condition. */
static bool uses_monitor(enum java_effect effect, const char *method)
{
    return (effect == EFFECT_WAIT || effect == EFFECT_NOTIFY || effect == EFFECT_NOTIFY_ALL) &&
           !starts(method, "await") && !starts(method, "signal");
}

struct java_action java_action(struct java_converter *c, const struct java_record *r)
{
    const struct java_site_info *site = java_site(c->list, r->site);
    struct java_action action = {.object = java_owner(c, r->object)};
    struct java_object *self = logged_object_at(c, r->object);
    unsigned family = self->family;
    const char *name = java_text(c->list, site->name);

    if (self->owner && starts(java_object_type(c, r->object), "Ljava/util/Collections$Unmodifiable"))
        family = c->objects[action.object].family;
    action.effect = r->object == GIVEN_TASKS
                        ? java_global_effect(c->list, site)
                        : effect_at(c, r->site, family, self->derived && site->kind != INVOKE_SPECIAL);
    if (self->thread && (strcmp(name, "join") == 0 || strcmp(name, "isAlive") == 0 ||
                         strcmp(name, "getState") == 0 || strcmp(name, "invoke") == 0))
        action.effect = EFFECT_JOIN;
    action.monitor = uses_monitor(action.effect, name);
    if (action.monitor) {
        action.object = action.lock = java_monitor(c, r->object);
        return action;
    }
    action.lock = action.object;
    action.shared = family == FAMILY_READ_LOCK;
    if (is_lock_family(family) || family == FAMILY_CONDITION) {
        bool lost = family != FAMILY_LOCK && self->owner == 0; /* which lock it belongs to was not seen */
        if (lost && action.effect != EFFECT_NONE)
            action.effect = EFFECT_OPAQUE;
        action.object = r->object;
        action.lock = java_owner(c, r->object);
        if (c->objects[action.lock].opaque && action.effect != EFFECT_NONE) {
            action.effect = EFFECT_OPAQUE;
            action.object = action.lock;
        }
    }
    if (self->opaque && action.effect != EFFECT_NONE)
        action.effect = EFFECT_OPAQUE;
    return action;
}
