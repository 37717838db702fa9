/* The certifier, property by property: schedules that show what they claim, and some that do not, by hand. */
#include "support/questions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void nondeterminism(void **state)
{
    const char *text = "T1|w(x)| T2|r(x)| T1|w(x)| T2|w(y)|";

    (void)state;
    CLAIM(text, PROPERTY_NONDET, LIST(2, 1, 0), LIST(2), NULL);
    CLAIM(text, PROPERTY_NONDET, LIST(2, 1, 3), LIST(1, 3, 2), NULL);
    CLAIM(text, PROPERTY_NONDET, LIST(2, 1, 3), LIST(2), "event 2 reads from 0, not from 3");
    CLAIM(text, PROPERTY_NONDET, LIST(2, 0, 3), LIST(1, 3, 2), "event 2 read from 1 in the trace, not from 0");
    CLAIM(text, PROPERTY_NONDET, LIST(2, 1, 1), LIST(1, 2), "that is no alternative");
    CLAIM(text, PROPERTY_NONDET, LIST(2, 1, 3), LIST(1, 2), "event 2 reads what it read in the trace");
    CLAIM(text, PROPERTY_NONDET, LIST(2, 1, 0), LIST(2, 1), "the run ends in event 1, not in event 2");
    CLAIM(text, PROPERTY_NONDET, LIST(2, 1, 0), LIST(), "the run ends in event 0, not in event 2");
    CLAIM(text, PROPERTY_NONDET, LIST(3, 1, 0), LIST(1, 3), "event 3 is not a read");
    CLAIM(text, PROPERTY_NONDET, LIST(9, 1, 0), LIST(2), "event 9 does not exist");
    CLAIM(text, PROPERTY_NONDET, LIST(2, 1), LIST(2), "a nondeterminism finding has 3 events, not 2");
    CLAIM("T1|aw(x)| T2|rmw(x)| T3|ar(x)|", PROPERTY_NONDET, LIST(3, 2, 2), LIST(2, 3),
          "that is no alternative");
}

static void equal_values(void **state)
{
    const char *text = "T1|w(x=1)| T2|r(x=1)| T2|w(y=5)| T1|w(x=2)| T1|w(x=1)|";
    const char *initial = "T1|r(x=0)| T2|w(x=0)| T3|r(x=0)| T3|w(y=1)|";
    const char *rmw = "T1|aw(x=1)| T2|rmw(x=2)| T2|w(y=0)| T1|aw(x=1)|";

    (void)state;
    CLAIM_PLAIN(text, PROPERTY_NONDET, LIST(2, 1, 5), LIST(1, 4, 5, 2), NULL);
    CLAIM(text, PROPERTY_NONDET, LIST(2, 1, 5), LIST(1, 4, 5, 2), "event 2 reads what it read");
    CLAIM(text, PROPERTY_NONDET, LIST(2, 1, 4), LIST(1, 4, 2), NULL);
    CLAIM(text, PROPERTY_NONDET, LIST(2, 1, 0), LIST(2), NULL); /* the initial value is not known */
    CLAIM(text, PROPERTY_FINAL, LIST(5, 1), LIST(1, 2, 3, 4, 5), "the last write to the variable is 5");
    CLAIM_PLAIN(initial, PROPERTY_NONDET, LIST(3, 2, 0), LIST(3), NULL);
    CLAIM(initial, PROPERTY_NONDET, LIST(3, 2, 0), LIST(3), "event 3 reads what it read");
    CLAIM(initial, PROPERTY_NONDET, LIST(1, 0, 2), LIST(2, 1), "event 1 reads what it read");
    CLAIM(rmw, PROPERTY_RACE, LIST(1, 3), LIST(), "events 1 and 3 touch different variables");
    CLAIM(rmw, PROPERTY_NONDET, LIST(2, 1, 4), LIST(1, 4, 2), "event 2 reads what it read");
    CLAIM(rmw, PROPERTY_NONDET, LIST(2, 1, 0), LIST(2), NULL);
}

