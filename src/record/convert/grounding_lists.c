/* From labels to grounds: the lists of events. */
#include "base/memory.h"
#include "record/convert/grounding_parts.h"
#include "runtime/protocol/labels.h"
#include "trace/htr.h"

#include <string.h>

static void add_decision(struct grounding_thread *t, uint32_t event, const struct value_range *ranges,
                         uint32_t count, bool idle)
{
    struct deciding_read *item = NULL;

    if (t->decided[event % GROUNDING_DECIDED] == event)
        return; /* a run that holds the next event holds that one */
    for (uint32_t i = 0; i < t->by_count && !item; i++)
        item = t->by[i].event == event ? &t->by[i] : NULL;
    if (item) {
        struct value_range both[COMPARED_RANGES];
        uint32_t left =
            item->range_count && count ? ranges_meet(item->ranges, item->range_count, ranges, count, both) : 0;
        memcpy(item->ranges, both, left * sizeof *both);
        item->range_count = left;
        item->idle &= idle;
        return;
    }
    if (t->by_count == GROUNDING_ITEMS) {
        t->all = true;
        return;
    }
    item = &t->by[t->by_count++];
    *item = (struct deciding_read){.event = event, .idle = idle, .range_count = count};
    for (uint32_t i = 0; i < count; i++)
        item->ranges[i] = ranges[i];
}

void decide_read(struct grounding_thread *t, uint32_t event, const struct value_range *ranges, uint32_t count)
{
    add_decision(t, event, ranges, count, false);
}

void decide_idly(struct grounding_thread *t, uint32_t event, const struct value_range *ranges, uint32_t count)
{
    add_decision(t, event, ranges, count, true);
}

void decide_reads(struct grounding *g, struct grounding_thread *t, read_set reads)
{
    struct read_list list;

    if (!set_list(&g->sets, reads, &list)) {
        t->all = true;
        return;
    }
    for (uint32_t i = 0; i < list.count; i++)
        decide_read(t, list.reads[i], NULL, 0);
}

/* Lists on their way into the pool. */
struct lists {
    struct ground by[GROUNDING_ITEMS + 1];
    struct ground from[READ_SET_MOST + 1];
    struct grounds_given given;
};

static void put_plain(struct ground *to, uint32_t read)
{
    to->read = read;
    to->form = GROUND_PLAIN;
    to->offset = 0;
    to->ranges = NULL;
    to->range_count = 0;
}

static void put_deciding(struct ground *to, const struct deciding_read *d)
{
    to->read = d->event;
    to->form = d->range_count ? GROUND_RANGES : GROUND_PLAIN;
    to->offset = 0;
    to->ranges = d->range_count ? d->ranges : NULL;
    to->range_count = d->range_count;
}

/* What decided since the thread's last event. */
static void give_by(const struct grounding_thread *t, struct lists *lists)
{
    if (t->all)
        return;
    lists->given.by_given = true;
    lists->given.by_count = t->by_count;
    for (uint32_t i = 0; i < t->by_count; i++)
        put_deciding(&lists->by[i], &t->by[i]);
}

/* What the running thread knows of the variable; NULL: nothing. It changes places with the first: a thread runs for a while. */
static struct variable_view *view_of(struct grounding *g, variable_id variable)
{
    struct variable_view *first = variable < g->viewed_count ? &g->viewed[variable] : NULL;

    if (!first || first->thread == g->thread + 1)
        return first;
    for (uint32_t at = first->next; at; at = g->views[at - 1].next) {
        struct variable_view *view = &g->views[at - 1], found = *view;
        if (found.thread != g->thread + 1)
            continue;
        *view = *first;
        view->next = found.next;
        found.next = first->next;
        *first = found;
        return first;
    }
    return NULL;
}

static struct variable_view *make_view(struct grounding *g, variable_id variable)
{
    struct variable_view *view = view_of(g, variable);

    if (view)
        return view;
    while (g->viewed_count <= variable)
        ARRAY_PUSH(g, viewed, (struct variable_view){0});
    view = &g->viewed[variable];
    if (view->thread)
        ARRAY_PUSH(g, views, *view);
    *view =
        (struct variable_view){.thread = g->thread + 1, .next = view->thread ? (uint32_t)g->views_count : 0};
    return view;
}

