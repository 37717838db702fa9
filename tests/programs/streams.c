/* expect: race=no deadlock=no unordered=no */
/* A stream locked by hand around unlocked calls; lines that go from thread to thread through a pipe and
 * streams. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FILE *file;
static int lines, sent, ends[2];

static void *write_lines(void *unused)
{
    for (int i = 0; i < 3; i++) {
        flockfile(file);
        lines++;
        putc_unlocked('x', file);
        putc_unlocked('\n', file);
        funlockfile(file);
    }
    return unused;
}

static void *read_line(void *unused)
{
    FILE *in = fdopen(ends[0], "r");
    char text[32];

    if (in && fgets(text, sizeof text, in) && strcmp(text, "sent\n") == 0)
        printf("%d\n", sent);
    if (in)
        fclose(in);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    FILE *out;

    file = tmpfile();
    if (!file || pipe(ends) != 0 || !(out = fdopen(ends[1], "w")))
        return 1;
    pthread_create(&threads[0], NULL, write_lines, NULL);
    pthread_create(&threads[1], NULL, write_lines, NULL);
    pthread_create(&threads[2], NULL, read_line, NULL);
    sent = 4;
    fprintf(out, "%s\n", "sent");
    fflush(out);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    fclose(out);
    return lines != 6;
}
