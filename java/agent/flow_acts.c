/* Where a method does something that others may notice: stores, calls another method, or tells its caller true or false.
 *
 * A comparison after which the method only returns, with nothing but a number or a reference, decides no write: what its caller
 * makes of the result is not followed. */
#include "flow.h"

struct ahead {
    const struct flow *flow;
    bool acts;
};

static void look_ahead(void *to, uint32_t place)
{
    struct ahead *a = to;

    if (place < a->flow->code->bytes.count && a->flow->number[place] != UINT32_MAX)
        a->acts |= a->flow->acts[a->flow->number[place]];
}

static bool acts_itself(const struct flow *f, unsigned op)
{
    return (op >= OP_IASTORE && op <= OP_SASTORE) || op == OP_PUTSTATIC || op == OP_PUTFIELD ||
           (op >= OP_INVOKEVIRTUAL && op <= OP_INVOKEDYNAMIC) || (op == OP_IRETURN && f->tells);
}

void flow_find_acts(struct flow *f)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = f->count; i-- > 0;) {
            struct ahead a = {f, acts_itself(f, f->code->bytes.data[f->place[i]])};
            flow_next(f, i, look_ahead, &a);
            changed |= a.acts && !f->acts[i];
            f->acts[i] |= a.acts;
        }
    }
}

bool flow_acts_at(const struct flow *f, size_t place)
{
    return place >= f->code->bytes.count || f->number[place] == UINT32_MAX || f->acts[f->number[place]];
}
