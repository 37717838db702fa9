/* A count of owners: who has let go looks in another critical section whether it was the last. Another owner may have freed the object
 * by then, or finds the same. */
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t lock;
    int owners;
};

static void let_go(struct object *object)
{
    pthread_mutex_lock(&object->lock);
    object->owners--;
    pthread_mutex_unlock(&object->lock);
}

static int owners_left(struct object *object)
{
    int left;

    pthread_mutex_lock(&object->lock);
    left = object->owners;
    pthread_mutex_unlock(&object->lock);
    return left;
}

static void *own(void *object)
{
    let_go(object);
    if (owners_left(object) == 0)
        free(object);
    return NULL;
}

int main(void)
{
    struct object *object = calloc(1, sizeof *object);
    pthread_t threads[2];

    pthread_mutex_init(&object->lock, NULL);
    object->owners = 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, own, object);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
