/* Surveys a log before the trace is written: variables, values, and order through objects whose inside is not
 * recorded. */
#include "base/memory.h"
#include "record/java/log_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_wanted(const struct java_converter *c, const struct java_record *r)
{
    const struct java_thread *t = &c->threads[java_thread_of(r)];

    return wants_has(&c->wants, t->number, t->surveyed);
}

void java_touch(const struct java_converter *c, struct java_variable *v, const struct java_record *r,
                bool writes)
{
    bool wanted = is_wanted(c, r);

    if (v->thread == NO_THREAD)
        v->thread = java_thread_of(r);
    v->shared |= v->thread != java_thread_of(r) || wanted;
    v->written |= writes || wanted;
}

/* A read must see what the last write gave; what stood there before the first write anybody saw is not known.
 */
static void check_value(struct java_converter *c, struct java_variable *v, const struct java_record *r)
{
    uint64_t value = java_value(v, r->value);

    if (java_is_read(c, r) && !java_is_write(c, r) && v->known && v->held != value) {
        v->unseen = true;
        if (c->result->mismatches++ == 0) {
            struct java_variable named = *v;
            named.id = 0;
            snprintf(c->result->first_mismatch, sizeof c->result->first_mismatch, "%.200s at %.200s",
                     trace_name(&c->trace, NAME_VARIABLE, java_variable_name(c, &named)),
                     trace_name(&c->trace, NAME_LOCATION, java_place_name(c, r->site)));
            v->id = named.id;
        }
    }
    v->held = value;
    v->known = true;
}

static uint32_t class_object(const struct java_converter *c, uint32_t class)
{
    return (uint32_t)c->objects_count + class;
}

/* Whether a volatile variable was or may have been written by a call that does not name the variable: then
 * its order with all such calls must be kept. */
static bool may_lack_order(const struct java_converter *c, const struct java_variable *v)
{
    return java_is_volatile(c, v) && (v->unseen || (c->field_calls && v->space != SPACE_ATOMIC));
}

static void survey_access(struct java_converter *c, const struct java_record *r, uint64_t slot)
{
    const struct java_site_info *site = java_site(c->list, r->site);
    unsigned kind = java_kind_of(r);
    struct java_variable *v;

    if (java_is_derived_atomic(c, r)) {
        java_take(&c->edges, r->object, java_thread_of(r), slot, false);
        java_give(&c->edges, r->object, java_thread_of(r), slot, false);
        if (c->objects[r->object].handed) {
            java_take(&c->edges, UNSEEN_CALLS, java_thread_of(r), slot, false);
            java_give(&c->edges, UNSEEN_CALLS, java_thread_of(r), slot, false);
        }
        return;
    }
    if ((kind == JAVA_STATIC_READ || kind == JAVA_STATIC_WRITE) && site->field != JAVA_FIELD_NONE)
        java_take(&c->edges, class_object(c, c->list->fields[site->field].class), java_thread_of(r), slot,
                  false);
    v = java_variable_at(c, r);
    if (!v || java_is_discarded(c, r))
        return;
    if (c->unseen_order && may_lack_order(c, v)) {
        java_take(&c->edges, UNSEEN_ACCESSES, java_thread_of(r), slot, false);
        java_give(&c->edges, UNSEEN_ACCESSES, java_thread_of(r), slot, false);
    }
    java_touch(c, v, r, java_is_write(c, r));
    if (!c->unseen_order)
        check_value(c, v, r);
}

/* Whoever runs code of a class comes after its initializer, and after those of the classes above it. */
static void take_initializers(struct java_converter *c, struct java_thread *t, const struct java_record *r,
                              uint64_t slot)
{
    uint32_t class = java_site(c->list, r->site)->class;

    if (class == 0 || (class == t->inside && c->initialized == t->known))
        return;
    t->inside = class;
    t->known = c->initialized;
    for (int steps = 0; steps < 100 && class && class < c->list->classes_count; steps++) {
        uint32_t above = c->list->classes[class].super;
        java_take(&c->edges, class_object(c, class), java_thread_of(r), slot, false);
        class = above < c->list->class_of_count ? c->list->class_of[above] : 0;
    }
}

