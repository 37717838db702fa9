/* expect: race=no unordered=no deadlock=no */
/* Opening a named pipe waits for whoever opens the other end, and so tells that data is there: in both directions, by open and
 * fopen. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];
static int question, answer, more;

static void *reply(void *unused)
{
    int pipe = open(path, O_RDONLY);
    FILE *stream;

    more = question + 1;
    close(pipe);
    answer = 7;
    stream = fopen(path, "w");
    fclose(stream);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int pipe, total;
    char byte;

    snprintf(path, sizeof path, "named_pipe.%ld", (long)getpid());
    if (mkfifo(path, 0600) != 0)
        return 1;
    pthread_create(&thread, NULL, reply, NULL);
    question = 5;
    pipe = open(path, O_WRONLY);
    close(pipe);
    pipe = open(path, O_RDONLY);
    total = answer + more;
    while (read(pipe, &byte, 1) > 0)
        ;
    close(pipe);
    pthread_join(thread, NULL);
    unlink(path);
    printf("%d\n", total);
    return total != 13;
}
