/* The certifier, rule by rule: for each a minimal run that is accepted and one that is not, by hand. */
#include "support/questions.h"
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void threads_run_in_order(void **state)
{
    const char *text = "T1|w(x)| T1|w(y)| T2|w(x)|";

    (void)state;
    RUN(text, NULL, 1, 2, 3);
    RUN(text, NULL, 3, 1, 2);
    RUN(text, "event 2 runs before event 1 of its own thread", 2);
    RUN(text, "event 1 is in the run twice", 1, 1);
    RUN(text, "event 3 is in the run twice", 3, 1, 3);
    RUN(text, "event 0 does not exist", 0);
    RUN(text, "event 4 does not exist: the trace has events 1 to 3", 1, 4);
}

static void prefixes_end_with_the_trace(void **state)
{
    struct certify_options options = {0};
    struct certify_index *index;
    struct certifier *c;
    struct trace t;
    struct error why;

    (void)state;
    t = trace_from_words("T1|w(x)|");
    index = certify_index_new(&t);
    c = certifier_new(index);
    assert_true(certifier_run_feasible(c, &(struct schedule){1, 0, NULL}, &options, &why));
    assert_false(certifier_run_feasible(c, &(struct schedule){2, 0, NULL}, &options, &why));
    assert_string_equal(why.text, "the run begins with 2 events as observed, the trace has 1");
    certifier_free(c);
    certify_index_free(index);
    trace_free(&t);
}

static void forks_and_joins_come_first(void **state)
{
    const char *text = "T1|fork(T2)| T2|w(x)| T2|w(x)| T1|join(T2)|";

    (void)state;
    RUN(text, NULL, 1, 2, 3, 4);
    RUN(text, "event 2 runs before event 1, which forks its thread", 2);
    RUN(text, "event 4 runs before event 3, which it requires", 1, 2, 4);
    RUN("T1|fork(T2)| T1|join(T2)|", NULL, 1, 2); /* a thread without events */
}

static void notifies_wake_who_comes_out_first(void **state)
{
    const char *text =
        "T1|acq(l)| T1|waitpre(c)| T1|rel(l)| T2|acq(l)| T2|waitpre(c)| T2|rel(l)| T3|notify(c)| "
        "T2|acq(l)| T2|waitpost(c)| T2|rel(l)| T1|acq(l)| T1|waitpost(c)| T1|rel(l)|";

    (void)state;
    RUN(text, NULL, 1, 2, 3, 7); /* it may wake nobody … */
    RUN(text, "event 8 ends a wait on condition c without a notify for it", 7, 4, 5, 6, 8);
    RUN(text, "event 8 ends a wait on condition c without a notify for it", 4, 5, 6, 8);
    RUN(text, NULL, 4, 5, 6, 7, 8, 9);
    RUN(text, NULL, 1, 2, 3, 11, 12); /* … and T1 woke up by itself */
}

static void notifyall_wakes_all(void **state)
{
    const char *text =
        "T1|acq(l)| T1|waitpre(c)| T1|rel(l)| T2|acq(l)| T2|waitpre(c)| T2|rel(l)| T3|notifyall(c)| "
        "T2|acq(l)| T2|waitpost(c)| T2|rel(l)| T1|acq(l)| T1|waitpost(c)| T1|rel(l)|";

    (void)state;
    RUN(text, NULL, 4, 5, 6, 7, 8, 9);
    RUN(text, "event 11 ends a wait on condition c without a notify for it", 4, 5, 6, 7, 1, 2, 3, 11);
    RUN(text, "event 11 ends a wait on condition c without a notify for it", 1, 2, 3, 11, 12);
    RUN(text, NULL, 4, 5, 6, 1, 2, 3, 7, 11, 12);
}

static void barriers_wait_for_their_generation(void **state)
{
    const char *text = "T1|benter(b)| T2|benter(b)| T1|bexit(b)| T1|benter(b)| T2|bexit(b)| T1|bexit(b)|";

    (void)state;
    RUN(text, "event 3 runs before event 2, which it requires", 1, 3);
    RUN(text, NULL, 2, 1, 5, 3);
    RUN(text, NULL, 1, 2, 3, 4, 6); /* the second generation has one member */
}

