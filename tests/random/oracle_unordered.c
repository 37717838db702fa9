/* C11 happens-before on the trace as observed (semantics §3, `unordered`): every rule adds its edges to a matrix,
 * which is then closed.
 *
 * The modification order of a variable is the order of its writes in the trace. */
#include "random/oracle_meaning.h"

struct order {
    const struct meaning *m;
    event_set before[EVENT_SLOTS]; /* bit a of before[b]: a happens before b */
};

static void add_edge(struct order *order, size_t from, size_t to)
{
    order->before[to] |= one_event(from);
}

/* Program order, and what the trace shows of threads, conditions, barriers and semaphores. */
static void order_required(struct order *order)
{
    const struct meaning *m = order->m;

    for (size_t e = 1; e <= m->count; e++) {
        order->before[e] |= m->observed_after[e];
        order->before[e] |= m->of_thread[m->thread[e]] & (one_event(e) - 1);
    }
}

/* A section of a lock ends before every later one that it excludes begins. */
static void order_sections(struct order *order)
{
    const struct meaning *m = order->m;

    for (event_set rest = m->exclusive_sections | m->shared_sections; rest; rest &= rest - 1) {
        size_t section = first_event(rest);
        for (event_set rivals = m->section_rivals[section]; rivals; rivals &= rivals - 1) {
            size_t rival_end = m->section_end[first_event(rivals)];
            if (rival_end && rival_end < section)
                add_edge(order, rival_end, section);
        }
    }
}

/* ORDER_NONE is sequential consistency, which releases and acquires; only atomics and fences are asked. */
static bool releases(const struct meaning *m, size_t event)
{
    enum memory_ordering order = op_order(m->trace->op[event]);

    return order != ORDER_RELAXED && order != ORDER_ACQUIRE;
}

static bool acquires(const struct meaning *m, size_t event)
{
    enum memory_ordering order = op_order(m->trace->op[event]);

    return order != ORDER_RELAXED && order != ORDER_RELEASE;
}

static bool atomic_write(const struct meaning *m, size_t event)
{
    return kind_atomic(kind_of(m, event)) && kind_writes(kind_of(m, event));
}

static bool atomic_read(const struct meaning *m, size_t event)
{
    return kind_atomic(kind_of(m, event)) && kind_reads(kind_of(m, event));
}

/* The release sequence `head` heads, or would head if it were a release (C11 5.1.2.4p10): itself and the writes
 * that follow it in modification order, up to the first that is neither of its thread nor an rmw or cas. */
static event_set release_sequence(const struct meaning *m, size_t head)
{
    event_set sequence = one_event(head);

    for (size_t w = head + 1; w <= m->count; w++) {
        if (!has_event(m->writes_beside[head], w))
            continue;
        if (m->thread[w] != m->thread[head] && !kind_updates(kind_of(m, w)))
            break;
        sequence |= one_event(w);
    }
    return sequence;
}

/* Where a release by way of the atomic write `head` starts: at the write itself if it is a release, and at
 * every release fence its thread did before (C11 7.17.4p2, p3). */
static event_set release_points(const struct meaning *m, size_t head)
{
    event_set points = releases(m, head) ? one_event(head) : 0;

    for (size_t f = 1; f < head; f++) {
        if (m->thread[f] == m->thread[head] && kind_of(m, f) == EVENT_FENCE && releases(m, f))
            points |= one_event(f);
    }
    return points;
}

/* Where an acquire by way of the atomic read `read` arrives: at the read itself if it is an acquire, and at
 * every acquire fence its thread does afterwards (C11 7.17.4p2, p4). */
static event_set acquire_points(const struct meaning *m, size_t read)
{
    event_set points = acquires(m, read) ? one_event(read) : 0;

    for (size_t f = read + 1; f <= m->count; f++) {
        if (m->thread[f] == m->thread[read] && kind_of(m, f) == EVENT_FENCE && acquires(m, f))
            points |= one_event(f);
    }
    return points;
}

/* What is released by way of `head` is acquired by way of each atomic read from its release sequence. */
static void order_atomics(struct order *order)
{
    const struct meaning *m = order->m;

    for (size_t head = 1; head <= m->count; head++) {
        if (!atomic_write(m, head))
            continue;

        event_set sequence = release_sequence(m, head), released = release_points(m, head);

        for (size_t read = head + 1; read <= m->count; read++) {
            if (!atomic_read(m, read) || !has_event(m->reads_beside[head], read) ||
                !has_event(sequence, m->rf[read]))
                continue;
            for (event_set to = acquire_points(m, read); to; to &= to - 1)
                order->before[first_event(to)] |= released;
        }
    }
}

static void close_order(struct order *order)
{
    for (size_t middle = 1; middle <= order->m->count; middle++) {
        for (size_t e = 1; e <= order->m->count; e++) {
            if (has_event(order->before[e], middle))
                order->before[e] |= order->before[middle];
        }
    }
}

void meaning_unordered(const struct meaning *m, struct tuple_set *pairs)
{
    struct order order = {.m = m};

    order_required(&order);
    order_sections(&order);
    order_atomics(&order);
    close_order(&order);
    for (size_t a = 1; a <= m->count; a++) {
        for (size_t b = a + 1; b <= m->count; b++) {
            if (meaning_conflict(m, a, b) && !has_event(order.before[b], a) && !has_event(order.before[a], b))
                tuples_add2(pairs, a, b);
        }
    }
}