/* The thread's last decision on the variable; NULL: it never made one. */
static const struct deciding_read *check_of(const struct grounding *g, const struct variable_view *view)
{
    return view && view->check ? &g->check[view->check - 1] : NULL;
}

/* Whether a newer read of the variable decided whatever followed it. */
static bool looked_again(struct grounding *g, const struct variable_view *view,
                         const struct deciding_read *check)
{
    return view->look < grounding_thread(g)->all_decided && check->event < view->look;
}

/* A write to what the thread compared before, to decide whether to write: that is one of its grounds. A read that decided by no
 * comparison with a known number is none: what is formatted for a log decides, too. An atomic change looks again, and so does a
 * thread that has handed a newer value to code which nobody can follow. */
static void add_check(struct grounding *g, const struct event *e, struct lists *lists)
{
    const struct variable_view *view = view_of(g, e->arg);
    const struct deciding_read *check = check_of(g, view);

    if (!check || looked_again(g, view, check) || check->range_count == 0 ||
        check->event <= grounding_thread(g)->met || !lists->given.by_given || kind_updates(op_kind(e->op)))
        return;
    for (uint32_t i = 0; i < lists->given.by_count; i++)
        if (lists->by[i].read == check->event)
            return;
    put_deciding(&lists->by[lists->given.by_count++], check);
}

static void give_offset(struct lists *lists, uint32_t read, uint64_t offset)
{
    lists->given.from_given = true;
    lists->given.from_count = 1;
    lists->from[0] = (struct ground){.read = read, .form = GROUND_OFFSET, .offset = offset};
}

static bool is_number(const struct event *e)
{
    return e->value_tag == VALUE_UNSIGNED || e->value_tag == VALUE_NEGATIVE;
}

static void give_from(struct grounding *g, const struct event *e, const struct accessed *what, uint32_t own,
                      struct lists *lists)
{
    const struct grounding_thread *t = grounding_thread(g);
    struct read_list list;
    struct seen_number seen;
    read_set reads = label_reads(t, t->from, &seen);
    bool exact = what->whole && what->type != TYPE_UNKNOWN && is_number(e) && t->from_more == SET_NONE;

    reads = set_union(&g->sets, reads, t->from_more);
    if (t->from_how == SESSION_OF_SUM && exact && reads == SET_NONE) {
        give_offset(lists, own, e->value - what->old);
        return;
    }
    if (t->from_how != SESSION_OF_SUM && t->from_how != SESSION_OF_BOTH && exact && set_single(reads) &&
        seen.type != TYPE_UNKNOWN) {
        give_offset(lists, set_single(reads), e->value - seen.number);
        return;
    }
    if (!set_list(&g->sets, reads, &list))
        return;
    lists->given.from_given = true;
    for (uint32_t i = 0; i < list.count; i++)
        put_plain(&lists->from[lists->given.from_count++], list.reads[i]);
    if (t->from_how == SESSION_OF_SUM || t->from_how == SESSION_OF_BOTH)
        put_plain(&lists->from[lists->given.from_count++], own);
}

static bool names(const struct ground *list, uint32_t count, uint32_t read)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].read == read)
            return true;
    return false;
}

/* Whether the last that the thread saw of the variable is among what decided on the event, or what its value is made of. */
static bool looked_before(struct grounding *g, const struct event *e, const struct lists *lists)
{
    const struct variable_view *view = view_of(g, e->arg);
    uint32_t last = view ? view->look : 0;

    return last && ((lists->given.by_given && names(lists->by, lists->given.by_count, last)) ||
                    (lists->given.from_given && names(lists->from, lists->given.from_count, last)));
}

/* An atomic change that the thread makes because of what it saw of the variable before, as in `while (taken || exchange(taken,
 * true))`, or by which it gives back what it took from there (the nodes of a queue lock). If its result is used, it looks again: the thread goes on only as observed, as after a compare-and-exchange. The count of
 * a shared pointer is left alone: whoever owns one does not mind how many others do. A future, a barrier or a semaphore
 * sets a bit or counts who waits before it waits, and looks again: all that was read decides then, the change's own read included. */
static void look_again(struct grounding *g, struct event *e, enum library_part library, struct lists *lists)
{
    if (op_kind(e->op) != EVENT_RMW || !looked_before(g, e, lists))
        return;
    if (library == LIBRARY_WAIT)
        lists->given.by_given = false;
    else if (library == LIBRARY_NONE && g->bits & RECORD_LABELLED)
        e->op = op_make(EVENT_CAS, op_order(e->op));
}