static void final_state(void **state)
{
    const char *text = "T1|w(x)| T2|w(x)| T2|w(y)|";

    (void)state;
    CLAIM(text, PROPERTY_FINAL, LIST(2, 1), LIST(2, 3, 1), NULL);
    CLAIM(text, PROPERTY_FINAL, LIST(2, 1), LIST(1, 2, 3), "the last write to the variable is 2, not 1");
    CLAIM(text, PROPERTY_FINAL, LIST(2, 1), LIST(2, 1), "the run has 2 events, the trace 3");
    CLAIM(text, PROPERTY_FINAL, LIST(1, 1), LIST(2, 3, 1),
          "the last write to the variable of event 1 is 2 in the trace");
    CLAIM(text, PROPERTY_FINAL, LIST(2, 2), LIST(1, 2, 3), "event 2 is the last write in the trace too");
    CLAIM(text, PROPERTY_FINAL, LIST(2, 0), LIST(2, 3, 1), "the last write to the variable is 1, not 0");
    CLAIM("T1|w(x)| T2|r(x)|", PROPERTY_FINAL, LIST(1, 2), LIST(1, 2),
          "the last write to the variable is 1, not 2");
}

static void races(void **state)
{
    const char *text = "T1|w(x)| T2|r(x)| T2|w(y)| T1|r(y)| T1|w(z)| T3|w(z)|";

    (void)state;
    CLAIM(text, PROPERTY_RACE, LIST(1, 2), LIST(), NULL);
    CLAIM(text, PROPERTY_RACE, LIST(3, 4), LIST(1, 2), NULL);
    CLAIM(text, PROPERTY_RACE, LIST(5, 6), LIST(1, 2, 3, 4), NULL);
    CLAIM(text, PROPERTY_RACE, LIST(2, 1), LIST(), "events 2 and 1 are not in ascending order");
    CLAIM(text, PROPERTY_RACE, LIST(1, 2), LIST(1), "event 1 is in the run");
    CLAIM(text, PROPERTY_RACE, LIST(3, 4), LIST(1),
          "event 3 is not the next of its thread: event 2 has not run");
    CLAIM(text, PROPERTY_RACE, LIST(5, 6), LIST(1, 4),
          "event 5 depends on event 4 of its own thread, which reads from 0 and read from 3");
    CLAIM(text, PROPERTY_RACE, LIST(1, 3), LIST(), "events 1 and 3 touch different variables");
    CLAIM(text, PROPERTY_RACE, LIST(1, 7), LIST(), "event 7 does not exist");
    CLAIM("T1|w(x)| T1|r(x)|", PROPERTY_RACE, LIST(1, 2), LIST(), "events 1 and 2 are of the same thread");
    CLAIM("T1|r(x)| T2|r(x)|", PROPERTY_RACE, LIST(1, 2), LIST(), "events 1 and 2 are both reads");
    CLAIM("T1|aw(x)| T2|ar(x)|", PROPERTY_RACE, LIST(1, 2), LIST(), "events 1 and 2 are both atomic");
    CLAIM("T1|aw(x)| T2|r(x)|", PROPERTY_RACE, LIST(1, 2), LIST(), NULL);
    CLAIM("T1|acq(l)| T2|begin|", PROPERTY_RACE, LIST(1, 2), LIST(), "event 1 is not a read or write");
}

static void races_need_started_threads(void **state)
{
    const char *text = "T1|fork(T2)| T1|w(x)| T2|r(x)|";

    (void)state;
    CLAIM(text, PROPERTY_RACE, LIST(2, 3), LIST(1), NULL);
    CLAIM("T1|w(x)| T1|fork(T2)| T2|r(x)|", PROPERTY_RACE, LIST(1, 3), LIST(),
          "event 3 cannot run before event 2, which forks its thread");
}

