/* Malformed text and impossible traces (semantics §7): refused with file, line and what is wrong. */
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void malformed_lines(void **state)
{
    (void)state;
    assert_refused("T|w(x)\n", "t.std:1: not of the form thread|op(argument)|location: T|w(x)");
    assert_refused("nonsense", "t.std:1: not of the form thread|op(argument)|location: nonsense");
    assert_refused("\n# c\nT|w(x)|a|by -|c\n", "t.std:3: more than four fields: T|w(x)|a|by -|c");
    assert_refused("|w(x)|\n", "t.std:1: the thread has no name: ");
    assert_refused("T(1|w(x)|\n", "t.std:1: a parenthesis in a thread's name: T(1");
    assert_refused("T|w(x|\n", "t.std:1: ')' is missing: w(x");
    assert_refused("T|w(|\n", "t.std:1: ')' is missing: w(");
    assert_refused("T|w(x)y|\n", "t.std:1: ')' is missing: w(x)y");
    assert_refused("T|w)|\n", "t.std:1: ')' without '(': w)");
    assert_refused("T|w(x(1))|\n", "t.std:1: a parenthesis in a name: w(x(1))");
    assert_refused("T|w((|\n", "t.std:1: ')' is missing: w((");
    assert_refused("T|w()|\n", "t.std:1: the argument has no name: w");
    assert_refused("T|w|\n", "t.std:1: an argument in parentheses is missing: w");
    assert_refused("T|join|\n", "t.std:1: an argument in parentheses is missing: join");
    assert_refused("T|req|\n", "t.std:1: unknown operation: req");
    assert_refused("T||\n", "t.std:1: unknown operation: ");
    assert_refused("T|W(x)|\n", "t.std:1: unknown operation: W");
    assert_refused("T|wait(l)|\n",
                   "t.std:1: wait(l) does not tell when the wait begins and ends; write waitpre(l), rel(l), "
                   "and when it ends acq(l), waitpost(l)");
    assert_refused("T|w.(x)|\n", "t.std:1: unknown operation: w.");
    assert_refused("T|aw.x(x)|\n", "t.std:1: unknown operation: aw.x");
    assert_refused("T|w(x=)|\n", "t.std:1: a value is missing after '=': x=");
    assert_refused("T|w(=1)|\n", "t.std:1: the argument has no name: w");
    assert_refused("T|fence.sc(x)|\n", "t.std:1: a fence has no argument: x");
    assert_refused("T|exit(x)|\n", "t.std:1: exit has no argument: x");
    assert_string_equal(refusal_of("T|w(x)|\0\n", 9), "t.std:1: a NUL byte; this is not a text trace. If it is "
                                                      "a binary file of another analyser, such as RAPID's, "
                                                      "let that one write it as STD text");
}

static void long_text_is_cut_in_the_message(void **state)
{
    char line[301];
    char message[256] = "t.std:1: not of the form thread|op(argument)|location: ";

    (void)state;
    memset(line, 'y', 300);
    line[300] = '\0';
    memset(message + strlen(message), 'y', 80);
    assert_refused(line, message);
}

static void memory_orders(void **state)
{
    (void)state;
    assert_refused("T|ar.rel(x)|\n", "t.std:1: ar.rel: the operation does not take that memory order");
    assert_refused("T|ar.ar(x)|\n", "t.std:1: ar.ar: the operation does not take that memory order");
    assert_refused("T|aw.acq(x)|\n", "t.std:1: aw.acq: the operation does not take that memory order");
    assert_refused("T|aw.ar(x)|\n", "t.std:1: aw.ar: the operation does not take that memory order");
    assert_refused("T|w.rlx(x)|\n", "t.std:1: w.rlx: the operation does not take that memory order");
    assert_refused("T|w(x)|\nT|r.acq(x)|\n", "t.std:2: r.acq: the operation does not take that memory order");
    assert_refused("T|acq.sc(x)|\n", "t.std:1: acq.sc: the operation does not take that memory order");
    assert_refused("T|acq(x)|\nT|rel.try(x)|\n", "t.std:2: rel.try: only the taking of a lock may be a try");
    assert_refused("T|rmw.try(x)|\n", "t.std:1: rmw.try: only the taking of a lock may be a try");
    assert_refused("T|fence.try|\n", "t.std:1: fence.try: only the taking of a lock may be a try");
    assert_refused("T|begin.acq|\n", "t.std:1: begin.acq: the operation does not take that memory order");
    assert_refused("T|fence.rlx|\n", "t.std:1: fence.rlx: the operation does not take that memory order");
    assert_refused("T|fence|\n", "t.std:1: fence needs a memory order");
}

