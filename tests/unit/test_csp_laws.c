/* The laws of CSP's operators in the traces model, for processes made at random: both sides refine each other.
 *
 * HEDDLE_SEED chooses the first seed; a failure prints the one that failed. */
#include "method/csp/process.h"
#include "random/generate.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 150 };
#else
enum { ROUNDS = 1500 };
#endif

enum { DEPTH = 3, EVENTS = 3, STATES = 100000, LOOP = 7, PING = 8 };

#define A (CSP_FIRST + 0)
#define B (CSP_FIRST + 1)
#define C (CSP_FIRST + 2)

/* LOOP(x) = x → LOOP(x); PING(x, y) = x → PING(y, x). */
static process_id unfold(struct csp *c, void *context, uint32_t definition, uint32_t a, uint32_t b)
{
    (void)context;
    return definition == LOOP ? csp_prefix(c, a, csp_call(c, LOOP, a, b))
                              : csp_prefix(c, a, csp_call(c, PING, b, a));
}

struct world {
    struct csp *c;
    uint64_t random, seed;
    csp_set none, a, b, ab, abc;
    bool hiding; /* random processes may hide */
};

static void world_init(struct world *w, uint64_t seed)
{
    *w = (struct world){.c = csp_new(unfold, NULL), .random = seed, .seed = seed, .hiding = true};
    w->none = csp_set_new(w->c);
    w->a = csp_set_new(w->c);
    w->b = csp_set_new(w->c);
    w->ab = csp_set_new(w->c);
    w->abc = csp_set_new(w->c);
    csp_set_add(w->c, w->a, A);
    csp_set_add(w->c, w->b, B);
    for (csp_event e = A; e <= C; e++) {
        csp_set_add(w->c, w->abc, e);
        if (e != C)
            csp_set_add(w->c, w->ab, e);
    }
}

static csp_set random_set(struct world *w)
{
    const csp_set sets[] = {w->none, w->a, w->b, w->ab, w->abc};

    return sets[random_below(&w->random, 5)];
}

static process_id random_process(struct world *w, int depth)
{
    unsigned kind = random_below(&w->random, depth > 0 ? 13 : 3);
    process_id p, q;

    if (kind == 0)
        return csp_stop(w->c);
    if (kind == 1)
        return csp_skip(w->c);
    if (kind == 2)
        return csp_call(w->c, random_below(&w->random, 2) ? LOOP : PING, A + random_below(&w->random, EVENTS),
                        A + random_below(&w->random, EVENTS));
    p = random_process(w, depth - 1);
    if (kind < 7)
        return csp_prefix(w->c, A + random_below(&w->random, EVENTS), p);
    if (kind == 7 && w->hiding)
        return csp_hide(w->c, p, random_set(w));
    q = random_process(w, depth - 1);
    switch (kind) {
    case 8:
        return csp_interleave(w->c, p, q);
    case 9:
        return csp_parallel(w->c, p, random_set(w), q);
    case 10:
        return csp_interrupt(w->c, p, q);
    case 11:
        return csp_sequence(w->c, p, q);
    default:
        return csp_choice(w->c, p, q);
    }
}

static enum csp_verdict refines(struct world *w, process_id specification, process_id implementation)
{
    struct csp_refinement r = csp_refines(w->c, specification, implementation, STATES);

    free(r.trace);
    return r.verdict;
}

/* Counts what is too large to compare; fails where the two sides differ. */
static void equal(struct world *w, const char *law, process_id left, process_id right)
{
    enum csp_verdict forth = refines(w, left, right), back = refines(w, right, left);

    if (forth == CSP_VIOLATES || back == CSP_VIOLATES) {
        fprintf(stderr, "HEDDLE_SEED=%" PRIu64 ": %s does not hold\n", w->seed, law);
        fail();
    }
    assert_int_equal(forth, CSP_REFINES);
    assert_int_equal(back, CSP_REFINES);
}

/* Interleaving a loop with one that can be interrupted by another … grows without end: processes are kept to
 * what can be walked through. */
static bool is_small(struct world *w, process_id p)
{
    struct csp_refinement r = csp_refines(w->c, p, p, 10);

    free(r.trace);
    return r.verdict == CSP_REFINES;
}

