/* Surveys calls of the JDK: what one of them gives to others, and what it takes from them, where the inside is not
 * recorded. */
#include "record/java/log_calls.h"

#include <string.h>

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

bool java_is_inside(const struct java_converter *c, const struct java_open *open, const struct java_record *r)
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

void java_survey_call(struct java_converter *c, const struct java_record *r, uint64_t slot)
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
            java_touch(c, java_contents(c, a.object), r, a.effect == EFFECT_WRITES);
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

void java_survey_passed(struct java_converter *c, const struct java_record *r, uint64_t slot)
{
    uint32_t object = java_owner(c, r->object), thread = java_thread_of(r);

    if (c->objects[object].family == FAMILY_PLAIN && !c->objects[object].derived) {
        java_touch(c, java_contents(c, object), r, false);
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
