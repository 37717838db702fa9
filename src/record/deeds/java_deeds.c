/* From the records of a Java machine to deeds. */
#include "base/memory.h"
#include "record/deeds/java_walk.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOADS_FIRST = 46, LOADS_LAST = 53, STORES_FIRST = 79, STORES_LAST = 86, VARIABLE_BYTES = 8 };

void java_reader_init(struct java_reader *r, struct deed_numbers *numbers, struct deeds *to)
{
    memset(to, 0, sizeof *to);
    r->numbers = numbers;
    r->to = to;
}

void walk_miss(struct java_walk *w, const char *format, ...)
{
    struct deeds *to = w->reader->to;
    va_list list;

    if (to->unsupported[0])
        return;
    va_start(list, format);
    vsnprintf(to->unsupported, sizeof to->unsupported, format, list);
    va_end(list);
}

struct deed *walk_add(struct java_walk *w, const struct java_record *r, enum move_kind kind, uint64_t at)
{
    struct walked_thread *t = &w->threads[java_thread_of(r)];
    struct deeds *to = w->reader->to;
    struct deed d = {.move = {.kind = kind,
                              .ticks = (uint32_t)(t->records - t->told),
                              .pc = kind == MOVE_END ? 0 : place_of_site(w, r->site),
                              .at = at},
                     .thread = t->number};

    t->told = t->records;
    ARRAY_PUSH(to, deeds, d);
    to->ended = kind == MOVE_END;
    to->last = t->number;
    return &to->deeds[to->deeds_count - 1];
}

static const char *method_of(const struct java_walk *w, const struct java_record *r)
{
    return java_text(w->c->list, java_site(w->c->list, r->site)->name);
}

/* Methods that do not keep an array they are given. */
static bool only_uses(const char *name)
{
    static const char *const names[] = {"fill",   "sort",     "toString", "copyOf", "copyOfRange",
                                        "equals", "clone",    "printf",   "format", "println",
                                        "print",  "hashCode", NULL};

    for (const char *const *n = names; *n; n++)
        if (strcmp(*n, name) == 0)
            return true;
    return false;
}

/* Accesses of a JDK method to array elements are recorded before or after the method itself makes them. */
static void look_at_element(struct java_walk *w, const struct java_record *r)
{
    unsigned op = java_site(w->c->list, r->site)->kind;
    struct guard *g = &w->objects[r->object].guard;
    bool own = (op >= LOADS_FIRST && op <= LOADS_LAST) || (op >= STORES_FIRST && op <= STORES_LAST) ||
               strcmp(method_of(w, r), "arraycopy") == 0;

    g->kept |= !own && !only_uses(method_of(w, r));
    if (walk_alone(w, java_thread_of(r)))
        return;
    if (own && g->kept)
        walk_miss(w, "an array that an object of the JDK may keep, too");
    g->threads |= UINT64_C(1) << w->threads[java_thread_of(r)].number % 64;
    g->handed |= !own;
}

static enum move_kind access_kind(struct java_walk *w, const struct java_record *r)
{
    unsigned kind = java_kind_of(r);

    if (kind == JAVA_ATOMIC || kind == JAVA_ATOMIC_NOT)
        return java_atomic(method_of(w, r)) == ATOMIC_STORES ? MOVE_WRITE : MOVE_ATOMIC;
    return kind == JAVA_WRITE || kind == JAVA_STATIC_WRITE ? MOVE_WRITE : MOVE_READ;
}