static process_id small_process(struct world *w)
{
    process_id p;

    do
        p = random_process(w, DEPTH);
    while (!is_small(w, p));
    return p;
}

static void choice_laws(struct world *w, process_id p, process_id q, process_id r)
{
    struct csp *c = w->c;
    process_id stop = csp_stop(c);

    equal(w, "P □ P = P", csp_choice(c, p, p), p);
    equal(w, "P □ Q = Q □ P", csp_choice(c, p, q), csp_choice(c, q, p));
    equal(w, "P □ (Q □ R) = (P □ Q) □ R", csp_choice(c, p, csp_choice(c, q, r)),
          csp_choice(c, csp_choice(c, p, q), r));
    equal(w, "P □ STOP = P", csp_choice(c, p, stop), p);
    equal(w, "□ x : {a, b} @ x → P = a → P □ b → P", csp_choice_over(c, w->ab, p),
          csp_choice(c, csp_prefix(c, A, p), csp_prefix(c, B, p)));
    equal(w, "□ x : {} @ x → P = STOP", csp_choice_over(c, w->none, p), stop);
    equal(w, "a → (P □ Q) = a → P □ a → Q", csp_prefix(c, A, csp_choice(c, p, q)),
          csp_choice(c, csp_prefix(c, A, p), csp_prefix(c, A, q)));
}

static void interleaving_laws(struct world *w, process_id p, process_id q, process_id r)
{
    struct csp *c = w->c;

    equal(w, "P ||| Q = Q ||| P", csp_interleave(c, p, q), csp_interleave(c, q, p));
    equal(w, "P ||| (Q ||| R) = (P ||| Q) ||| R", csp_interleave(c, p, csp_interleave(c, q, r)),
          csp_interleave(c, csp_interleave(c, p, q), r));
    equal(w, "P ||| SKIP = P", csp_interleave(c, p, csp_skip(c)), p);
    equal(w, "P ||| (Q □ R) = (P ||| Q) □ (P ||| R)", csp_interleave(c, p, csp_choice(c, q, r)),
          csp_choice(c, csp_interleave(c, p, q), csp_interleave(c, p, r)));
    equal(w, "a → P ||| b → Q = a → (P ||| b → Q) □ b → (a → P ||| Q)",
          csp_interleave(c, csp_prefix(c, A, p), csp_prefix(c, B, q)),
          csp_choice(c, csp_prefix(c, A, csp_interleave(c, p, csp_prefix(c, B, q))),
                     csp_prefix(c, B, csp_interleave(c, csp_prefix(c, A, p), q))));
}

static void parallel_laws(struct world *w, process_id p, process_id q, process_id r)
{
    struct csp *c = w->c;
    process_id ap = csp_prefix(c, A, p), aq = csp_prefix(c, A, q), bq = csp_prefix(c, B, q),
               cq = csp_prefix(c, C, q);

    equal(w, "P ‖{} Q = P ||| Q", csp_parallel(c, p, w->none, q), csp_interleave(c, p, q));
    equal(w, "P ‖A Q = Q ‖A P", csp_parallel(c, p, w->ab, q), csp_parallel(c, q, w->ab, p));
    equal(w, "P ‖A (Q ‖A R) = (P ‖A Q) ‖A R", csp_parallel(c, p, w->ab, csp_parallel(c, q, w->ab, r)),
          csp_parallel(c, csp_parallel(c, p, w->ab, q), w->ab, r));
    equal(w, "a → P ‖{a} a → Q = a → (P ‖{a} Q)", csp_parallel(c, ap, w->a, aq),
          csp_prefix(c, A, csp_parallel(c, p, w->a, q)));
    equal(w, "a → P ‖{a, b} b → Q = STOP", csp_parallel(c, ap, w->ab, bq), csp_stop(c));
    equal(w, "a → P ‖{a, b} c → Q = c → (a → P ‖{a, b} Q)", csp_parallel(c, ap, w->ab, cq),
          csp_prefix(c, C, csp_parallel(c, ap, w->ab, q)));
    equal(w, "P ‖A (Q □ R) = (P ‖A Q) □ (P ‖A R)", csp_parallel(c, p, w->ab, csp_choice(c, q, r)),
          csp_choice(c, csp_parallel(c, p, w->ab, q), csp_parallel(c, p, w->ab, r)));
}

