/* expect: race=no deadlock=no */
/* Threads that meet outside their memory: in the environment, in a file, by the names of a file and of a folder. What one
 * wrote before, the other reads after. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_environment, by_content, by_creation, by_renaming, guarded;
static int file;
static char folder[] = "/tmp/meeting-XXXXXX", flag[64], other[64], lock[64];

/* A folder is a lock: only one can make it. */
static void add_one(void)
{
    while (mkdir(lock, 0700) != 0)
        usleep(10);
    guarded++;
    assert(rmdir(lock) == 0);
}

static void *give(void *unused)
{
    char byte = 1;

    by_environment = 1;
    setenv("HEDDLE_MEETING", "here", 1);
    by_content = 2;
    assert(pwrite(file, &byte, 1, 0) == 1);
    by_creation = 3;
    close(open(flag, O_CREAT | O_EXCL | O_WRONLY, 0600));
    by_renaming = 4;
    assert(rename(flag, other) == 0);
    add_one();
    return unused;
}

int main(void)
{
    struct stat about;
    pthread_t giver;
    char byte = 0;
    int sum;

    assert(mkdtemp(folder));
    snprintf(flag, sizeof flag, "%s/flag", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    snprintf(lock, sizeof lock, "%s/lock", folder);
    file = memfd_create("meeting", 0);
    assert(file >= 0 && ftruncate(file, 1) == 0);
    pthread_create(&giver, NULL, give, NULL);
    while (!getenv("HEDDLE_MEETING"))
        usleep(10);
    sum = by_environment;
    while (pread(file, &byte, 1, 0) == 1 && !byte)
        usleep(10);
    sum += by_content;
    while (access(flag, F_OK) != 0 && stat(other, &about) != 0)
        usleep(10);
    sum += by_creation;
    while (access(other, F_OK) != 0)
        usleep(10);
    sum += by_renaming;
    add_one();
    pthread_join(giver, NULL);
    printf("%d %d\n", sum, guarded);
    unlink(other);
    rmdir(folder);
    return 0;
}
