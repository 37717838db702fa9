/* Small traces with their findings, by hand: what feasible runs can do (semantics §1–§3). The cases of
 * happens-before are in cases_order.c.
 *
 * Events are numbered from 1 as they are listed; the last number of a final-state tuple is the variable's id,
 * in the order of first mention. */
#include "random/cases.h"

const struct oracle_case run_cases[] = {
    {
        .why = "FMCAD'12 Fig. 1: race-free, yet the read can see another write",
        .trace = "T1|acq(l)| T1|w(x)| T1|rel(l)| T2|acq(l)| T2|r(x)| T2|rel(l)|",
        .findings = {[ORACLE_NONDET] = "5,0"},
    },
    {
        .why = "nothing orders two plain accesses",
        .trace = "T1|w(x)| T2|r(x)|",
        .findings = {[ORACLE_NONDET] = "2,0", [ORACLE_RACE] = "1,2", [ORACLE_UNORDERED] = "1,2"},
    },
    {
        .why = "a thread starts after its fork",
        .trace = "T1|w(x)| T1|fork(T2)| T2|r(x)|",
    },
    {
        .why = "a fork does not order what its thread does later",
        .trace = "T1|fork(T2)| T1|w(x)| T2|r(x)|",
        .findings = {[ORACLE_NONDET] = "3,0", [ORACLE_RACE] = "2,3", [ORACLE_UNORDERED] = "2,3"},
    },
    {
        .why = "a join comes after the last event of its thread",
        .trace = "T1|w(x)| T2|join(T1)| T2|r(x)|",
    },
    {
        .why = "the end of a thread stands on its last read, too: nobody joins it if that saw something new",
        .trace = "T1|w(x)| T2|r(x)| T3|join(T2)| T3|r(x)|",
        .findings = {[ORACLE_NONDET] = "2,0", [ORACLE_RACE] = "1,2", [ORACLE_UNORDERED] = "1,2 1,4"},
    },
    {
        .why = "a read that is not the last must keep its rf for the thread to be joined",
        .trace = "T1|w(x)| T2|r(x)| T2|begin| T3|join(T2)| T3|r(x)|",
        .findings = {[ORACLE_NONDET] = "2,0", [ORACLE_RACE] = "1,2", [ORACLE_UNORDERED] = "1,2 1,5"},
    },
    {
        .why = "waitpre, notify, waitpost: the write before the notify is seen after the wait",
        .trace = "T1|acq(l)| T1|waitpre(c)| T1|rel(l)| T2|acq(l)| T2|w(x)| T2|notify(c)| T2|rel(l)| "
                 "T1|acq(l)| T1|waitpost(c)| T1|r(x)| T1|rel(l)|",
    },
    {
        .why = "an unmatched waitpost requires nothing: the wake-up may have been spurious",
        .trace = "T1|acq(l)| T1|waitpre(c)| T1|rel(l)| T2|acq(l)| T2|w(x)| T2|rel(l)| "
                 "T1|acq(l)| T1|waitpost(c)| T1|r(x)| T1|rel(l)|",
        .findings = {[ORACLE_NONDET] = "9,0"},
    },
    {
        .why = "a notify matches the waiter whose waitpost comes first",
        .trace = "T1|waitpre(c)| T2|waitpre(c)| T3|w(x)| T3|notify(c)| T2|waitpost(c)| T2|r(x)| "
                 "T1|waitpost(c)| T1|r(x)|",
        .findings = {[ORACLE_NONDET] = "8,0", [ORACLE_RACE] = "3,8", [ORACLE_UNORDERED] = "3,8"},
    },
    {
        .why = "each of two notifies may wake either waiter",
        .trace = "T1|waitpre(c)| T2|waitpre(c)| T3|notify(c)| T3|w(x)| T3|notify(c)| T2|waitpost(c)| T2|r(x)| "
                 "T1|waitpost(c)| T1|r(x)|",
        .findings = {[ORACLE_NONDET] = "7,0 9,0", [ORACLE_RACE] = "4,7 4,9", [ORACLE_UNORDERED] = "4,7"},
    },
    {
        .why = "a broadcast matches all waiters",
        .trace = "T1|waitpre(c)| T2|waitpre(c)| T3|w(x)| T3|notifyall(c)| T2|waitpost(c)| T2|r(x)| "
                 "T1|waitpost(c)| T1|r(x)|",
    },
    {
        .why = "a waiter that never leaves its wait is not matched",
        .trace = "T1|waitpre(c)| T2|waitpre(c)| T3|w(x)| T3|notify(c)| T2|waitpost(c)| T2|r(x)|",
    },
    {
        .why = "where all events run, the notify comes after the waitpre: the last write stays the last",
        .trace = "T1|w(x)| T1|waitpre(c)| T2|notify(c)| T2|w(x)| T1|waitpost(c)|",
        .findings = {[ORACLE_RACE] = "1,4"},
    },
    {
        .why = "a notify after the waitpost has nothing to do with that wait",
        .trace = "T1|waitpre(c)| T1|waitpost(c)| T1|r(x)| T2|w(x)| T2|notify(c)|",
        .findings = {[ORACLE_NONDET] = "3,4", [ORACLE_RACE] = "3,4", [ORACLE_UNORDERED] = "3,4"},
    },
    {
        .why = "a barrier orders what is before it with what is after it, and nothing after it",
        .trace = "T1|w(x)| T1|benter(b)| T2|benter(b)| T2|bexit(b)| T2|r(x)| T1|bexit(b)| T1|w(x)|",
        .findings = {[ORACLE_NONDET] = "5,7", [ORACLE_RACE] = "5,7", [ORACLE_UNORDERED] = "5,7"},
    },
    {
        .why = "a generation closes at its first bexit; a later benter is in the next",
        .trace = "T1|benter(b)| T2|benter(b)| T1|bexit(b)| T1|w(x)| T1|benter(b)| T2|bexit(b)| T2|benter(b)| "
                 "T2|bexit(b)| T2|r(x)| T1|bexit(b)|",
    },
    {
        .why = "who leaves the first generation does not wait for the second",
        .trace = "T1|benter(b)| T2|benter(b)| T1|bexit(b)| T1|w(x)| T1|benter(b)| T2|bexit(b)| T2|r(x)|",
        .findings = {[ORACLE_NONDET] = "7,0", [ORACLE_RACE] = "4,7", [ORACLE_UNORDERED] = "4,7"},
    },
    {
        .why = "a semwait takes the oldest post",
        .trace = "T1|w(x)| T1|post(s)| T1|w(x)| T1|post(s)| T2|semwait(s)| T2|r(x)| T2|semwait(s)| T2|r(x)|",
        .findings = {[ORACLE_NONDET] = "6,1", [ORACLE_RACE] = "3,6", [ORACLE_UNORDERED] = "3,6"},
    },
    {
        .why = "a semwait without a post took an initial token",
        .trace = "T2|semwait(s)| T1|w(x)| T1|post(s)| T2|r(x)|",
        .findings = {[ORACLE_NONDET] = "4,0", [ORACLE_RACE] = "2,4", [ORACLE_UNORDERED] = "2,4"},
    },
    {
        .why = "a tryfail runs while the lock is held, but orders nothing by itself",
        .trace = "T1|acq(l)| T1|w(x)| T2|tryfail(l)| T2|r(x)| T1|rel(l)|",
        .findings = {[ORACLE_NONDET] = "4,0", [ORACLE_RACE] = "2,4", [ORACLE_UNORDERED] = "2,4"},
    },
    {
        .why = "a tryfail comes before the release: the second write stays the last where all events run",
        .trace = "T1|acq(l)| T2|w(x)| T2|tryfail(l)| T1|rel(l)| T1|w(x)|",
        .findings = {[ORACLE_RACE] = "2,5", [ORACLE_UNORDERED] = "2,5"},
    },
    {
        .why = "a tryfail comes after the acquire that was in its way",
        .trace = "T1|w(x)| T1|acq(l)| T2|tryfail(l)| T2|w(x)| T1|rel(l)|",
        .findings = {[ORACLE_UNORDERED] = "1,4"},
    },
    {
        .why = "a tryfail because of readers requires nothing",
        .trace = "T1|racq(l)| T2|w(x)| T2|tryfail(l)| T1|rrel(l)| T1|w(x)|",
        .findings = {[ORACLE_FINAL] = "5,2,0", [ORACLE_RACE] = "2,5", [ORACLE_UNORDERED] = "2,5"},
    },
    {
        .why = "readers do not exclude each other",
        .trace = "T1|racq(l)| T1|w(x)| T1|rrel(l)| T2|racq(l)| T2|r(x)| T2|rrel(l)|",
        .findings = {[ORACLE_NONDET] = "5,0", [ORACLE_RACE] = "2,5", [ORACLE_UNORDERED] = "2,5"},
    },
    {
        .why = "a writer excludes readers",
        .trace = "T1|acq(l)| T1|w(x)| T1|rel(l)| T2|racq(l)| T2|r(x)| T2|rrel(l)|",
        .findings = {[ORACLE_NONDET] = "5,0"},
    },
    {
        .why = "readers exclude a writer",
        .trace = "T1|racq(l)| T1|r(x)| T1|rrel(l)| T2|acq(l)| T2|w(x)| T2|rel(l)|",
        .findings = {[ORACLE_NONDET] = "2,5"},
    },
    {
        .why = "a thread runs up to its first new read and no further; plain accesses order nothing",
        .trace = "T1|w(y)| T1|w(x)| T2|r(x)| T2|w(y)|",
        .findings = {[ORACLE_NONDET] = "3,0", [ORACLE_RACE] = "2,3", [ORACLE_UNORDERED] = "1,4 2,3"},
    },
    {
        .why = "two threads can each be stopped at a read",
        .trace = "T1|w(x)| T2|r(x)| T2|w(y)| T1|r(y)|",
        .findings = {[ORACLE_NONDET] = "2,0 4,0", [ORACLE_RACE] = "1,2 3,4", [ORACLE_UNORDERED] = "1,2 3,4"},
    },
    {
        .why = "each rmw can be first, and the read anywhere",
        .trace = "T1|rmw(x)| T2|rmw(x)| T3|ar(x)|",
        .findings = {[ORACLE_NONDET] = "1,2 2,0 3,0 3,1", [ORACLE_FINAL] = "2,1,0"},
    },
    {
        .why = "an rmw that reads something new writes something new: its reader stops though rf is the same",
        .trace = "T1|rmw(x)| T2|ar(x)| T2|w(y)| T3|aw(x)|",
        .findings = {[ORACLE_NONDET] = "1,4 2,0 2,4"},
    },
    {
        .why = "either write can be the last",
        .trace = "T1|w(x)| T2|w(x)|",
        .findings = {[ORACLE_FINAL] = "2,1,0", [ORACLE_RACE] = "1,2", [ORACLE_UNORDERED] = "1,2"},
    },
    {
        .why = "either write can be the last under a lock, without a race",
        .trace = "T1|w(y)| T1|acq(l)| T1|w(x)| T1|rel(l)| T2|acq(l)| T2|w(x)| T2|rel(l)|",
        .findings = {[ORACLE_FINAL] = "6,3,1"},
    },
    {
        .why = "whoever keeps the lock for good comes last",
        .trace = "T1|acq(l)| T1|w(x)| T1|rel(l)| T2|acq(l)| T2|w(x)|",
    },
    {
        .why = "two locks in two orders",
        .trace = "T1|acq(l)| T1|acq(m)| T1|rel(m)| T1|rel(l)| T2|acq(m)| T2|acq(l)| T2|rel(l)| T2|rel(m)|",
        .findings = {[ORACLE_DEADLOCK] = "2,6"},
    },
    {
        .why = "who only tries does not wait",
        .trace = "T1|acq(l)| T1|acq.try(m)| T1|rel(m)| T1|rel(l)| T2|acq(m)| T2|acq(l)| T2|rel(l)| T2|rel(m)|",
    },
    {
        .why = "what was taken by a try is held like any other lock",
        .trace = "T1|acq.try(l)| T1|acq(m)| T1|rel(m)| T1|rel(l)| T2|acq(m)| T2|acq(l)| T2|rel(l)| T2|rel(m)|",
        .findings = {[ORACLE_DEADLOCK] = "2,6"},
    },
    {
        .why = "a gate lock prevents the deadlock",
        .trace = "T1|acq(g)| T1|acq(l)| T1|acq(m)| T1|rel(m)| T1|rel(l)| T1|rel(g)| "
                 "T2|acq(g)| T2|acq(m)| T2|acq(l)| T2|rel(l)| T2|rel(m)| T2|rel(g)|",
    },
    {
        .why = "three locks in a ring",
        .trace = "T1|acq(a)| T1|acq(b)| T1|rel(b)| T1|rel(a)| T2|acq(b)| T2|acq(c)| T2|rel(c)| T2|rel(b)| "
                 "T3|acq(c)| T3|acq(a)| T3|rel(a)| T3|rel(c)|",
        .findings = {[ORACLE_DEADLOCK] = "2,6,10"},
    },
    {
        .why = "data prevents the deadlock: the second thread goes on only after the first is through",
        .trace = "T1|acq(l)| T1|acq(m)| T1|rel(m)| T1|rel(l)| T1|w(x)| "
                 "T2|r(x)| T2|acq(m)| T2|acq(l)| T2|rel(l)| T2|rel(m)|",
        .findings = {[ORACLE_NONDET] = "6,0", [ORACLE_RACE] = "5,6", [ORACLE_UNORDERED] = "5,6"},
    },
    {
        .why = "all reads keep their rf on the way to a deadlock, those of other threads too",
        .trace = "T1|acq(l)| T1|acq(m)| T1|rel(m)| T1|rel(l)| T1|w(x)| T3|r(x)| "
                 "T2|join(T3)| T2|acq(m)| T2|acq(l)| T2|rel(l)| T2|rel(m)|",
        .findings = {[ORACLE_NONDET] = "6,0", [ORACLE_RACE] = "5,6", [ORACLE_UNORDERED] = "5,6"},
    },
    {
        .why = "after a re-entrant pair and its outer one the lock is free",
        .trace = "T1|acq(l)| T1|acq(l)| T1|rel(l)| T1|rel(l)| T2|w(x)| T2|acq(l)| T2|rel(l)| T1|w(x)|",
        .findings = {[ORACLE_FINAL] = "8,5,0", [ORACLE_RACE] = "5,8", [ORACLE_UNORDERED] = "5,8"},
    },
    {
        .why = "a re-entrant pair neither waits nor gives the lock back",
        .trace = "T1|acq(l)| T1|acq(l)| T1|rel(l)| T1|acq(m)| T1|rel(m)| T1|rel(l)| "
                 "T2|acq(m)| T2|acq(l)| T2|rel(l)| T2|rel(m)|",
        .findings = {[ORACLE_DEADLOCK] = "4,8"},
    },
    {
        .why = "waiting for a reader is not waiting for a lock held exclusively: stuck, but no deadlock",
        .trace = "T1|racq(l)| T1|acq(m)| T1|rel(m)| T1|rrel(l)| T2|acq(m)| T2|acq(l)| T2|rel(l)| T2|rel(m)|",
        .findings = {[ORACLE_STUCK] = "2,6"},
    },
    {
        .why = "RWW in a block",
        .trace = "T1|begin| T1|r(x)| T1|w(x)| T1|end| T2|w(x)|",
        .findings = {[ORACLE_ATOMICITY] = "2,5,3",
                     [ORACLE_NONDET] = "2,5",
                     [ORACLE_FINAL] = "5,3,0",
                     [ORACLE_RACE] = "2,5 3,5",
                     [ORACLE_UNORDERED] = "2,5 3,5"},
    },
    {
        .why = "RWR in a block of two lock scopes: no race, the second read is free",
        .trace = "T1|begin| T1|acq(l)| T1|r(x)| T1|rel(l)| T1|acq(l)| T1|r(x)| T1|rel(l)| T1|end| "
                 "T2|acq(l)| T2|w(x)| T2|rel(l)|",
        .findings = {[ORACLE_ATOMICITY] = "3,10,6", [ORACLE_NONDET] = "3,10 6,10"},
    },
    {
        .why = "inner blocks belong to the outermost one",
        .trace = "T1|begin| T1|begin| T1|r(x)| T1|end| T1|begin| T1|r(x)| T1|end| T1|end| T2|w(x)|",
        .findings = {[ORACLE_ATOMICITY] = "3,9,6",
                     [ORACLE_NONDET] = "3,9 6,9",
                     [ORACLE_RACE] = "3,9 6,9",
                     [ORACLE_UNORDERED] = "3,9 6,9"},
    },
    {
        .why = "two blocks are not one",
        .trace = "T1|begin| T1|r(x)| T1|end| T1|begin| T1|r(x)| T1|end| T2|w(x)|",
        .findings = {[ORACLE_NONDET] = "2,7 5,7", [ORACLE_RACE] = "2,7 5,7", [ORACLE_UNORDERED] = "2,7 5,7"},
    },
    {
        .why = "WRW in a block that never ends",
        .trace = "T1|begin| T1|w(x)| T1|w(x)| T2|r(x)|",
        .findings = {[ORACLE_ATOMICITY] = "2,4,3",
                     [ORACLE_NONDET] = "4,0 4,2",
                     [ORACLE_RACE] = "2,4 3,4",
                     [ORACLE_UNORDERED] = "2,4 3,4"},
    },
    {
        .why = "WRR is serializable",
        .trace = "T1|begin| T1|w(x)| T1|r(x)| T1|end| T2|r(x)|",
        .findings = {[ORACLE_NONDET] = "5,0", [ORACLE_RACE] = "2,5", [ORACLE_UNORDERED] = "2,5"},
    },
    {
        .why = "an rmw is a read and a write: this is WRW",
        .trace = "T1|begin| T1|rmw(x)| T1|rmw(x)| T1|end| T2|ar(x)|",
        .findings = {[ORACLE_ATOMICITY] = "2,5,3", [ORACLE_NONDET] = "5,0 5,2"},
    },
    {
        .why = "a dbegin block is not atomic, and neither is a lock scope by default",
        .trace = "T1|dbegin| T1|acq(l)| T1|r(x)| T1|w(x)| T1|rel(l)| T1|dend| T2|w(x)|",
        .findings = {[ORACLE_NONDET] = "3,7",
                     [ORACLE_FINAL] = "7,4,0",
                     [ORACLE_RACE] = "3,7 4,7",
                     [ORACLE_UNORDERED] = "3,7 4,7"},
    },
    {
        .why = "--atomic=locks: a lock scope is a block",
        .trace = "T1|acq(l)| T1|r(x)| T1|w(x)| T1|rel(l)| T2|w(x)|",
        .options = {.atomic_locks = true},
        .findings = {[ORACLE_ATOMICITY] = "2,5,3",
                     [ORACLE_NONDET] = "2,5",
                     [ORACLE_FINAL] = "5,3,0",
                     [ORACLE_RACE] = "2,5 3,5",
                     [ORACLE_UNORDERED] = "2,5 3,5"},
    },
    {
        .why = "--atomic=locks: crossing scopes, shared mode included, are one while any lock is held",
        .trace = "T1|racq(l)| T1|r(x)| T1|acq(m)| T1|rrel(l)| T1|r(x)| T1|rel(m)| T2|w(x)|",
        .options = {.atomic_locks = true},
        .findings = {[ORACLE_ATOMICITY] = "2,7,5",
                     [ORACLE_NONDET] = "2,7 5,7",
                     [ORACLE_RACE] = "2,7 5,7",
                     [ORACLE_UNORDERED] = "2,7 5,7"},
    },
    {
        .why = "--atomic=locks: a scope still open lasts to the end, one that was closed does not",
        .trace = "T1|acq(l)| T1|r(x)| T1|rel(l)| T1|acq(l)| T1|r(x)| T1|r(x)| T2|w(x)|",
        .options = {.atomic_locks = true},
        .findings = {[ORACLE_ATOMICITY] = "5,7,6",
                     [ORACLE_NONDET] = "2,7 5,7 6,7",
                     [ORACLE_RACE] = "2,7 5,7 6,7",
                     [ORACLE_UNORDERED] = "2,7 5,7 6,7"},
    },
    {
        .why = "--atomic=locks: a scope with a wait in it is not a block",
        .trace = "T1|acq(m)| T1|acq(l)| T1|r(x)| T1|waitpre(c)| T1|rel(l)| T1|acq(l)| T1|waitpost(c)| T1|r(x)| "
                 "T1|rel(l)| T1|rel(m)| T2|w(x)|",
        .options = {.atomic_locks = true},
        .findings =
            {[ORACLE_NONDET] = "3,11 8,11", [ORACLE_RACE] = "3,11 8,11", [ORACLE_UNORDERED] = "3,11 8,11"},
    },
    {
        .why = "--atomic=locks: a wait in one scope does not concern the next",
        .trace = "T1|acq(l)| T1|waitpre(c)| T1|rel(l)| T1|acq(l)| T1|waitpost(c)| T1|rel(l)| "
                 "T1|acq(l)| T1|r(x)| T1|r(x)| T1|rel(l)| T2|w(x)|",
        .options = {.atomic_locks = true},
        .findings = {[ORACLE_ATOMICITY] = "8,11,9",
                     [ORACLE_NONDET] = "8,11 9,11",
                     [ORACLE_RACE] = "8,11 9,11",
                     [ORACLE_UNORDERED] = "8,11 9,11"},
    },
    {
        .why = "--values=ignore: only the same write will do",
        .trace = "T1|w(x=1)| T1|w(y=5)| T1|w(x=1)| T2|r(x=1)| T2|w(y=0)|",
        .options = {.values_ignore = true},
        .findings =
            {[ORACLE_NONDET] = "4,0 4,1", [ORACLE_RACE] = "1,4 3,4", [ORACLE_UNORDERED] = "1,4 2,5 3,4"},
    },
    {
        .why = "the same value from another write lets the thread go on",
        .trace = "T1|w(x=1)| T1|w(y=5)| T1|w(x=1)| T2|r(x=1)| T2|w(y=0)|",
        .findings = {[ORACLE_NONDET] = "4,0",
                     [ORACLE_FINAL] = "5,2,1",
                     [ORACLE_RACE] = "1,4 2,5 3,4",
                     [ORACLE_UNORDERED] = "1,4 2,5 3,4"},
    },
    {
        .why = "a read of the initial value tells what it is",
        .trace = "T1|r(x=0)| T2|w(x=0)| T3|r(x=0)| T3|w(y=1)|",
        .findings = {[ORACLE_RACE] = "1,2 2,3", [ORACLE_UNORDERED] = "1,2 2,3"},
    },
    {
        .why = "an rmw that reads the same value writes the same value",
        .trace = "T1|aw(x=1)| T2|aw(x=1)| T3|rmw(x=2)| T4|ar(x=2)|",
        .findings = {[ORACLE_NONDET] = "3,0 4,0 4,1 4,2", [ORACLE_FINAL] = "3,1,0 3,2,0"},
    },
    {
        .why = "what an rmw writes after another value is unknown, whatever it wrote in the trace",
        .trace = "T1|rmw(x=1)| T2|aw(x=1)| T3|ar(x=1)|",
        .findings = {[ORACLE_NONDET] = "1,2 3,0 3,1", [ORACLE_FINAL] = "2,1,0"},
    },
    {
        .why = "the reader of an rmw may read its value elsewhere and go on",
        .trace = "T1|rmw(x=1)| T2|ar(x=1)| T2|w(y=0)| T3|aw(x=1)|",
        .findings = {[ORACLE_NONDET] = "1,4 2,0", [ORACLE_FINAL] = "4,1,0"},
    },
};

const size_t run_cases_count = sizeof run_cases / sizeof *run_cases;