static void locks_taken_while_another_holds_them(void **state)
{
    (void)state;
    assert_refused("A|acq(l)|\nB|acq(l)|\n", "t.std:2: B takes lock l while A holds it");
    assert_refused("A|acq(l)|\nB|racq(l)|\n", "t.std:2: B takes lock l while A holds it");
    assert_refused("A|racq(l)|\nB|acq(l)|\n",
                   "t.std:2: B takes lock l while another thread holds it in reader mode");
    assert_refused("A|racq(l)|\nB|racq(l)|\nB|acq(l)|\n",
                   "t.std:3: B takes lock l while another thread holds it in reader mode");
    assert_refused("A|acq(l)|\nA|acq(l)|\nA|rel(l)|\nB|acq(l)|\n",
                   "t.std:4: B takes lock l while A holds it"); /* the inner release gives nothing back */
    assert_refused("A|acq(l)|\nA|racq(l)|\nA|rel(l)|\nB|acq(l)|\n",
                   "t.std:4: B takes lock l while another thread holds it in reader mode");
}

static void locks_given_back_without_a_hold(void **state)
{
    (void)state;
    assert_refused("A|rel(l)|\n", "t.std:1: A releases lock l, which it does not hold");
    assert_refused("A|acq(l)|\nB|rel(l)|\n", "t.std:2: B releases lock l, which it does not hold");
    assert_refused("A|acq(l)|\nA|rel(l)|\nA|rel(l)|\n", "t.std:3: A releases lock l, which it does not hold");
    assert_refused("A|racq(l)|\nA|rel(l)|\n", "t.std:2: A releases lock l, which it does not hold");
    assert_refused("A|rrel(l)|\n", "t.std:1: A releases lock l, which it does not hold in reader mode");
    assert_refused("A|acq(l)|\nA|rrel(l)|\n",
                   "t.std:2: A releases lock l, which it does not hold in reader mode");
    assert_refused("A|racq(l)|\nB|rrel(l)|\n",
                   "t.std:2: B releases lock l, which it does not hold in reader mode");
}

static void failed_tries(void **state)
{
    (void)state;
    assert_refused("A|tryfail(l)|\n", "t.std:1: A fails to take lock l, which nobody holds");
    assert_refused("A|acq(l)|\nA|rel(l)|\nB|tryfail(l)|\n",
                   "t.std:3: B fails to take lock l, which nobody holds");
}

static void threads(void **state)
{
    (void)state;
    assert_refused("A|fork(B)|\nA|join(B)|\nB|w(x)|\n", "t.std:3: B runs after it was joined");
    assert_refused("B|w(x)|\nA|join(B)|\nB|w(x)|\n", "t.std:3: B runs after it was joined");
    assert_refused("B|w(x)|\nA|fork(B)|\n", "t.std:2: A forks B, which already ran");
    assert_refused("A|fork(B)|\nA|fork(B)|\n", "t.std:2: A forks B, which was forked already");
    assert_refused("A|fork(A)|\n", "t.std:1: A forks A, which already ran");
    assert_refused("A|join(B)|\nA|fork(B)|\n", "t.std:2: A forks B, which already ran");
    assert_refused("A|join(A)|\n", "t.std:1: A joins itself");
    assert_refused("A|exit|\nA|w(x)|\n", "t.std:2: A runs after its exit");
    assert_refused("A|exit|\nA|exit|\n", "t.std:2: A runs after its exit");
    assert_refused("A|exit|\nB|fork(A)|\n", "t.std:2: B forks A, which already ran");
    assert_refused("A|w(x)|\nB|join(A)|\nA|exit|\n", "t.std:3: A runs after it was joined");
}

