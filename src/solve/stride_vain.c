/* Remembers the last searches in strides that found no run. The writes that one read may see are asked about one after the other, and
 * many are of one thread: where it does not get to the first of them it does not get to the others. */
#include "solve/stride_vain.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Of each search: what the query limits, what it holds at least. */
enum { VAIN_SEARCHES = 16 };

struct stride_vain {
    const struct model *m;
    struct vain_search {
        event_id read, start;
        uint64_t steps;
        uint32_t *most, *least; /* by thread */
    } searches[VAIN_SEARCHES];
    unsigned count, next;
};

struct stride_vain *stride_vain_new(const struct model *m)
{
    struct stride_vain *v = memory_new(1, sizeof *v);

    v->m = m;
    for (unsigned i = 0; i < VAIN_SEARCHES; i++) {
        v->searches[i].most = memory_new(m->thread_count, sizeof(uint32_t));
        v->searches[i].least = memory_new(m->thread_count, sizeof(uint32_t));
    }
    return v;
}

void stride_vain_free(struct stride_vain *v)
{
    if (!v)
        return;
    for (unsigned i = 0; i < VAIN_SEARCHES; i++) {
        free(v->searches[i].most);
        free(v->searches[i].least);
    }
    free(v);
}

void stride_vain_forget(struct stride_vain *v)
{
    v->count = v->next = 0;
}

static bool asks_more(const struct model *m, const struct query *q, const uint32_t *least,
                      const struct vain_search *than)
{
    if (q->read != than->read || q->start != than->start ||
        memcmp(q->most, than->most, m->thread_count * sizeof *q->most) != 0)
        return false;
    for (thread_id t = 0; t < m->thread_count; t++)
        if (least[t] < than->least[t])
            return false;
    return true;
}

bool stride_vain_knows(const struct stride_vain *v, const struct query *q, const uint32_t *least,
                       uint64_t steps)
{
    assert(v->count <= VAIN_SEARCHES);
    for (unsigned i = 0; i < v->count; i++)
        if (v->searches[i].steps >= steps && asks_more(v->m, q, least, &v->searches[i]))
            return true;
    return false;
}

void stride_vain_note(struct stride_vain *v, const struct query *q, const uint32_t *least, uint64_t steps)
{
    struct vain_search *s = &v->searches[v->next];
    uint32_t threads = v->m->thread_count;

    assert(v->next < VAIN_SEARCHES && steps > 0);
    s->read = q->read;
    s->start = q->start;
    s->steps = steps;
    memcpy(s->most, q->most, threads * sizeof *s->most);
    memcpy(s->least, least, threads * sizeof *s->least);
    v->next = (v->next + 1) % VAIN_SEARCHES;
    v->count += v->count < VAIN_SEARCHES;
}
