/* What a process can do: the operational semantics, one rule an operator. */
#include "method/csp/process_parts.h"

#include <assert.h>
#include <stdlib.h>

static void add(struct csp_steps *to, csp_event event, process_id then)
{
    ARRAY_PUSH(to, steps, (struct csp_step){event, then});
}

static bool is_visible(csp_event event)
{
    return event >= CSP_FIRST;
}

/* An internal step does not decide a choice. */
static void choice_side(struct csp *c, process_id side, process_id other, bool left, struct csp_steps *to)
{
    size_t from = to->steps_count;

    csp_transitions(c, side, to);
    for (size_t i = from; i < to->steps_count; i++) {
        process_id then = to->steps[i].then;
        if (to->steps[i].event == CSP_TAU)
            to->steps[i].then = left ? csp_choice(c, then, other) : csp_choice(c, other, then);
    }
}

static void choice_over(const struct csp *c, struct term t, struct csp_steps *to)
{
    size_t events = c->sets[t.a].bits_count * 8;

    for (csp_event e = CSP_FIRST; e < events; e++)
        if (csp_set_has(c, t.a, e))
            add(to, e, t.b);
}

/* Whether both sides take part in an event; both terminate together. */
static bool is_shared(const struct csp *c, struct term t, csp_event e)
{
    return e == CSP_TICK || (t.op == TERM_PARALLEL && is_visible(e) && csp_set_has(c, t.c, e));
}

static process_id together(struct csp *c, struct term t, process_id p, process_id q)
{
    return t.op == TERM_PARALLEL ? csp_parallel(c, p, t.c, q) : csp_interleave(c, p, q);
}

/* Interleaving is the parallel operator with nothing shared. */
static void side_by_side(struct csp *c, struct term t, struct csp_steps *to)
{
    struct csp_steps left = {0}, right = {0};

    csp_transitions(c, t.a, &left);
    csp_transitions(c, t.b, &right);
    for (size_t i = 0; i < left.steps_count; i++) {
        struct csp_step p = left.steps[i];
        if (!is_shared(c, t, p.event)) {
            add(to, p.event, together(c, t, p.then, t.b));
            continue;
        }
        for (size_t k = 0; k < right.steps_count; k++)
            if (right.steps[k].event == p.event)
                add(to, p.event,
                    p.event == CSP_TICK ? csp_stop(c) : together(c, t, p.then, right.steps[k].then));
    }
    for (size_t k = 0; k < right.steps_count; k++)
        if (!is_shared(c, t, right.steps[k].event))
            add(to, right.steps[k].event, together(c, t, t.a, right.steps[k].then));
    free(left.steps);
    free(right.steps);
}

/* Any event of the right side ends the left one; until then the left side can be interrupted. */
static void interrupt(struct csp *c, struct term t, struct csp_steps *to)
{
    size_t from = to->steps_count;

    csp_transitions(c, t.a, to);
    for (size_t i = from; i < to->steps_count; i++)
        if (to->steps[i].event != CSP_TICK)
            to->steps[i].then = csp_interrupt(c, to->steps[i].then, t.b);
    from = to->steps_count;
    csp_transitions(c, t.b, to);
    for (size_t i = from; i < to->steps_count; i++)
        if (to->steps[i].event == CSP_TAU)
            to->steps[i].then = csp_interrupt(c, t.a, to->steps[i].then);
}

static void hide(struct csp *c, struct term t, struct csp_steps *to)
{
    size_t from = to->steps_count;

    csp_transitions(c, t.a, to);
    for (size_t i = from; i < to->steps_count; i++) {
        struct csp_step *s = &to->steps[i];
        if (s->event == CSP_TICK)
            continue;
        if (is_visible(s->event) && csp_set_has(c, t.b, s->event))
            s->event = CSP_TAU;
        to->steps[i].then = csp_hide(c, s->then, t.b);
    }
}

static void sequence(struct csp *c, struct term t, struct csp_steps *to)
{
    size_t from = to->steps_count;

    csp_transitions(c, t.a, to);
    for (size_t i = from; i < to->steps_count; i++) {
        if (to->steps[i].event == CSP_TICK)
            to->steps[i] = (struct csp_step){CSP_TAU, t.b};
        else
            to->steps[i].then = csp_sequence(c, to->steps[i].then, t.b);
    }
}

