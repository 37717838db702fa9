/* Surveys a log before the trace is written: variables, values, and order through objects whose inside is not
 * recorded. */
#include "base/memory.h"
#include "record/java/log_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_wanted(const struct java_converter *c, const struct java_record *r)
{
    const struct java_thread *t = &c->threads[java_thread_of(r)];

    return wants_has(&c->wants, t->number, t->surveyed);
}

static void touch(const struct java_converter *c, struct java_variable *v, const struct java_record *r,
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

/* The pair of a call and its return: two sites, one instruction. */
static bool same_call(const struct java_converter *c, uint32_t first, uint32_t second)
{
    const struct java_site_info *a = java_site(c->list, first), *b = java_site(c->list, second);

    return a->class == b->class && a->place == b->place && a->method == b->method &&
           a->method_descriptor == b->method_descriptor;
}

/* Whether calls that only look at the object are told from others. */
static bool is_looked_at(const struct java_converter *c, uint32_t object)
{
    return object < c->objects_count && c->objects[object].family == FAMILY_CONCURRENT;
}

static void close_call(struct java_converter *c, const struct java_open *call)
{
    if (!call->looks && is_looked_at(c, call->object))
        java_change_ends(&c->edges, call->object);
}

static void push_open(struct java_converter *c, struct java_thread *t, struct java_open call)
{
    if (!call.looks && is_looked_at(c, call.object))
        java_change_begins(&c->edges, call.object);
    if (t->open_count == OPEN_MOST) {
        memmove(t->open, t->open + 1, sizeof t->open - sizeof *t->open);
        t->open_count--;
    }
    t->open[t->open_count++] = call;
}

/* Ends the call and those inside it that an exception ended. Or drops an older one of the same place, which may still be
 * under way. */
static void pop_open(struct java_converter *c, struct java_thread *t, uint32_t site, uint32_t object, bool ends)
{
    for (unsigned i = t->open_count; i-- > 0;)
        if (t->open[i].object == object && same_call(c, t->open[i].site, site)) {
            for (unsigned k = i; k < t->open_count && ends; k++)
                close_call(c, &t->open[k]);
            t->open_count = i;
            return;
        }
}

/* A call on an object whose inside is not seen: `gives` at its beginning, `takes` at its end. While it is under
 * way, or if an exception ended it, whatever its thread does next may already depend on it; and what the thread
 * does inside it, in a function that it was given, may come before its effect. */
static void unseen_call(struct java_converter *c, const struct java_record *r, struct java_open call,
                        uint64_t slot)
{
    uint32_t thread = java_thread_of(r);
    struct java_thread *t = &c->threads[thread];

    call.site = r->site;
    if (java_kind_of(r) == JAVA_RETURNED) {
        if (call.takes)
            java_take(&c->edges, call.object, thread, slot, call.looks);
        pop_open(c, t, r->site, call.object, true);
        return;
    }
    if (call.gives)
        java_give(&c->edges, call.object, thread, slot, call.looks);
    if (java_kind_of(r) == JAVA_CALL) {
        pop_open(c, t, r->site, call.object, false);
        push_open(c, t, call);
    }
}

static void opaque_call(struct java_converter *c, const struct java_record *r, uint32_t object, bool gives,
                        bool takes, uint64_t slot)
{
    unseen_call(c, r, (struct java_open){.object = object, .gives = gives, .takes = takes}, slot);
}

static void looking_call(struct java_converter *c, const struct java_record *r, uint32_t object, uint64_t slot)
{
    unseen_call(c, r, (struct java_open){.object = object, .gives = true, .takes = true, .looks = true}, slot);
}

/* A call in which the JDK may call the program: other calls are no order. */
static void calling_back(struct java_converter *c, const struct java_record *r)
{
    struct java_thread *t = &c->threads[java_thread_of(r)];
    bool jdk = r->value == 1 || java_site(c->list, r->site)->kind == INVOKE_SPECIAL;

    pop_open(c, t, r->site, CALLED_BACK, false);
    if (java_kind_of(r) == JAVA_CALL && jdk)
        push_open(c, t,
                  (struct java_open){
                      .site = r->site, .object = CALLED_BACK, .gives = true, .takes = true, .inside = true});
}

/* Whether the call that is open counts at this record: not at its own begin and end, if only what is done inside does. */
static bool is_inside(const struct java_converter *c, const struct java_open *open, const struct java_record *r)
{
    return !open->inside || !((java_kind_of(r) == JAVA_CALL || java_kind_of(r) == JAVA_RETURNED) &&
                              same_call(c, open->site, r->site));
}

/* Futures of the JDK's own channels and clients are done when something was received. */
static bool awaits_data(const char *signature)
{
    static const char channels[] = "Lsun/nio/", client[] = "Ljdk/internal/net/";

    return strncmp(signature, channels, strlen(channels)) == 0 ||
           strncmp(signature, client, strlen(client)) == 0;
}

/* What was printed or written to a stream around one of these is seen in it. */
static bool shows_data(const struct java_converter *c, const struct java_record *r, const char *signature)
{
    static const char *const sinks[] = {"Ljava/io/ByteArrayOutputStream;", "Ljava/io/CharArrayWriter;",
                                        "Ljava/io/StringWriter;"};
    static const char *const shown[] = {"toString",  "toByteArray", "toCharArray",
                                        "getBuffer", "size",        "writeTo"};
    const char *name = java_text(c->list, java_site(c->list, r->site)->name);
    bool is_sink = false, is_shown = strcmp(java_object_type(c, r->object), "Ljava/lang/StringBuffer;") == 0;

    for (size_t i = 0; i < sizeof sinks / sizeof *sinks; i++)
        is_sink |= strcmp(signature, sinks[i]) == 0;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        is_shown |= strcmp(name, shown[i]) == 0;
    return is_sink && is_shown;
}

/* Objects by which the program gets at fields: which, is not known. */
static bool accesses_fields(const char *signature)
{
    return strstr(signature, "VarHandle") || strstr(signature, "FieldUpdater") ||
           strstr(signature, "/misc/Unsafe;");
}

/* A call that may hand tasks on and learn that others are done. One that completes a task of the program's own goes on to the
 * task that waited for it, and to the one after that: what it runs for one of them comes before the next is done. */
static void use_pool(struct java_converter *c, const struct java_record *r, bool completes, uint64_t slot)
{
    opaque_call(c, r, GIVEN_TASKS, true, false, slot);
    opaque_call(c, r, DONE_TASKS, completes, true, slot);
}

/* A call of a method that is not known: of an object that was handed over, of a pool, of a future. */
static void unknown_call(struct java_converter *c, const struct java_record *r, uint64_t slot)
{
    opaque_call(c, r, UNSEEN_CALLS, true, true, slot);
    use_pool(c, r, true, slot);
}

static bool completes_task(const struct java_converter *c, const struct java_record *r)
{
    static const char *const completing[] = {"tryComplete", "propagateCompletion", "complete",
                                             "quietlyComplete", "quietlyCompleteRoot"};
    const char *name = java_text(c->list, java_site(c->list, r->site)->name);

    for (size_t i = 0; i < sizeof completing / sizeof *completing; i++)
        if (strcmp(name, completing[i]) == 0)
            return true;
    return false;
}

static void survey_call(struct java_converter *c, const struct java_record *r, uint64_t slot)
{
    struct java_action a = java_action(c, r);
    bool call = java_kind_of(r) == JAVA_CALL;

    if (awaits_data(java_object_type(c, a.object)) || shows_data(c, r, java_object_type(c, a.object)))
        opaque_call(c, r, SENT_DATA, false, true, slot);
    if (c->objects[a.object].handed)
        opaque_call(c, r, UNSEEN_CALLS, true, true, slot);
    switch (a.effect) {
    case EFFECT_READS:
    case EFFECT_WRITES:
        if (call)
            touch(c, java_contents(c, a.object), r, a.effect == EFFECT_WRITES);
        if (c->objects[a.object].opaque)
            opaque_call(c, r, a.object, true, true, slot);
        break;
    case EFFECT_OPAQUE:
        opaque_call(c, r, a.object, true, true, slot);
        if (c->objects[a.object].family == FAMILY_POOL) /* of a class of the program */
            use_pool(c, r, completes_task(c, r), slot);
        if (accesses_fields(java_object_type(c, a.object))) {
            c->field_calls = true;
            opaque_call(c, r, UNSEEN_ACCESSES, true, true, slot);
        }
        break;
    case EFFECT_STEPS:
        if (r->object != a.object)
            opaque_call(c, r, r->object, true, true, slot);
        looking_call(c, r, a.object, slot);
        break;
    case EFFECT_LOOKS:
        looking_call(c, r, a.object, slot);
        break;
    case EFFECT_GIVES:
        opaque_call(c, r, a.object, true, false, slot);
        break;
    case EFFECT_TAKES:
    case EFFECT_PARK:
        opaque_call(c, r, a.object, false, true, slot);
        break;
    case EFFECT_SENDS:
        opaque_call(c, r, SENT_DATA, true, false, slot);
        calling_back(c, r);
        break;
    case EFFECT_RECEIVES:
        opaque_call(c, r, SENT_DATA, false, true, slot);
        calling_back(c, r);
        break;
    case EFFECT_EXCHANGES:
        opaque_call(c, r, SENT_DATA, true, true, slot);
        calling_back(c, r);
        break;
    case EFFECT_CALLS_BACK:
        calling_back(c, r);
        break;
    case EFFECT_REGISTERS:
        opaque_call(c, r, CALLED_BACK, true, true, slot);
        break;
    case EFFECT_BY_HANDLE:
        unknown_call(c, r, slot);
        break;
    case EFFECT_POOL_GIVES:
        opaque_call(c, r, GIVEN_TASKS, true, false, slot);
        break;
    case EFFECT_POOL_TAKES:
        opaque_call(c, r, DONE_TASKS, false, true, slot);
        break;
    case EFFECT_POOL:
        use_pool(c, r, false, slot);
        if (a.object != r->object &&
            (c->objects[a.object].family != FAMILY_PLAIN || c->objects[a.object].opaque))
            opaque_call(c, r, a.object, true, true,
                        slot); /* a stream, over an object that is not seen inside */
        break;
    default:
        break;
    }
}

/* Pools that are passed to others are handed tasks by them. Whether earlier tasks are done nobody learns by that. */
static bool is_executor(const char *signature)
{
    static const char *const executors[] = {
        "Ljava/util/concurrent/ThreadPoolExecutor;", "Ljava/util/concurrent/ScheduledThreadPoolExecutor;",
        "Ljava/util/concurrent/ForkJoinPool;", "Ljava/util/concurrent/ThreadPerTaskExecutor;",
        "Ljava/util/concurrent/Executors$"};

    for (size_t i = 0; i < sizeof executors / sizeof *executors; i++)
        if (strncmp(signature, executors[i], strlen(executors[i])) == 0)
            return true;
    return false;
}

/* An object passed to a method of the JDK, which looks at it and, for all we know, may change it. */
static void survey_passed(struct java_converter *c, const struct java_record *r, uint64_t slot)
{
    uint32_t object = java_owner(c, r->object), thread = java_thread_of(r);

    if (c->objects[object].family == FAMILY_PLAIN && !c->objects[object].derived) {
        touch(c, java_contents(c, object), r, false);
        return;
    }
    if (!is_executor(java_object_type(c, object)))
        java_take(&c->edges, object, thread, slot, false);
    java_give(&c->edges, object, thread, slot, false);
    if (is_looked_at(c, object)) {
        java_change_begins(&c->edges, object);
        java_change_ends(&c->edges, object);
    }
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
    touch(c, v, r, java_is_write(c, r));
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
        survey_call(c, r, slot);
    } else if (kind == JAVA_TOUCHED) {
        survey_passed(c, r, slot);
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
        if (t->open[i].takes && is_inside(c, &t->open[i], r))
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
        if (t->open[i].gives && is_inside(c, &t->open[i], r))
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
