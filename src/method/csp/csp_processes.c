/* Threads, stages, locks and the pattern as processes, unfolded as they are needed. */
#include "method/csp/csp_processes.h"
#include "base/memory.h"

#include <stdlib.h>

enum { HOLDER_NONE = 0 }; /* otherwise 1 + thread, or 1 + threads + section where the section counts */

static uint32_t holder_thread(const struct csp_plan *p, uint32_t holder)
{
    const struct model *m = p->m;

    return holder <= m->thread_count ? holder - 1 : m->sections[holder - 1 - m->thread_count].owner;
}

/* What an access does to the pattern, in the order of the labels below. */
static const struct {
    bool writes, atomic;
} access_classes[] = {{false, false}, {true, false}, {false, true}, {true, true}};

enum { ACCESS_CLASSES = sizeof access_classes / sizeof *access_classes };

static bool classes_race(int a, int b)
{
    return (access_classes[a].writes || access_classes[b].writes) &&
           !(access_classes[a].atomic && access_classes[b].atomic);
}

static process_id add_choice(struct csp *c, process_id so_far, process_id more)
{
    return so_far == csp_stop(c) ? more : csp_choice(c, so_far, more);
}

static process_id unfold_thread(struct csp_processes *pr, thread_id t, uint32_t position, event_id access)
{
    const struct csp_plan *p = pr->p;

    if (access && position == p->chain_position[access])
        return csp_prefix(pr->c, csp_label_of(pr, access), csp_stop(pr->c));
    if (position == chain_length(p, t))
        return csp_stop(pr->c);
    return csp_prefix(pr->c, chain_link(p, t, position)->label, csp_thread(pr, t, position + 1, access));
}

/* The state that a label of the lock leads to; false: it is not possible now. */
static bool lock_step(const struct csp_plan *p, const struct csp_lock_label *l, uint32_t *holder,
                      uint32_t *readers)
{
    bool is_held = *holder != HOLDER_NONE;
    bool is_holder = is_held && holder_thread(p, *holder) == l->thread;

    switch (l->operation) {
    case LOCK_TAKE:
    case LOCK_UPGRADE: /* its own thread is the one reader */
        if (is_held || *readers != (l->operation == LOCK_UPGRADE))
            return false;
        *holder = l->section == SECTION_NONE ? 1 + l->thread : 1 + p->m->thread_count + l->section;
        return true;
    case LOCK_GIVE:
        *holder = HOLDER_NONE;
        return is_holder;
    case LOCK_SHARE:
        ++*readers;
        return !is_held || is_holder;
    case LOCK_UNSHARE:
        return (*readers)-- > 0 && (!is_held || is_holder);
    default:
        return *holder == 1 + p->m->thread_count + l->section;
    }
}

/* The paper's MUTEX, extended to locks that can be shared. The threads' own order ensures that only a holder
 * releases. */
static process_id unfold_lock(struct csp_processes *pr, uint32_t definition, lock_id lock, uint32_t holder,
                              uint32_t readers)
{
    const struct csp_plan *p = pr->p;
    process_id all = csp_stop(pr->c);

    for (uint32_t i = p->lock_start[lock]; i < p->lock_start[lock + 1]; i++) {
        uint32_t next_holder = holder, next_readers = readers;
        if (lock_step(p, &p->lock_labels[i], &next_holder, &next_readers))
            all = add_choice(pr->c, all,
                             csp_prefix(pr->c, p->lock_labels[i].label,
                                        csp_call(pr->c, definition, next_holder, next_readers)));
    }
    return all;
}

static process_id unfold_pattern(struct csp_processes *pr, uint32_t definition, uint32_t number)
{
    struct csp_pattern pattern = pr->patterns[number];
    struct csp *c = pr->c;
    process_id again = csp_call(c, definition, number, 0), stop = csp_stop(c);
    process_id error = stop, restart = csp_choice_over(c, pr->synchronization, again);
    csp_event label[2][ACCESS_CLASSES];

    for (int side = 0; side < 2; side++) {
        thread_id t = side == 0 ? pattern.one : pattern.other;
        for (int i = 0; i < ACCESS_CLASSES; i++) {
            label[side][i] = csp_access_label(pr->p, t, pattern.variable, access_classes[i].writes,
                                              access_classes[i].atomic);
            restart = csp_choice(c, restart, csp_prefix(c, label[side][i], again));
        }
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < ACCESS_CLASSES; i++)
            for (int k = 0; k < ACCESS_CLASSES; k++)
                if (classes_race(i, k))
                    error = add_choice(
                        c, error,
                        csp_prefix(c, label[side][i],
                                   csp_prefix(c, label[1 - side][k], csp_prefix(c, pr->p->race, stop))));
    return csp_interrupt(c, error, restart);
}

/* Definitions are numbered: threads, locks, the pattern. */
static process_id unfold(struct csp *c, void *context, uint32_t definition, uint32_t a, uint32_t b)
{
    struct csp_processes *pr = context;
    const struct model *m = pr->p->m;

    (void)c;
    if (definition < m->thread_count)
        return unfold_thread(pr, definition, a, b);
    if (definition < m->thread_count + m->lock_count)
        return unfold_lock(pr, definition, definition - m->thread_count, a, b);
    return unfold_pattern(pr, definition, a);
}

