/* The certifier, rule by rule: for each a minimal schedule that is accepted and one that is not, by hand. */
#include "certify/certify.h"
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* What is asked: a finding on a trace in the text format, with a blank for the end of a line. */
struct question {
    const char *trace;
    enum property property;
    const uint32_t *events;
    uint32_t event_count;
    const uint32_t *run;
    uint32_t run_count;
    bool run_only;
    struct certify_options options;
};

static bool answer(struct certifier *c, const struct question *q, uint32_t prefix, struct error *why)
{
    struct finding f = {.property = q->property,
                        .event_count = q->event_count,
                        .events = (uint32_t *)q->events,
                        .schedule = {prefix, q->run_count - prefix, (uint32_t *)q->run + prefix}};

    return q->run_only ? certifier_run_feasible(c, &f.schedule, &q->options, why)
                       : certifier_accepts(c, &f, &q->options, why);
}

/* `reason` is part of what the rejection says; NULL: the run is accepted. Every way to call the beginning of
 * the run an observed prefix gives the same answer, and so does asking again. */
static void check(const struct question *q, const char *reason)
{
    struct certify_index *index;
    struct certifier *c;
    struct trace t;
    uint32_t prefix = 0;

    t = trace_from_words(q->trace);
    index = certify_index_new(&t);
    c = certifier_new(index);
    do {
        struct error why = {.text = ""};
        bool accepted = answer(c, q, prefix, &why);
        if (accepted != !reason || (reason && !strstr(why.text, reason)))
            fail_msg("%s\nprefix %u: %s, expected %s", q->trace, prefix, accepted ? "accepted" : why.text,
                     reason ? reason : "acceptance");
        assert_int_equal(answer(c, q, prefix, NULL), accepted);
    } while (prefix < q->run_count && q->run[prefix] == prefix + 1 && ++prefix);
    certifier_free(c);
    certify_index_free(index);
    trace_free(&t);
}

#define LIST(...)                                                                                              \
    (const uint32_t[]){0, __VA_ARGS__} + 1, sizeof((const uint32_t[]){0, __VA_ARGS__}) / sizeof(uint32_t) - 1

/* A run by itself, and a claim with its run. */
#define RUN(text, reason, ...) check(&(struct question){text, 0, LIST(), LIST(__VA_ARGS__), true, {0}}, reason)
#define CLAIM(text, property, events, run, reason)                                                             \
    check(&(struct question){text, property, events, run, false, {0}}, reason)
#define CLAIM_SAME_VALUE(text, property, events, run, reason)                                                  \
    check(&(struct question){text, property, events, run, false, {.same_value = true}}, reason)
#define CLAIM_ATOMIC_LOCKS(text, property, events, run, reason)                                                \
    check(&(struct question){text, property, events, run, false, {.atomic_locks = true}}, reason)

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
    RUN(text, "event 7 runs before event 5, which it requires", 1, 2, 3, 7);
    RUN(text, NULL, 4, 5, 6, 7); /* T1's wait is not the one it ended … */
    RUN(text, "event 9 runs before event 7, which it requires", 4, 5, 6, 8, 9);
    RUN(text, NULL, 1, 2, 3, 11, 12); /* … so T1 woke up by itself */
}

