/* Small traces with their findings, by hand: grounds, values in a run, tokens, notifies, ends of threads; what is
 * stale or stuck (semantics §1–§3).
 *
 * Events are numbered from 1 as they are listed; the last number of a final-state tuple is the variable's id,
 * in the order of first mention. */
#include "random/cases.h"

/* AB/BA between two uses of a counter, one thread all before the other; what the acquires stand on is left out.
 */
#define INVERSION(first, second)                                                                               \
    "T1|rmw(n=1)||from 1+1\n"                                                                                  \
    "T1|acq(a)||" first "\n"                                                                                   \
    "T1|acq(b)||" first "\n"                                                                                   \
    "T1|rel(b)||" first "\n"                                                                                   \
    "T1|rel(a)||" first "\n"                                                                                   \
    "T1|rmw(n=0)||by - from 6-1\n"                                                                             \
    "T2|rmw(n=1)||from 7+1\n"                                                                                  \
    "T2|acq(b)||" second "\n"                                                                                  \
    "T2|acq(a)||" second "\n"                                                                                  \
    "T2|rel(a)||" second "\n"                                                                                  \
    "T2|rel(b)||" second "\n"                                                                                  \
    "T2|rmw(n=0)||by - from 12-1\n"

const struct oracle_case ground_cases[] = {
    {
        .why = "a counter that nobody looks at does not order the locks after it",
        .trace = INVERSION("by -", "by -"),
        .findings = {[ORACLE_DEADLOCK] = "3,9"},
        .only = ABOUT(ORACLE_DEADLOCK) | ABOUT(ORACLE_STUCK),
    },
    {
        .why = "the same counter decides whether the locks are taken: its value is needed",
        .trace = INVERSION("by 1", "by 7"),
        .only = ABOUT(ORACLE_DEADLOCK) | ABOUT(ORACLE_STUCK),
    },
    {
        .why = "--grounds=ignore: every earlier read binds",
        .trace = INVERSION("by -", "by -"),
        .options = {.grounds_ignore = true},
        .only = ABOUT(ORACLE_DEADLOCK) | ABOUT(ORACLE_STUCK),
    },
    {
        .why = "a notify before the waitpre wakes nobody",
        .trace = "T1|acq(l)| T1|waitpre(c)| T1|rel(l)| T2|acq(l)| T2|notify(c)| T2|rel(l)| T1|acq(l)| "
                 "T1|waitpost(c)| T1|rel(l)| T1|exit| T2|exit|",
        .findings = {[ORACLE_STUCK] = "7"},
    },
    {
        .why = "who looks before it waits does not miss its notify",
        .trace = "T1|acq(l)| T1|r(f=0)| T1|waitpre(c)| T1|rel(l)| T2|acq(l)| T2|w(f=1)| T2|notify(c)| "
                 "T2|rel(l)| T1|acq(l)| T1|waitpost(c)| T1|r(f=1)| T1|rel(l)| T1|exit| T2|exit|",
        .findings = {[ORACLE_NONDET] = "2,6"},
    },
    {
        .why = "a thread without an exit that nobody joins may do more: nothing is stuck",
        .trace = "T1|acq(l)| T1|waitpre(c)| T1|rel(l)| T2|acq(l)| T2|notify(c)| T2|rel(l)| T1|acq(l)| "
                 "T1|waitpost(c)| T1|rel(l)| T1|exit|",
    },
    {
        .why = "a broadcast serves all who wait, a notify one of them",
        .trace = "T1|waitpre(c)| T2|waitpre(c)| T3|notifyall(c)| T3|exit| T1|waitpost(c)| T2|waitpost(c)| "
                 "T1|exit| T2|exit|",
        .findings = {[ORACLE_STUCK] = "5 5,6 6"},
    },
    {
        .why = "a wait that nobody woke needs no notify",
        .trace = "T1|waitpre(c)| T1|waitpost(c)| T2|notify(c)| T1|exit| T2|exit|",
    },
    {
        .why = "two references, dropped in either order; only who sees the last one frees",
        .trace = "T0|aw(n=2)|\n"
                 "T0|fork(T1)|\n"
                 "T0|fork(T2)|\n"
                 "T1|rmw(n=1)||from 4-1\n"
                 "T1|w(log=1)||by 4[2..] from -\n"
                 "T2|rmw(n=0)||from 6-1\n"
                 "T2|w(log=2)||by 6[..1] from -\n",
        .findings = {[ORACLE_NONDET] = "4,6 6,1", [ORACLE_RACE] = "5,7", [ORACLE_FINAL] = "7,5,1"},
        .only = ABOUT(ORACLE_NONDET) | ABOUT(ORACLE_RACE) | ABOUT(ORACLE_FINAL) | ABOUT(ORACLE_STALE),
    },
    {
        .why = "both free whatever they see: the references may be dropped in either order",
        .trace = "T0|aw(n=2)|\n"
                 "T0|fork(T1)|\n"
                 "T0|fork(T2)|\n"
                 "T1|rmw(n=1)||from 4-1\n"
                 "T1|w(log=1)||by 4[1..] from -\n"
                 "T2|rmw(n=0)||from 6-1\n"
                 "T2|w(log=2)||by 6[1..] from -\n",
        .findings = {[ORACLE_NONDET] = "4,6 6,1", [ORACLE_RACE] = "5,7", [ORACLE_FINAL] = "7,5,1"},
        .only = ABOUT(ORACLE_NONDET) | ABOUT(ORACLE_RACE) | ABOUT(ORACLE_FINAL) | ABOUT(ORACLE_STALE),
    },
    {
        .why = "a flag is set: any value but 0 serves",
        .trace = "T1|aw(f=1)|\n"
                 "T1|w(y=5)||by -\n"
                 "T1|aw(f=2)||by -\n"
                 "T2|ar(f=2)|\n"
                 "T2|w(y=6)||by 4[1..] from -\n",
        .findings = {[ORACLE_NONDET] = "4,0 4,1", [ORACLE_FINAL] = "5,2,1", [ORACLE_RACE] = "2,5"},
    },
    {
        .why = "--values=ignore: a range is a plain ground",
        .trace = "T1|aw(f=1)|\n"
                 "T1|w(y=5)||by -\n"
                 "T1|aw(f=2)||by -\n"
                 "T2|ar(f=2)|\n"
                 "T2|w(y=6)||by 4[1..] from -\n",
        .options = {.values_ignore = true},
        .findings = {[ORACLE_NONDET] = "4,0 4,1"},
    },
    {
        .why = "check and act in two sections, both threads acting",
        .trace = "T1|acq(l)|\n"
                 "T1|r(n=2)|\n"
                 "T1|rel(l)||by -\n"
                 "T1|acq(l)||by 2[1..]\n"
                 "T1|w(n=1)||by 2[1..] from 2-1\n"
                 "T1|rel(l)||by -\n"
                 "T2|acq(l)|\n"
                 "T2|r(n=1)|\n"
                 "T2|rel(l)||by -\n"
                 "T2|acq(l)||by 8[1..]\n"
                 "T2|w(n=0)||by 8[1..] from 8-1\n"
                 "T2|rel(l)||by -\n",
        .findings =
            {[ORACLE_NONDET] = "2,11 8,0", [ORACLE_FINAL] = "11,5,0 11,11,0", [ORACLE_STALE] = "2,11,5 8,5,11"},
    },
    {
        .why = "check and act in one section",
        .trace = "T1|acq(l)|\n"
                 "T1|r(n=2)|\n"
                 "T1|w(n=1)||by 2[1..] from 2-1\n"
                 "T1|rel(l)||by -\n"
                 "T2|acq(l)|\n"
                 "T2|r(n=1)|\n"
                 "T2|w(n=0)||by 6[1..] from 6-1\n"
                 "T2|rel(l)||by -\n",
        .findings = {[ORACLE_NONDET] = "2,7 6,0"},
    },
    {
        .why = "the check still holds after another write: nothing is stale",
        .trace = "T1|ar(n=2)|\n"
                 "T2|aw(n=3)|\n"
                 "T1|aw(n=0)||by 1[1..] from -\n",
        .findings = {[ORACLE_NONDET] = "1,2", [ORACLE_FINAL] = "3,2,0"},
    },
    {
        .why = "the check does not hold any more",
        .trace = "T1|ar(n=2)|\n"
                 "T2|aw(n=-1)|\n"
                 "T1|aw(n=0)||by 1[1..] from -\n",
        .findings = {[ORACLE_NONDET] = "1,2", [ORACLE_FINAL] = "3,2,0", [ORACLE_STALE] = "1,2,3"},
    },
    {
        .why = "a list that is not given names nothing",
        .trace = "T1|ar(n=2)| T2|aw(n=1)| T1|aw(n=0)|",
        .findings = {[ORACLE_NONDET] = "1,2", [ORACLE_FINAL] = "3,2,0"},
    },
    {
        .why = "a cas sees what it expects or does nothing",
        .trace = "T1|ar(n=0)|\n"
                 "T1|cas(n=1)||by 1 from 1+1\n"
                 "T2|ar(n=1)|\n"
                 "T2|cas(n=2)||by 3 from 3+1\n",
        .only = ABOUT(ORACLE_STALE) | ABOUT(ORACLE_RACE),
    },
    {
        .why = "a second look under the lock before the write",
        .trace = "T1|ar(x=0)|\n"
                 "T1|acq(l)||by 1[..0]\n"
                 "T1|ar(x=0)||by -\n"
                 "T1|aw(x=1)||by 1[..0],3[..0] from -\n"
                 "T1|rel(l)||by -\n"
                 "T2|acq(l)|\n"
                 "T2|aw(x=5)||by -\n"
                 "T2|rel(l)||by -\n",
        .findings = {[ORACLE_NONDET] = "1,7 3,7"},
        .only = ABOUT(ORACLE_STALE) | ABOUT(ORACLE_NONDET),
    },
    {
        .why = "an optimistic update that compares again",
        .trace = "T1|ar(x=0)|\n"
                 "T1|acq(l)||by -\n"
                 "T1|ar(x=0)||by -\n"
                 "T1|aw(x=1)||by 1,3 from 1+1\n"
                 "T1|rel(l)||by -\n"
                 "T2|acq(l)|\n"
                 "T2|aw(x=5)||by -\n"
                 "T2|aw(x=0)||by -\n"
                 "T2|rel(l)||by -\n",
        .only = ABOUT(ORACLE_STALE),
    },
    {
        .why = "a token is a token, whoever posted it",
        .trace = "T1|w(x)| T1|post(s)| T2|post(s)| T3|semwait(s)| T3|r(x)|",
        .findings = {[ORACLE_NONDET] = "5,0", [ORACLE_RACE] = "1,5"},
    },
    {
        .why = "two posts, two waits, crossing threads",
        .trace = "T1|post(s)| T2|post(s)| T1|w(x)| T2|semwait(s)| T1|semwait(s)| T2|w(x)|",
        .findings = {[ORACLE_RACE] = "3,6", [ORACLE_FINAL] = "6,3,0", [ORACLE_UNORDERED] = "3,6"},
    },
    {
        .why = "two waits take the two posts: with both taken the third waits forever",
        .trace = "T1|seminit(s=0)| T1|fork(T2)| T1|post(s)| T1|post(s)| T2|semwait(s)| T1|semwait(s)| "
                 "T1|post(s)| T1|semwait(s)| T1|exit| T2|exit|",
    },
    {
        .why = "a token too few for one of them",
        .trace = "T1|r(x=0)|\n"
                 "T1|post(s)||by 1[0..0]\n"
                 "T1|semwait(s)||by -\n"
                 "T2|post(s)|\n"
                 "T2|semwait(s)||by -\n"
                 "T1|semwait(t)||by -\n"
                 "T2|post(t)||by -\n"
                 "T2|semwait(t)||by -\n"
                 "T1|exit||by -\n"
                 "T2|exit||by -\n",
    },
    {
        .why = "what leaves with the exit is in its by: whoever joins the thread relies on it",
        .trace = "T1|aw(x=1)|\n"
                 "T2|ar(x=1)|\n"
                 "T2|exit||by -\n"
                 "T3|join(T2)|\n"
                 "T3|ar(x=1)|\n",
        .findings = {[ORACLE_NONDET] = "2,0 5,0"},
    },
    {
        .why = "an exit that stands on the read",
        .trace = "T1|aw(x=1)|\n"
                 "T2|ar(x=1)|\n"
                 "T2|exit||by 2[1..]\n"
                 "T3|join(T2)|\n"
                 "T3|ar(x=1)|\n",
        .findings = {[ORACLE_NONDET] = "2,0"},
    },
    {
        .why = "a cas that fails ends its thread: nothing after it is certain, whatever its grounds",
        .trace = "T1|aw(x=1)|\n"
                 "T2|cas(x=2)|\n"
                 "T2|w(y=1)||by -\n"
                 "T1|w(y=2)|\n",
        .findings = {[ORACLE_NONDET] = "2,0",
                     [ORACLE_RACE] = "3,4",
                     [ORACLE_FINAL] = "4,3,1",
                     [ORACLE_UNORDERED] = "3,4"},
    },
    {
        .why = "a cas that fails writes nothing: no race with a plain read",
        .trace = "T1|r(x=0)|\n"
                 "T1|aw(x=1)|\n"
                 "T2|cas(x=2)|\n",
        .findings = {[ORACLE_NONDET] = "3,0", [ORACLE_FINAL] = "3,2,0"},
        .only = ABOUT(ORACLE_NONDET) | ABOUT(ORACLE_RACE) | ABOUT(ORACLE_FINAL),
    },
    {
        .why = "an 8-bit counter wraps",
        .trace = "#type n u8\n"
                 "T1|ar(n=255)|\n"
                 "T1|aw(n=0)||by - from 1+1\n"
                 "T2|ar(n=0)|\n"
                 "T2|aw(n=1)||by - from 3+1\n",
        .findings = {[ORACLE_NONDET] = "1,4 3,0"},
        .only = ABOUT(ORACLE_NONDET),
    },
    {
        .why = "names are values, but no numbers",
        .trace = "T1|aw(x=up)|\n"
                 "T1|aw(x=up)||by -\n"
                 "T2|ar(x=up)|\n"
                 "T2|w(y=1)||by 3[1..]\n"
                 "T1|w(y=2)||by -\n",
        .findings = {[ORACLE_NONDET] = "3,0",
                     [ORACLE_RACE] = "4,5",
                     [ORACLE_FINAL] = "5,4,1",
                     [ORACLE_UNORDERED] = "4,5"},
    },
};

const size_t ground_cases_count = sizeof ground_cases / sizeof *ground_cases;
