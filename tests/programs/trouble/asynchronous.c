/* Work that the C library does in threads of its own: input that is announced by a call in such a thread ("told"), or waited for
 * ("awaited"), and the look-up of a name ("name"). Nothing is wrong, and every run ends. */
#define _GNU_SOURCE
#include <aio.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends[2], given;
static char buffer[8];
static struct aiocb input = {.aio_buf = buffer, .aio_nbytes = sizeof buffer};
static sem_t done;

static void tell(union sigval unused)
{
    (void)unused;
    given++;
    sem_post(&done);
}

static void *give(void *unused)
{
    given = 5;
    if (write(ends[1], "content", sizeof buffer) != sizeof buffer)
        abort();
    return unused;
}

static void look_up(struct sigevent *event)
{
    struct gaicb name = {.ar_name = "127.0.0.1"}, *names[] = {&name};

    if (getaddrinfo_a(GAI_NOWAIT, names, 1, event) != 0)
        abort();
    while (sem_wait(&done) != 0)
        ;
}

int main(int count, char **words)
{
    const char *way = count > 1 ? words[1] : "told";
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tell};
    const struct aiocb *blocks[] = {&input};
    pthread_t giver;

    sem_init(&done, 0, 0);
    if (strcmp(way, "name") == 0) {
        look_up(&event);
        printf("%d\n", given);
        return 0;
    }
    if (pipe(ends) != 0)
        return 1;
    input.aio_fildes = ends[0];
    input.aio_sigevent.sigev_notify = SIGEV_NONE;
    if (strcmp(way, "told") == 0)
        input.aio_sigevent = event;
    if (aio_read(&input) != 0)
        return 1;
    pthread_create(&giver, NULL, give, NULL);
    if (strcmp(way, "told") == 0)
        while (sem_wait(&done) != 0)
            ;
    while (aio_suspend(blocks, 1, NULL) != 0)
        ;
    pthread_join(giver, NULL);
    printf("%s %d\n", aio_return(&input) == sizeof buffer ? buffer : "-", given);
    return 0;
}