static void semaphores_hand_on_tokens(void **state)
{
    const char *text = "T1|semwait(s)| T1|post(s)| T2|post(s)| T3|semwait(s)| T3|semwait(s)|";

    (void)state;
    RUN(text, NULL, 1);       /* an initial token */
    RUN(text, NULL, 3, 4, 5); /* it may be T3 that takes it */
    RUN(text, "event 1 takes a token of semaphore s, which has none", 3, 4, 5, 1);
    RUN(text, "event 5 takes a token of semaphore s, which has none", 1, 2, 4, 5);
    RUN(text, NULL, 3, 1, 2, 4, 5);
}

/* Two waits, two notifies: which one is whose does not matter, as long as each has one while it lasts. */
static void notifies_serve_whoever_waits(void **state)
{
    const char *text =
        "T1|waitpre(c)| T2|waitpre(c)| T3|notify(c)| T1|waitpost(c)| T3|notify(c)| T2|waitpost(c)|";

    (void)state;
    RUN(text, NULL, 1, 2, 3, 6, 5, 4);
    RUN(text, NULL, 2, 3, 1, 5, 4, 6); /* the first can only be for T2 */
    RUN(text, NULL, 2, 3, 1, 5, 6, 4);
    RUN(text, "event 6 ends a wait on condition c without a notify for it", 1, 3, 4, 2, 6);
    RUN(text, "event 6 ends a wait on condition c without a notify for it", 1, 2, 3, 4, 6);
}

static void counted_from_the_start(void **state)
{
    const char *text = "T1|seminit(s=1)| T2|semwait(s)| T1|post(s)| T3|semwait(s)|";

    (void)state;
    RUN(text, NULL, 1, 4, 3, 2);
    RUN(text, "event 2 runs before event 1, which it requires", 2);
    RUN(text, "event 4 takes a token of semaphore s, which has none", 1, 2, 4);
}

static void ends_stand_on_every_read(void **state)
{
    const char *text = "T1|w(x)| T2|r(x)| T3|join(T2)|";
    const char *exits = "T1|w(x)|\nT2|r(x)|\nT2|exit||by -\nT3|join(T2)|\n";

    (void)state;
    RUN(text, "T2 may not end: event 2 reads from 0 and read from 1 in the trace", 2, 3);
    RUN(exits, NULL, 2, 3, 4);
}

static void grounds_say_what_binds(void **state)
{
    const char *text = "T1|aw(x=5)|\nT2|ar(x=5)|\nT2|w(y=1)||by 2[1..]\nT2|w(y=2)||by 2\nT2|w(z)||by -\n"
                       "T1|aw(x=7)|\nT1|aw(x=0)|\n";
    const char *sums = "T1|ar(n=0)|\nT1|aw(n=1)||by - from 1+1\nT2|ar(n=1)|\nT2|aw(n=2)||by - from 3+1\n"
                       "T3|ar(n=2)|\nT3|w(y)||by 5\n";
    const char *failing = "T1|aw(x=1)|\nT2|cas(x=2)|\nT2|w(y)||by -\n";

    (void)state;
    RUN(text, NULL, 1, 6, 2, 3);
    RUN(text, "event 4 depends on event 2 of its own thread, which reads from 6 and read from 1", 1, 6, 2, 3,
        4);
    RUN(text,
        "event 3 depends on event 2 of its own thread, which reads from 7 a value that is not known to lead "
        "here",
        1, 6, 7, 2, 3);
    RUN(sums, NULL, 1, 3, 2, 4);
    RUN(sums, "event 6 depends on event 5 of its own thread, which reads from 4 and read from 4", 1, 3, 2, 4, 5,
        6);
    RUN(sums, NULL, 3, 4, 1, 2, 5, 6); /* the sums the other way round */
    RUN(failing, "event 3 may never happen: the compare-and-exchange 2 before it fails", 2, 3);
}

