/* expect: race=yes deadlock=no */
/* A thread is given an array of variable size, or memory on the stack, of a function that does not wait for it. */
#include <alloca.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *add(void *amounts)
{
    pthread_mutex_lock(&lock);
    total += ((int *)amounts)[1];
    pthread_mutex_unlock(&lock);
    return NULL;
}

static __attribute__((noinline)) pthread_t start_of_array(int count)
{
    pthread_t thread;
    {
        int amounts[count];

        amounts[1] = 4;
        pthread_create(&thread, NULL, add, amounts);
    }
    return thread;
}

static __attribute__((noinline)) pthread_t start_of_memory(int count)
{
    int *amounts = alloca((size_t)count * sizeof *amounts);
    pthread_t thread;

    amounts[1] = 4;
    pthread_create(&thread, NULL, add, amounts);
    return thread;
}

int main(int argc, char **argv)
{
    pthread_t thread = argv[argc - 1][0] == 'm' ? start_of_memory(argc + 4) : start_of_array(argc + 4);

    pthread_join(thread, NULL);
    printf("%d\n", total >= 0);
    return 0;
}
