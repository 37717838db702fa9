/* Semaphores in a window: of the posts that may come before a semwait there must be enough. */
#include "base/memory.h"
#include "model/tokens.h"
#include "solve/window.h"

#include <string.h>

void window_find_tokens(struct window *w, const struct query *q)
{
    const struct model *m = w->m;

    w->sem_nodes_count = 0;
    w->most = q->most;
    if (q->observed || m->sem_waits.groups_count == 0)
        return;
    for (uint32_t node = 0; node < w->nodes; node++)
        if (kind_of(m, w->events[node]) == EVENT_SEM_WAIT) {
            ARRAY_PUSH(w, sem_nodes, node);
            w->semaphore_touched[arg_of(m, w->events[node])] = 0;
        }
}

/* How many of a thread's posts may come before the semwait, and whether a longer run has more of them. */
static uint32_t posts_not_after(const struct window *w, const struct thread_group *g, uint32_t wait, bool *more)
{
    const struct model *m = w->m;
    event_id e = w->events[wait];
    uint32_t inside = group_up_to(m, &m->posts, g, w->high[g->thread]);
    uint32_t possible = group_up_to(m, &m->posts, g, w->most[g->thread]);
    uint32_t low = group_up_to(m, &m->posts, g, w->low[g->thread]), high = inside;

    if (g->thread == thread_of(m, e))
        return group_up_to(m, &m->posts, g, m->position[e]);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        event_id post = m->posts.events[g->first + middle];
        if (node_before(w, wait, window_node(w, post)))
            high = middle;
        else
            low = middle + 1;
    }
    if (low < inside || possible <= inside)
        return low;
    *more = true;
    return w->prefix ? low : possible;
}

static bool lacks(struct window *w, uint32_t semaphore, bool more)
{
    if (more && w->prefix)
        w->token_lack[semaphore] = w->any_lack = true;
    return more;
}

/* Each thread contributes what the others cannot. */
static bool add_posts(struct window *w, uint32_t wait)
{
    const struct model *m = w->m;
    event_id e = w->events[wait];
    uint32_t s = arg_of(m, e);
    int64_t need = 1 - m->initial_tokens[s], all = 0;
    bool more = false;

    for (uint32_t i = m->sem_waits.start[s]; i < m->sem_waits.start[s + 1]; i++) {
        const struct thread_group *g = &m->sem_waits.groups[i];
        uint32_t known = w->columns[g->thread] == COLUMN_NONE ? 0 : node_count(w, wait, g->thread);
        if (w->prefix && known < w->low[g->thread])
            known = w->low[g->thread];
        need += group_up_to(m, &m->sem_waits, g, known);
    }
    if (need <= 0)
        return true;
    for (uint32_t i = m->posts.start[s]; i < m->posts.start[s + 1]; i++)
        all += posts_not_after(w, &m->posts.groups[i], wait, &more);
    if (all < need) {
        lacks(w, s, more);
        w->cycle_from = w->cycle_to = wait;
        w->cycle_reason = EDGE_TOKEN;
        return false;
    }
    for (uint32_t i = m->posts.start[s]; i < m->posts.start[s + 1]; i++) {
        const struct thread_group *g = &m->posts.groups[i];
        int64_t own = need - (all - posts_not_after(w, g, wait, &more));
        if (g->thread == thread_of(m, e) || own <= 0)
            continue;
        uint32_t post = window_node(w, m->posts.events[g->first + (uint32_t)own - 1]);
        if (post == NODE_BEFORE || (post != NODE_OUT && node_before(w, post, wait)))
            continue;
        lacks(w, s, more);
        if (post != NODE_OUT && !window_add(w, post, wait, EDGE_TOKEN))
            return false;
    }
    return true;
}

bool window_saturate_tokens(struct window *w)
{
    uint32_t last = w->tokens_pass;

    w->tokens_pass = ++w->pass;
    for (size_t i = 0; i < w->sem_nodes_count; i++) {
        if (w->semaphore_touched[arg_of(w->m, w->events[w->sem_nodes[i]])] < last)
            continue;
        w->effort++;
        if (!add_posts(w, w->sem_nodes[i]))
            return false;
    }
    return true;
}

