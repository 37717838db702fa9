/* Small traces with their findings, by hand: what C11 happens-before orders (semantics §3, `unordered`).
 *
 * Most are one pattern: T1 writes y and sends word through x, another thread gets it and reads y. That read is
 * reached only by way of the word, so that no run brings the two together: only happens-before can tell. */
#include "random/cases.h"

const struct oracle_case order_cases[] = {
    {
        .why = "a release store read by an acquire load",
        .trace = "T1|w(y)| T1|aw.rel(x)| T2|ar.acq(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "3,0"},
    },
    {
        .why = "no order given means sequentially consistent, which releases and acquires",
        .trace = "T1|w(y)| T1|aw(x)| T2|ar(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "3,0"},
    },
    {
        .why = "a relaxed store releases nothing",
        .trace = "T1|w(y)| T1|aw.rlx(x)| T2|ar.acq(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "3,0", [ORACLE_UNORDERED] = "1,4"},
    },
    {
        .why = "a relaxed load acquires nothing",
        .trace = "T1|w(y)| T1|aw.sc(x)| T2|ar.rlx(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "3,0", [ORACLE_UNORDERED] = "1,4"},
    },
    {
        .why = "an acquire load of a plain write acquires nothing",
        .trace = "T1|w(y)| T1|w(x)| T2|ar.acq(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "3,0", [ORACLE_RACE] = "2,3", [ORACLE_UNORDERED] = "1,4 2,3"},
    },
    {
        .why = "an acquire load of the initial value acquires nothing",
        .trace = "T2|ar.acq(x)| T1|w(y)| T1|aw.rel(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "1,3 4,0", [ORACLE_RACE] = "2,4", [ORACLE_UNORDERED] = "2,4"},
    },
    {
        .why = "an rmw with acquire order acquires",
        .trace = "T1|w(y)| T1|aw.rel(x)| T2|rmw.acq(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "3,0"},
    },
    {
        .why = "an rmw with release order acquires nothing",
        .trace = "T1|w(y)| T1|aw.rel(x)| T2|rmw.rel(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "3,0", [ORACLE_UNORDERED] = "1,4"},
    },
    {
        .why = "an rmw with acquire-release order passes on what it acquired",
        .trace = "T1|w(y)| T1|aw.rel(x)| T2|rmw.ar(x)| T2|aw.rel(z)| T3|ar.acq(z)| T3|r(y)|",
        .findings = {[ORACLE_NONDET] = "3,0 5,0"},
    },
    {
        .why = "a later store of the same thread continues the release sequence",
        .trace = "T1|w(y)| T1|aw.rel(x)| T1|aw.rlx(x)| T2|ar.acq(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,0 4,2"},
    },
    {
        .why = "an rmw of another thread continues the release sequence",
        .trace = "T1|w(y)| T1|aw.rel(x)| T2|rmw.rlx(x)| T3|ar.acq(x)| T3|r(y)|",
        .findings = {[ORACLE_NONDET] = "3,0 4,0 4,2"},
    },
    {
        .why = "a store of another thread ends the release sequence, even if the first thread stores again",
        .trace = "T1|w(y)| T1|aw.rel(x)| T2|aw.rlx(x)| T1|aw.rlx(x)| T3|ar.acq(x)| T3|r(y)|",
        .findings = {[ORACLE_NONDET] = "5,0 5,2 5,3", [ORACLE_FINAL] = "4,3,1", [ORACLE_UNORDERED] = "1,6"},
    },
    {
        .why = "an rmw after the release sequence has ended does not take it up",
        .trace = "T1|w(y)| T1|aw.rel(x)| T2|aw.rlx(x)| T1|rmw.rlx(x)| T3|ar.acq(x)| T3|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,2 5,0 5,2 5,3", [ORACLE_UNORDERED] = "1,6"},
    },
    {
        .why = "release fence, relaxed store; acquire load",
        .trace = "T1|w(y)| T1|fence.rel| T1|aw.rlx(x)| T2|ar.acq(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,0"},
    },
    {
        .why = "release store; relaxed load, acquire fence",
        .trace = "T1|w(y)| T1|aw.rel(x)| T2|ar.rlx(x)| T2|fence.acq| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "3,0"},
    },
    {
        .why = "release fence, relaxed store; relaxed load, acquire fence",
        .trace = "T1|w(y)| T1|fence.rel| T1|aw.rlx(x)| T2|ar.rlx(x)| T2|fence.acq| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,0"},
    },
    {
        .why = "sequentially consistent fences are release and acquire fences too",
        .trace = "T1|w(y)| T1|fence.sc| T1|aw.rlx(x)| T2|ar.rlx(x)| T2|fence.sc| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,0"},
    },
    {
        .why = "acquire-release fences likewise",
        .trace = "T1|w(y)| T1|fence.ar| T1|aw.rlx(x)| T2|ar.rlx(x)| T2|fence.ar| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,0"},
    },
    {
        .why = "two sequentially consistent fences without an atomic between them order nothing",
        .trace = "T1|w(y)| T1|fence.sc| T2|fence.sc| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,0", [ORACLE_RACE] = "1,4", [ORACLE_UNORDERED] = "1,4"},
    },
    {
        .why = "an acquire fence before a store releases nothing",
        .trace = "T1|w(y)| T1|fence.acq| T1|aw.rlx(x)| T2|ar.acq(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,0", [ORACLE_UNORDERED] = "1,5"},
    },
    {
        .why = "a release fence after a load acquires nothing",
        .trace = "T1|w(y)| T1|aw.rel(x)| T2|ar.rlx(x)| T2|fence.rel| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "3,0", [ORACLE_UNORDERED] = "1,5"},
    },
    {
        .why = "a release fence after the store comes too late",
        .trace = "T1|w(y)| T1|aw.rlx(x)| T1|fence.rel| T2|ar.acq(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,0", [ORACLE_UNORDERED] = "1,5"},
    },
    {
        .why = "what comes after a release fence is not released by it",
        .trace = "T1|fence.rel| T1|w(y)| T1|aw.rlx(x)| T2|ar.acq(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,0", [ORACLE_UNORDERED] = "2,5"},
    },
    {
        .why = "an acquire fence before the load comes too early",
        .trace = "T1|w(y)| T1|aw.rel(x)| T2|fence.acq| T2|ar.rlx(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,0", [ORACLE_UNORDERED] = "1,5"},
    },
    {
        .why = "fences do nothing for a plain write or a plain read",
        .trace = "T1|w(y)| T1|fence.rel| T1|w(x)| T2|r(x)| T2|fence.acq| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,0", [ORACLE_RACE] = "3,4", [ORACLE_UNORDERED] = "1,6 3,4"},
    },
    {
        .why = "fences do nothing for a plain read of an atomic write",
        .trace = "T1|w(y)| T1|aw.rel(x)| T2|r(x)| T2|fence.acq| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "3,0", [ORACLE_RACE] = "2,3", [ORACLE_UNORDERED] = "1,5 2,3"},
    },
    {
        .why = "a release fence does nothing for the store of another thread",
        .trace = "T3|w(y)| T3|fence.rel| T1|aw.rlx(x)| T2|ar.acq(x)| T2|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,0 5,0", [ORACLE_RACE] = "1,5", [ORACLE_UNORDERED] = "1,5"},
    },
    {
        .why = "an acquire fence does nothing for the load of another thread",
        .trace = "T1|w(y)| T1|aw.rel(x)| T2|ar.rlx(x)| T3|fence.acq| T3|r(y)|",
        .findings = {[ORACLE_NONDET] = "3,0 5,0", [ORACLE_RACE] = "1,5", [ORACLE_UNORDERED] = "1,5"},
    },
    {
        .why = "a release fence works through the release sequence its store would head",
        .trace = "T1|w(y)| T1|fence.rel| T1|aw.rlx(x)| T2|rmw.rlx(x)| T3|ar.rlx(x)| T3|fence.acq| T3|r(y)|",
        .findings = {[ORACLE_NONDET] = "4,0 5,0 5,3"},
    },
    {
        .why = "locks order as observed, although another run could swap the sections",
        .trace = "T1|w(x)| T1|acq(l)| T1|rel(l)| T2|acq(l)| T2|rel(l)| T2|w(x)|",
        .findings = {[ORACLE_FINAL] = "6,1,0", [ORACLE_RACE] = "1,6"},
    },
    {
        .why = "the release of a re-entrant pair gives nothing back, the outer one does",
        .trace = "T1|acq(l)| T1|acq(l)| T1|rel(l)| T1|w(x)| T1|rel(l)| T2|acq(l)| T2|r(x)|",
        .findings = {[ORACLE_NONDET] = "7,0"},
    },
    {
        .why = "a section orders the thread before it with the one after it, not what follows the section",
        .trace = "T1|acq(l)| T1|rel(l)| T1|w(x)| T2|acq(l)| T2|rel(l)| T2|r(x)|",
        .findings = {[ORACLE_NONDET] = "6,0", [ORACLE_RACE] = "3,6", [ORACLE_UNORDERED] = "3,6"},
    },
    {
        .why = "readers order with the writers before and after them",
        .trace =
            "T1|acq(l)| T1|w(x)| T1|rel(l)| T2|racq(l)| T2|r(x)| T2|rrel(l)| T3|acq(l)| T3|w(x)| T3|rel(l)|",
        .findings = {[ORACLE_NONDET] = "5,0 5,8", [ORACLE_FINAL] = "8,2,0"},
    },
    {
        .why = "a writer that turns reader lets other readers follow what it wrote",
        .trace = "T1|acq(l)| T1|w(x)| T1|racq(l)| T1|rel(l)| T2|racq(l)| T2|r(x)| T2|rrel(l)| T1|rrel(l)|",
        .findings = {[ORACLE_NONDET] = "6,0"},
    },
};

const size_t order_cases_count = sizeof order_cases / sizeof *order_cases;
