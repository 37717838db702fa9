/* A count of owners, the last of which frees: nobody touches what is free. */
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t lock;
    int owners, payload;
};

static void release(struct object *object)
{
    int last;

    pthread_mutex_lock(&object->lock);
    object->payload++;
    last = --object->owners == 0;
    pthread_mutex_unlock(&object->lock);
    if (last)
        free(object);
}

static void *own(void *object)
{
    release(object);
    return NULL;
}

int main(void)
{
    struct object *object = calloc(1, sizeof *object);
    pthread_t threads[2];

    pthread_mutex_init(&object->lock, NULL);
    object->owners = 3;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, own, object);
    release(object);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