static void locks_exclude(void **state)
{
    const char *text = "T1|acq(l)| T1|acq(l)| T1|rel(l)| T1|rel(l)| T2|acq(l)| T2|rel(l)|";
    const char *shared = "T1|racq(l)| T2|racq(l)| T1|rrel(l)| T2|rrel(l)| T3|acq(l)| T3|rel(l)|";
    const char *upgraded = "T1|racq(l)| T1|acq(l)| T1|rel(l)| T1|rrel(l)| T2|racq(l)| T2|rrel(l)|";

    (void)state;
    RUN(text, "event 5 takes lock l while T1 holds it", 1, 5);
    RUN(text, "event 5 takes lock l while T1 holds it", 1, 2, 3, 5);
    RUN(text, "event 1 takes lock l while T2 holds it", 5, 1);
    RUN(text, NULL, 1, 2, 3, 4, 5);
    RUN(text, NULL, 5, 6, 1);
    RUN(shared, NULL, 2, 1, 4);
    RUN(shared, "event 5 takes lock l while another thread holds it in reader mode", 1, 5);
    RUN(shared, "event 5 takes lock l while another thread holds it in reader mode", 2, 1, 3, 5);
    RUN(shared, "event 1 takes lock l while T3 holds it", 5, 1);
    RUN(shared, NULL, 5, 6, 1, 2);
    RUN(upgraded, NULL, 1, 2);
    RUN(upgraded, NULL, 1, 5, 6, 2);
    RUN(upgraded, "event 2 takes lock l while another thread holds it in reader mode", 1, 5, 2);
    RUN(upgraded, "event 5 takes lock l while T1 holds it", 1, 2, 5);
}

static void tryfails_need_their_holder(void **state)
{
    const char *text = "T1|acq(l)| T1|acq(l)| T2|tryfail(l)| T1|rel(l)| T1|rel(l)|";

    (void)state;
    RUN(text, NULL, 1, 3);
    RUN(text, NULL, 1, 2, 4, 3);
    RUN(text, "event 3 fails to take a lock before event 1 has taken it", 3);
    RUN(text, "event 3 fails to take a lock that event 5 has released", 1, 2, 4, 5, 3);
    RUN("T1|racq(l)| T2|tryfail(l)| T1|rrel(l)|", NULL, 2); /* only readers: nothing is known */
}

static void reads_keep_their_source(void **state)
{
    const char *text = "T1|w(x)| T2|r(x)| T2|w(y)| T3|w(x)|";
    const char *tainted = "T1|aw(x)| T2|rmw(x)| T3|ar(x)| T3|w(y)|";

    (void)state;
    RUN(text, NULL, 1, 2, 3);
    RUN(text, NULL, 2); /* the last of its thread */
    RUN(text, "event 3 depends on event 2 of its own thread, which reads from 0 and read from 1", 2, 3);
    RUN(text, "event 3 depends on event 2 of its own thread, which reads from 4 and read from 1", 1, 4, 2, 3);
    RUN(text, NULL, 1, 2, 4, 3); /* observed before something newer was written */
    RUN(tainted, NULL, 1, 2, 3, 4);
    RUN(tainted, NULL, 2, 3);
    RUN(tainted, "event 4 depends on event 3 of its own thread, which reads from 2 and read from 2", 2, 3, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_run_in_order),         cmocka_unit_test(prefixes_end_with_the_trace),
        cmocka_unit_test(forks_and_joins_come_first),   cmocka_unit_test(notifies_wake_who_comes_out_first),
        cmocka_unit_test(notifyall_wakes_all),          cmocka_unit_test(barriers_wait_for_their_generation),
        cmocka_unit_test(semaphores_hand_on_tokens),    cmocka_unit_test(locks_exclude),
        cmocka_unit_test(tryfails_need_their_holder),   cmocka_unit_test(reads_keep_their_source),
        cmocka_unit_test(notifies_serve_whoever_waits), cmocka_unit_test(counted_from_the_start),
        cmocka_unit_test(ends_stand_on_every_read),     cmocka_unit_test(grounds_say_what_binds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
