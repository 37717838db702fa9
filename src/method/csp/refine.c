/* Trace refinement: the implementation is walked breadth first, beside it the set of states the specification
 * may be in after the same trace. */
#include "method/csp/process_parts.h"

#include <stdlib.h>
#include <string.h>

/* A set of the specification's states, closed under internal steps, sorted. */
struct spec_state {
    process_id *states;
    size_t states_count, states_capacity;
};

struct walk_node {
    uint32_t spec;
    process_id implementation;
    uint32_t from; /* the node it was reached from */
    csp_event by;
};

struct refinement {
    struct csp *c;
    struct spec_state *specs;
    size_t specs_count, specs_capacity;
    struct walk_node *nodes;
    size_t nodes_count, nodes_capacity;
    struct map met;        /* (specification, implementation) → 1 */
    struct map spec_after; /* (specification, event) → its state afterwards, plus 1 */
};

static bool spec_add(struct spec_state *s, process_id p)
{
    size_t at = s->states_count;

    for (size_t i = 0; i < s->states_count; i++)
        if (s->states[i] == p)
            return false;
    ARRAY_PUSH(s, states, p);
    for (; at > 0 && s->states[at - 1] > p; at--)
        s->states[at] = s->states[at - 1];
    s->states[at] = p;
    return true;
}

static void spec_close(struct csp *c, struct spec_state *s, process_id p)
{
    struct csp_steps steps = {0};

    if (!spec_add(s, p))
        return;
    csp_transitions(c, p, &steps);
    for (size_t i = 0; i < steps.steps_count; i++)
        if (steps.steps[i].event == CSP_TAU)
            spec_close(c, s, steps.steps[i].then);
    free(steps.steps);
}

/* The number of a set of states; takes it over. */
static uint32_t spec_number(struct refinement *r, struct spec_state s)
{
    for (size_t i = 0; i < r->specs_count; i++) {
        if (r->specs[i].states_count == s.states_count &&
            memcmp(r->specs[i].states, s.states, s.states_count * sizeof *s.states) == 0) {
            free(s.states);
            return (uint32_t)i;
        }
    }
    ARRAY_PUSH(r, specs, s);
    return (uint32_t)r->specs_count - 1;
}

/* Where the specification is after one more event; false: it does not allow it. */
static bool spec_step(struct refinement *r, uint32_t spec, csp_event event, uint32_t *then)
{
    uint32_t known = map_get(&r->spec_after, map_pair(spec, event));
    struct spec_state next = {0};

    for (size_t i = 0; known == 0 && i < r->specs[spec].states_count; i++) {
        struct csp_steps steps = {0};
        csp_transitions(r->c, r->specs[spec].states[i], &steps);
        for (size_t k = 0; k < steps.steps_count; k++)
            if (steps.steps[k].event == event)
                spec_close(r->c, &next, steps.steps[k].then);
        free(steps.steps);
    }
    if (known == 0 && next.states_count == 0)
        return false;
    if (known == 0) {
        known = spec_number(r, next) + 1;
        *map_at(&r->spec_after, map_pair(spec, event)) = known;
    }
    *then = known - 1;
    return true;
}

static void visit(struct refinement *r, uint32_t spec, process_id implementation, uint32_t from, csp_event by)
{
    uint32_t *met = map_at(&r->met, map_pair(spec, implementation));

    if (*met)
        return;
    *met = 1;
    ARRAY_PUSH(r, nodes, (struct walk_node){spec, implementation, from, by});
}

static void tell_trace(const struct refinement *r, uint32_t node, csp_event last, struct csp_refinement *out)
{
    ARRAY_PUSH(out, trace, last);
    for (; node != 0; node = r->nodes[node].from)
        ARRAY_PUSH(out, trace, r->nodes[node].by);
    for (size_t i = 0, k = out->trace_count - 1; i < k; i++, k--) {
        csp_event swap = out->trace[i];
        out->trace[i] = out->trace[k];
        out->trace[k] = swap;
    }
}

/* Looks at what one node can do. */
static void expand(struct refinement *r, uint32_t at, struct csp_refinement *out)
{
    struct walk_node node = r->nodes[at];
    struct csp_steps steps = {0};

    csp_transitions(r->c, node.implementation, &steps);
    for (size_t i = 0; i < steps.steps_count && out->verdict == CSP_REFINES; i++) {
        uint32_t spec = node.spec;
        out->transitions++;
        if (steps.steps[i].event != CSP_TAU && !spec_step(r, node.spec, steps.steps[i].event, &spec)) {
            out->verdict = CSP_VIOLATES;
            tell_trace(r, at, steps.steps[i].event, out);
        } else {
            visit(r, spec, steps.steps[i].then, at, steps.steps[i].event);
        }
    }
    free(steps.steps);
}

struct csp_refinement csp_refines(struct csp *c, process_id specification, process_id implementation,
                                  uint64_t budget)
{
    struct refinement r = {.c = c};
    struct csp_refinement out = {.verdict = CSP_REFINES};
    struct spec_state start = {0};

    spec_close(c, &start, specification);
    visit(&r, spec_number(&r, start), implementation, 0, CSP_TAU);
    for (uint32_t at = 0; at < r.nodes_count && out.verdict == CSP_REFINES; at++) {
        if (out.states++ == budget)
            out.verdict = CSP_OUT_OF_BUDGET;
        else
            expand(&r, at, &out);
    }
    for (size_t i = 0; i < r.specs_count; i++)
        free(r.specs[i].states);
    free(r.specs);
    free(r.nodes);
    map_free(&r.met);
    map_free(&r.spec_after);
    return out;
}
