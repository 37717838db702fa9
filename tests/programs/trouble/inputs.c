/* What two threads do depends on the time, random numbers, the process and a file. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int many;

static void *work(void *unused)
{
    struct timespec now;
    unsigned noise = 0;
    long mine;

    clock_gettime(CLOCK_REALTIME, &now);
    if (getrandom(&noise, sizeof noise, 0) != sizeof noise)
        return NULL;
    mine = rand() % 7 + now.tv_nsec % 5 + getpid() % 3 + noise % 3 + clock() % 3;
    for (int i = 0; i < many + mine; i++) {
        pthread_mutex_lock(&lock);
        total = total * 3 + mine;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int count, char **words)
{
    pthread_t one, two;
    char text[16] = "";
    int file = count > 1 ? open(words[1], O_RDONLY) : -1;

    srand((unsigned)time(NULL));
    if (file >= 0 && read(file, text, sizeof text - 1) > 0)
        many = atoi(text);
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%ld\n", total);
    return 0;
}