void csp_transitions(struct csp *c, process_id p, struct csp_steps *to)
{
    struct term t = *term_of(c, p); /* a copy: making terms moves them */

    switch (t.op) {
    case TERM_STOP:
        return;
    case TERM_SKIP:
        add(to, CSP_TICK, csp_stop(c));
        return;
    case TERM_PREFIX:
        add(to, t.a, t.b);
        return;
    case TERM_CHOICE:
        choice_side(c, t.a, t.b, true, to);
        choice_side(c, t.b, t.a, false, to);
        return;
    case TERM_CHOICE_OVER:
        choice_over(c, t, to);
        return;
    case TERM_INTERLEAVE:
    case TERM_PARALLEL:
        side_by_side(c, t, to);
        return;
    case TERM_INTERRUPT:
        interrupt(c, t, to);
        return;
    case TERM_HIDE:
        hide(c, t, to);
        return;
    case TERM_SEQUENCE:
        sequence(c, t, to);
        return;
    case TERM_CALL:
        csp_transitions(c, term_unfold(c, p), to);
        return;
    }
}

/* Whether a process without hiding can terminate now. */
static bool can_end(struct csp *c, process_id p)
{
    struct term t = *term_of(c, p);

    switch (t.op) {
    case TERM_SKIP:
        return true;
    case TERM_CHOICE:
    case TERM_INTERRUPT:
        return can_end(c, t.a) || can_end(c, t.b);
    case TERM_INTERLEAVE:
    case TERM_PARALLEL:
    case TERM_SEQUENCE:
        return can_end(c, t.a) && can_end(c, t.b);
    case TERM_CALL:
        return can_end(c, term_unfold(c, p));
    default:
        return false;
    }
}

static void after_both(struct csp *c, struct term t, csp_event event, struct csp_steps *to)
{
    struct csp_steps left = {0}, right = {0};

    csp_after(c, t.a, event, &left);
    if (left.steps_count > 0)
        csp_after(c, t.b, event, &right);
    for (size_t i = 0; i < left.steps_count; i++)
        for (size_t k = 0; k < right.steps_count; k++)
            add(to, event, csp_parallel(c, left.steps[i].then, t.c, right.steps[k].then));
    free(left.steps);
    free(right.steps);
}

static void after_either(struct csp *c, struct term t, csp_event event, struct csp_steps *to)
{
    size_t from = to->steps_count;

    csp_after(c, t.a, event, to);
    for (size_t i = from; i < to->steps_count; i++)
        to->steps[i].then = together(c, t, to->steps[i].then, t.b);
    from = to->steps_count;
    csp_after(c, t.b, event, to);
    for (size_t i = from; i < to->steps_count; i++)
        to->steps[i].then = together(c, t, t.a, to->steps[i].then);
}

/* Appends the successors of the left part, each under the operator again, then those of the right part. */
static void after_left(struct csp *c, struct term t, csp_event event, struct csp_steps *to)
{
    size_t from = to->steps_count;

    csp_after(c, t.a, event, to);
    for (size_t i = from; i < to->steps_count; i++)
        to->steps[i].then = t.op == TERM_SEQUENCE ? csp_sequence(c, to->steps[i].then, t.b)
                                                  : csp_interrupt(c, to->steps[i].then, t.b);
    if (t.op == TERM_INTERRUPT || can_end(c, t.a))
        csp_after(c, t.b, event, to);
}

void csp_after(struct csp *c, process_id p, csp_event event, struct csp_steps *to)
{
    struct term t = *term_of(c, p);

    assert(is_visible(event) && t.op != TERM_HIDE);
    switch (t.op) {
    case TERM_PREFIX:
        if (t.a == event)
            add(to, event, t.b);
        return;
    case TERM_CHOICE:
        csp_after(c, t.a, event, to);
        csp_after(c, t.b, event, to);
        return;
    case TERM_CHOICE_OVER:
        if (csp_set_has(c, t.a, event))
            add(to, event, t.b);
        return;
    case TERM_INTERLEAVE:
    case TERM_PARALLEL:
        if (is_shared(c, t, event))
            after_both(c, t, event, to);
        else
            after_either(c, t, event, to);
        return;
    case TERM_INTERRUPT:
    case TERM_SEQUENCE:
        after_left(c, t, event, to);
        return;
    case TERM_CALL:
        csp_after(c, term_unfold(c, p), event, to);
        return;
    default:
        return;
    }
}
