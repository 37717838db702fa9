/* Required predecessors of each kind (semantics §1), worked out by hand, and must-order against its definition. */
#include "model/model.h"
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int by_number(const void *a, const void *b)
{
    event_id x = *(const event_id *)a, y = *(const event_id *)b;

    return (x > y) - (x < y);
}

/* All requirements of the text as "event<-before,before; …", ascending. */
static void assert_required(const char *text, const char *expected)
{
    struct trace trace = trace_of(text);
    struct model m;
    struct error err;
    char found[512] = "";

    assert_int_equal(model_build(&m, &trace, &err), HEDDLE_OK);
    for (event_id e = 1; e <= m.event_count; e++) {
        struct event_span span = model_required(&m, e);
        event_id sorted[32];
        if (span.count == 0)
            continue;
        assert_true(span.count <= 32);
        memcpy(sorted, span.events, span.count * sizeof *sorted);
        qsort(sorted, span.count, sizeof *sorted, by_number);
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%u<-", *found ? "; " : "", e);
        for (size_t i = 0; i < span.count; i++)
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%u", i ? "," : "", sorted[i]);
    }
    assert_string_equal(found, expected);
    model_free(&m);
    trace_free(&trace);
}

static void threads_start_and_end(void **state)
{
    (void)state;
    assert_required("A|fork(B)|\nA|w(x)|\nB|w(x)|\nB|w(x)|\nA|join(B)|\n", "3<-1; 5<-4");
    assert_required("A|w(x)|\nB|w(x)|\nA|join(B)|\n", "3<-2");          /* never forked */
    assert_required("A|fork(B)|\nA|join(B)|\n", "");                    /* never ran */
    assert_required("B|w(x)|\nA|join(B)|\nC|join(B)|\n", "2<-1; 3<-1"); /* joined twice */
    assert_required("A|fork(B)|\nB|fork(C)|\nC|join(B)|\n", "2<-1; 3<-2");
}

/* The fork and what the first event itself requires stand together. */
static void a_first_event_may_require_more(void **state)
{
    (void)state;
    assert_required("A|post(s)|\nA|fork(B)|\nB|semwait(s)|\n", "3<-1,2");
    assert_required("A|acq(l)|\nA|fork(B)|\nB|tryfail(l)|\n", "3<-1,2");
}

static void notify_wakes_who_comes_back_first(void **state)
{
    (void)state;
    assert_required("A|waitpre(c)|\nB|notify(c)|\nA|waitpost(c)|\n", "2<-1; 3<-2");
    /* B waited later but came back first */
    assert_required("A|waitpre(c)|\nB|waitpre(c)|\nC|notify(c)|\nB|waitpost(c)|\nA|waitpost(c)|\n",
                    "3<-2; 4<-3");
    /* each notify takes one of those not yet matched */
    assert_required("A|waitpre(c)|\nB|waitpre(c)|\nC|notify(c)|\nC|notify(c)|\nC|notify(c)|\nB|waitpost(c)|\n"
                    "A|waitpost(c)|\n",
                    "3<-2; 4<-1; 6<-3; 7<-4");
    /* another condition, a notify before the wait and one after it wake nobody */
    assert_required("B|notify(c)|\nA|waitpre(c)|\nB|notify(d)|\nA|waitpost(c)|\nB|notify(c)|\n", "");
    /* a waiter whose return the trace does not show is not matched */
    assert_required("A|waitpre(c)|\nB|waitpre(c)|\nC|notify(c)|\nB|waitpost(c)|\n", "3<-2; 4<-3");
    assert_required("A|waitpre(c)|\nB|notify(c)|\n", "");
}

static void notifyall_wakes_all(void **state)
{
    (void)state;
    assert_required("A|waitpre(c)|\nB|waitpre(c)|\nC|notifyall(c)|\nA|waitpost(c)|\nB|waitpost(c)|\n",
                    "3<-1,2; 4<-3; 5<-3");
    assert_required(
        "A|waitpre(c)|\nC|notifyall(c)|\nB|waitpre(c)|\nC|notifyall(c)|\nB|waitpost(c)|\nA|waitpost(c)|\n",
        "2<-1; 4<-3; 5<-4; 6<-2");
}

static void waits_of_one_thread_are_told_apart(void **state)
{
    (void)state;
    assert_required("A|waitpre(c)|\nA|waitpost(c)|\nA|waitpre(c)|\nB|notify(c)|\nA|waitpost(c)|\n",
                    "4<-3; 5<-4"); /* the first was a time-out */
    assert_required(
        "A|waitpre(c)|\nA|waitpre(d)|\nB|notify(d)|\nA|waitpost(d)|\nB|notify(c)|\nA|waitpost(c)|\n",
        "3<-2; 4<-3; 5<-1; 6<-5");
}