static void give(struct grounding *g, struct event *e, struct lists *lists)
{
    lists->given.by = lists->by;
    lists->given.from = lists->from;
    e->grounds = htr_give(g->writer, e, &lists->given);
    g->any |= lists->given.by_given || lists->given.from_given;
}

/* To a read that nothing decided on: the same each time. */
static void give_nothing(struct grounding *g, struct event *e, struct lists *lists)
{
    if (g->undecided == GROUNDS_NONE) {
        give(g, e, lists);
        g->undecided = e->grounds;
    }
    e->grounds = g->undecided;
}

void grounding_access(struct grounding *g, struct event *e, const struct accessed *what)
{
    struct grounding_thread *t = grounding_thread(g);
    enum event_kind kind = op_kind(e->op);
    struct lists lists;

    if (!(g->bits & RECORD_GROUNDED))
        return;
    lists.given = (struct grounds_given){0}; /* the arrays are as long as these say */
    give_by(t, &lists);
    if (kind_writes(kind)) {
        add_check(g, e, &lists);
        give_from(g, e, what, g->next, &lists);
        look_again(g, e, what->library, &lists);
    }
    if (!kind_writes(kind) && lists.given.by_given && lists.given.by_count == 0)
        give_nothing(g, e, &lists);
    else
        give(g, e, &lists);
    if (!kind_reads(kind) || what->type == TYPE_UNKNOWN || !is_number(e))
        return;
    if (what->whole)
        g->seen = (struct seen_number){what->type, kind_writes(kind) ? what->old : e->value};
    else if (!kind_writes(kind))
        split_add(&g->split, g->next, what, e->value);
}

void grounding_freed(struct grounding *g, struct event *e)
{
    struct lists lists;

    if (!(g->bits & RECORD_GROUNDED))
        return;
    lists.given = (struct grounds_given){.from_given = true}; /* what is left there is of no value */
    give_by(grounding_thread(g), &lists);
    give(g, e, &lists);
}

void grounding_event(struct grounding *g, struct event *e)
{
    struct lists lists;

    if (!(g->bits & RECORD_GROUNDED))
        return;
    lists.given = (struct grounds_given){0}; /* the arrays are as long as these say */
    give_by(grounding_thread(g), &lists);
    give(g, e, &lists);
}

void grounding_use(struct grounding *g, struct event *e)
{
    grounding_event(g, e);
    g->unused = (g->bits & RECORD_GROUNDED) != 0;
}

/* At synchronization, a value that was checked before may change on purpose. */
static bool is_meeting(enum event_kind kind)
{
    return kind == EVENT_FORK || kind == EVENT_JOIN || kind == EVENT_WAIT_POST || kind == EVENT_BARRIER_EXIT ||
           kind == EVENT_SEM_WAIT;
}

static void drop_check(struct grounding *g, const struct variable_view *view)
{
    if (view && view->check)
        g->check[view->check - 1].range_count = 0;
}

/* The last decision on a variable, until the thread writes to it. Without ranges it is no check (add_check), and takes no room. */
static void keep_check(struct grounding *g, variable_id variable, const struct deciding_read *d)
{
    struct variable_view *view;

    if (d->range_count == 0) {
        drop_check(g, view_of(g, variable));
        return;
    }
    view = make_view(g, variable);
    if (view->check == 0) {
        ARRAY_PUSH(g, check, (struct deciding_read){0});
        view->check = (uint32_t)g->check_count;
    }
    g->check[view->check - 1] = *d;
}

static void note_look(struct grounding *g, variable_id variable, uint32_t number)
{
    struct variable_view *view = make_view(g, variable);
    const struct deciding_read *check = check_of(g, view);

    if (check && looked_again(g, view, check))
        drop_check(g, view);
    view->look = number;
}

/* The event stands for the value that the record read. */
static void use_read(struct grounding *g, struct grounding_thread *t, uint32_t number)
{
    if (g->bits & RECORD_LABELLED)
        g->label = set_union(&g->sets, g->label, set_of_read(number));
    else if (!g->unused)
        decide_read(t, number, NULL, 0);
}

