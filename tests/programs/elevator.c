/* expect: race=no nondet=yes deadlock=no */
/* Lifts serve calls from floors; each floor's button has its own lock. ticks and lifts may be given. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { FLOORS = 6, MOST = 8 };

static struct {
    pthread_mutex_t lock;
    int calls;  /* passengers who wait */
    int target; /* where the last of them wants to go */
} floors[FLOORS];

struct lift {
    pthread_t thread;
    int floor, step, ticks;
    int load[FLOORS]; /* passengers by target */
    int carried;
};

static void serve(struct lift *lift)
{
    int here = lift->floor;

    pthread_mutex_lock(&floors[here].lock);
    if (floors[here].calls > 0) {
        floors[here].calls--;
        lift->load[floors[here].target]++;
        floors[here].target = (floors[here].target + 1) % FLOORS;
    }
    pthread_mutex_unlock(&floors[here].lock);
    lift->carried += lift->load[here];
    lift->load[here] = 0;
}

static void *run(void *argument)
{
    struct lift *lift = argument;

    for (int i = 0; i < lift->ticks; i++) {
        serve(lift);
        if (lift->floor + lift->step < 0 || lift->floor + lift->step >= FLOORS)
            lift->step = -lift->step;
        lift->floor += lift->step;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct lift lifts[MOST];
    int ticks = argc > 1 ? atoi(argv[1]) : 14, count = argc > 2 ? atoi(argv[2]) : 3, carried = 0;

    count = count > MOST ? MOST : count;
    for (int i = 0; i < FLOORS; i++) {
        pthread_mutex_init(&floors[i].lock, NULL);
        floors[i].calls = 2 + i % 3;
        floors[i].target = (i * 5 + 2) % FLOORS;
    }
    for (int i = 0; i < count; i++) {
        lifts[i].step = 1;
        lifts[i].ticks = ticks;
        pthread_create(&lifts[i].thread, NULL, run, &lifts[i]);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(lifts[i].thread, NULL);
        carried += lifts[i].carried;
    }
    printf("%d\n", carried);
    return 0;
}
