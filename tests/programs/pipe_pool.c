/* expect: race=no deadlock=no unordered=no */
/* Workers that take jobs out of one pipe, several at once in the same call; the end of the pipe tells them that
 * all is said. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { JOBS = 24, WORKERS = 3 };

struct job {
    int input, output;
};

static struct job jobs[JOBS];
static int ends[2], limit, over[WORKERS];

static void *work(void *argument)
{
    int *mine = argument;
    struct job *job;

    while (read(ends[0], &job, sizeof job) == (ssize_t)sizeof job)
        job->output = job->input * job->input;
    *mine = limit;
    return NULL;
}

int main(void)
{
    pthread_t workers[WORKERS];
    int sum = 0;

    if (pipe(ends) != 0)
        return 1;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, work, &over[i]);
    for (int i = 0; i < JOBS; i++) {
        struct job *job = &jobs[i];
        job->input = i;
        if (write(ends[1], &job, sizeof job) != (ssize_t)sizeof job)
            return 1;
    }
    limit = 100;
    close(ends[1]);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    for (int i = 0; i < JOBS; i++)
        sum += jobs[i].output;
    printf("%d\n", sum + over[0] + over[1] + over[2]);
    return sum != 4324;
}