static void deadlocks(void **state)
{
    const char *text =
        "T1|acq(l)| T1|acq(m)| T1|rel(m)| T1|rel(l)| T2|acq(m)| T2|acq(l)| T2|rel(l)| T2|rel(m)|";
    const char *three = "A|acq(k)| A|acq(l)| A|rel(l)| A|rel(k)| B|acq(l)| B|acq(m)| B|rel(m)| B|rel(l)| "
                        "C|acq(m)| C|acq(k)| C|rel(k)| C|rel(m)|";
    const char *read =
        "T1|acq(l)| T1|acq(m)| T1|rel(m)| T1|rel(l)| T2|acq(m)| T2|acq(l)| T2|rel(l)| T2|rel(m)| "
        "T3|w(x)| T4|r(x)|";

    (void)state;
    CLAIM(text, PROPERTY_DEADLOCK, LIST(2, 6), LIST(1, 5), NULL);
    CLAIM(text, PROPERTY_DEADLOCK, LIST(2, 6), LIST(5, 1), NULL);
    CLAIM(text, PROPERTY_DEADLOCK, LIST(6, 2), LIST(1, 5), "events 6 and 2 are not in ascending order");
    CLAIM(text, PROPERTY_DEADLOCK, LIST(2), LIST(1, 5), "a deadlock takes two threads or more");
    CLAIM(text, PROPERTY_DEADLOCK, LIST(1, 2, 6), LIST(1, 5), "the trace has fewer than 3 threads");
    CLAIM(text, PROPERTY_DEADLOCK, LIST(2, 6), LIST(1), "event 6 is not the next of its thread");
    CLAIM(text, PROPERTY_DEADLOCK, LIST(1, 5), LIST(), "event 1 waits for nobody");
    CLAIM(text, PROPERTY_DEADLOCK, LIST(2, 7), LIST(1, 5), "event 7 does not take a lock exclusively");
    CLAIM(three, PROPERTY_DEADLOCK, LIST(2, 6, 10), LIST(1, 5, 9), NULL);
    CLAIM(three, PROPERTY_DEADLOCK, LIST(2, 6), LIST(1, 5, 9),
          "event 6 waits for C, which has no event in the cycle");
    CLAIM(read, PROPERTY_DEADLOCK, LIST(2, 6), LIST(1, 5, 9, 10), NULL);
    CLAIM(read, PROPERTY_DEADLOCK, LIST(2, 6), LIST(1, 5, 10), NULL); /* T4 has no part in it */
}

static void deadlocks_are_one_cycle(void **state)
{
    const char *two = "A|acq(k)| A|acq(l)| A|rel(l)| A|rel(k)| B|acq(l)| B|acq(k)| B|rel(k)| B|rel(l)| "
                      "C|acq(m)| C|acq(k)| C|rel(k)| C|rel(m)|";
    const char *own = "A|acq(k)| A|acq(k)| B|acq(l)| B|acq(l)|";

    (void)state;
    CLAIM(two, PROPERTY_DEADLOCK, LIST(2, 6), LIST(1, 5, 9), NULL);
    CLAIM(two, PROPERTY_DEADLOCK, LIST(2, 6, 10), LIST(1, 5, 9),
          "the cycle through event 2 has 2 events, not 3");
    CLAIM("C|acq(m)| C|acq(k)| C|rel(k)| C|rel(m)| A|acq(k)| A|acq(l)| A|rel(l)| A|rel(k)| B|acq(l)| B|acq(k)|",
          PROPERTY_DEADLOCK, LIST(2, 6, 10), LIST(1, 5, 9), "in a cycle without event 2");
    CLAIM(own, PROPERTY_DEADLOCK, LIST(2, 4), LIST(1, 3), "event 2 waits for nobody");
    CLAIM("A|acq(k)| A|racq(l)| A|rrel(l)| A|rel(k)| B|acq(l)| B|acq(k)|", PROPERTY_DEADLOCK, LIST(2, 6),
          LIST(1, 5), "event 2 does not take a lock exclusively");
    CLAIM("A|acq(k)| A|acq(l)| A|rel(l)| A|rel(k)| B|racq(l)| B|acq(k)|", PROPERTY_DEADLOCK, LIST(2, 6),
          LIST(1, 5), "event 2 waits for nobody");
}