static void barriers_by_generation(void **state)
{
    (void)state;
    assert_required("A|benter(b)|\nB|benter(b)|\nA|bexit(b)|\nB|bexit(b)|\n", "3<-1,2; 4<-1,2");
    /* A is in the next generation before B has left the first */
    assert_required("A|benter(b)|\nB|benter(b)|\nA|bexit(b)|\nA|benter(b)|\nB|bexit(b)|\nB|benter(b)|\n"
                    "B|bexit(b)|\nA|bexit(b)|\n",
                    "3<-1,2; 5<-1,2; 7<-4,6; 8<-4,6");
    /* barriers do not mix; who never leaves still counts as arrived */
    assert_required("A|benter(a)|\nB|benter(b)|\nC|benter(b)|\nB|bexit(b)|\nA|bexit(a)|\n", "4<-2,3; 5<-1");
}

static void semaphores_first_in_first_out(void **state)
{
    (void)state;
    assert_required("A|post(s)|\nA|post(s)|\nB|semwait(s)|\nC|semwait(s)|\nB|semwait(s)|\n", "3<-1; 4<-2");
    assert_required("B|semwait(s)|\nA|post(s)|\nB|semwait(s)|\n", "3<-2"); /* the first took an initial token */
    assert_required("A|post(s)|\nB|semwait(t)|\n", "");
}

static void failed_tries_require_the_holder(void **state)
{
    (void)state;
    assert_required("A|acq(l)|\nB|tryfail(l)|\n", "2<-1");
    assert_required("A|acq(l)|\nA|acq(l)|\nB|tryfail(l)|\nA|rel(l)|\nB|tryfail(l)|\n", "3<-1; 5<-1");
    assert_required("A|racq(l)|\nB|tryfail(l)|\n", ""); /* only readers */
    assert_required("A|racq(l)|\nA|acq(l)|\nB|tryfail(l)|\n", "3<-2");
    assert_required("A|acq(l)|\nA|rel(l)|\nC|acq(l)|\nB|tryfail(l)|\n", "4<-3");
}

/* What makes the read as observed comes before `to`: its source and, if that is an update, what makes it so. */
static void add_couples(const struct model *m, bool *reach, event_id read, event_id to)
{
    size_t n = m->event_count + 1;

    for (event_id from = read; m->source[from] != EVENT_NONE && m->source[from] != EVENT_INIT;) {
        from = m->source[from];
        reach[from * n + to] = true;
    }
}

/* reach[a * n + b]: a comes before b in the observed order, from the definition alone. An event stands on all
 * earlier reads of its thread, a join on all reads of the thread that is joined (semantics §1). */
static bool *closure(const struct model *m)
{
    size_t n = m->event_count + 1;
    bool *reach = calloc(n * n, 1);

    for (event_id e = 1; e < n; e++) {
        struct event_span required = model_required(m, e);
        for (event_id d = 1; d < e; d++) {
            bool own = thread_of(m, d) == thread_of(m, e);
            reach[d * n + e] |= own;
            if (own || (kind_of(m, e) == EVENT_JOIN && thread_of(m, d) == arg_of(m, e)))
                add_couples(m, reach, d, e);
        }
        for (size_t i = 0; i < required.count; i++)
            reach[required.events[i] * n + e] = true;
    }
    for (event_id via = 1; via < n; via++)
        for (event_id a = 1; a < via; a++)
            for (event_id b = via + 1; b < n && reach[a * n + via]; b++)
                reach[a * n + b] |= reach[via * n + b];
    return reach;
}

/* For every event and thread, the clocks of the observed order say what the closure says. Must-order, which leaves
 * out what tokens and notifies may be others, says nothing more, and the same where nothing may. */
static void check_clocks(const struct model *m)
{
    size_t n = m->event_count + 1;
    bool *reach = closure(m);

    for (event_id e = 1; e < n; e++) {
        thread_id t = thread_of(m, e);
        const uint32_t *observed = clocks_row(model_clocks(m, true), m, t, m->position[e]);
        const uint32_t *must = clocks_forward_row(m, t, m->position[e]);
        for (thread_id u = 0; u < m->thread_count; u++) {
            uint32_t count = 0, first = POSITION_END;
            if (u == t)
                continue; /* program order needs no clock */
            for (uint32_t p = 0; p < thread_length(m, u); p++) {
                count += reach[event_at(m, u, p) * n + e];
                if (must_before(m, e, event_at(m, u, p)) && first == POSITION_END)
                    first = p;
            }
            assert_int_equal(observed[u], count);
            assert_true(must[u] <= observed[u]);
            assert_true(m->relaxed || must[u] == observed[u]);
            assert_int_equal(must_after(m, e, u), first);
        }
    }
    free(reach);
}

static void must_order_is_the_closure(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 150; seed++) {
        char *text = scribble(seed, 5 + seed);
        struct trace trace = trace_of(text);
        struct model m;
        struct error err;
        assert_int_equal(model_build_plain(&m, &trace, &err), HEDDLE_OK);
        check_clocks(&m);
        model_free(&m);
        trace_free(&trace);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_start_and_end),
        cmocka_unit_test(a_first_event_may_require_more),
        cmocka_unit_test(notify_wakes_who_comes_back_first),
        cmocka_unit_test(notifyall_wakes_all),
        cmocka_unit_test(waits_of_one_thread_are_told_apart),
        cmocka_unit_test(barriers_by_generation),
        cmocka_unit_test(semaphores_first_in_first_out),
        cmocka_unit_test(failed_tries_require_the_holder),
        cmocka_unit_test(must_order_is_the_closure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
