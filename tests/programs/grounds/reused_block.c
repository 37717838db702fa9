/* Settings are replaced, and the old ones freed when nobody uses them any more, so that the allocator hands their memory out again:
 * the same address, another block. Whoever reads the address uses the block that it means then. Correct. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct settings {
    int size, users;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings *current;

static struct settings *make(int size)
{
    struct settings *new = malloc(sizeof *new);

    new->size = size;
    new->users = 1;
    return new;
}

static void leave(struct settings *settings)
{
    int users;

    pthread_mutex_lock(&lock);
    users = --settings->users;
    pthread_mutex_unlock(&lock);
    if (users == 0)
        free(settings);
}

static void *replace(void *unused)
{
    for (int i = 1; i <= 2; i++) {
        struct settings *new = make(100 * i), *old;
        pthread_mutex_lock(&lock);
        old = current;
        current = new;
        pthread_mutex_unlock(&lock);
        leave(old);
    }
    return unused;
}

static void *look(void *arg)
{
    int *size = arg;
    struct settings *settings;

    usleep(1000); /* mostly after both were replaced */
    pthread_mutex_lock(&lock);
    settings = current;
    settings->users++;
    pthread_mutex_unlock(&lock);
    *size = settings->size;
    leave(settings);
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;
    int size;

    current = make(0);
    pthread_create(&writer, NULL, replace, NULL);
    pthread_create(&reader, NULL, look, &size);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    printf("%d\n", size);
    leave(current);
    return 0;
}