static void take_access(struct java_walk *w, const struct java_record *r)
{
    const char *type = java_object_type(w->c, r->object);
    bool atomic = java_kind_of(r) == JAVA_ATOMIC || java_kind_of(r) == JAVA_ATOMIC_NOT;
    struct deed *d;

    if (type[0] == '[')
        look_at_element(w, r);
    if (atomic && strncmp(method_of(w, r), "weakCompareAndSet", 17) == 0)
        walk_miss(w, "weakCompareAndSet, which may fail for no reason");
    w->objects[r->object].modelled |= atomic;
    d = walk_add(w, r, access_kind(w, r), place_of_variable(w, r));
    d->move.length = VARIABLE_BYTES;
    d->stored = r->value;
    d->valued = atomic && !strstr(type, "AtomicReference");
    d->changes = d->move.kind == MOVE_ATOMIC && java_kind_of(r) == JAVA_ATOMIC &&
                 java_atomic(method_of(w, r)) == ATOMIC_CHANGES;
}

static void take_monitor(struct java_walk *w, const struct java_record *r)
{
    uint64_t lock = place_of_object(w, "monitor", r->object, java_thread_of(r));

    w->objects[r->object].monitored = true;
    if (java_kind_of(r) == JAVA_ACQUIRED) {
        walk_add(w, r, MOVE_ACQUIRE, lock)->result = 1;
        walk_acquire(w, r, lock);
    } else {
        walk_add(w, r, MOVE_RELEASE, lock);
        walk_release(w, r, lock);
    }
}

static void take_fork(struct java_walk *w, const struct java_record *r)
{
    uint32_t child = w->c->objects[r->object].thread, maker = java_thread_of(r) + 1;
    const char *name =
        child < w->c->list->threads_count && child ? java_text(w->c->list, w->c->list->threads[child]) : "";

    if (w->objects[r->object].started) /* one start method calls another */
        return;
    w->objects[r->object].started = true;
    w->started++;
    if (w->maker == 0)
        w->maker = maker;
    w->several_makers |= w->maker != maker && strncmp(name, "Thread-", 7) == 0;
    walk_add(w, r, MOVE_FORK,
             deed_thread(w->reader->numbers, w->threads[java_thread_of(r)].number + 1,
                         ++w->threads[java_thread_of(r)].children));
}

static void take_output(struct java_walk *w, const struct java_record *r, uint64_t descriptor)
{
    walk_add(w, r, MOVE_OUTPUT, 0)->move.value = descriptor;
    if (!walk_alone(w, java_thread_of(r)))
        w->printing |= UINT64_C(1) << w->threads[java_thread_of(r)].number % 64;
}

/* Streams other than standard output and error, which are compared: calls on an object that is not
 * instrumented inside. */
static void take_print(struct java_walk *w, const struct java_record *r)
{
    uint32_t name = w->objects[r->object].name;
    const char *text = name ? names_text(&w->reader->numbers->places, name - 1) : "";

    if (strcmp(text, "System.out") == 0 || strcmp(text, "System.err") == 0)
        take_output(w, r, text[7] == 'o' ? 1 : 2);
    else
        walk_contents(w, r, r->object, true);
}

static void take_outside(struct java_walk *w, const struct java_record *r)
{
    const char *name = method_of(w, r);

    if (strcmp(name, "printStackTrace") == 0 || strcmp(name, "dumpStack") == 0) {
        take_output(w, r, 2);
        return;
    }
    if (walk_alone(w, java_thread_of(r)) && strncmp(name, "set", 3) == 0)
        return; /* a name or property that all will find */
    if (strcmp(name, "exit") != 0 && strcmp(name, "halt") != 0) {
        walk_miss(w, "the result of %.200s.%.100s, which no schedule determines",
                  java_text(w->c->list, java_site(w->c->list, r->site)->owner), name);
        return;
    }
    w->exited = true;
    w->reader->to->ended = false;
    w->reader->to->last = w->threads[java_thread_of(r)].number;
}

/* An object that is passed to the JDK, which may keep it or look inside, also at what it refers to. */
static void take_touch(struct java_walk *w, const struct java_record *r)
{
    if (w->c->objects[r->object].thread || w->objects[r->object].started)
        return; /* threads are only kept */
    if (walk_alone(w, java_thread_of(r)))
        walk_contents(w, r, java_owner(w->c, r->object), true);
    else
        walk_miss(w, "%.100s is given a %.100s", method_of(w, r), walk_type(w, r->object));
}