static void semaphores(void **state)
{
    (void)state;
    assert_refused("A|seminit(s)|\n", "t.std:1: seminit(s) needs a count between 0 and 2147483647 after '='");
    assert_refused("A|seminit(s=-1)|\n",
                   "t.std:1: seminit(s) needs a count between 0 and 2147483647 after '='");
    assert_refused("A|seminit(s=x)|\n", "t.std:1: seminit(s) needs a count between 0 and 2147483647 after '='");
    assert_refused("A|seminit(s=2147483648)|\n",
                   "t.std:1: seminit(s) needs a count between 0 and 2147483647 after '='");
    assert_refused("A|seminit(s=0)|\nB|seminit(s=0)|\n",
                   "t.std:2: B initialises semaphore s, which was initialised already");
    assert_refused("A|post(s)|\nB|seminit(s=0)|\n",
                   "t.std:2: B initialises semaphore s, which was used before");
    assert_refused("A|seminit(s=1)|\nA|semwait(s)|\nB|semwait(s)|\n",
                   "t.std:3: B takes a token of semaphore s, which has none");
}

static void pairs_without_their_first_half(void **state)
{
    (void)state;
    assert_refused("A|waitpost(c)|\n", "t.std:1: A: waitpost(c) without waitpre");
    assert_refused("A|waitpre(c)|\nB|waitpost(c)|\n", "t.std:2: B: waitpost(c) without waitpre");
    assert_refused("A|waitpre(c)|\nA|waitpost(d)|\n", "t.std:2: A: waitpost(d) without waitpre");
    assert_refused("A|waitpre(c)|\nA|waitpost(c)|\nA|waitpost(c)|\n",
                   "t.std:3: A: waitpost(c) without waitpre");
    assert_refused("A|bexit(b)|\n", "t.std:1: A: bexit(b) without benter");
    assert_refused("A|benter(b)|\nB|bexit(b)|\n", "t.std:2: B: bexit(b) without benter");
    assert_refused("A|end|\n", "t.std:1: A: end without its begin");
    assert_refused("A|begin|\nB|end|\n", "t.std:2: B: end without its begin");
    assert_refused("A|dbegin|\nA|end|\n", "t.std:2: A: end without its begin");
    assert_refused("A|begin|\nA|dend|\n", "t.std:2: A: dend without its dbegin");
    assert_refused("A|begin|\nA|begin|\nA|end|\nA|end|\nA|end|\n", "t.std:5: A: end without its begin");
}

/* What is unusual but possible must load. */
static void possible_traces_load(void **state)
{
    static const char *const texts[] = {
        "A|acq(l)|\nA|fork(B)|\nB|w(x)|\n",                            /* still held and running at the end */
        "A|acq(l)|\nA|racq(l)|\nA|rel(l)|\nA|rrel(l)|\nB|acq(l)|\n",   /* downgrade */
        "A|racq(l)|\nA|acq(l)|\nA|rrel(l)|\nA|rel(l)|\nB|acq(l)|\n",   /* upgrade as the only reader */
        "A|racq(l)|\nB|racq(l)|\nC|tryfail(l)|\n",                     /* only readers hold it */
        "A|acq(l)|\nA|tryfail(l)|\n",                                  /* one's own lock */
        "A|acq(l)|\nA|acq(m)|\nA|rel(l)|\nA|rel(m)|\n",                /* crossing */
        "B|w(x)|\nA|join(B)|\nC|join(B)|\n",                           /* joined twice */
        "A|fork(B)|\nA|join(B)|\n",                                    /* a thread without events */
        "A|semwait(s)|\n",                                             /* an initial token */
        "A|seminit(s=1)|\nA|semwait(s)|\nA|post(s)|\nB|semwait(s)|\n", /* counted */
        "A|acq(l)|\nA|exit|\nB|join(A)|\n",                            /* ends with a lock */
        "A|begin|\nA|dbegin|\nA|end|\nA|dend|\n",                      /* blocks of the two sorts may cross */
        "A|benter(b)|\nB|benter(b)|\nB|bexit(b)|\nB|benter(b)|\nA|bexit(b)|\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(refusal_of(texts[i], strlen(texts[i])), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_lines),
        cmocka_unit_test(long_text_is_cut_in_the_message),
        cmocka_unit_test(memory_orders),
        cmocka_unit_test(locks_taken_while_another_holds_them),
        cmocka_unit_test(locks_given_back_without_a_hold),
        cmocka_unit_test(failed_tries),
        cmocka_unit_test(threads),
        cmocka_unit_test(semaphores),
        cmocka_unit_test(pairs_without_their_first_half),
        cmocka_unit_test(possible_traces_load),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
