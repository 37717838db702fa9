/* How the run of a Java program ended, from what its virtual machine reported. */
#include "base/memory.h"
#include "record/java/log_walk.h"

#include <stdio.h>
#include <string.h>

/* What the thread waits for, in words: the object as the trace names it. */
static void put_what(struct java_converter *c, const struct java_waiter *w, char *to, size_t room)
{
    const struct java_object *o = w->object > 0 && w->object < c->objects_count ? &c->objects[w->object] : NULL;
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
        java_object_in_words(c, w->object, object, sizeof object);
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
        put_what(c, w, what, sizeof what);
        locks |= w->kind == JAVA_WAIT_LOCK;
        trace_end_waiter(end, java_text(c->list, w->thread), what, java_text(c->list, w->place),
                         java_text(c->list, w->holder));
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
    if (c->result->threads < 2)
        trace_end_incomplete(end, "no second thread ran");
}