static void take_birth(struct java_walk *w, const struct java_record *r)
{
    const struct java_object *o = &w->c->objects[r->object];

    if (o->family != FAMILY_SEMAPHORE && o->family != FAMILY_LATCH && o->family != FAMILY_BARRIER)
        return;
    if (r->value > INT32_MAX || o->derived)
        walk_miss(w, "a semaphore that owes permits, a latch of too many, or one of a class of the program");
    w->objects[r->object].parties = (uint32_t)r->value;
    walk_add(w, r, MOVE_NEW, place_of_object(w, "count", r->object, java_thread_of(r)))->move.value = r->value;
}

static void take_initializer(struct java_walk *w, const struct java_record *r)
{
    const struct java_site_info *site = java_site(w->c->list, r->site);

    if (site->kind == JAVA_SITE_INITIALIZER && !walk_alone(w, java_thread_of(r)))
        walk_miss(
            w, "class %.200s is initialized while several threads run, by a thread that no schedule determines",
            site->class < w->c->list->classes_count
                ? java_text(w->c->list, w->c->list->classes[site->class].name)
                : "");
}

static bool is_return_of(const struct java_walk *w, const struct java_record *r, const struct java_record *call)
{
    const struct java_site_info *a = java_site(w->c->list, r->site), *b = java_site(w->c->list, call->site);
    unsigned wanted = java_kind_of(call) == JAVA_PRINT ? JAVA_PRINTED : JAVA_RETURNED;

    return java_kind_of(r) == wanted && r->object == call->object && a->class == b->class &&
           a->place == b->place && a->method == b->method && a->method_descriptor == b->method_descriptor;
}

/* Ends the pending call: the record shows whether it returned. */
static void end_call(struct java_walk *w, const struct java_record *r)
{
    struct walked_thread *t = &w->threads[java_thread_of(r)];
    const struct java_record *call = t->pending;

    if (!call)
        return;
    t->pending = NULL;
    if (java_kind_of(call) == JAVA_PRINT)
        w->nested_print |= !is_return_of(w, r, call);
    else if (is_return_of(w, r, call))
        walk_return(w, r, call);
    else if (walk_must_return(w, call))
        walk_miss(w, "a call of %.200s that did not return", method_of(w, call));
}

static void take_record(struct java_walk *w, const struct java_record *r)
{
    struct walked_thread *t = &w->threads[java_thread_of(r)];

    if (java_is_aside(r)) /* the program's own record of it is a call, too */
        return;
    t->records++;
    if (!t->known)
        walk_miss(w, "a thread that the program did not start");
    end_call(w, r);
    switch (java_kind_of(r)) {
    case JAVA_ACQUIRED:
    case JAVA_RELEASING:
        take_monitor(w, r);
        break;
    case JAVA_FORK:
        take_fork(w, r);
        break;
    case JAVA_CALL:
        walk_call(w, r);
        t->pending = r;
        break;
    case JAVA_OUT:
    case JAVA_IN:
        walk_miss(w, "tasks of the JDK's pools");
        break;
    case JAVA_TOUCHED:
        take_touch(w, r);
        break;
    case JAVA_BEGIN:
        take_initializer(w, r);
        break;
    case JAVA_BORN:
        take_birth(w, r);
        break;
    case JAVA_PRINT:
        take_print(w, r);
        t->pending = r;
        break;
    case JAVA_OUTSIDE:
        take_outside(w, r);
        break;
    case JAVA_DIES:
        take_output(w, r, 2);
        break;
    case JAVA_ENDS:
        walk_add(w, r, MOVE_END, 0);
        t->ended = true;
        w->ended++;
        break;
    default:
        if (java_is_access(r))
            take_access(w, r);
    }
}

