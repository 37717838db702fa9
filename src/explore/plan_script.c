/* From a plan to the script that makes it happen. */
#include "base/memory.h"
#include "explore/explorer.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* What the thread was told from outside on its way to the node. */
static void add_inputs(const struct explorer *e, struct schedule_script *s, uint32_t node)
{
    const struct history *h = &e->history;
    size_t first = s->inputs_count;

    for (; node != NODE_NONE && h->nodes[node].parent != NODE_NONE; node = h->nodes[node].parent) {
        const struct move *m = &h->moves[h->nodes[node].move];
        const char *words = names_text(&h->sights, h->nodes[node].sight);
        uint64_t value;
        if (m->kind != MOVE_INPUT)
            continue;
        memcpy(&value, words, sizeof value);
        ARRAY_PUSH(s, inputs, (struct journal_input){h->nodes[node].thread, (uint32_t)m->value, value});
    }
    for (size_t low = first, high = s->inputs_count; low + 1 < high; low++) { /* the last came first */
        struct journal_input swap = s->inputs[low];
        s->inputs[low] = s->inputs[--high];
        s->inputs[high] = swap;
    }
}

/* Settings for the recorder of Java programs. */
static const char java_words[] = ",explore=1";

static event_op op_of(uint8_t kind)
{
    return op_make(kind == MOVE_WAIT                          ? EVENT_RELEASE
                   : kind == MOVE_WAKE || kind == MOVE_RESUME ? EVENT_ACQUIRE
                   : kind == MOVE_ENTER                       ? EVENT_BARRIER_ENTER
                                                              : EVENT_READ,
                   ORDER_NONE);
}

/* The thread that a step joins; UINT32_MAX: none. `node` is where the thread was before. */
static uint32_t joined_in(const struct history *h, const struct planned *p, uint32_t node)
{
    uint32_t after = p->node;

    if (after == NODE_NONE && h->nodes[node].next != MOVE_NONE) {
        const struct move *m = &h->moves[h->nodes[node].next];
        if (m->kind == MOVE_JOIN || (m->kind == MOVE_STUCK && m->value == WAIT_JOIN))
            return (uint32_t)m->at;
    }
    for (; after != node && after != NODE_NONE; after = h->nodes[after].parent)
        if (h->nodes[after].move != MOVE_NONE && h->moves[h->nodes[after].move].kind == MOVE_JOIN)
            return (uint32_t)h->moves[h->nodes[after].move].at;
    return UINT32_MAX;
}

/* A thread of a Java program still has records to make after its last move: it is let make them where somebody
 * waits for its end. */
static void add_end(const struct explorer *e, struct schedule_script *s, uint32_t thread, uint32_t node)
{
    const struct history *h = &e->history;
    uint32_t next = h->nodes[node].next;

    if (next != MOVE_NONE && h->moves[next].kind == MOVE_END)
        ARRAY_PUSH(s, steps,
                   (struct schedule_step){.thread = thread,
                                          .any_op = true,
                                          .arg = NAME_NONE,
                                          .location = NAME_NONE,
                                          .position = h->nodes[node].position + h->moves[next].ticks});
}

static void add_ends(const struct explorer *e, struct schedule_script *s, const struct planned *p,
                     const uint32_t *last)
{
    const struct history *h = &e->history;
    uint32_t node = last[p->thread] != NODE_NONE ? last[p->thread] : h->threads[p->thread].root;
    uint32_t joined = joined_in(h, p, node);

    if (h->java && joined < h->threads_count && joined < EXPLORE_THREADS)
        add_end(e, s, joined, last[joined] != NODE_NONE ? last[joined] : h->threads[joined].root);
}

void explorer_script(const struct explorer *e, const struct run_plan *plan, struct schedule_script *s)
{
    uint32_t last[EXPLORE_THREADS];

    memset(last, 0xff, sizeof last);
    script_init(s);
    s->seed = e->settings->seed;
    s->effects = !e->settings->java;
    if (e->settings->java)
        s->java = memory_text(java_words, strlen(java_words));
    memcpy(s->clocks, e->clocks, sizeof s->clocks);
    for (uint32_t t = 0; t < e->history.threads_count && (plan->steps_count || e->settings->java); t++) {
        char name[32];
        int length = snprintf(name, sizeof name, "thread %u", t);
        ARRAY_PUSH(s, threads,
                   (struct script_name){.name = names_add(&s->texts, name, (size_t)length),
                                        .parent = e->history.threads[t].name.maker,
                                        .ordinal = e->history.threads[t].name.ordinal});
    }
    for (size_t i = 0; i < plan->steps_count; i++) {
        const struct planned *p = &plan->steps[i];
        assert(p->thread < e->history.threads_count);
        add_ends(e, s, p, last);
        if (p->node != NODE_NONE)
            last[p->thread] = p->node;
        if (p->kind != MOVE_LEAVE)
            ARRAY_PUSH(s, steps,
                       (struct schedule_step){.thread = p->thread,
                                              .op = op_of(p->kind),
                                              .any_op = p->node == NODE_NONE,
                                              .arg = NAME_NONE,
                                              .location = NAME_NONE,
                                              .position = p->position});
    }
    for (uint32_t t = 0; t < e->history.threads_count && t < EXPLORE_THREADS; t++)
        add_inputs(e, s, last[t]);
}