/* A set for all events of a record is made when it ends. */
static void note_event(struct grounding *g, uint32_t number)
{
    if (g->events.count < READ_SET_MOST)
        g->events.reads[g->events.count] = number;
    g->events.count++;
}

/* Whether the thread may have written to the variable after that event, so that what it read then is not there any more; or before
 * it, without synchronization in between: then it looks at what it made of the variable. */
static bool has_written_since(const struct grounding_thread *t, variable_id variable, uint32_t event)
{
    event = t->synchronized < event ? t->synchronized : event;
    uint32_t kept = t->writes_made < GROUNDING_WRITES ? t->writes_made : GROUNDING_WRITES;

    if (t->writes_made > kept && t->writes[t->writes_made % GROUNDING_WRITES].event >= event)
        return true; /* all that are kept came after it, and there were others */
    for (uint32_t i = 0; i < kept; i++) {
        const struct own_write *w = &t->writes[(t->writes_made - 1 - i) % GROUNDING_WRITES];
        if (w->event < event)
            return false;
        if (w->variable == variable)
            return true;
    }
    return t->writes_made > kept;
}

void grounding_put(struct grounding *g, const struct event *e, uint32_t number)
{
    struct grounding_thread *t = grounding_thread(g);
    enum event_kind kind = op_kind(e->op);

    for (uint32_t i = 0; i < t->by_count && !t->all; i++) {
        const struct recent_read *recent = &g->recent[t->by[i].event % GROUNDING_RECENT];
        if (recent->event == t->by[i].event) {
            if (t->by[i].idle || has_written_since(t, recent->variable, t->by[i].event))
                drop_check(g, view_of(g, recent->variable));
            else
                keep_check(g, recent->variable, &t->by[i]);
        }
        if (t->by[i].range_count == 0)
            t->decided[t->by[i].event % GROUNDING_DECIDED] = t->by[i].event;
    }
    t->by_count = 0;
    if (t->all)
        t->all_decided = number;
    t->all = false;
    if (kind_writes(kind)) {
        drop_check(g, view_of(g, e->arg));
        t->writes[t->writes_made++ % GROUNDING_WRITES] = (struct own_write){number, e->arg};
    }
    if (is_meeting(kind))
        t->met = number;
    if (!kind_accesses(kind))
        t->synchronized = number;
    if (kind_reads(kind) && !kind_updates(kind)) /* what an atomic change saw is not there any more */
        g->recent[number % GROUNDING_RECENT] = (struct recent_read){number, e->arg};
    if (kind_reads(kind))
        note_look(g, e->arg, number);
    if (kind_reads(kind) && kind != EVENT_CAS && g->bits & RECORD_LABELLED)
        note_event(g, number);
    else if (kind_reads(kind) && kind != EVENT_CAS)
        use_read(g, t, number);
    if (kind_reads(kind) && !(g->bits & RECORD_LABELLED) && g->pc)
        grounding_printing(g, set_of_read(number), g->pc);
    else
        t->printing_count = 0; /* something else is done before any output */
}

/* What decided on this poll goes to the thread's next event, with all that follows. */
void grounding_poll(struct grounding *g, const struct event *e, enum value_type type, uint32_t number)
{
    struct grounding_thread *t = grounding_thread(g);

    if (!(g->bits & RECORD_GROUNDED))
        t->all = true;
    else if (type != TYPE_UNKNOWN && is_number(e))
        g->seen = (struct seen_number){type, e->value};
    use_read(g, t, number);
    t->printing_count = 0;
}

void grounding_printing(struct grounding *g, read_set reads, uint64_t pc)
{
    struct grounding_thread *t = grounding_thread(g);

    if (t->printing_count < GROUNDING_ITEMS && reads != SET_NONE)
        t->printing[t->printing_count++] = (struct printing){reads, pc};
}

void grounding_output(struct grounding *g, uint64_t pc)
{
    struct grounding_thread *t = grounding_thread(g);
    struct read_list list;

    for (uint32_t i = 0; i < t->printing_count; i++) {
        const struct printing *p = &t->printing[i];
        if ((p->pc != 0 && p->pc != pc) || !set_list(&g->sets, p->reads, &list))
            continue;
        for (uint32_t k = 0; k < list.count; k++)
            event_set_add(&g->printed, list.reads[k]);
    }
    t->printing_count = 0;
}