static void interrupt_laws(struct world *w, process_id p, process_id q, process_id r)
{
    struct csp *c = w->c;
    process_id ap = csp_prefix(c, A, p);

    equal(w, "STOP △ P = P", csp_interrupt(c, csp_stop(c), p), p);
    equal(w, "P △ STOP = P", csp_interrupt(c, p, csp_stop(c)), p);
    equal(w, "P △ (Q △ R) = (P △ Q) △ R", csp_interrupt(c, p, csp_interrupt(c, q, r)),
          csp_interrupt(c, csp_interrupt(c, p, q), r));
    equal(w, "a → P △ Q = Q □ a → (P △ Q)", csp_interrupt(c, ap, q),
          csp_choice(c, q, csp_prefix(c, A, csp_interrupt(c, p, q))));
    equal(w, "P △ (Q □ R) = (P △ Q) □ (P △ R)", csp_interrupt(c, p, csp_choice(c, q, r)),
          csp_choice(c, csp_interrupt(c, p, q), csp_interrupt(c, p, r)));
}

static void hiding_laws(struct world *w, process_id p, process_id q)
{
    struct csp *c = w->c;

    equal(w, "P \\ {} = P", csp_hide(c, p, w->none), p);
    equal(w, "P \\ {a} \\ {b} = P \\ {a, b}", csp_hide(c, csp_hide(c, p, w->a), w->b), csp_hide(c, p, w->ab));
    equal(w, "(a → P) \\ {a} = P \\ {a}", csp_hide(c, csp_prefix(c, A, p), w->a), csp_hide(c, p, w->a));
    equal(w, "(b → P) \\ {a} = b → (P \\ {a})", csp_hide(c, csp_prefix(c, B, p), w->a),
          csp_prefix(c, B, csp_hide(c, p, w->a)));
    equal(w, "(P □ Q) \\ A = P \\ A □ Q \\ A", csp_hide(c, csp_choice(c, p, q), w->a),
          csp_choice(c, csp_hide(c, p, w->a), csp_hide(c, q, w->a)));
    equal(w, "(P ‖{b} Q) \\ {a} = P \\ {a} ‖{b} Q \\ {a}", csp_hide(c, csp_parallel(c, p, w->b, q), w->a),
          csp_parallel(c, csp_hide(c, p, w->a), w->b, csp_hide(c, q, w->a)));
}

static void sequence_laws(struct world *w, process_id p, process_id q, process_id r)
{
    struct csp *c = w->c;

    equal(w, "SKIP ; P = P", csp_sequence(c, csp_skip(c), p), p);
    equal(w, "STOP ; P = STOP", csp_sequence(c, csp_stop(c), p), csp_stop(c));
    equal(w, "P ; SKIP = P", csp_sequence(c, p, csp_skip(c)), p);
    equal(w, "(a → P) ; Q = a → (P ; Q)", csp_sequence(c, csp_prefix(c, A, p), q),
          csp_prefix(c, A, csp_sequence(c, p, q)));
    equal(w, "P ; (Q ; R) = (P ; Q) ; R", csp_sequence(c, p, csp_sequence(c, q, r)),
          csp_sequence(c, csp_sequence(c, p, q), r));
    equal(w, "(P □ Q) ; R = P ; R □ Q ; R", csp_sequence(c, csp_choice(c, p, q), r),
          csp_choice(c, csp_sequence(c, p, r), csp_sequence(c, q, r)));
}

/* What csp_after finds for an event is what the process can be after it. */
static void after_is_what_transitions_lead_to(struct world *w, process_id p)
{
    struct csp *c = w->c;

    for (csp_event e = A; e <= C; e++) {
        struct csp_steps after = {0};
        process_id mine = csp_stop(c),
                   only = csp_parallel(c, p, w->abc, csp_prefix(c, e, csp_call(c, LOOP, 99, 0)));
        csp_after(c, p, e, &after);
        for (size_t i = 0; i < after.steps_count; i++)
            mine = csp_choice(c, mine, csp_prefix(c, e, after.steps[i].then));
        /* Of p only what begins with e: nothing else, and not the end. */
        equal(w, "after", csp_parallel(c, mine, w->abc, csp_prefix(c, e, csp_call(c, LOOP, 99, 0))), only);
        equal(w, "after, going on",
              csp_parallel(c, mine, w->abc, csp_prefix(c, e, csp_choice_over(c, w->abc, csp_stop(c)))),
              csp_parallel(c, p, w->abc, csp_prefix(c, e, csp_choice_over(c, w->abc, csp_stop(c)))));
        free(after.steps);
    }
}

