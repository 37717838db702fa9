/* expect: race=no deadlock=no determinism=no serializability=yes */
/* ESOP'09 Fig. 2b: a pool of threads; which one runs a task is up to the scheduler, what a task computes, with
 * threads of its own, is not. */
#include <heddle/annotate.h>
#include <pthread.h>
#include <stdio.h>

enum { TASKS = 4, WORKERS = 2, SIZE = 2 };

struct task {
    int matrix[SIZE][SIZE];
    int row[SIZE];
};

struct half {
    struct task *task;
    int number;
};

static struct task tasks[TASKS];
static int queued, taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void *sum_row(void *argument)
{
    struct half *h = argument;

    for (int i = 0; i < SIZE; i++)
        h->task->row[h->number] += h->task->matrix[h->number][i];
    return NULL;
}

static void run_task(struct task *task)
{
    struct half halves[SIZE];
    pthread_t threads[SIZE];

    HEDDLE_DETERMINISTIC_SCOPE("task");
    HEDDLE_ATOMIC_SCOPE("task");
    for (int i = 0; i < SIZE; i++) {
        halves[i] = (struct half){task, i};
        pthread_create(&threads[i], NULL, sum_row, &halves[i]);
    }
    for (int i = 0; i < SIZE; i++)
        pthread_join(threads[i], NULL);
}

static void *work(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (taken == queued && taken < TASKS)
            pthread_cond_wait(&more, &lock);
        int mine = taken < TASKS ? taken++ : TASKS;
        pthread_mutex_unlock(&lock);
        if (mine == TASKS)
            return unused;
        run_task(&tasks[mine]);
    }
}

int main(void)
{
    pthread_t threads[WORKERS];

    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int t = 0; t < TASKS; t++) {
        pthread_mutex_lock(&lock);
        tasks[t].matrix[0][0] = tasks[t].matrix[1][1] = t;
        queued++;
        pthread_cond_broadcast(&more);
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", tasks[TASKS - 1].row[0]);
    return 0;
}
