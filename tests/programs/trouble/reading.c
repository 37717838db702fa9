/* Reads from a file, in the way it is told, how many threads to start; their updates may get lost. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 9 };

static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get(int add)
{
    int now;

    pthread_mutex_lock(&lock);
    now = sum += add;
    pthread_mutex_unlock(&lock);
    return now;
}

static void *work(void *unused)
{
    get(1 + get(0) - get(0));
    return unused;
}

static int threads_wanted(const char *way, const char *path)
{
    char text[100] = "", *line = NULL;
    FILE *file = fopen(path, "r");
    size_t room = 0;
    int number = 0;

    if (strcmp(way, "pread") == 0) {
        int fd = open(path, O_RDONLY);
        return pread(fd, text, 99, 0) > 0 ? atoi(text) : 0;
    }
    if (strcmp(way, "fread") == 0)
        return fread(text, 1, 99, file) > 0 ? atoi(text) : 0;
    if (strcmp(way, "fgets") == 0)
        return fgets(text, 100, file) ? atoi(text) : 0;
    if (strcmp(way, "getline") == 0)
        return getline(&line, &room, file) > 0 ? atoi(line) : 0;
    if (strcmp(way, "fscanf") == 0)
        return fscanf(file, "%d", &number) == 1 ? number : 0;
    if (strcmp(way, "fgetc") == 0)
        return fgetc(file) - '0';
    return strcmp(way, "unlocked") == 0 ? getc_unlocked(file) - '0' : -1;
}

int main(int count, char **arguments)
{
    int wanted = count > 2 ? threads_wanted(arguments[1], arguments[2]) : 0;
    pthread_t threads[MOST];

    for (int i = 0; i < wanted && i < MOST; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < wanted && i < MOST; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", sum);
    return 0;
}