static bool is_open(const struct window *w, uint32_t a, uint32_t b)
{
    return a != b && !node_before(w, a, b) && !node_before(w, b, a);
}

static void set_choice(const struct window *w, uint32_t a, uint32_t b, struct choice *choice)
{
    bool swap = w->events[b] < w->events[a];

    choice->reason = EDGE_TOKEN;
    choice->side[swap].from = a;
    choice->side[swap].to = b;
    choice->side[!swap].from = b;
    choice->side[!swap].to = a;
}

/* A post of the semaphore that is not known to come before or after the semwait. */
static bool post_choice(const struct window *w, uint32_t wait, struct choice *choice)
{
    const struct model *m = w->m;
    uint32_t s = arg_of(m, w->events[wait]);

    for (uint32_t i = m->posts.start[s]; i < m->posts.start[s + 1]; i++) {
        const struct thread_group *g = &m->posts.groups[i];
        for (uint32_t k = 0; k < g->count; k++) {
            uint32_t post = window_node(w, m->posts.events[g->first + k]);
            if (post < NODE_OUT && is_open(w, post, wait)) {
                set_choice(w, post, wait, choice);
                return true;
            }
        }
    }
    return false;
}

static bool wait_choice(const struct window *w, uint32_t wait, bool done, struct choice *choice)
{
    const struct model *m = w->m;

    for (size_t i = 0; i < w->sem_nodes_count; i++) {
        event_id other = w->events[w->sem_nodes[i]];
        if (arg_of(m, other) != arg_of(m, w->events[wait]) || !is_open(w, w->sem_nodes[i], wait) ||
            (done && m->position[other] >= w->done[thread_of(m, other)]))
            continue;
        set_choice(w, w->sem_nodes[i], wait, choice);
        return true;
    }
    return false;
}

bool window_token_choice(const struct window *w, struct choice *choice)
{
    for (size_t i = 0; i < w->sem_nodes_count; i++)
        if (wait_choice(w, w->sem_nodes[i], false, choice) || post_choice(w, w->sem_nodes[i], choice))
            return true;
    return false;
}

bool window_token_blame(const struct window *w, uint32_t node, struct choice *choice)
{
    if (!wait_choice(w, node, true, choice))
        return post_choice(w, node, choice);
    struct choice turned = *choice; /* what was done turned round first */
    if (choice->side[0].to == node) {
        choice->side[0] = turned.side[1];
        choice->side[1] = turned.side[0];
    }
    return true;
}

void window_start_tokens(struct window *w)
{
    const struct model *m = w->m;

    for (size_t i = 0; i < w->sem_nodes_count; i++) {
        uint32_t s = arg_of(m, w->events[w->sem_nodes[i]]);
        w->tokens[s] = m->initial_tokens[s];
        for (uint32_t k = m->posts.start[s]; k < m->posts.start[s + 1]; k++)
            w->tokens[s] += group_up_to(m, &m->posts, &m->posts.groups[k], w->low[m->posts.groups[k].thread]);
        for (uint32_t k = m->sem_waits.start[s]; k < m->sem_waits.start[s + 1]; k++)
            w->tokens[s] -=
                group_up_to(m, &m->sem_waits, &m->sem_waits.groups[k], w->low[m->sem_waits.groups[k].thread]);
    }
}

bool window_has_token(const struct window *w, event_id e)
{
    return kind_of(w->m, e) != EVENT_SEM_WAIT || w->sem_nodes_count == 0 || !w->prefix ||
           w->tokens[arg_of(w->m, e)] > 0;
}

void window_move_token(struct window *w, event_id e)
{
    if (kind_of(w->m, e) == EVENT_SEM_WAIT)
        w->tokens[arg_of(w->m, e)]--;
    else if (kind_of(w->m, e) == EVENT_POST)
        w->tokens[arg_of(w->m, e)]++;
}
