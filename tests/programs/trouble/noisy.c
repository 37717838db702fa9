/* Prints its process number as the kernel tells it, which no recorder feeds back: it differs from run to run, whatever the
 * schedule. A thread's read depends on the schedule and changes nothing else. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn, process;

static void *work(void *number)
{
    pthread_mutex_lock(&lock);
    turn = *(int *)number;
    process += 0;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    int numbers[] = {1, 2};
    pthread_t threads[2];
    FILE *status = fopen("/proc/self/stat", "r");

    if (!status || fscanf(status, "%d", &process) != 1)
        return 1;
    fclose(status);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    pthread_mutex_lock(&lock);
    if (turn == 7)
        puts("never");
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("process %d\n", process);
    return 0;
}
