/* Runs a window: an order of its nodes that fits the partial order and semantics §2, as near to the observed one as
 * the first choice at each step allows. */
#include "base/invariant.h"
#include "base/memory.h"
#include "base/row.h"
#include "solve/turns.h"

#include <string.h>

/* Readers still to see each write, locks as they are before the window, nobody has moved. */
static void start_run(struct window *w)
{
    const struct model *m = w->m;

    w->pending = memory_grow(w->pending, &w->pending_capacity, w->nodes, sizeof *w->pending);
    memset(w->pending, 0, w->nodes * sizeof *w->pending);
    memcpy(w->done, w->low, m->thread_count * sizeof *w->done);
    for (uint32_t i = 0; i < w->columns_count; i++)
        w->reached[i] = w->low[w->column_threads[i]];
    window_start_tokens(w);
    if (w->soft_nodes_count > 0)
        window_start_values(w);
    for (size_t i = 0; i < w->couples_count; i++) {
        const struct couple *c = &w->couples[i];
        uint32_t source = c->from;
        if (source == NODE_BEFORE)
            w->variables[arg_of(m, w->events[c->reader])].pending++;
        else
            w->pending[source]++;
    }
    for (size_t i = 0; i < w->sections_count; i++) {
        struct window_section *s = &w->sections[i];
        s->held = s->acquire == NODE_BEFORE && s->release != NODE_BEFORE;
        if (s->held && s->shared)
            w->locks[s->lock].readers++;
        else if (s->held)
            w->locks[s->lock].owner = s->owner + 1;
    }
}

static void clean_up(struct window *w)
{
    const struct model *m = w->m;

    for (uint32_t node = 0; node < w->nodes; node++) {
        if (kind_accesses(kind_of(m, w->events[node]))) {
            variable_id x = arg_of(m, w->events[node]);
            w->variables[x].pending = 0;
            w->variables[x].current = 0;
        }
    }
    for (size_t i = 0; i < w->sections_count; i++) {
        w->locks[w->sections[i].lock].owner = 0;
        w->locks[w->sections[i].lock].readers = 0;
    }
}

/* The section of the lock that the thread holds in reader mode now, or NULL. */
static struct window_section *own_reader_hold(struct window *w, lock_id lock, thread_id owner)
{
    for (size_t i = 0; i < w->sections_count; i++) {
        struct window_section *s = &w->sections[i];
        if (s->lock == lock && s->owner == owner && s->shared && s->held)
            return s;
    }
    return NULL;
}

static bool lock_allows(struct window *w, uint32_t node, thread_id t, lock_id lock)
{
    if (w->actions[node] != LOCK_TAKE && w->actions[node] != LOCK_TAKE_SHARED)
        return true;
    if (w->locks[lock].owner != 0 && w->locks[lock].owner != t + 1)
        return false;
    if (w->actions[node] == LOCK_TAKE_SHARED || w->locks[lock].readers == 0)
        return true;
    return w->locks[lock].readers == 1 && own_reader_hold(w, lock, t);
}

/* The readers still to see what the variable holds now. */
static uint32_t *pending_now(struct window *w, variable_id x)
{
    return w->variables[x].current == 0 ? &w->variables[x].pending : &w->pending[w->variables[x].current - 1];
}

static bool data_allows(struct window *w, uint32_t node, variable_id x)
{
    uint32_t sees = w->sees[node]; /* node + 1 of the source, 0: before the window, UINT32_MAX: anything */

    if (sees != UINT32_MAX && w->variables[x].current != sees)
        return false;
    return !node_writes(w, node) || *pending_now(w, x) == (sees != UINT32_MAX);
}

static bool order_allows(const struct window *w, uint32_t node)
{
    return row_first_larger(node_clock(w, node), w->reached, 0, w->columns_count) == w->columns_count;
}

/* The same of a thread's next node. What has run stays so, so columns that it does not wait for any more are passed over. */
static bool order_allows_turn(struct window *w, struct turn *turn, uint32_t node)
{
    if (turn->column == w->columns_count)
        return true;
    if (turn->needs > w->reached[turn->column])
        return false;
    turn->column = row_first_larger(node_clock(w, node), w->reached, turn->column, w->columns_count);
    turn->needs = turn->column < w->columns_count ? node_clock(w, node)[turn->column] : 0;
    w->effort += w->width / ROW_UNIT;
    return turn->column == w->columns_count;
}