static void notifyall_wakes_all(void **state)
{
    const char *text =
        "T1|acq(l)| T1|waitpre(c)| T1|rel(l)| T2|acq(l)| T2|waitpre(c)| T2|rel(l)| T3|notifyall(c)| "
        "T2|acq(l)| T2|waitpost(c)| T2|rel(l)| T1|acq(l)| T1|waitpost(c)| T1|rel(l)|";

    (void)state;
    RUN(text, "event 7 runs before event 2, which it requires", 4, 5, 6, 7);
    RUN(text, "event 12 runs before event 7, which it requires", 1, 2, 3, 11, 12);
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
    RUN(text, NULL, 1); /* an initial token */
    RUN(text, "event 4 runs before event 2, which it requires", 3, 4);
    RUN(text, "event 5 runs before event 3, which it requires", 1, 2, 4, 5);
    RUN(text, NULL, 3, 1, 2, 4, 5);
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
    RUN(text, "event 3 follows event 2 of its own thread, which reads from 0 and read from 1", 2, 3);
    RUN(text, "event 3 follows event 2 of its own thread, which reads from 4 and read from 1", 1, 4, 2, 3);
    RUN(text, NULL, 1, 2, 4, 3); /* observed before something newer was written */
    RUN(tainted, NULL, 1, 2, 3, 4);
    RUN(tainted, NULL, 2, 3);
    RUN(tainted, "event 4 follows event 3 of its own thread, which reads from 2 and read from 2", 2, 3, 4);
}

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
    CLAIM(text, PROPERTY_NONDET, LIST(2, 1, 5), LIST(1, 4, 5, 2), NULL);
    CLAIM_SAME_VALUE(text, PROPERTY_NONDET, LIST(2, 1, 5), LIST(1, 4, 5, 2), "event 2 reads what it read");
    CLAIM_SAME_VALUE(text, PROPERTY_NONDET, LIST(2, 1, 4), LIST(1, 4, 2), NULL);
    CLAIM_SAME_VALUE(text, PROPERTY_NONDET, LIST(2, 1, 0), LIST(2), NULL); /* the initial value is not known */
    CLAIM_SAME_VALUE(text, PROPERTY_FINAL, LIST(5, 1), LIST(1, 2, 3, 4, 5),
                     "the last write to the variable is 5");
    CLAIM(initial, PROPERTY_NONDET, LIST(3, 2, 0), LIST(3), NULL);
    CLAIM_SAME_VALUE(initial, PROPERTY_NONDET, LIST(3, 2, 0), LIST(3), "event 3 reads what it read");
    CLAIM_SAME_VALUE(initial, PROPERTY_NONDET, LIST(1, 0, 2), LIST(2, 1), "event 1 reads what it read");
    CLAIM_SAME_VALUE(rmw, PROPERTY_RACE, LIST(1, 3), LIST(), "events 1 and 3 touch different variables");
    CLAIM_SAME_VALUE(rmw, PROPERTY_NONDET, LIST(2, 1, 4), LIST(1, 4, 2), "event 2 reads what it read");
    CLAIM_SAME_VALUE(rmw, PROPERTY_NONDET, LIST(2, 1, 0), LIST(2), NULL);
}

static void final_state(void **state)
{
    const char *text = "T1|w(x)| T2|w(x)| T2|w(y)|";

    (void)state;
    CLAIM(text, PROPERTY_FINAL, LIST(2, 1), LIST(2, 3, 1), NULL);
    CLAIM(text, PROPERTY_FINAL, LIST(2, 1), LIST(1, 2, 3), "the last write to the variable is 2, not 1");
    CLAIM(text, PROPERTY_FINAL, LIST(2, 1), LIST(2, 1), "the run has 2 events, the trace 3");
    CLAIM(text, PROPERTY_FINAL, LIST(1, 1), LIST(2, 3, 1), "is 2 in the trace, not 1");
    CLAIM(text, PROPERTY_FINAL, LIST(2, 2), LIST(1, 2, 3), "event 2 is the last write in the trace too");
    CLAIM(text, PROPERTY_FINAL, LIST(2, 0), LIST(2, 3, 1), "event 0 does not exist");
    CLAIM("T1|w(x)| T2|r(x)|", PROPERTY_FINAL, LIST(1, 2), LIST(1, 2), "event 2 is not a write");
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
          "event 5 may never come: event 4 before it reads from 0 and read from 3");
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
    CLAIM(read, PROPERTY_DEADLOCK, LIST(2, 6), LIST(1, 5, 10), "event 10 reads something new");
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
    CLAIM(text, PROPERTY_ATOMICITY, LIST(2, 7, 5), LIST(7, 1, 2, 3, 4, 5), "event 3 follows event 2");
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
    CLAIM("T1|w(x)| T2|r(x)|", PROPERTY_UNORDERED, LIST(1, 2), LIST(), "unordered findings carry no schedule");
    CLAIM("T1|w(x)|", PROPERTY_DETERMINISM, LIST(1, 1, 1), LIST(), "conflicts in a block carry no schedule");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_run_in_order),
        cmocka_unit_test(prefixes_end_with_the_trace),
        cmocka_unit_test(forks_and_joins_come_first),
        cmocka_unit_test(notifies_wake_who_comes_out_first),
        cmocka_unit_test(notifyall_wakes_all),
        cmocka_unit_test(barriers_wait_for_their_generation),
        cmocka_unit_test(semaphores_hand_on_tokens),
        cmocka_unit_test(locks_exclude),
        cmocka_unit_test(tryfails_need_their_holder),
        cmocka_unit_test(reads_keep_their_source),
        cmocka_unit_test(nondeterminism),
        cmocka_unit_test(equal_values),
        cmocka_unit_test(final_state),
        cmocka_unit_test(races),
        cmocka_unit_test(races_need_started_threads),
        cmocka_unit_test(deadlocks),
        cmocka_unit_test(deadlocks_are_one_cycle),
        cmocka_unit_test(atomicity),
        cmocka_unit_test(lock_scopes_are_blocks_when_asked),
        cmocka_unit_test(cycles_of_blocks),
        cmocka_unit_test(the_rest_carries_no_schedule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
