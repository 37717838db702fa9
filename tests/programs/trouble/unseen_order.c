/* Threads that order their accesses to x outside memory: by a file's content, a file's name, a folder used as a lock, the value
 * of a semaphore, the environment; or by a limit of the process, which the recorder does not follow. No schedule
 * brings the accesses together. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *way;
static volatile int x;
static int file;
static sem_t semaphore;

static void announce(void)
{
    if (strcmp(way, "content") == 0) {
        if (pwrite(file, "1", 1, 0) != 1)
            abort();
    } else if (strcmp(way, "name") == 0) {
        close(creat("announced", 0600));
    } else if (strcmp(way, "semaphore") == 0) {
        sem_post(&semaphore);
    } else if (strcmp(way, "limit") == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    } else {
        setenv("ANNOUNCED", "1", 1);
    }
}

static int announced(void)
{
    char byte = 0;
    int value = 0;
    struct rlimit limit = {0};

    if (strcmp(way, "content") == 0)
        return pread(file, &byte, 1, 0) == 1 && byte == '1';
    if (strcmp(way, "name") == 0)
        return access("announced", F_OK) == 0;
    if (strcmp(way, "semaphore") == 0)
        return sem_getvalue(&semaphore, &value) == 0 && value > 0;
    if (strcmp(way, "limit") == 0)
        return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max == 0;
    return getenv("ANNOUNCED") != NULL;
}

static void lock(void)
{
    while (mkdir("locked", 0700) != 0)
        usleep(10);
}

static void unlock(void)
{
    rmdir("locked");
}

static void *change(void *unused)
{
    if (strcmp(way, "folder") == 0) {
        lock();
        x = x + 1;
        unlock();
    } else {
        x = 42;
        announce();
    }
    return unused;
}

int main(int count, char **words)
{
    pthread_t thread;
    int seen;

    way = count > 1 ? words[1] : "content";
    file = memfd_create("file", 0);
    sem_init(&semaphore, 0, 0);
    rmdir("locked");
    unlink("announced");
    if (ftruncate(file, 1) != 0)
        return 1;
    pthread_create(&thread, NULL, change, NULL);
    if (strcmp(way, "folder") == 0)
        lock();
    else
        while (!announced())
            usleep(10);
    seen = x;
    if (strcmp(way, "folder") == 0)
        unlock();
    pthread_join(thread, NULL);
    printf("%s\n", seen < 0 ? "wrong" : "fine");
    return 0;
}