static void make_workshop(struct csp_processes *pr)
{
    pr->c = csp_new(unfold, pr);
    pr->synchronization = csp_set_new(pr->c);
    for (size_t i = 0; i < pr->p->links_count; i++)
        csp_set_add(pr->c, pr->synchronization, pr->p->links[i].label);
}

void csp_processes_init(struct csp_processes *pr, struct csp_plan *p)
{
    const struct model *m = p->m;

    *pr = (struct csp_processes){.p = p};
    pr->latest_release = memory_new((size_t)m->section_start[m->lock_count] + 1, sizeof *pr->latest_release);
    for (lock_id l = 0; l < m->lock_count; l++) {
        event_id latest = 0;
        for (uint32_t i = m->section_start[l]; i < m->section_start[l + 1]; i++) {
            latest = m->sections[i].release > latest ? m->sections[i].release : latest;
            pr->latest_release[i] = latest;
        }
    }
    make_workshop(pr);
}

void csp_processes_free(struct csp_processes *pr)
{
    csp_free(pr->c);
    free(pr->patterns);
    free(pr->latest_release);
}

void csp_processes_reset(struct csp_processes *pr)
{
    csp_free(pr->c);
    pr->patterns_count = 0;
    make_workshop(pr);
}

process_id csp_thread(struct csp_processes *pr, thread_id t, uint32_t position, event_id access)
{
    return csp_call(pr->c, t, position, access);
}

static process_id stages_after(struct csp_processes *pr, uint32_t process, event_id number)
{
    const struct csp_plan *p = pr->p;
    process_id rest = csp_skip(pr->c);

    for (uint32_t i = p->member_start[process + 1]; i-- > p->member_start[process];) {
        uint32_t stage = p->members[i].stage;
        process_id together = csp_skip(pr->c);
        for (;; i--) {
            if (p->members[i].event > number)
                together =
                    csp_interleave(pr->c, csp_prefix(pr->c, p->members[i].label, csp_skip(pr->c)), together);
            if (i == p->member_start[process] || p->members[i - 1].stage != stage)
                break;
        }
        rest = csp_sequence(pr->c, together, rest);
    }
    return rest;
}

/* How many sections of the lock were entered among the first `number` events. */
static uint32_t sections_entered(const struct model *m, lock_id lock, event_id number)
{
    uint32_t low = m->section_start[lock], high = m->section_start[lock + 1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->sections[middle].acquire <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low - m->section_start[lock];
}

static bool has_tries(const struct csp_plan *p, lock_id lock, uint32_t section)
{
    for (uint32_t i = p->lock_start[lock]; i < p->lock_start[lock + 1]; i++)
        if (p->lock_labels[i].operation == LOCK_TRY && p->lock_labels[i].section == section)
            return true;
    return false;
}

static process_id lock_after(struct csp_processes *pr, lock_id lock, event_id number)
{
    const struct model *m = pr->p->m;
    uint32_t first = m->section_start[lock], i = first + sections_entered(m, lock, number);
    uint32_t holder = HOLDER_NONE, readers = 0;

    for (; i > first && pr->latest_release[i - 1] > number; i--) {
        const struct section *s = &m->sections[i - 1];
        if (s->release <= number)
            continue;
        if (s->shared)
            readers++;
        else
            holder = has_tries(pr->p, lock, i - 1) ? 1 + m->thread_count + i - 1 : 1 + s->owner;
    }
    return csp_call(pr->c, m->thread_count + lock, holder, readers);
}

process_id csp_leaf(struct csp_processes *pr, uint32_t leaf, event_id number)
{
    if (leaf < pr->p->stage_count)
        return stages_after(pr, leaf, number);
    return lock_after(pr, leaf - pr->p->stage_count, number);
}

process_id csp_pattern(struct csp_processes *pr, struct csp_pattern pattern)
{
    const struct model *m = pr->p->m;

    for (size_t i = pr->patterns_count; i-- > 0;) {
        const struct csp_pattern *known = &pr->patterns[i];
        if (known->one == pattern.one && known->other == pattern.other && known->variable == pattern.variable)
            return csp_call(pr->c, m->thread_count + m->lock_count, (uint32_t)i, 0);
        if (pr->patterns_count - i > 8) /* consecutive checks are often about the same pair */
            break;
    }
    ARRAY_PUSH(pr, patterns, pattern);
    return csp_call(pr->c, m->thread_count + m->lock_count, (uint32_t)pr->patterns_count - 1, 0);
}

csp_event csp_label_of(struct csp_processes *pr, event_id access)
{
    const struct model *m = pr->p->m;

    return csp_access_label(pr->p, thread_of(m, access), arg_of(m, access), kind_writes(kind_of(m, access)),
                            kind_atomic(kind_of(m, access)));
}
