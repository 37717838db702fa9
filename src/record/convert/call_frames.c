/* Calls under way, by thread and time. */
#include "record/convert/call_frames.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void frames_free(struct call_frames *f)
{
    free(f->frames);
    free(f->states);
    map_free(&f->alike);
    map_free(&f->last);
    map_free(&f->first);
    map_free(&f->passed);
}

static bool same_frames(const struct call_frames *f, const struct stack_state *a, const struct stack_state *b)
{
    return a->count == b->count &&
           memcmp(&f->frames[a->first], &f->frames[b->first], a->count * sizeof *f->frames) == 0;
}

/* A thread that creates others in a loop mostly has the same frames each time: equal states are stored once.
 * The last state is complete. */
static void share_frames(struct call_frames *f)
{
    struct stack_state *state = f->states_count ? &f->states[f->states_count - 1] : NULL;
    uint32_t *alike;

    if (!state || state->count == 0)
        return;
    alike = map_at(&f->alike, XXH3_64bits(&f->frames[state->first], state->count * sizeof *f->frames));
    if (*alike && same_frames(f, &f->states[*alike - 1], state)) {
        f->frames_count = state->first;
        state->first = f->states[*alike - 1].first;
    } else {
        *alike = (uint32_t)f->states_count;
    }
}

void frames_begin(struct call_frames *f, uint32_t thread)
{
    uint32_t *last = map_at(&f->last, thread);

    share_frames(f);
    ARRAY_PUSH(f, states, (struct stack_state){.thread = thread, .first = (uint32_t)f->frames_count});
    if (*last)
        f->states[*last - 1].next = (uint32_t)f->states_count;
    else
        *map_at(&f->first, thread) = (uint32_t)f->states_count;
    *map_at(&f->last, thread) = (uint32_t)f->states_count;
}

/* A frame ends where its caller's begins; the end of the outermost frame is unknown. */
void frames_add(struct call_frames *f, uint64_t pc, uint64_t low)
{
    struct stack_state *state = f->states_count ? &f->states[f->states_count - 1] : NULL;

    if (!state)
        return;
    if (state->count > 0)
        f->frames[f->frames_count - 1].high = low;
    ARRAY_PUSH(f, frames, (struct scope_frame){.pc = pc, .low = low, .high = low});
    state->count++;
}

void frames_pass(struct call_frames *f, uint32_t thread)
{
    uint32_t *passed = map_at(&f->passed, thread);

    *passed = *passed ? f->states[*passed - 1].next : map_get(&f->first, thread);
}

static bool find(const struct call_frames *f, uint32_t state, uint64_t address, struct scope_frame *frame)
{
    const struct stack_state *s = &f->states[state];

    for (uint32_t i = s->first; i < s->first + s->count; i++)
        if (address >= f->frames[i].low && address < f->frames[i].high) {
            *frame = f->frames[i];
            return true;
        }
    return false;
}

bool frames_before(const struct call_frames *f, uint32_t thread, uint64_t address, struct scope_frame *frame,
                   bool *any)
{
    uint32_t passed = map_get(&f->passed, thread);

    *any = passed != 0;
    return passed && find(f, passed - 1, address, frame);
}

bool frames_after(const struct call_frames *f, uint32_t thread, uint64_t address, struct scope_frame *frame,
                  bool *any)
{
    uint32_t passed = map_get(&f->passed, thread);
    uint32_t next = passed ? f->states[passed - 1].next : map_get(&f->first, thread);

    *any = next != 0;
    return next && find(f, next - 1, address, frame);
}
