/* What holds of every model that was built. Each function is true, or an assertion in it says what does not hold. */
#include "base/invariant.h"
#include "model/model_parts.h"

/* Threads are rows of ascending events; positions are indices in them. */
static bool threads_are_sound(const struct model *m)
{
    assert(m->thread_start[m->thread_count] == m->event_count);
    for (thread_id t = 0; t < m->thread_count; t++) {
        assert(m->thread_start[t] <= m->thread_start[t + 1]);
        for (uint32_t p = 0; p < thread_length(m, t); p++) {
            event_id e = event_at(m, t, p);
            assert(e >= 1 && e <= m->event_count && thread_of(m, e) == t && m->position[e] == p);
            assert(p == 0 || event_at(m, t, p - 1) < e);
        }
    }
    return true;
}

/* Accesses ascend; a read's source is a write of its variable before it, and the last one. */
static bool couples_are_sound(const struct model *m)
{
    for (variable_id x = 0; x < m->variable_count; x++) {
        struct event_span accesses = accesses_of(m, x);
        event_id last = EVENT_INIT;
        for (size_t i = 0; i < accesses.count; i++) {
            event_id e = accesses.events[i];
            assert(i == 0 || accesses.events[i - 1] < e);
            assert(arg_of(m, e) == x);
            assert(m->source[e] == (kind_reads(kind_of(m, e)) ? last : EVENT_NONE));
            last = kind_writes(kind_of(m, e)) ? e : last;
        }
    }
    return true;
}

/* Sections of a lock are sorted by their acquires; of two that exclude each other the earlier one is over when the
 * later begins. */
static bool sections_are_sound(const struct model *m)
{
    for (lock_id l = 0; l < m->lock_count; l++) {
        const struct section *writer = NULL;
        for (uint32_t i = m->section_start[l]; i < m->section_start[l + 1]; i++) {
            const struct section *s = &m->sections[i];
            assert(section_lock(s) == l && model_section_of(m, s->acquire) == i);
            assert(s->release == EVENT_NONE ||
                   (s->release > s->acquire && model_section_of(m, s->release) == i));
            assert(thread_of(m, s->acquire) == s->owner);
            assert(i == m->section_start[l] || m->sections[i - 1].acquire < s->acquire);
            assert(!writer || writer->owner == s->owner || writer->release < s->acquire);
            writer = s->shared ? writer : s;
        }
    }
    return true;
}

/* Holds nest: what is below was opened before, in the same thread, and is open where the chain begins. */
static bool holds_are_nested(const struct model *m)
{
    for (thread_id t = 0; t < m->thread_count; t++)
        for (size_t i = 0; i < m->hold_change_count[t]; i++) {
            const struct hold_change *c = &m->hold_changes[t][i];
            assert(i == 0 || m->hold_changes[t][i - 1].at < c->at);
            for (uint32_t h = c->hold; h != HOLD_NONE; h = m->holds[h].outer) {
                const struct section *s = &m->sections[m->holds[h].section];
                assert(s->owner == t && m->position[s->acquire] < c->at);
                assert(s->release == EVENT_NONE || m->position[s->release] >= c->at);
            }
        }
    return true;
}

/* What is required comes before, in the trace. */
static bool requirements_are_sound(const struct model *m)
{
    for (size_t i = 0; i < m->requirements_count; i++) {
        const struct requirement *r = &m->requirements[i];
        assert(i == 0 || m->requirements[i - 1].event < r->event);
        assert(r->first + (size_t)r->count <= m->required_events_count);
        for (uint32_t k = 0; k < r->count; k++)
            assert(m->required_events[r->first + k] < r->event);
    }
    for (size_t i = 0; i < m->waits_count; i++) {
        const struct woken_wait *w = &m->waits[i];
        assert(i == 0 || m->waits[i - 1].post < w->post);
        assert(w->pre < w->notify && w->notify < w->post && w->pre < w->end && w->end <= w->post);
    }
    return true;
}

/* Rows of a thread grow from epoch to epoch, and name only events before that: the order has no cycle. */
static bool clocks_are_monotone(const struct model *m, const struct clocks *c)
{
    for (thread_id t = 0; c->threads && t < m->thread_count; t++) {
        const struct epoch_list *list = &c->threads[t];
        assert(list->epochs_count > 0 && list->epochs[0].at == 0);
        for (size_t i = 1; i < list->epochs_count; i++) {
            const uint32_t *row = c->rows + (size_t)list->epochs[i].row * m->thread_count;
            const uint32_t *before = c->rows + (size_t)list->epochs[i - 1].row * m->thread_count;
            assert(list->epochs[i - 1].at <= list->epochs[i].at && list->epochs[i].at < thread_length(m, t));
            for (thread_id u = 0; u < m->thread_count; u++) {
                assert(before[u] <= row[u] && row[u] <= thread_length(m, u));
                assert(u == t || row[u] == 0 ||
                       event_at(m, u, row[u] - 1) < event_at(m, t, list->epochs[i].at));
            }
        }
    }
    return true;
}

/* A read is demanded after it was done, plainly not before it is demanded at all. */
static bool demands_are_sound(const struct model *m)
{
    for (event_id e = 1; e <= m->event_count; e++) {
        if (m->source[e] == EVENT_NONE)
            continue;
        assert(read_first_at(m, e) > m->position[e] && read_first_at(m, e) <= read_plain_at(m, e));
        assert(read_bound_at(m, e) >= read_first_at(m, e));
        assert(!is_soft(m, e) || m->values);
    }
    return true;
}

bool model_is_sound(const struct model *m)
{
    return threads_are_sound(m) && couples_are_sound(m) && sections_are_sound(m) && holds_are_nested(m) &&
           requirements_are_sound(m) && clocks_are_monotone(m, &m->forward) &&
           clocks_are_monotone(m, &m->observed) && demands_are_sound(m);
}
