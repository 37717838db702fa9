/* races: a-b */
/* A flag that is no atomic variable hands the data over. The flag itself is raced for; the data never at one
 * moment. */
#include <pthread.h>
#include <unistd.h>

int data;
static volatile int flag;

static void *first(void *unused)
{
    data = 42;
    flag = 1; /* @a */
    return unused;
}

static void *second(void *unused)
{
    while (!flag) /* @b */
        usleep(1000);
    data++;
    return unused;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
