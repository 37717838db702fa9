/* Events: words, arguments and orders of each kind. */
#include "trace/event.h"

static const struct {
    const char *word;
    enum name_class argument;
} kinds[EVENT_KINDS] = {
    [EVENT_READ] = {"r", NAME_VARIABLE},
    [EVENT_WRITE] = {"w", NAME_VARIABLE},
    [EVENT_ATOMIC_READ] = {"ar", NAME_VARIABLE},
    [EVENT_ATOMIC_WRITE] = {"aw", NAME_VARIABLE},
    [EVENT_RMW] = {"rmw", NAME_VARIABLE},
    [EVENT_FENCE] = {"fence", NAME_CLASSES},
    [EVENT_ACQUIRE] = {"acq", NAME_LOCK},
    [EVENT_RELEASE] = {"rel", NAME_LOCK},
    [EVENT_SHARED_ACQUIRE] = {"racq", NAME_LOCK},
    [EVENT_SHARED_RELEASE] = {"rrel", NAME_LOCK},
    [EVENT_TRY_FAIL] = {"tryfail", NAME_LOCK},
    [EVENT_FORK] = {"fork", NAME_THREAD},
    [EVENT_JOIN] = {"join", NAME_THREAD},
    [EVENT_WAIT_PRE] = {"waitpre", NAME_CONDITION},
    [EVENT_WAIT_POST] = {"waitpost", NAME_CONDITION},
    [EVENT_NOTIFY] = {"notify", NAME_CONDITION},
    [EVENT_NOTIFY_ALL] = {"notifyall", NAME_CONDITION},
    [EVENT_BARRIER_ENTER] = {"benter", NAME_BARRIER},
    [EVENT_BARRIER_EXIT] = {"bexit", NAME_BARRIER},
    [EVENT_POST] = {"post", NAME_SEMAPHORE},
    [EVENT_SEM_WAIT] = {"semwait", NAME_SEMAPHORE},
    [EVENT_BEGIN] = {"begin", NAME_BLOCK},
    [EVENT_END] = {"end", NAME_BLOCK},
    [EVENT_DET_BEGIN] = {"dbegin", NAME_BLOCK},
    [EVENT_DET_END] = {"dend", NAME_BLOCK},
    [EVENT_CAS] = {"cas", NAME_VARIABLE},
    [EVENT_EXIT] = {"exit", NAME_CLASSES},
    [EVENT_SEM_INIT] = {"seminit", NAME_SEMAPHORE},
};

static const char *const suffixes[ORDERS] = {"", ".rlx", ".acq", ".rel", ".ar", ".sc", ".try"};

const char *kind_word(enum event_kind kind)
{
    return kinds[kind].word;
}

const char *order_suffix(enum memory_ordering order)
{
    return suffixes[order];
}

enum name_class kind_argument(enum event_kind kind)
{
    return kinds[kind].argument;
}

bool order_allowed(enum event_kind kind, enum memory_ordering order)
{
    if (order == ORDER_TRY)
        return kind == EVENT_ACQUIRE || kind == EVENT_SHARED_ACQUIRE;
    switch (kind) {
    case EVENT_ATOMIC_READ:
        return order != ORDER_RELEASE && order != ORDER_ACQ_REL;
    case EVENT_ATOMIC_WRITE:
        return order != ORDER_ACQUIRE && order != ORDER_ACQ_REL;
    case EVENT_RMW:
    case EVENT_CAS:
        return true;
    case EVENT_FENCE:
        return order != ORDER_NONE && order != ORDER_RELAXED;
    default:
        return order == ORDER_NONE;
    }
}
