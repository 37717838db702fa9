/* Dependences between tasks of one parent: in, out, inout, mutexinoutset (taken for inout), depobj.
 *
 * A place in memory that tasks depend on knows the last task that writes it and those that read it since. A task that
 * is given dependences stays until its team ends: later ones start after it, even if it has long finished. */
#include "openmp.h"

#include <assert.h>

struct task_link {
    struct task_link *next;
    struct task *task;
};

struct depend_place {
    struct depend_place *next;
    uintptr_t at;
    struct task *writer;
    struct task_link *readers;
};

enum { DEPOBJ_IN = 1, BUCKETS = 64 }; /* the kind in the second word of an omp_depend_t */

static void link_add(struct task_link **list, struct task *t)
{
    struct task_link *l = openmp_new(sizeof *l);

    l->task = t;
    l->next = *list;
    *list = l;
}

static void drop_links(struct task_link **list)
{
    while (*list) {
        struct task_link *l = *list;

        *list = l->next;
        free(l);
    }
}

static struct depend_place *place_at(struct task *parent, uintptr_t at)
{
    struct depend_place **bucket, *p;

    if (!parent->places)
        parent->places = openmp_new(BUCKETS * sizeof *parent->places);
    bucket = &parent->places[at / sizeof(int) % BUCKETS];
    for (p = *bucket; p && p->at != at;)
        p = p->next;
    if (!p) {
        p = openmp_new(sizeof *p);
        p->at = at;
        p->next = *bucket;
        *bucket = p;
    }
    return p;
}

static void start_after(struct task *t, struct task *before)
{
    if (!before || before == t)
        return;
    assert(before->kept); /* until the team ends */
    link_add(&t->after, before);
    if (before->over)
        return;
    link_add(&before->followers, t);
    t->missing++;
}

static void add_place(struct task *parent, struct task *t, void *at, bool out)
{
    struct depend_place *p = place_at(parent, (uintptr_t)at);

    start_after(t, p->writer);
    if (!out) {
        link_add(&p->readers, t);
        return;
    }
    for (struct task_link *l = p->readers; l; l = l->next)
        start_after(t, l->task);
    drop_links(&p->readers);
    p->writer = t;
}

/* gcc's list: a count, how many of them are written, the places; or, from OpenMP 5.0 on, a zero first, then the counts
 * of all, out, mutexinoutset and in; the rest are handles of omp_depend_t. */
void depend_register(struct task *parent, struct task *t, void **depend)
{
    uint64_t count = (uint64_t)depend[0], outs = (uint64_t)depend[1], plain = count;
    void **place = depend + 2;

    if (!count) {
        count = (uint64_t)depend[1];
        outs = (uint64_t)depend[2] + (uint64_t)depend[3];
        plain = outs + (uint64_t)depend[4];
        place = depend + 5;
    }
    assert(outs <= plain && plain <= count);
    t->kept = true;
    for (uint64_t i = 0; i < count; i++) {
        void **handle = place[i];

        if (i < plain)
            add_place(parent, t, place[i], i < outs);
        else
            add_place(parent, t, handle[0], (uintptr_t)handle[1] != DEPOBJ_IN);
    }
}

void depend_wait(struct task *t)
{
    for (struct task_link *l = t->after; l; l = l->next) {
        sem_wait(&l->task->done);
        sem_post(&l->task->done);
    }
    drop_links(&t->after);
}

void depend_finish(struct team *team, struct task *t)
{
    assert(!t->over);
    t->over = true;
    if (!t->kept)
        return;
    sem_post(&t->done);
    for (struct task_link *l = t->followers; l; l = l->next)
        if (!--l->task->missing && !l->task->undeferred)
            task_queue(team, l->task);
    drop_links(&t->followers);
}

void depend_free(struct task *parent)
{
    for (unsigned i = 0; parent->places && i < BUCKETS; i++)
        while (parent->places[i]) {
            struct depend_place *p = parent->places[i];

            parent->places[i] = p->next;
            drop_links(&p->readers);
            free(p);
        }
    free(parent->places);
}
