/* What calls of the JDK mean for threads, by the receiver's class and the method's name. */
#pragma once
#include "record/java/name_list.h"

enum java_effect {
    EFFECT_NONE,
    EFFECT_OPAQUE, /* whatever it does inside: it comes after all calls on the object that began before it ended
                    */
    EFFECT_LOOKS,  /* the same, but it changes nothing: its order with other such calls is free */
    EFFECT_STEPS,  /* the same of an iterator: it looks at what it goes over, and changes itself */
    EFFECT_GIVES,  /* the same as opaque, but it only hands on: nothing comes before it */
    EFFECT_TAKES,  /* the same, but it only receives: nothing comes after it */
    EFFECT_READS,  /* an object that threads must not share unsynchronized: looks at its contents */
    EFFECT_WRITES, /* … changes them */
    EFFECT_LOCK,
    EFFECT_TRY_LOCK,
    EFFECT_TRY_LOCK_TIMED,
    EFFECT_UNLOCK,
    EFFECT_WAIT,
    EFFECT_NOTIFY,
    EFFECT_NOTIFY_ALL,
    EFFECT_START, /* of a thread: only where it is called */
    EFFECT_JOIN,
    EFFECT_POST,
    EFFECT_SEMAPHORE_WAIT,
    EFFECT_SEMAPHORE_TRY,
    EFFECT_BARRIER,
    EFFECT_POOL_GIVES, /* like GIVES and TAKES, on all pools and futures together */
    EFFECT_POOL_TAKES,
    EFFECT_POOL,
    EFFECT_PARK,
    EFFECT_SENDS, /* like GIVES and TAKES, on all pipes, sockets and processes together; may call back, too */
    EFFECT_RECEIVES,
    EFFECT_EXCHANGES,
    EFFECT_CALLS_BACK, /* calls code of the program under a lock of the JDK: what that does keeps its order */
    EFFECT_REGISTERS,  /* changes what is called back */
    EFFECT_BY_HANDLE, /* calls a method that is not known: opaque, on all that such calls may act on together */
};

/* The class of an object, as far as calls depend on it. */
enum java_family {
    FAMILY_OTHER,      /* thread-safe or unknown: calls are opaque */
    FAMILY_PLAIN,      /* a collection without synchronization */
    FAMILY_CONCURRENT, /* a collection that threads may share: some calls only look */
    FAMILY_LOCK,
    FAMILY_READ_LOCK,
    FAMILY_WRITE_LOCK,
    FAMILY_CONDITION,
    FAMILY_SEMAPHORE,
    FAMILY_BARRIER,
    FAMILY_POOL,
    FAMILY_FUTURE,
    FAMILY_LATCH,
    FAMILY_IMMUTABLE,
};

enum java_family java_family(const char *signature);

/* What a call at the site on an object of that family does. `derived`: the object's class is the program's own.
 */
enum java_effect java_effect(const struct java_list *list, const struct java_site_info *site,
                             enum java_family family, bool derived);

/* What a call that no object is known of does: on streams and channels, or else on pools and futures. */
enum java_effect java_global_effect(const struct java_list *list, const struct java_site_info *site);

/* Whether the call is by reflection, by a method handle, or linked by another language. */
bool java_is_by_handle(const struct java_list *list, const struct java_site_info *site);

/* What a call on an atomic variable is. */
enum java_atomic { ATOMIC_LOADS, ATOMIC_STORES, ATOMIC_CHANGES };
enum java_atomic java_atomic(const char *method);

/* Whether a change by this method is made only if the variable holds what is expected. */
bool java_atomic_compares(const char *method);