static const char *class_of_site(const struct java_converter *c, const struct java_site_info *site)
{
    return site->class < c->list->classes_count ? java_text(c->list, c->list->classes[site->class].name) : "";
}

/* What streams and futures of the JDK do with what others of their tasks gave begins when those are done; in between they only
 * begin as a pool begins them, when they were given to it. */
static bool depends_on_tasks(const struct java_converter *c, const struct java_site_info *site)
{
    static const char stream[] = "java/util/stream/", future[] = "java/util/concurrent/CompletableFuture";
    const char *class = class_of_site(c, site);

    return strncmp(class, stream, strlen(stream)) == 0 || strncmp(class, future, strlen(future)) == 0;
}

/* A pool that has no worker any more: all its tasks are done. */
static bool terminates(const struct java_converter *c, const struct java_site_info *site)
{
    return strcmp(class_of_site(c, site), "java/util/concurrent/ThreadPoolExecutor") == 0 &&
           strcmp(java_text(c->list, site->method), "tryTerminate") == 0;
}

/* The JDK has received what the program is called for: by a channel, by a server. */
static bool begins_by_data(const struct java_converter *c, const struct java_site_info *site)
{
    const char *class = class_of_site(c, site);

    return strcmp(class, "sun/nio/ch/Invoker") == 0 ||
           strcmp(class, "com/sun/net/httpserver/Filter$Chain") == 0;
}

static void survey_record(struct java_converter *c, const struct java_record *r, uint64_t slot)
{
    uint32_t thread = java_thread_of(r);
    const struct java_site_info *site = java_site(c->list, r->site);
    unsigned kind = java_kind_of(r);

    if (java_is_access(r)) {
        survey_access(c, r, slot);
    } else if (kind == JAVA_CALL || kind == JAVA_RETURNED) {
        java_survey_call(c, r, slot);
    } else if (kind == JAVA_TOUCHED) {
        java_survey_passed(c, r, slot);
    } else if (kind == JAVA_OUT) {
        java_give(&c->edges, r->object, thread, slot, false);
        if (r->value == 0)
            java_give(&c->edges, DONE_TASKS, thread, slot, false);
    } else if (kind == JAVA_IN) {
        java_take(&c->edges, r->object, thread, slot, false);
        java_take(&c->edges, GIVEN_TASKS, thread, slot, false);
        if (depends_on_tasks(c, site) || terminates(c, site))
            java_take(&c->edges, DONE_TASKS, thread, slot, false);
        if (begins_by_data(c, site))
            java_take(&c->edges, SENT_DATA, thread, slot, false);
    } else if (kind == JAVA_BEGIN && site->kind == JAVA_SITE_INITIALIZER) {
        java_give(&c->edges, class_object(c, site->class), thread, slot, false);
        c->initialized++;
    } else if (kind == JAVA_BEGIN && site->kind == JAVA_SITE_LOADS) {
        java_take(&c->edges, r->object, thread, slot, false);
    } else if (kind == JAVA_END && site->kind == JAVA_SITE_LOADS) {
        java_give(&c->edges, r->object, thread, slot, false);
    }
}

static uint32_t thread_of_name(const struct java_converter *c, const char *name)
{
    for (uint32_t i = 1; i < c->list->threads_count; i++)
        if (c->list->threads[i] && strcmp(java_text(c->list, c->list->threads[i]), name) == 0)
            return i;
    return NO_THREAD;
}

/* Whether the thread goes on because the collector found that nobody can get at an object any more: it is finalized, a cleaner
 * acts, or a reference comes out of its queue. Which uses of the object came before is not known, so all that was done so far. */
static bool is_collected(const struct java_converter *c, const struct java_record *r)
{
    static const char queue[] = "Ljava/lang/ref/ReferenceQueue;", cleaner[] = "jdk/internal/ref/CleanerImpl";

    if (java_thread_of(r) == c->finalizer)
        return true;
    if (java_kind_of(r) == JAVA_RETURNED)
        return r->value != 0 && strcmp(java_object_type(c, r->object), queue) == 0;
    return java_kind_of(r) == JAVA_IN && strcmp(class_of_site(c, java_site(c->list, r->site)), cleaner) == 0;
}

