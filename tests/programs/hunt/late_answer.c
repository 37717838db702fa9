/* expect: race=no crash=yes */
/* Who asks gives up after a second and takes back the room for the answer, which may still come: it fails only if the other thread was
 * away for that second. With an argument nobody answers a question that was given up. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct question {
    bool answered, given_up;
    int *answer;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static bool careful;

static void *answer(void *argument)
{
    struct question *q = argument;

    pthread_mutex_lock(&mutex);
    if (!q->given_up) {
        *q->answer = 42;
        q->answered = true;
        pthread_cond_signal(&answered);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(int count, char **arguments)
{
    struct question *q = calloc(1, sizeof *q);
    struct timespec limit;
    pthread_t thread;
    int room = 0, error = 0;

    (void)arguments;
    careful = count > 1;
    q->answer = &room;
    pthread_create(&thread, NULL, answer, q);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec++;
    pthread_mutex_lock(&mutex);
    while (!q->answered && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&answered, &mutex, &limit);
    q->given_up = careful && !q->answered;
    q->answer = NULL;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    free(q);
    return 0;
}
