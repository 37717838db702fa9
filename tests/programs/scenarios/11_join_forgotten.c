/* races: a-b */
/* Two threads work, one is joined before both results are read. */
#include <pthread.h>

int results[2];

static void *work(void *data)
{
    int *result = data;

    *result = 21; /* @a */
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int sum;

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &results[i]);
    pthread_join(threads[0], NULL);
    sum = results[0];
    sum += results[1]; /* @b */
    pthread_join(threads[1], NULL);
    return sum < 0;
}
