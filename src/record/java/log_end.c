/* How the run of a Java program ended, from what its virtual machine reported. */
#include "base/memory.h"
#include "record/java/log_walk.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The thread that waits, by its number in the log; 0: it made no record. */
static uint32_t waiting_thread(const struct java_converter *c, const struct java_waiter *w)
{
    uint32_t thread = w->self < c->objects_count ? c->objects[w->self].thread : 0;

    return thread < c->threads_count && c->threads[thread].id > 0 ? thread : 0;
}

/* The name of a thread of the log. */
static const char *name_in_trace(const struct java_converter *c, uint32_t thread)
{
    assert(c->threads[thread].id > 0);
    return trace_name(&c->trace, NAME_THREAD, c->threads[thread].id - 1);
}

/* A machine that does not know what a virtual thread waits on, or which one holds a lock, has told both in its log. */
static uint32_t object_waited_for(const struct java_converter *c, const struct java_waiter *w)
{
    uint32_t thread = w->kind == JAVA_WAIT_NOTIFY ? waiting_thread(c, w) : 0;
    uint32_t on = thread ? c->threads[thread].waits_on : 0;

    return w->object == 0 && on > 0 ? on - 1 : java_monitor(c, w->object);
}

static const char *holder(const struct java_converter *c, const struct java_waiter *w)
{
    for (uint32_t i = 1; i < c->threads_count && w->kind == JAVA_WAIT_LOCK && w->holder == 0; i++)
        if (c->threads[i].id > 0 && map_get(&c->depths, map_pair(java_monitor(c, w->object), i)) > 0)
            return name_in_trace(c, i);
    return java_text(c->list, w->holder);
}

/* What the thread waits for, in words: the object as the trace names it. */
static void put_what(struct java_converter *c, const struct java_waiter *w, char *to, size_t room)
{
    uint32_t number = object_waited_for(c, w);
    const struct java_object *o = number > 0 && number < c->objects_count ? &c->objects[number] : NULL;
    uint32_t name = !o ? 0 : w->kind == JAVA_WAIT_LOCK ? o->lock : o->condition;
    enum name_class class = w->kind == JAVA_WAIT_LOCK ? NAME_LOCK : NAME_CONDITION;
    const char *type = java_text(c->list, w->what);
    char object[512];

    if (w->kind == JAVA_WAIT_JOIN) {
        snprintf(to, room, "the end of %s", type);
        return;
    }
    if (name > 0)
        snprintf(object, sizeof object, "%s", trace_name(&c->trace, class, name - 1));
    else if (o)
        java_object_in_words(c, number, object, sizeof object);
    else
        snprintf(object, sizeof object, "%s", *type ? type : "an unnamed object");
    snprintf(to, room, "%s%s",
             w->kind == JAVA_WAIT_LOCK     ? "lock "
             : w->kind == JAVA_WAIT_NOTIFY ? "a notify of "
                                           : "",
             object);
}

static void add_waiters(struct java_converter *c, struct trace_end *end)
{
    bool locks = false;
    char what[1024];

    for (size_t i = 0; i < c->list->waiters_count; i++) {
        const struct java_waiter *w = &c->list->waiters[i];
        const char *told = java_text(c->list, w->thread);
        uint32_t thread = waiting_thread(c, w);
        put_what(c, w, what, sizeof what);
        locks |= w->kind == JAVA_WAIT_LOCK;
        trace_end_waiter(end,
                         thread  ? name_in_trace(c, thread)
                         : *told ? told
                                 : "thread",
                         what, java_text(c->list, w->place), holder(c, w));
    }
    trace_end_outcome(end, locks ? RUN_DEADLOCK : RUN_HANG, 0, NULL);
}

static void add_death(const struct java_converter *c, struct trace_end *end)
{
    const struct java_death *first = &c->list->deaths[0];
    const char *exception = java_text(c->list, first->exception);
    char text[1024];

    snprintf(text, sizeof text, "%.700s in thread %.200s", exception, java_text(c->list, first->thread));
    trace_end_outcome(
        end, strncmp(exception, "java.lang.AssertionError", 24) == 0 ? RUN_ASSERTION : RUN_EXCEPTION, 0, text);
}

/* Whether accesses were left out that may be a stale update, or part of a declared block, that reaches over a barrier or the
 * start or end of a thread. */
static bool hands_over(const struct java_converter *c)
{
    for (uint64_t i = 0; i < c->count && c->partial; i++)
        if (java_kind_of(&c->records[i]) == JAVA_PHASE && c->records[i].index == JAVA_HANDED)
            return true;
    return false;
}

void java_tell_losses(const struct java_conversion *v, void (*tell)(void *to, const char *text), void *to)
{
    char text[1024];

    if (v->mismatches) {
        snprintf(
            text, sizeof text,
            "%" PRIu64
            " reads saw values that uninstrumented code wrote; those variables are left out; the first: %s",
            v->mismatches, v->first_mismatch);
        tell(to, text);
    }
    if (v->refused) {
        snprintf(text, sizeof text, "%" PRIu64 " events left out that no possible run holds (%s)", v->refused,
                 v->refusal);
        tell(to, text);
    }
    if (v->stolen) {
        snprintf(text, sizeof text, "%" PRIu64 " accesses were never completed in the log", v->stolen);
        tell(to, text);
    }
    if (v->left) {
        snprintf(
            text, sizeof text,
            "%zu classes or methods could not be rewritten, so their accesses are not recorded; the first: %s",
            v->left, v->first_left);
        tell(to, text);
    }
}

static void add_loss(void *end, const char *text)
{
    trace_end_incomplete(end, text);
}

void java_fill_end(struct java_converter *c, struct trace_end *end)
{
    char text[256];

    if (c->list->waiters_count > 0)
        add_waiters(c, end);
    else if (c->list->deaths_count > 0 && end->outcome != RUN_SIGNAL && end->outcome != RUN_DEADLOCK)
        add_death(c, end);
    if (c->result->full && c->result->full_error == 0)
        trace_end_incomplete(end, "the log reached its limit (--limit): the rest of the run was not recorded");
    if (c->result->full && c->result->full_error != 0) {
        snprintf(text, sizeof text, "the log could not grow (%s): the rest of the run was not recorded",
                 strerror(c->result->full_error));
        trace_end_incomplete(end, text);
    }
    if (hands_over(c))
        trace_end_incomplete(
            end,
            "of two passes, what threads handed over at barriers, or where they start and end, is left out: "
            "stale reads and blocks that reach over these are not found");
    java_tell_losses(c->result, add_loss, end);
    if (c->result->threads < 2)
        trace_end_incomplete(end, "no second thread ran");
}