static void atomicity(void **state)
{
    const char *text = "T1|begin| T1|r(x)| T1|begin| T1|end| T1|w(x)| T1|end| T2|w(x)| T2|r(x)| T1|r(x)|";
    const char *serial = "T1|begin| T1|r(x)| T1|w(x)| T2|r(x)|";

    (void)state;
    CLAIM(text, PROPERTY_ATOMICITY, LIST(2, 7, 5), LIST(1, 2, 3, 4, 7, 5), NULL);
    CLAIM(text, PROPERTY_ATOMICITY, LIST(2, 7, 5), LIST(7, 1, 2, 3, 4, 5), "event 3 depends on event 2");
    CLAIM(text, PROPERTY_ATOMICITY, LIST(2, 7, 5), LIST(1, 2, 3, 4, 5), "event 7 is not in the run");
    CLAIM(text, PROPERTY_ATOMICITY, LIST(2, 7, 5), LIST(1, 2, 3, 4, 5, 7),
          "the run ends in event 7, not in event 5");
    CLAIM(text, PROPERTY_ATOMICITY, LIST(2, 7, 9), LIST(1, 2, 3, 4, 5, 6, 7, 9),
          "events 2 and 9 are not in one atomic block");
    CLAIM(text, PROPERTY_ATOMICITY, LIST(5, 7, 2), LIST(1, 2),
          "event 5 does not come before event 2 in one thread");
    CLAIM(text, PROPERTY_ATOMICITY, LIST(2, 9, 5), LIST(1, 2, 3, 4, 5), "event 9 is of the same thread");
    CLAIM(text, PROPERTY_ATOMICITY, LIST(2, 1, 5), LIST(1, 2, 3, 4, 5), "event 1 is not a read or write");
    CLAIM(serial, PROPERTY_ATOMICITY, LIST(2, 4, 3), LIST(1, 2, 4, 3), "have the effect of some serial order");
    CLAIM("T1|begin| T1|w(x)| T1|rmw(x)| T2|r(x)|", PROPERTY_ATOMICITY, LIST(2, 4, 3), LIST(1, 2, 4, 3), NULL);
    CLAIM("T1|begin| T1|w(x)| T1|r(x)| T2|rmw(x)|", PROPERTY_ATOMICITY, LIST(2, 4, 3), LIST(1, 2, 4, 3), NULL);
    CLAIM("T1|begin| T1|w(x)| T1|w(x)| T2|w(x)|", PROPERTY_ATOMICITY, LIST(2, 4, 3), LIST(4, 1, 2, 3),
          "event 2 comes after event 4 in the run");
    CLAIM("T1|begin| T1|w(x)| T1|end| T1|begin| T1|w(x)| T2|w(x)|", PROPERTY_ATOMICITY, LIST(2, 6, 5),
          LIST(1, 2, 3, 4, 6, 5), "events 2 and 5 are not in one atomic block");
}