static bool may_run(struct window *w, uint32_t node)
{
    event_id e = w->events[node];

    if (kind_accesses(kind_of(w->m, e)))
        return data_allows(w, node, arg_of(w->m, e));
    return window_has_token(w, e) && lock_allows(w, node, thread_of(w->m, e), arg_of(w->m, e));
}

static void mark_held(struct window *w, uint32_t node, bool held)
{
    for (size_t i = 0; i < w->sections_count; i++)
        if ((held ? w->sections[i].acquire : w->sections[i].release) == node)
            w->sections[i].held = held;
}

static void run_node(struct window *w, uint32_t node)
{
    event_id e = w->events[node];
    enum event_kind kind = kind_of(w->m, e);
    uint32_t arg = arg_of(w->m, e);

    if (kind_accesses(kind)) {
        if (w->soft_nodes_count > 0)
            window_run_values(w, node);
        if (w->sees[node] != UINT32_MAX) {
            assert(*pending_now(w, arg) > 0);
            --*pending_now(w, arg);
        }
        if (node_writes(w, node))
            w->variables[arg].current = node + 1;
    } else {
        window_move_token(w, e);
    }
    switch (w->actions[node]) {
    case LOCK_TAKE:
        assert(w->locks[arg].owner == 0 || w->locks[arg].owner == thread_of(w->m, e) + 1);
        w->locks[arg].owner = thread_of(w->m, e) + 1;
        break;
    case LOCK_GIVE:
        assert(w->locks[arg].owner == thread_of(w->m, e) + 1);
        w->locks[arg].owner = 0;
        break;
    case LOCK_TAKE_SHARED:
        w->locks[arg].readers++;
        mark_held(w, node, true);
        break;
    case LOCK_GIVE_SHARED:
        assert(w->locks[arg].readers > 0);
        w->locks[arg].readers--;
        mark_held(w, node, false);
        break;
    default:
        break;
    }
    w->done[thread_of(w->m, e)]++;
    w->reached[w->columns[thread_of(w->m, e)]]++;
}

static uint32_t node_of_turn(const struct window *w, size_t turn)
{
    thread_id t = w->turns[turn].thread;

    return w->first[t] + (w->done[t] - w->low[t]);
}

/* Of the runnable nodes that see what they must, or else of all, the turn of the one that was observed first; or turns_count. */
static size_t choose(struct window *w)
{
    size_t unfit = w->turns_count;

    for (size_t i = 0; i < w->turns_count; i++) {
        uint32_t node = node_of_turn(w, i);
        bool runs = order_allows_turn(w, &w->turns[i], node) && may_run(w, node);
        if (runs && (w->soft_nodes_count == 0 || window_sees_fit(w, node)))
            return i;
        w->effort += i % SCAN_UNIT == 0;
        unfit = unfit == w->turns_count && runs ? i : unfit;
    }
    return unfit;
}

static void find_sources(struct window *w)
{
    w->sees = memory_grow(w->sees, &w->sees_capacity, w->nodes, sizeof *w->sees);
    memset(w->sees, 0xff, w->nodes * sizeof *w->sees);
    for (size_t i = 0; i < w->couples_count; i++) {
        const struct couple *c = &w->couples[i];
        uint32_t source = c->from;
        w->sees[c->reader] = source == NODE_BEFORE ? 0 : source + 1;
    }
}

/* The section of the lock that thread `owner` holds now in this run, exclusively or not, or NULL. */
static const struct window_section *holder_section(const struct window *w, lock_id lock, thread_id not_of)
{
    for (size_t i = 0; i < w->sections_count; i++) {
        const struct window_section *s = &w->sections[i];
        bool taken = s->acquire == NODE_BEFORE || w->m->position[w->events[s->acquire]] < w->done[s->owner];
        bool given = s->release == NODE_BEFORE ||
                     (s->release != NODE_OUT && w->m->position[w->events[s->release]] < w->done[s->owner]);
        if (s->lock == lock && s->owner != not_of && taken && !given)
            return s;
    }
    return NULL;
}

