/* The calls that were under way in a thread whenever it started another one: which function a place on its
 * stack belongs to.
 *
 * Collected in the first walk; in the second one the two states around the present are known, the last one
 * before and the first one after. */
#pragma once
#include "base/map.h"
#include "record/symbols/locals.h"

struct call_frames {
    struct scope_frame *frames;
    size_t frames_count, frames_capacity;
    struct stack_state {
        uint32_t thread;
        uint32_t first, count; /* its frames, the innermost first */
        uint32_t next;         /* the thread's next state, plus one; 0: none */
    } * states;
    size_t states_count, states_capacity;
    struct map alike;  /* hash of frames → the last state that has them, plus one */
    struct map last;   /* thread → its last state in the walk, plus one */
    struct map first;  /* thread → its first state, plus one */
    struct map passed; /* second walk: thread → the last state before the present, plus one */
};

void frames_free(struct call_frames *frames);

/* First walk: a new state, its frames. */
void frames_begin(struct call_frames *frames, uint32_t thread);
void frames_add(struct call_frames *frames, uint64_t pc, uint64_t low);

/* Second walk: the state is there now. */
void frames_pass(struct call_frames *frames, uint32_t thread);

/* The frames of the thread that hold the address, before and after the present. `any`: there is a state at all.
 */
bool frames_before(const struct call_frames *frames, uint32_t thread, uint64_t address,
                   struct scope_frame *frame, bool *any);
bool frames_after(const struct call_frames *frames, uint32_t thread, uint64_t address,
                  struct scope_frame *frame, bool *any);