static void lock_scopes_are_blocks_when_asked(void **state)
{
    const char *text = "T1|racq(l)| T1|w(x)| T1|acq(m)| T1|rrel(l)| T1|w(x)| T1|rel(m)| T1|w(x)| T2|w(x)|";
    const char *waits =
        "T1|acq(l)| T1|w(x)| T1|waitpre(c)| T1|rel(l)| T1|acq(l)| T1|waitpost(c)| T1|w(x)| T2|w(x)|";
    const char *before = "T1|acq(l)| T1|w(x)| T1|w(x)| T1|waitpre(c)| T1|rel(l)| T2|w(x)|";

    (void)state;
    CLAIM_ATOMIC_LOCKS(text, PROPERTY_ATOMICITY, LIST(2, 8, 5), LIST(1, 2, 3, 4, 8, 5), NULL);
    CLAIM(text, PROPERTY_ATOMICITY, LIST(2, 8, 5), LIST(1, 2, 3, 4, 8, 5), "not in one atomic block");
    CLAIM_ATOMIC_LOCKS(text, PROPERTY_ATOMICITY, LIST(5, 8, 7), LIST(1, 2, 3, 4, 5, 6, 8, 7),
                       "not in one atomic block");
    CLAIM_ATOMIC_LOCKS(waits, PROPERTY_ATOMICITY, LIST(2, 8, 7), LIST(1, 2, 3, 4, 5, 6, 8, 7),
                       "not in one atomic block");
    CLAIM_ATOMIC_LOCKS(before, PROPERTY_ATOMICITY, LIST(2, 6, 3), LIST(1, 2, 6, 3), "not in one atomic block");
}

static void the_rest_carries_no_schedule(void **state)
{
    (void)state;
    CLAIM("T1|w(x)| T2|r(x)|", PROPERTY_UNORDERED, LIST(1, 2), LIST(), "unordered findings have no schedule");
    CLAIM("T1|w(x)|", PROPERTY_DETERMINISM, LIST(1, 1, 1), LIST(), "conflicts in a block have no schedule");
}

static void cycles_of_blocks(void **state)
{
    const char *text = "T1|begin| T1|r(x)| T1|w(x)| T1|end| T2|w(x)|";
    const char *team = "M|dbegin| M|fork(A)| A|w(x)| A|r(x)| M|join(A)| M|dend| B|w(x)|";

    (void)state;
    CLAIM(text, PROPERTY_SERIALIZABILITY, LIST(1, 5, 2, 5, 5, 3), LIST(1, 2, 5, 3), NULL);
    CLAIM(text, PROPERTY_SERIALIZABILITY, LIST(1, 5, 2, 5, 5, 3), LIST(1, 2, 3, 4, 5),
          "event 5 comes after event 3 in the run");
    CLAIM(text, PROPERTY_SERIALIZABILITY, LIST(1, 5, 2, 5, 5, 3), LIST(1, 2, 5), "event 3 is not in the run");
    CLAIM(text, PROPERTY_SERIALIZABILITY, LIST(1, 5, 1, 5, 5, 3), LIST(1, 2, 5, 3),
          "events 1 and 5 do not conflict");
    CLAIM(text, PROPERTY_SERIALIZABILITY, LIST(2, 5, 2, 5, 5, 3), LIST(1, 2, 5, 3),
          "events 2 and 5 do not lead from transaction 2 to another, 5");
    CLAIM(text, PROPERTY_SERIALIZABILITY, LIST(1, 5, 2, 5), LIST(1, 2, 5, 3),
          "a cycle takes two transactions or more, and a pair of events for each");
    CLAIM(text, PROPERTY_SERIALIZABILITY, LIST(1, 5, 2, 5, 5, 9), LIST(1, 2, 5, 3),
          "event 9 does not exist: the trace has events 1 to 5");
    CLAIM(text, PROPERTY_DETERMINISM, LIST(1, 5, 2, 5, 5, 3), LIST(1, 2, 5, 3),
          "events 2 and 5 do not lead from transaction 1 to another, 5");
    CLAIM(team, PROPERTY_DETERMINISM, LIST(1, 7, 3, 7, 7, 4), LIST(1, 2, 3, 7, 4), NULL);
    CLAIM(team, PROPERTY_SERIALIZABILITY, LIST(1, 7, 3, 7, 7, 4), LIST(1, 2, 3, 7, 4),
          "events 3 and 7 do not lead from transaction 1 to another, 7");
}