/* A thread that nobody was seen to start comes after the time when another one was alone, as the others do. */
static void keep_after_skipped(struct java_converter *c, const struct java_record *r, uint64_t slot)
{
    uint32_t thread = java_thread_of(r);

    if (thread == c->skipper && c->skipping)
        java_give(&c->edges, DONE_ALONE, thread, slot, false);
    else if (thread != c->skipper && !map_get(&c->numbered, c->threads[thread].object))
        java_take(&c->edges, DONE_ALONE, thread, slot, false);
    c->skipping &= thread != c->skipper;
}

static void survey_one(struct java_converter *c, const struct java_record *r, uint64_t slot)
{
    uint32_t thread = java_thread_of(r);
    struct java_thread *t = &c->threads[thread];

    t->surveyed += !java_is_aside(r);
    for (unsigned i = 0; i < t->open_count; i++)
        if (t->open[i].takes && java_is_inside(c, &t->open[i], r))
            java_take(&c->edges, t->open[i].object, thread, slot, t->open[i].looks);
    if (t->object) /* interrupted or unparked: it may know from here on */
        java_take(&c->edges, t->object, thread, slot, false);
    if (thread == c->ending)
        java_take(&c->edges, ENDED_THREADS, thread, slot, false);
    if (is_collected(c, r))
        java_take(&c->edges, DONE_BEFORE, thread, slot, false);
    if (c->collects && thread != c->finalizer)
        java_give(&c->edges, DONE_BEFORE, thread, slot, false);
    if (c->skipper != NO_THREAD)
        keep_after_skipped(c, r, slot);
    take_initializers(c, t, r, slot);
    survey_record(c, r, slot);
    if (slot == t->last)
        java_give(&c->edges, ENDED_THREADS, thread, slot, false);
    for (unsigned i = 0; i < t->open_count; i++)
        if (t->open[i].gives && java_is_inside(c, &t->open[i], r))
            java_give(&c->edges, t->open[i].object, thread, slot, t->open[i].looks);
}

static void survey_all(struct java_converter *c)
{
    c->skipper = NO_THREAD;
    for (uint64_t i = 0; i < c->count; i++) {
        const struct java_record *r = &c->records[i];
        if (java_is_work(r)) {
            survey_one(c, r, i);
        } else if (java_is_skipped(r)) {
            c->threads[java_thread_of(r)].surveyed += r->value;
            c->skipper = java_thread_of(r);
            c->skipping = true;
        }
    }
}

static bool lacks_order(const struct java_converter *c)
{
    for (size_t i = 0; i < c->variables_count; i++)
        if (may_lack_order(c, &c->variables[i]))
            return true;
    return false;
}

static void survey_again(struct java_converter *c)
{
    java_edges_free(&c->edges);
    c->edges = (struct java_edges){0};
    c->initialized = 0;
    c->unseen_order = true;
    for (size_t i = 0; i < c->threads_count; i++)
        c->threads[i].open_count = c->threads[i].inside = c->threads[i].known = 0;
    for (size_t i = 0; i < c->threads_count; i++)
        c->threads[i].surveyed = 0;
    survey_all(c);
}

static void sort_edges(struct java_converter *c)
{
    uint32_t *numbers = memory_new(c->threads_count + 1, sizeof *numbers);

    for (size_t i = 0; i < c->threads_count; i++)
        numbers[i] = c->threads[i].number;
    java_edges_sort(&c->edges, numbers);
    free(numbers);
}

void java_survey(struct java_converter *c)
{
    c->ending = thread_of_name(c, "DestroyJavaVM"); /* which runs hooks when the program's threads have ended */
    c->finalizer = thread_of_name(c, "Finalizer");
    for (uint64_t i = 0; i < c->count && !c->collects; i++)
        c->collects = java_is_work(&c->records[i]) && is_collected(c, &c->records[i]);
    survey_all(c);
    if (lacks_order(c))
        survey_again(c);
    sort_edges(c);
    for (size_t i = 0; i < c->variables_count; i++)
        c->result->dropped_variables += !java_kept(&c->variables[i]);
}
