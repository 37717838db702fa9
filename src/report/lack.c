/* What a thread of a stuck run waits for. */
#include "report/lack.h"

/* How many events of a thread the run holds. */
static uint32_t count_in(const struct model *m, const struct schedule *run, thread_id thread)
{
    uint32_t count = thread_count_up_to(m, thread, run->prefix);

    for (uint32_t i = 0; i < run->tail_count; i++)
        count += thread_of(m, run->tail[i]) == thread;
    return count;
}

static bool is_in(const struct model *m, const struct schedule *run, event_id e)
{
    return m->position[e] < count_in(m, run, thread_of(m, e));
}

static struct lacking lack_of(const struct model *m, const struct finding *f, enum lack what, thread_id who,
                              event_id event)
{
    struct lacking l = {.what = what, .who = who, .event = event};

    l.happened = event != EVENT_NONE && is_in(m, &f->schedule, event);
    for (uint32_t i = 0; i < f->event_count; i++)
        l.waits |= m->trace->thread[f->events[i]] == who;
    l.over = !l.waits && count_in(m, &f->schedule, m->lane_of[who]) >= m->ends[who];
    return l;
}

/* The acquire of another thread that holds the lock of the acquire `e` when the run has come to its end. */
static event_id lack_holder(const struct model *m, const struct finding *f, event_id e)
{
    bool shared = kind_of(m, e) == EVENT_SHARED_ACQUIRE;

    for (thread_id t = 0; t < m->thread_count; t++) {
        if (t == thread_of(m, e))
            continue;
        uint32_t h = model_hold_at(m, t, count_in(m, &f->schedule, t));
        for (; h != HOLD_NONE; h = m->holds[h].outer) {
            const struct section *s = &m->sections[m->holds[h].section];
            if (section_lock(s) == arg_of(m, e) && !(s->shared && shared))
                return s->acquire;
        }
    }
    return EVENT_NONE;
}

/* Of what `e` required in the trace: the first of this kind, one that is not in the run if there is one. */
static event_id helper_of(const struct model *m, const struct finding *f, event_id e,
                          bool (*wanted)(enum event_kind))
{
    struct event_span required = model_required(m, e);
    event_id helper = EVENT_NONE;

    for (size_t i = 0; i < required.count; i++) {
        if (!wanted(kind_of(m, required.events[i])))
            continue;
        if (!is_in(m, &f->schedule, required.events[i]))
            return required.events[i];
        helper = helper == EVENT_NONE ? required.events[i] : helper;
    }
    return helper;
}

static bool is_notify(enum event_kind kind)
{
    return kind == EVENT_NOTIFY || kind == EVENT_NOTIFY_ALL;
}

static bool is_post(enum event_kind kind)
{
    return kind == EVENT_POST;
}

static bool is_arrival(enum event_kind kind)
{
    return kind == EVENT_BARRIER_ENTER;
}

static uint32_t place_in(const struct schedule *run, event_id e)
{
    uint32_t i = 0;

    while (e > run->prefix && i < run->tail_count && run->tail[i] != e)
        i++;
    return e <= run->prefix ? e : run->prefix + 1 + i;
}

/* Whether the notify comes before the wait that ends with `e` begins. */
static bool is_early(const struct model *m, const struct schedule *run, event_id notify, event_id e)
{
    uint32_t position = m->position[e];

    while (position > 0 && kind_of(m, event_at(m, thread_of(m, e), position)) != EVENT_WAIT_PRE)
        position--;
    return place_in(run, notify) < place_in(run, event_at(m, thread_of(m, e), position));
}

static struct lacking helped_by(const struct model *m, const struct finding *f, enum lack what, event_id helper)
{
    return helper == EVENT_NONE ? (struct lacking){.what = what, .who = NAME_NONE, .event = EVENT_NONE}
                                : lack_of(m, f, what, m->trace->thread[helper], helper);
}

struct lacking stuck_lacks(const struct model *m, const struct finding *f, event_id e)
{
    bool locks = kind_of(m, e) == EVENT_ACQUIRE || kind_of(m, e) == EVENT_SHARED_ACQUIRE;
    event_id holder = locks ? lack_holder(m, f, e) : EVENT_NONE, post = e;

    if (holder != EVENT_NONE)
        return lack_of(m, f, LACK_LOCK, m->trace->thread[holder], holder);
    switch (kind_of(m, e)) {
    case EVENT_SEM_WAIT:
        return helped_by(m, f, LACK_TOKEN, helper_of(m, f, e, is_post));
    case EVENT_BARRIER_EXIT:
        return helped_by(m, f, LACK_PARTNER, helper_of(m, f, e, is_arrival));
    case EVENT_JOIN:
        return lack_of(m, f, LACK_END, arg_of(m, e), EVENT_NONE);
    default:
        if (locks && !is_thread_end(m, e))
            post = event_at(m, thread_of(m, e), m->position[e] + 1);
    }
    struct lacking l = helped_by(m, f, LACK_SIGNAL, helper_of(m, f, post, is_notify));
    l.early = l.happened && is_early(m, &f->schedule, l.event, e);
    return l;
}