static void stale_reads(void **state)
{
    const char *text = "T1|ar(n=2)|\nT2|aw(n=-1)|\nT2|aw(n=5)|\nT1|aw(n=0)||by 1[1..] from -\n"
                       "T1|aw(n=1)||by 1 from 1-1\nT1|cas(n=2)||by 1 from 1\n";

    (void)state;
    CLAIM(text, PROPERTY_STALE, LIST(1, 2, 4), LIST(1, 2, 4), NULL);
    CLAIM(text, PROPERTY_STALE, LIST(1, 3, 4), LIST(1, 2, 3, 4),
          "event 3 writes a value that passes the check of event 1");
    CLAIM(text, PROPERTY_STALE, LIST(1, 2, 4), LIST(1, 2, 3, 4),
          "the last write to the variable before event 4 is 3, not 2");
    CLAIM(text, PROPERTY_STALE, LIST(1, 2, 4), LIST(1, 2, 4, 3), "the run ends in event 3, not in event 4");
    CLAIM(text, PROPERTY_STALE, LIST(1, 3, 5), LIST(1, 4, 2, 3, 5), NULL); /* what it makes its value of */
    CLAIM(text, PROPERTY_STALE, LIST(1, 3, 6), LIST(1, 4, 5, 2, 3, 6),
          "event 6 is a compare-and-exchange, which compares again as it writes");
    CLAIM(text, PROPERTY_STALE, LIST(2, 1, 4), LIST(1, 2, 4), "events 2, 1, 4 are not a read and two writes");
    CLAIM("T1|ar(n)| T2|aw(n)| T1|aw(n)|", PROPERTY_STALE, LIST(1, 2, 3), LIST(1, 2, 3),
          "event 3 does not depend on event 1 as its last read of the variable");
}

static void stuck_runs(void **state)
{
    const char *text = "T1|acq(l)| T1|waitpre(c)| T1|rel(l)| T2|acq(l)| T2|notify(c)| T2|rel(l)| T1|acq(l)| "
                       "T1|waitpost(c)| T1|rel(l)| T2|exit|";
    const char *crossed =
        "T1|acq(l)| T1|acq(m)| T1|rel(m)| T1|rel(l)| T2|acq(m)| T2|acq(l)| T2|rel(l)| T2|rel(m)|";

    (void)state;
    CLAIM(text, PROPERTY_STUCK, LIST(7), LIST(4, 5, 6, 10, 1, 2, 3), NULL);
    CLAIM(text, PROPERTY_STUCK, LIST(7), LIST(4, 5, 6, 1, 2, 3),
          "T2 neither waits at one of the events nor is over");
    CLAIM(text, PROPERTY_STUCK, LIST(7), LIST(1, 2, 3, 4, 5, 6, 10),
          "event 7 does not wait: it can happen now");
    CLAIM(text, PROPERTY_STUCK, LIST(3), LIST(4, 5, 6, 10, 1, 2),
          "event 3 is not one that a thread can wait at");
    CLAIM(text, PROPERTY_STUCK, LIST(8), LIST(4, 5, 6, 10, 1, 2, 3), "event 8 is not the next of its thread");
    CLAIM(text, PROPERTY_STUCK, LIST(), LIST(4, 5, 6, 10, 1, 2, 3),
          "a stuck run has one waiting event or more");
    CLAIM(crossed, PROPERTY_STUCK, LIST(2, 6), LIST(1, 5), "event 2 is part of a deadlock");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nondeterminism),
        cmocka_unit_test(equal_values),
        cmocka_unit_test(final_state),
        cmocka_unit_test(races),
        cmocka_unit_test(races_need_started_threads),
        cmocka_unit_test(deadlocks),
        cmocka_unit_test(deadlocks_are_one_cycle),
        cmocka_unit_test(atomicity),
        cmocka_unit_test(lock_scopes_are_blocks_when_asked),
        cmocka_unit_test(the_rest_carries_no_schedule),
        cmocka_unit_test(cycles_of_blocks),
        cmocka_unit_test(stale_reads),
        cmocka_unit_test(stuck_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
