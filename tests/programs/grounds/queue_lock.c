/* A queue lock: each thread puts its node at the end of a queue, waits for the node before it, and takes that node for its next turn.
 * So it gives back what it took from `tail`, by exchanges that look at `tail` again. Correct. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

struct node {
    atomic_int taken;
};

static struct node nodes[3];
static _Atomic(struct node *) tail = &nodes[2];
static int total;

static void *count(void *node)
{
    struct node *mine = node;

    for (int round = 0; round < 3; round++) {
        atomic_store(&mine->taken, 1);
        struct node *before = atomic_exchange(&tail, mine);
        while (atomic_load(&before->taken))
            sched_yield();
        total++;
        atomic_store(&mine->taken, 0);
        mine = before;
    }
    return NULL;
}

int main(void)
{
    pthread_t one, other;

    pthread_create(&one, NULL, count, &nodes[0]);
    pthread_create(&other, NULL, count, &nodes[1]);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    printf("%d\n", total);
    return 0;
}
