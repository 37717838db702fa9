/* What the events of a Java log stand on: from labels to grounds.
 *
 * What a field or element holds that is left out of the trace is made of what was written there last. A final
 * field is no variable: what is written there decides. So does what is read of variables that code without
 * hooks writes. */
#include "base/memory.h"
#include "record/convert/grounding_parts.h"
#include "record/java/log_walk.h"
#include "runtime/protocol/labels.h"

#include <string.h>

static struct grounding *now(struct java_converter *c, const struct java_record *r)
{
    struct grounding *g = &c->grounding;

    if (r)
        g->thread = java_thread_of(r);
    g->next = (uint32_t)c->result->events + 1;
    return g;
}

static void take_comparison(struct grounding *g, const struct java_record *r)
{
    bool is_int = (r->site >> SESSION_SIZE_SHIFT & 3) == 2;
    struct comparison comparison = {.how = r->site & 0x3f, .as_read = !is_int, .constant = r->value};

    if (is_int) {
        comparison.value = (uint64_t)(int64_t)(int32_t)(r->value >> 32);
        comparison.constant = (uint64_t)(int64_t)(int32_t)r->value;
    }
    comparison.idle_if = (r->site & JAVA_IDLE_IF) != 0;
    comparison.idle_else = (r->site & JAVA_IDLE_ELSE) != 0;
    grounding_compare(g, r->index, &comparison);
}

/* What is written is made of several values. */
static void take_labels(struct grounding *g, const struct java_record *r)
{
    struct grounding_thread *t = grounding_thread(g);
    const uint32_t others[] = {r->site, r->object, (uint32_t)(r->value >> 32), (uint32_t)r->value};
    struct seen_number unused;

    t->from = r->index;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        t->from_more = set_union(&g->sets, t->from_more, label_reads(t, others[i], &unused));
}

void java_ground_record(struct java_converter *c, const struct java_record *r)
{
    struct grounding *g = now(c, r);
    struct grounding_thread *t = grounding_thread(g);
    struct seen_number unused;

    switch (java_kind_of(r)) {
    case JAVA_UNION:
        grounding_union(g, r->index, (uint32_t)r->value);
        break;
    case JAVA_BY:
        decide_reads(g, t, label_reads(t, r->index, &unused));
        break;
    case JAVA_BY_ALL:
        t->all = true;
        break;
    case JAVA_OUTPUT:
        grounding_printing(g, label_reads(t, r->index, &unused), 0);
        grounding_output(g, 0);
        break;
    case JAVA_COMPARED:
        take_comparison(g, r);
        break;
    default:
        take_labels(g, r);
    }
}

void java_ground_skipped(struct java_converter *c, const struct java_record *r)
{
    struct grounding_thread *t = grounding_thread(now(c, r));

    t->labels = r->index;
    t->known_count = t->forgotten = 0;
}

void java_ground_begin(struct java_converter *c, const struct java_record *r)
{
    unsigned flags = java_site(c->list, r->site)->grounds;
    struct grounding *g = now(c, r);

    g->bits = (flags & JAVA_GROUNDED ? RECORD_GROUNDED : 0) | (flags & JAVA_LABELLED ? RECORD_LABELLED : 0);
    g->label = SET_NONE;
    g->events.count = 0;
    g->seen = (struct seen_number){TYPE_UNKNOWN, 0};
}

void java_ground_end(struct java_converter *c, const struct java_record *r)
{
    struct grounding *g = now(c, r);
    struct grounding_thread *t = grounding_thread(g);

    if (g->bits & RECORD_LABELLED) {
        read_set reads = grounding_label(g);
        add_label(t, reads, set_single(reads) ? &g->seen : NULL);
    }
    t->from = 0;
    t->from_how = 0;
    t->from_more = SET_NONE;
}

static enum value_type type_of_variable(const struct java_variable *v)
{
    static const char letters[] = "ZBCSIJ";
    static const enum value_type types[] = {TYPE_U8, TYPE_I8, TYPE_U16, TYPE_I16, TYPE_I32, TYPE_I64};
    const char *found = v->letter ? strchr(letters, v->letter) : NULL;

    return found ? types[found - letters] : TYPE_UNKNOWN;
}

/* What an atomic change adds; 0 when it does something else. */
static int added(const char *method)
{
    if (strncmp(method, "incrementAndGet", 15) == 0 || strncmp(method, "getAndIncrement", 15) == 0)
        return 1;
    return strncmp(method, "decrementAndGet", 15) == 0 || strncmp(method, "getAndDecrement", 15) == 0 ? -1 : 0;
}

/* What the value that is written is made of. */
static void take_from(struct java_converter *c, const struct java_record *r, struct grounding_thread *t)
{
    unsigned kind = java_kind_of(r);
    bool atomic = kind == JAVA_ATOMIC || kind == JAVA_ATOMIC_NOT;
    const char *method = java_text(c->list, java_site(c->list, r->site)->name);

    if (kind == JAVA_STATIC_WRITE || (kind == JAVA_WRITE && java_object_type(c, r->object)[0] != '['))
        t->from = r->index ? r->index : t->from;
    if (atomic && java_is_read(c, r) && java_is_write(c, r) && !java_is_conditional(c, r) &&
        strcmp(method, "getAndSet") != 0)
        t->from_how = added(method) ? SESSION_OF_SUM : SESSION_OF_BOTH;
}

void java_ground_access(struct java_converter *c, const struct java_record *r, const struct java_variable *v,
                        struct event *e)
{
    struct grounding *g = now(c, r);
    struct grounding_thread *t = grounding_thread(g);
    struct accessed what = {.type = type_of_variable(v), .whole = true};
    int step = added(java_text(c->list, java_site(c->list, r->site)->name));

    if (!(g->bits & RECORD_GROUNDED))
        return;
    while (c->types_count <= e->arg)
        ARRAY_PUSH(c, types, TYPE_UNKNOWN);
    c->types[e->arg] = (uint8_t)what.type;
    if (java_is_access(r))
        take_from(c, r, t);
    if (kind_reads(op_kind(e->op)) && kind_writes(op_kind(e->op))) {
        what.whole = step != 0;
        what.old = type_wrap(what.type, e->value - (uint64_t)(int64_t)step);
    }
    grounding_access(g, e, &what);
}

void java_ground_dropped(struct java_converter *c, const struct java_record *r, struct java_variable *v)
{
    struct grounding *g = now(c, r);
    struct grounding_thread *t = grounding_thread(g);
    struct seen_number unused;
    read_set own = !v ? SET_NONE : v->unseen || java_is_discarded(c, r) ? SET_ALL : v->made, made = SET_NONE;

    if (java_is_read(c, r)) {
        if (g->bits & RECORD_LABELLED)
            g->label = own;
        else
            decide_reads(g, t, own);
    }
    if (!java_is_write(c, r))
        return;
    if (g->bits & RECORD_GROUNDED) {
        take_from(c, r, t);
        made = set_union(&g->sets, label_reads(t, t->from, &unused), t->from_more);
        if (t->from_how)
            made = set_union(&g->sets, made, own);
    }
    if (v && !v->unseen)
        v->made = made;
    else
        decide_reads(g, t, made);
}

void java_ground_event(struct java_converter *c, struct event *e)
{
    grounding_event(now(c, NULL), e);
}

void java_ground_put(struct java_converter *c, const struct event *e)
{
    grounding_put(&c->grounding, e, (uint32_t)c->result->events);
}
