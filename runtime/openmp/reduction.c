/* Reductions of tasks: every thread adds to its own copy. gcc describes them in words:
 * [0] variables, [1] bytes of one thread's copies, [2] their alignment, then the address of all copies, [4] the next
 * description, [5] and [6] are ours: their block and their end, and from [7] on three words a variable: its address, its place in a copy. */
#include "openmp.h"

#include <assert.h>

enum { COUNT, SIZE, COPIES, NEXT = 4, MEMORY, END, VARIABLES, WORDS = 3 };

void reduction_register(struct team_member *m, uintptr_t *description)
{
    for (uintptr_t *d = description; d; d = (uintptr_t *)d[NEXT]) {
        size_t size = d[SIZE] * m->team->size;
        size_t align = d[COPIES] ? d[COPIES] : 1;

        d[MEMORY] = (uintptr_t)openmp_new(size + align);
        d[COPIES] = (d[MEMORY] + align - 1) / align * align;
        assert(d[COPIES] % align == 0 && d[COPIES] + size <= d[MEMORY] + size + align);
        d[END] = d[COPIES] + size;
        program_written(&d[COPIES], sizeof d[COPIES]);
        program_written(&d[MEMORY], sizeof d[MEMORY] + sizeof d[END]);
    }
    m->task->group->reductions = description;
}

EXPORT void GOMP_taskgroup_reduction_register(uintptr_t *description)
{
    reduction_register(member_self(), description);
}

EXPORT void GOMP_taskgroup_reduction_unregister(uintptr_t *description)
{
    for (uintptr_t *d = description; d && d[MEMORY]; d = (uintptr_t *)d[NEXT]) {
        free((void *)d[MEMORY]);
        d[MEMORY] = 0;
    }
}

/* The variable whose own address, or whose copy in some thread, `place` is. */
static const uintptr_t *reduced_at(const uintptr_t *d, uintptr_t place)
{
    bool copy = place >= d[COPIES] && place < d[END];

    for (uintptr_t i = 0; i < d[COUNT]; i++) {
        const uintptr_t *v = &d[VARIABLES + i * WORDS];

        if (copy ? (place - d[COPIES]) % d[SIZE] == v[1] : place == v[0])
            return v;
    }
    return NULL;
}

/* The same, with the description it is in: of the innermost group that reduces it. */
static const uintptr_t *described_in(const struct task_group *g, uintptr_t place, const uintptr_t **description)
{
    const uintptr_t *found = NULL;

    for (; g && !found; g = g->outer)
        for (const uintptr_t *d = g->reductions; d && !found; d = (const uintptr_t *)d[NEXT]) {
            found = reduced_at(d, place);
            *description = d;
        }
    return found;
}

/* Replaces addresses by those of the calling thread's copies; for the first `originals` the variable's own go behind. */
EXPORT void GOMP_task_reduction_remap(size_t count, size_t originals, void **places)
{
    struct team_member *m = member_self();

    for (size_t i = 0; i < count; i++) {
        const uintptr_t *d = NULL, *v = described_in(m->task->group, (uintptr_t)places[i], &d);

        assert(m->number < m->team->size);
        if (!v)
            openmp_lacks("reduction of a variable that no enclosing construct reduces");
        places[i] = (void *)(d[COPIES] + m->number * d[SIZE] + v[1]);
        program_written(&places[i], sizeof places[i]);
        if (i < originals)
            places[count + i] = (void *)v[0];
    }
}
