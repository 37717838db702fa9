/* Two things at once. */
#include "base/both.h"
#include "base/memory.h"

#include <pthread.h>
#include <stddef.h>

struct half {
    void (*run)(void *context);
    void *context;
    bool guarded;   /* the caller has a guard against exhausted memory */
    bool exhausted; /* it was needed */
};

static void *run_half(void *argument)
{
    struct half *h = argument;
    struct memory_guard guard;

    if (!h->guarded) {
        h->run(h->context);
    } else if (MEMORY_GUARD(&guard)) {
        h->run(h->context);
        memory_guard_leave(&guard);
    } else {
        h->exhausted = true;
    }
    return NULL;
}

void both_run(bool at_once, void (*first)(void *context), void (*second)(void *context), void *context)
{
    struct half halves[] = {{.run = first, .context = context, .guarded = memory_is_guarded()},
                            {.run = second, .context = context, .guarded = memory_is_guarded()}};
    pthread_t thread;
    bool apart = at_once && pthread_create(&thread, NULL, run_half, &halves[0]) == 0;

    if (!apart)
        run_half(&halves[0]);
    run_half(&halves[1]);
    if (apart)
        pthread_join(thread, NULL);
    if (halves[0].exhausted || halves[1].exhausted)
        memory_exhausted();
}