static const struct window_section *section_of_node(const struct window *w, uint32_t node)
{
    for (size_t i = 0; i < w->sections_count; i++)
        if (w->sections[i].acquire == node)
            return &w->sections[i];
    return NULL;
}

/* A node waits for a lock: shall its section come before the one that holds it? */
static bool lock_blame(const struct window *w, uint32_t node, struct choice *choice)
{
    const struct window_section *mine = section_of_node(w, node);
    const struct window_section *other =
        holder_section(w, arg_of(w->m, w->events[node]), thread_of(w->m, w->events[node]));

    if (!mine || !other || other->acquire == NODE_BEFORE || mine->release == NODE_OUT ||
        other->release == NODE_OUT)
        return false;
    choice->reason = EDGE_LOCK;
    choice->side[0].from = mine->release;
    choice->side[0].to = other->acquire;
    choice->side[1].from = other->release;
    choice->side[1].to = mine->acquire;
    return true;
}

/* Whether a couple and the write `other` are in each other's way. */
static bool couple_blame(const struct window *w, uint32_t source, uint32_t reader, uint32_t other,
                         struct choice *choice)
{
    if (source == other || reader == other || node_before(w, other, source) || node_before(w, reader, other))
        return false;
    choice->reason = EDGE_DATA;
    choice->side[0].from = other;
    choice->side[0].to = source;
    choice->side[1].from = reader;
    choice->side[1].to = other;
    return true;
}

/* A node waits because of what its variable holds now: which write is out of place? */
static bool data_blame(const struct window *w, uint32_t node, struct choice *choice)
{
    variable_id x = arg_of(w->m, w->events[node]);
    uint32_t now = w->variables[x].current, sees = w->sees[node];

    if (sees != UINT32_MAX && now != sees) /* it reads, and another write came first */
        return sees != 0 && now != 0 && couple_blame(w, sees - 1, node, now - 1, choice);
    for (size_t i = 0; now != 0 && i < w->couples_count; i++) {
        uint32_t reader = w->couples[i].reader;
        event_id e = w->events[reader];
        if (w->sees[reader] == now && w->m->position[e] >= w->done[thread_of(w->m, e)] && reader != node &&
            couple_blame(w, now - 1, reader, node, choice))
            return true;
    }
    return false;
}

/* Where a run got stuck: the first open choice that a waiting node points to, what was done turned round first.
 */
static void find_blame(struct window *w)
{
    const struct model *m = w->m;

    for (thread_id t = 0; t < m->thread_count && !w->has_blame; t++) {
        if (w->done[t] == w->high[t])
            continue;
        uint32_t node = w->first[t] + (w->done[t] - w->low[t]);
        if (!order_allows(w, node))
            continue;
        struct choice *choice = &w->blame;
        enum event_kind kind = kind_of(m, w->events[node]);
        bool found = kind_accesses(kind)      ? data_blame(w, node, choice)
                     : kind == EVENT_SEM_WAIT ? window_token_blame(w, node, choice)
                                              : lock_blame(w, node, choice);
        w->has_blame = found && !node_before(w, choice->side[0].from, choice->side[0].to) &&
                       !node_before(w, choice->side[1].from, choice->side[1].to);
    }
}

bool window_linearize(struct window *w, event_id *order)
{
    uint32_t count = 0;
    size_t turn;

    assert(!w->patient);
    assert_costly(window_is_ordered(w));
    w->effort += w->nodes;
    start_run(w);
    find_sources(w);
    w->has_blame = false;
    turns_begin(w);
    for (; count < w->nodes && !window_is_spent(w) && (turn = choose(w)) < w->turns_count;
         turns_pass(w, turn)) {
        order[count++] = w->turns[turn].event;
        run_node(w, node_of_turn(w, turn));
    }
    if (count < w->nodes && !window_is_spent(w))
        find_blame(w);
    clean_up(w);
    assert_costly(count < w->nodes || (run_keeps_order(w, order) && run_keeps_edges(w, order)));
    return count == w->nodes;
}