static void laws_hold(void **state)
{
    const char *text = getenv("HEDDLE_SEED");
    uint64_t first = text ? strtoull(text, NULL, 0) : 1, rounds = text ? 1 : ROUNDS;

    (void)state;
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        struct world w;
        process_id p, q, r;

        world_init(&w, seed);
        p = small_process(&w);
        q = small_process(&w);
        r = small_process(&w);
        choice_laws(&w, p, q, r);
        interleaving_laws(&w, p, q, r);
        parallel_laws(&w, p, q, r);
        interrupt_laws(&w, p, q, r);
        hiding_laws(&w, p, q);
        sequence_laws(&w, p, q, r);
        w.hiding = false;
        after_is_what_transitions_lead_to(&w, small_process(&w));
        csp_free(w.c);
    }
}

static void equal_terms_have_equal_numbers(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, 1);
    process_id p = csp_prefix(w.c, A, csp_choice(w.c, csp_stop(w.c), csp_skip(w.c)));
    size_t terms = csp_terms(w.c);
    assert_int_equal(p, csp_prefix(w.c, A, csp_choice(w.c, csp_stop(w.c), csp_skip(w.c))));
    assert_int_equal(terms, csp_terms(w.c));
    assert_int_not_equal(p, csp_prefix(w.c, B, csp_choice(w.c, csp_stop(w.c), csp_skip(w.c))));
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(csp_call(w.c, LOOP, i, 0), csp_call(w.c, LOOP, i, 0));
    csp_free(w.c);
}

/* A violation comes with a shortest trace; its last event is what the specification does not allow. */
static void violations_are_shown(void **state)
{
    struct world w;
    struct csp_refinement r;

    (void)state;
    world_init(&w, 1);
    process_id twice = csp_prefix(w.c, A, csp_prefix(w.c, A, csp_stop(w.c)));
    process_id other = csp_prefix(w.c, A,
                                  csp_choice(w.c, csp_prefix(w.c, A, csp_prefix(w.c, C, csp_stop(w.c))),
                                             csp_prefix(w.c, B, csp_stop(w.c))));
    r = csp_refines(w.c, twice, other, STATES);
    assert_int_equal(r.verdict, CSP_VIOLATES);
    assert_int_equal(r.trace_count, 2);
    assert_int_equal(r.trace[0], A);
    assert_int_equal(r.trace[1], B);
    free(r.trace);
    assert_int_equal(refines(&w, other, twice), CSP_REFINES);
    assert_int_equal(refines(&w, csp_stop(w.c), csp_stop(w.c)), CSP_REFINES);
    assert_int_equal(refines(&w, csp_stop(w.c), csp_skip(w.c)), CSP_VIOLATES); /* termination is seen */
    assert_int_equal(refines(&w, csp_call(w.c, LOOP, A, 0), csp_call(w.c, PING, A, A)), CSP_REFINES);
    assert_int_equal(refines(&w, csp_call(w.c, LOOP, A, 0), csp_call(w.c, PING, A, B)), CSP_VIOLATES);
    csp_free(w.c);
}

static void budgets_run_out(void **state)
{
    struct world w;
    process_id p;

    (void)state;
    world_init(&w, 1);
    p = csp_stop(w.c);
    for (int i = 0; i < 20; i++)
        p = csp_prefix(w.c, A, p);
    assert_int_equal(csp_refines(w.c, csp_call(w.c, LOOP, A, 0), p, 21).verdict, CSP_REFINES);
    assert_int_equal(csp_refines(w.c, csp_call(w.c, LOOP, A, 0), p, 20).verdict, CSP_OUT_OF_BUDGET);
    csp_free(w.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_hold),
        cmocka_unit_test(equal_terms_have_equal_numbers),
        cmocka_unit_test(violations_are_shown),
        cmocka_unit_test(budgets_run_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