/* Which thread created which: a thread's own records come after its start. */
static void number_threads(struct java_walk *w)
{
    uint32_t *children = memory_new(w->c->threads_count + 1, sizeof *children);

    if (w->c->threads_count > 1) {
        w->threads[1].known = true;
        w->threads[1].number = deed_thread(w->reader->numbers, 0, 1);
    }
    for (uint64_t i = 0; i < w->c->count; i++) {
        const struct java_record *r = &w->c->records[i];
        uint32_t maker = java_thread_of(r), child, number;
        if (java_kind_of(r) != JAVA_FORK || !w->threads[maker].known || w->objects[r->object].started)
            continue;
        child = w->c->objects[r->object].thread;
        w->objects[r->object].started = true;
        number = deed_thread(w->reader->numbers, w->threads[maker].number + 1, ++children[maker]);
        if (child != NO_THREAD) {
            w->threads[child].known = true;
            w->threads[child].number = number;
        }
    }
    for (uint32_t i = 0; i < w->c->objects_count; i++)
        w->objects[i].started = false;
    free(children);
}

/* What threads wait for at the end. */
static void find_stuck(struct java_walk *w, const struct java_gate *gate)
{
    struct deeds *to = w->reader->to;

    to->cut_off = !w->exited && w->ended != w->started + 1;
    for (uint32_t i = 1; i < w->c->threads_count; i++) {
        struct walked_thread *t = &w->threads[i];
        const struct java_gate_thread *slot = gate && i < JAVA_GATE_THREADS ? &gate->threads[i] : NULL;
        struct move stuck = {0};
        if (!t->known || t->ended)
            continue;
        if (t->pending && java_kind_of(t->pending) == JAVA_CALL && walk_waits_in(w, t->pending, &stuck)) {
            ARRAY_PUSH(to, stuck, (struct stuck_thread){t->number, 0, stuck});
        } else if (slot && slot->wanted && slot->wanted < w->c->objects_count &&
                   slot->wanted_at == t->records + 1) {
            stuck = (struct move){
                .kind = MOVE_STUCK, .value = STUCK_LOCK, .at = place_of_object(w, "monitor", slot->wanted, i)};
            ARRAY_PUSH(to, stuck, (struct stuck_thread){t->number, 0, stuck});
        }
    }
}

static void look_at_log(struct java_walk *w)
{
    const struct java_conversion *v = w->c->result;

    if (v->mismatches)
        walk_miss(w, "uninstrumented code writes %.200s", v->first_mismatch);
    if (v->left)
        walk_miss(w, "%.300s", v->first_left);
    if (v->full)
        walk_miss(w, "a run of more records than the log can hold");
    if (v->stolen)
        walk_miss(w, "accesses whose records never came");
}

void java_reader_take(void *reader, struct java_converter *c, const struct java_gate *gate)
{
    struct java_walk w = {.reader = reader,
                          .c = c,
                          .sites = memory_new(c->list->sites_count + 1, sizeof *w.sites),
                          .objects = memory_new(c->objects_count + 1, sizeof *w.objects),
                          .threads = memory_new(c->threads_count + 1, sizeof *w.threads)};

    for (size_t i = 0; i < c->objects_count; i++) /* what fails is something that threads see here */
        c->objects[i].opaque &= c->objects[i].family != FAMILY_SEMAPHORE &&
                                c->objects[i].family != FAMILY_LOCK && c->objects[i].family != FAMILY_BARRIER;
    look_at_log(&w);
    number_threads(&w);
    walk_name_objects(&w);
    for (uint64_t i = 0; i < c->count && !w.exited; i++) {
        const struct java_record *r = &c->records[i];
        if (java_kind_of(r) > JAVA_THREAD && java_kind_of(r) < JAVA_KINDS && java_thread_of(r) != NO_THREAD)
            take_record(&w, r);
    }
    w.reader->to->impossible |= gate && gate->strayed;
    guard_check(&w);
    find_stuck(&w, gate);
    map_free(&w.waiting);
    map_free(&w.notified);
    free(w.sites);
    free(w.objects);
    free(w.threads);
}
