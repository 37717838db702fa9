/* expect: race=no nondet=no deadlock=no unordered=no */
/* Locals of blocks that are not alive at the same time, which compilers put at the same place. */
#include <pthread.h>
#include <stdio.h>

static void *work(void *number)
{
    ++*(int *)number;
    return NULL;
}

static void lend(int *number)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, number);
    pthread_join(thread, NULL);
}

int main(void)
{
    int sum = 0;

    for (int round = 0; round < 2; round++) {
        if (round == 0) {
            int first = 1;
            lend(&first);
            sum += first;
        } else {
            int second[4] = {5, 6, 7, 8};
            lend(&second[2]);
            sum += second[2];
        }
    }
    int last = 3;
    lend(&last);
    printf("%d\n", sum + last);
    return sum + last != 14;
}
