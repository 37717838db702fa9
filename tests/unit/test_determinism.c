/* Declared blocks by hand: the figures of ESOP'09 and one case for each rule of docs/determinism.md.
 *
 * A case is a trace, events separated by blanks, and what `--all` finds: "D block,first,second" for conflicts,
 * "I cycle" for interference, "S cycle" for serializability, separated by blanks. */
#include "property/check.h"
#include "report/group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void tell(char *text, size_t size, const struct finding *f)
{
    uint32_t shown = finding_is_conflict(f) ? 3 : finding_cycle(f);
    size_t used = strlen(text);

    used += (size_t)snprintf(text + used, size - used, "%s%c ", used > 0 ? " " : "",
                             f->property == PROPERTY_SERIALIZABILITY ? 'S'
                             : finding_is_conflict(f)                ? 'D'
                                                                     : 'I');
    for (uint32_t i = 0; i < shown; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%u", i > 0 ? "," : "", f->events[i]);
}

static void check(const char *words, bool predict, const char *expected)
{
    static const stop_flag never;
    struct check_options options = {.all = true, .predict = predict, .budget = 1000000, .workers = 1};
    struct results results = {.method = "exact"};
    char found[1024] = "", *text = strdup(words);
    struct trace trace;
    struct model model;
    struct error err;

    for (char *c = text; (c = strchr(c, ' ')) != NULL;)
        *c = '\n';
    if (trace_parse(&trace, "case", text, strlen(text), &err) != HEDDLE_OK)
        fail_msg("%s", err.text);
    assert_int_equal(model_build(&model, &trace, &err), HEDDLE_OK);
    options.properties[PROPERTY_DETERMINISM] = options.properties[PROPERTY_SERIALIZABILITY] = true;
    check_trace(&model, &options, &never, &results);
    group_findings(&results, &trace);
    for (size_t i = 0; i < results.found.findings_count; i++)
        tell(found, sizeof found, &results.found.findings[i]);
    assert_string_equal(found, expected);
    finding_list_free(&results.found);
    finding_list_free(&results.undecided);
    model_free(&model);
    trace_free(&trace);
    free(text);
}

#define CASE(words, expected)      check(words, false, expected)
#define PREDICTED(words, expected) check(words, true, expected)

/* Fig. 1: the lock is taken once in each block, and the halves do not meet. Atomicity alone would object: 1 → 3
 * → 1. */
static void quicksort_under_a_lock(void **state)
{
    (void)state;
    CASE(
        "M|dbegin| M|begin| M|acq(a)| M|w(x)| M|fork(L)| M|fork(R)| L|r(x)| L|w(l)| R|r(x)| R|w(r)| M|join(L)| "
        "M|join(R)| M|r(l)| M|r(r)| M|rel(a)| M|end| M|dend| O|dbegin| O|acq(a)| O|w(x)| O|rel(a)| O|dend|",
        "S 2,7");
    CASE("M|dbegin| M|acq(a)| M|fork(L)| L|w(x)| M|w(x)| M|join(L)| M|rel(a)| M|dend|", "D 1,4,5");
}

/* Fig. 2a: all read, meet, write their own, meet. */
static void workers_at_a_barrier(void **state)
{
    (void)state;
    CASE("M|dbegin| M|fork(W)| M|r(a)| M|r(b)| W|r(a)| W|r(b)| M|benter(g)| W|benter(g)| W|bexit(g)| "
         "M|bexit(g)| "
         "M|w(a)| W|w(b)| W|benter(g)| M|benter(g)| M|bexit(g)| W|bexit(g)| M|r(b)| W|r(a)| M|join(W)| M|dend|",
         "");
    CASE("M|dbegin| M|fork(W)| M|r(a)| W|r(a)| M|benter(g)| M|w(a)| W|benter(g)| W|bexit(g)| M|bexit(g)| "
         "M|dend|",
         "D 1,4,6");
    CASE("M|begin| M|fork(W)| M|benter(g)| W|benter(g)| W|bexit(g)| M|bexit(g)| M|end|", "S 1,4");
}

/* Fig. 2b: who takes a task is decided by a lock outside all blocks; tasks are blocks. */
static void tasks_of_a_pool(void **state)
{
    (void)state;
    CASE("A|acq(q)| A|w(h)| A|rel(q)| A|dbegin| A|w(x)| B|acq(q)| B|w(h)| B|rel(q)| B|dbegin| B|w(y)| A|r(x)| "
         "A|dend| "
         "B|r(y)| B|dend| A|acq(q)| A|w(h)| A|rel(q)| A|dbegin| A|r(y)| A|dend|",
         "");
}

static void who_belongs_to_a_block(void **state)
{
    (void)state;
    /* inner blocks, of the thread or of one it forked, are part of the outermost */
    CASE("M|dbegin| M|dbegin| M|fork(A)| M|dend| A|dbegin| A|w(x)| A|dend| M|r(x)| M|dend|", "D 1,6,8");
    /* a forked thread stays to its end, after dend too; its forker does not */
    CASE("M|dbegin| M|fork(A)| M|dend| M|w(x)| A|r(x)|", "I 1,4");
    CASE("M|dbegin| M|fork(A)| A|fork(B)| M|dend| A|w(x)| B|w(x)|", "D 1,5,6");
    /* forked before the block: not part of it */
    CASE("M|fork(A)| M|dbegin| M|w(x)| A|r(x)| M|dend|", "");
    CASE("M|fork(A)| M|dbegin| M|w(x)| A|r(x)| A|w(y)| M|r(y)| M|dend|", "I 2,4,5");
    CASE("M|fork(A)| M|dbegin| M|w(x)| A|dbegin| A|r(x)| A|w(y)| A|dend| M|r(y)| M|dend|", "I 2,4");
    CASE("M|fork(A)| M|dbegin| M|w(x)| A|w(x)| M|r(x)| M|dend|", "I 2,4");
    /* threads that do nothing, blocks that do not end */
    CASE("M|dbegin| M|fork(A)| M|join(A)|", "");
    CASE("A|begin| A|w(x)| B|w(x)| A|r(x)|", "S 1,3");
}

static void what_conflicts_in_a_block(void **state)
{
    (void)state;
    /* a lock orders nothing, and is raced for itself; two readers do not race */
    CASE("M|dbegin| M|fork(A)| M|acq(l)| M|w(x)| M|rel(l)| A|acq(l)| A|w(x)| A|rel(l)|", "D 1,4,7 D 1,5,6");
    CASE("M|dbegin| M|fork(A)| M|racq(l)| M|r(x)| M|rrel(l)| A|racq(l)| A|r(x)| A|rrel(l)|", "");
    CASE("M|dbegin| M|fork(A)| M|racq(l)| M|rrel(l)| A|acq(l)| A|rel(l)|", "D 1,4,5");
    CASE("M|dbegin| M|fork(A)| M|acq(l)| A|tryfail(l)| M|rel(l)|", "D 1,3,4 D 1,4,5");
    CASE("M|dbegin| M|fork(A)| A|acq(l)| A|acq(l)| A|rel(l)| A|rel(l)| M|join(A)| M|acq(l)| M|rel(l)|", "");
    /* held over the fork: Fig. 4 asks for the release */
    CASE("M|dbegin| M|acq(l)| M|fork(A)| M|rel(l)| A|acq(l)| A|rel(l)|", "D 1,4,5");
    /* atomics conflict like other accesses, and order nothing */
    CASE("M|dbegin| M|fork(A)| M|w(x)| M|aw(f)| A|ar(f)| A|r(x)|", "D 1,3,6 D 1,4,5");
    CASE("M|dbegin| M|fork(A)| M|rmw(n)| A|rmw(n)|", "D 1,3,4");
    CASE("M|dbegin| M|fork(A)| M|ar(n)| A|ar(n)|", "");
    /* semaphores order who posts and who waits; two who wait race for tokens */
    CASE("M|dbegin| M|fork(A)| M|w(x)| M|post(s)| A|semwait(s)| A|r(x)|", "");
    CASE("M|dbegin| M|fork(A)| M|post(s)| M|post(s)| M|semwait(s)| A|semwait(s)|", "D 1,5,6");
    CASE("M|dbegin| M|fork(A)| M|semwait(s)| M|w(x)| M|post(s)| A|semwait(s)| A|w(x)| A|post(s)|", "D 1,3,6");
    /* conditions order, the lock that comes with them is raced for */
    CASE("M|dbegin| M|fork(A)| M|waitpre(c)| A|w(x)| A|notify(c)| M|waitpost(c)| M|r(x)|", "");
    CASE("M|dbegin| M|fork(A)| M|acq(l)| M|waitpre(c)| M|rel(l)| A|acq(l)| A|notify(c)| A|rel(l)| M|acq(l)| "
         "M|waitpost(c)| M|rel(l)|",
         "D 1,5,6 D 1,8,9");
}

static void what_orders_transactions(void **state)
{
    (void)state;
    /* a block between another's release and acquire */
    CASE("A|begin| A|acq(l)| A|rel(l)| B|acq(l)| B|rel(l)| A|acq(l)| A|rel(l)| A|end|", "S 1,4");
    CASE("A|begin| A|racq(l)| A|rrel(l)| B|racq(l)| B|rrel(l)| A|racq(l)| A|rrel(l)| A|end|", "");
    /* semaphores there and back */
    CASE("A|begin| A|post(s)| B|semwait(s)| B|post(u)| A|semwait(u)| A|end|", "S 1,3,4");
    /* three blocks, each before the next */
    CASE("A|begin| B|begin| C|begin| A|w(x)| B|r(x)| B|w(y)| C|r(y)| C|w(z)| A|r(z)| A|end| B|end| C|end|",
         "S 1,2,3");
    /* learned late: C is before A, A was before B already, B before C */
    CASE("A|begin| B|begin| C|begin| A|w(x)| B|r(x)| B|w(y)| C|r(y)| B|end| C|w(z)| C|end| A|r(z)| A|end|",
         "S 1,2,3");
    CASE("A|begin| A|w(x)| A|end| B|begin| B|r(x)| B|end| A|begin| A|w(x)| A|end|", "");
}

static void what_other_runs_do(void **state)
{
    (void)state;
    PREDICTED(
        "A|begin| A|acq(l)| A|r(x)| A|rel(l)| A|acq(l)| A|w(x)| A|rel(l)| A|end| B|acq(l)| B|w(x)| B|rel(l)|",
        "S 1,10");
    PREDICTED("A|begin| A|acq(l)| A|r(x)| A|w(x)| A|rel(l)| A|end| B|acq(l)| B|w(x)| B|rel(l)|", "");
    PREDICTED("M|dbegin| M|fork(A)| A|w(x)| M|join(A)| M|r(x)| M|dend| B|w(x)|", "I 1,7");
    PREDICTED("M|dbegin| M|fork(A)| A|w(x)| M|join(A)| M|r(x)| M|post(s)| M|dend| B|semwait(s)| B|w(x)|", "");
    /* a read that could have come in between, had its thread not gone on */
    PREDICTED("A|begin| A|w(x)| A|w(x)| A|end| B|w(z)| B|r(x)| B|w(q)|", "S 1,6");
    /* two variables, two blocks */
    PREDICTED("A|begin| A|w(x)| A|w(y)| A|end| B|begin| B|w(y)| B|w(x)| B|end|", "S 1,5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quicksort_under_a_lock),    cmocka_unit_test(workers_at_a_barrier),
        cmocka_unit_test(tasks_of_a_pool),           cmocka_unit_test(who_belongs_to_a_block),
        cmocka_unit_test(what_conflicts_in_a_block), cmocka_unit_test(what_orders_transactions),
        cmocka_unit_test(what_other_runs_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
