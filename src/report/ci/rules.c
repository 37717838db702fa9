/* What is said about each property. */
#include "report/ci/rules.h"

#define REPLAY                                                                                                 \
    "\n\nThe code flow is a schedule that shows it; a separate checker has accepted it. `heddle replay "       \
    "report.json ID -- PROGRAM` makes it happen."

static const struct rule rules[PROPERTIES] = {
    [PROPERTY_NONDET] =
        {"heddle/nondeterminism", "NondeterministicRead",
         "A read can see a different write than in the recorded run.",
         "In another schedule of the same events this read sees another write. The program may then take "
         "another path or give another result, even where every access is protected by a lock.",
         "**Is the order meant to be free?** A work queue hands out items in any order: suppress it, with that "
         "reason.\n\nIf not, the threads must be ordered: by a join, a barrier, a condition, or by keeping the "
         "lock from the read to the write that depends on it. A lock around each single access excludes races, "
         "not this." REPLAY,
         RULE_WARNING},
    [PROPERTY_FINAL] = {"heddle/final-state", "NondeterministicFinalState",
                        "After all events have run, another write can be the last one to a variable.",
                        "In another schedule of the same events the variable ends with another value.",
                        "If the last value matters, order the writes: by a join or a barrier, or by deciding "
                        "under one lock who writes last." REPLAY,
                        RULE_WARNING},
    [PROPERTY_RACE] = {"heddle/race", "DataRace",
                       "Two threads can access the same memory at the same moment, one of them writing.",
                       "A schedule of the same events brings both accesses next to each other with nothing "
                       "between. In C and C++ that is undefined behaviour.",
                       "Protect both accesses by the same lock, make both atomic, or order them: by starting "
                       "or joining a thread, a condition, a barrier." REPLAY,
                       RULE_ERROR},
    [PROPERTY_UNORDERED] = {"heddle/unordered", "UnorderedAccesses",
                            "Nothing orders two conflicting accesses by the rules of C11.",
                            "In the recorded run neither locks nor atomics of sufficient order nor other "
                            "synchronization order the two accesses, one of which writes. In C and C++ that is "
                            "undefined behaviour even if they never run at the same moment.",
                            "Give the flag that hands the data over release and acquire order, or use a lock. "
                            "The code flow is the recorded run.",
                            RULE_WARNING},
    [PROPERTY_DEADLOCK] = {"heddle/deadlock", "Deadlock", "Threads can wait for each other's locks forever.",
                           "A schedule of the same events leads to a state in which each of these threads "
                           "waits for a lock that the next one holds.",
                           "Take the locks in the same order everywhere, or take them together "
                           "(`std::scoped_lock`, try-lock with back-off)." REPLAY,
                           RULE_ERROR},
    [PROPERTY_ATOMICITY] =
        {"heddle/atomicity", "AtomicityViolation",
         "Another thread can come between two accesses of a block that is meant to be atomic.",
         "A schedule of the same events puts an access of another thread between two of the block, so that no "
         "order of whole blocks has the same effect.",
         "Hold one lock over the whole block, not one lock for each access." REPLAY, RULE_ERROR},
    [PROPERTY_STALE] = {"heddle/stale", "StaleRead",
                        "Another thread can write between a read and the write that depends on it.",
                        "A schedule of the same events lets another thread write the variable after this read "
                        "and before the write whose value, or whose condition, comes from it. An update is "
                        "lost, or a check no longer holds when the program acts on it.",
                        "Hold one lock from the read to the write; or read again under the lock before "
                        "writing; or use a compare-and-exchange, or a single atomic update. A lock around each "
                        "single access excludes races, not this." REPLAY,
                        RULE_ERROR},
    [PROPERTY_STUCK] =
        {"heddle/stuck", "ThreadsStuck", "A schedule leads to threads that wait forever.",
         "A schedule of the same events leads to a state in which every thread waits or has ended, and at "
         "least one waits: for a signal that came too early, a lock that is never released, a semaphore token "
         "or a barrier partner that never comes.",
         "**A condition:** test the condition under the lock, in a loop around the wait, and change it under "
         "the same lock before signalling.\n\n**A lock:** release it on every path out, and before joining "
         "threads that need it.\n\n**A semaphore or barrier:** make sure that whoever has to post or arrive "
         "cannot itself wait for this thread." REPLAY,
         RULE_ERROR},
    [PROPERTY_DETERMINISM] =
        {"heddle/determinism", "NotDeterministic", "A block that is meant to be deterministic is not.",
         "Threads inside the block conflict and nothing deterministic orders them, or other threads interfere "
         "with it.",
         "Order the threads of the block by starting, joining and barriers, which give the same order in every "
         "run; locks do not. Keep other threads away from its data.",
         RULE_ERROR},
    [PROPERTY_SERIALIZABILITY] =
        {"heddle/serializability", "NotSerializable",
         "Blocks that are meant to be atomic cannot have run one after the other.",
         "The conflicts between these blocks form a cycle: no order of whole blocks has the same effect.",
         "Hold one lock over each whole block.", RULE_ERROR},
    [PROPERTY_OBSERVED] = {"heddle/observed", "RecordedRunFailed", "The recorded run itself failed.",
                           "While it was recorded the program stopped in a deadlock or with every thread "
                           "waiting, died of a signal, a failed assertion or an uncaught exception, or ended "
                           "with an exit status other than 0. This happened; it is not a prediction.",
                           "The recorded schedule is in the trace: `heddle replay report.json ID -- PROGRAM` "
                           "runs it again and says whether it ends the same way.",
                           RULE_ERROR},
};

const struct rule *rule_of(enum property property)
{
    return &rules[property];
}
