/* expect: race=no assertion=yes */
/* A token goes round a ring of three, each step under the lock. It arrives only if the steps come in the order of the ring. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { MEMBERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int token[MEMBERS] = {1, 2, 3}, passed;

static void *pass(void *arg)
{
    int *mine = arg, i = (int)(mine - token);

    pthread_mutex_lock(&lock);
    *mine = i == 0 ? token[MEMBERS - 1] + 1 : token[i - 1];
    passed++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *look(void *arg)
{
    pthread_mutex_lock(&lock);
    if (passed == MEMBERS)
        assert(token[0] == token[1] && token[1] == token[2]);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[MEMBERS], last;

    for (int i = 0; i < MEMBERS; i++)
        pthread_create(&threads[i], NULL, pass, &token[i]);
    pthread_create(&last, NULL, look, NULL);
    for (int i = 0; i < MEMBERS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(last, NULL);
    puts("round");
    return 0;
}
