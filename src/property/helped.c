/* Hands tasks to helpers and takes their answers; does what they failed to do. */
#include "property/helped.h"
#include "base/memory.h"
#include "property/unit_helpers.h"
#include "property/unit_parcel.h"

#include <assert.h>
#include <stdlib.h>

struct helped {
    struct worker_thread *self;
    const struct unit_helpers *helpers;
    size_t given;     /* and not answered */
    uint32_t *failed; /* tasks without a good answer */
    size_t failed_count, failed_capacity;
};

/* The next task that nobody has; false: there is none. */
static bool next_for_helpers(struct helped *h, uint32_t *task)
{
    struct check_plan *plan = h->self->plan;
    size_t next;

    if (plan->alone + atomic_load(&plan->next) >= plan_tasks(plan))
        return false;
    next = plan->alone + atomic_fetch_add(&plan->next, 1);
    *task = (uint32_t)next;
    return next < plan_tasks(plan);
}

/* Gives away as much as helpers take. */
static void give(struct helped *h)
{
    uint32_t task;

    while (h->helpers->has_room(h->helpers->context)) {
        if (h->failed_count > 0)
            task = h->failed[--h->failed_count];
        else if (!next_for_helpers(h, &task))
            return;
        h->helpers->give(h->helpers->context, task);
        h->given++;
    }
}

static void take_answer(struct helped *h, uint32_t task, const unsigned char *bytes, size_t length)
{
    struct check_plan *plan = h->self->plan;
    bool good = bytes && task < plan_tasks(plan) && parcel_take_answer(h->self, task, bytes, length);

    assert(h->given > 0);
    h->given--;
    if (!good)
        ARRAY_PUSH(h, failed, task);
    else if (!plan->is_again)
        plan_tell_progress(plan, task);
}

static bool is_over(const struct helped *h)
{
    const struct check_plan *plan = h->self->plan;

    return *plan->stop || (h->given == 0 && plan->alone + atomic_load(&plan->next) >= plan_tasks(plan));
}

/* What helpers fail to do, others do; what is left of it in the end is done here. */
void helped_round(struct worker_thread *self)
{
    struct helped h = {.self = self, .helpers = self->plan->options->helpers};
    struct buffer round = {0};
    unsigned char *bytes;
    uint32_t task;
    size_t length;

    parcel_put_round(&round, self->plan);
    h.helpers->begin(h.helpers->context, round.text, round.text_count);
    buffer_free(&round);
    worker_begin(self);
    for (give(&h); !is_over(&h); give(&h))
        if (h.helpers->take(h.helpers->context, &task, &bytes, &length)) {
            take_answer(&h, task, bytes, length);
            free(bytes);
        }
    while (h.failed_count > 0 && !*self->plan->stop)
        worker_run_task(self, h.failed[--h.failed_count]);
    worker_end(self);
    free(h.failed);
}
