/* What the runtime knows about a lock, barrier or semaphore beyond what the C library keeps in it. */
#pragma once
#include "runtime/runtime.h"
#include "runtime/shared/channels.h"

struct sync_object {
    const void *address;
    uint32_t owner;   /* number of the thread that holds it exclusively, plus one; 0: nobody */
    uint32_t depth;   /* how often */
    uint32_t readers; /* holds in shared mode */
    uint32_t outside; /* waits in the C library that give the mutex back and take it again without a word */
    uint32_t needed, arrived, generation; /* of a barrier */
    uint32_t inside;                      /* threads that have come to the barrier and not left it */
    struct channel_call given_up; /* by the last that began to initialise it and did not end, or held it */
    bool robust;                  /* a mutex that is released when its owner ends */
    bool foreign;                 /* other processes may use it */
};

/* The entry for the address, made when there is none. Valid until the next call. */
struct sync_object *object_at(const void *address);

/* Forgets what was there: the address is initialised anew, or destroyed. */
void object_renew(const void *address);

/* The next robust mutex that the thread holds, NULL: none. */
const void *object_held_by(const struct thread *thread);
