/* expect: race=no nondet=no deadlock=no unordered=no */
/* Two readers share what one write put into a pipe; one of them reads through a copy of the descriptor. The end
 * of the pipe says that all is done. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2], data[4], results[2];

static void *take(void *number)
{
    int which = (int)(long)number, fd = dup(ends[0]);
    int index = 0;

    if (read(fd, &index, sizeof index) == sizeof index) /* which of them comes first does not matter */
        results[which] = data[2] + data[3];
    close(fd);
    return NULL;
}

static void *drain(void *fd)
{
    char byte;

    while (read(*(int *)fd, &byte, 1) == 1)
        ;
    results[0] += data[0];
    return NULL;
}

int main(void)
{
    pthread_t threads[2], last;
    int indices[2] = {2, 2}, other[2];

    if (pipe(ends) != 0 || pipe(other) != 0)
        return 1;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, take, (void *)i);
    for (int i = 0; i < 4; i++)
        data[i] = i;
    if (write(ends[1], indices, sizeof indices) != sizeof indices)
        return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_create(&last, NULL, drain, &other[0]);
    data[0] = 1;
    close(other[1]);
    pthread_join(last, NULL);
    printf("%d %d\n", results[0], results[1]);
    return results[0] + results[1] != 11;
}
