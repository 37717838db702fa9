/* Threads that order their accesses to x outside memory: by a file's content or size, its name in several spellings, a
 * stream's buffer, a folder or a file used as a lock, the value of a semaphore, the environment; or by a limit of the process, which the recorder does not follow. No schedule
 * brings the accesses together. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *way;
static volatile int x;
static int file, folder;
static _Thread_local int mine;
static FILE *stream;
static sem_t semaphore;

static void announce(void)
{
    if (strcmp(way, "content") == 0) {
        if (pwrite(file, "1", 1, 0) != 1)
            abort();
    } else if (strcmp(way, "name") == 0) {
        close(creat("announced", 0600));
    } else if (strcmp(way, "spelling") == 0) {
        close(creat("../named/announced", 0600));
    } else if (strcmp(way, "at") == 0) {
        close(openat(folder, "announced", O_CREAT | O_WRONLY, 0600));
    } else if (strcmp(way, "moved") == 0) {
        renameat(folder, "hidden", folder, "announced");
    } else if (strcmp(way, "stream") == 0) {
        fputs("1", stream);
        fflush(stream);
    } else if (strcmp(way, "size") == 0) {
        if (ftruncate(file, 2) != 0)
            abort();
    } else if (strcmp(way, "clear") == 0) {
        clearenv();
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
    struct stat about;

    if (strcmp(way, "content") == 0)
        return pread(file, &byte, 1, 0) == 1 && byte == '1';
    if (strcmp(way, "name") == 0)
        return access("announced", F_OK) == 0;
    if (strcmp(way, "spelling") == 0)
        return access("./announced", F_OK) == 0;
    if (strcmp(way, "at") == 0)
        return access("./././announced", F_OK) == 0;
    if (strcmp(way, "moved") == 0)
        return faccessat(AT_FDCWD, "announced", F_OK, 0) == 0;
    if (strcmp(way, "stream") == 0)
        return pread(fileno(stream), &byte, 1, 0) == 1 && byte == '1';
    if (strcmp(way, "size") == 0)
        return fstat(file, &about) == 0 && about.st_size == 2;
    if (strcmp(way, "clear") == 0)
        return getenv("NOT_YET") == NULL;
    if (strcmp(way, "semaphore") == 0)
        return sem_getvalue(&semaphore, &value) == 0 && value > 0;
    if (strcmp(way, "limit") == 0)
        return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max == 0;
    return getenv("ANNOUNCED") != NULL;
}

/* "closed": closing gives the lock back, and the other thread may get a descriptor of the same number. */
static int locks_file(void)
{
    return strcmp(way, "flock") == 0 || strcmp(way, "closed") == 0;
}

/* A lock that belongs to the open file. */
static void control(short type)
{
    struct flock whole = {.l_type = type, .l_whence = SEEK_SET};

    fcntl(mine, F_OFD_SETLKW, &whole);
}

static void lock(void)
{
    if (strcmp(way, "folder") != 0)
        mine = open("announced", O_CREAT | O_RDWR, 0600);
    if (locks_file())
        flock(mine, LOCK_EX);
    else if (strcmp(way, "fcntl") == 0)
        control(F_WRLCK);
    while (strcmp(way, "folder") == 0 && mkdir("locked", 0700) != 0)
        usleep(10);
}

static void unlock(void)
{
    if (strcmp(way, "flock") == 0)
        flock(mine, LOCK_UN);
    else if (strcmp(way, "closed") == 0)
        close(mine);
    else if (strcmp(way, "fcntl") == 0)
        control(F_UNLCK);
    else
        rmdir("locked");
}

static int locks(void)
{
    return strcmp(way, "folder") == 0 || strcmp(way, "fcntl") == 0 || locks_file();
}

static void *change(void *unused)
{
    if (locks()) {
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
    mkdir("named", 0700);
    stream = tmpfile();
    setenv("NOT_YET", "1", 1);
    folder = chdir("named") == 0 ? open(".", O_DIRECTORY | O_RDONLY) : -1;
    unlink("announced");
    close(creat("hidden", 0600));
    if (folder < 0 || !stream || ftruncate(file, 1) != 0)
        return 1;
    pthread_create(&thread, NULL, change, NULL);
    if (locks())
        lock();
    else
        while (!announced())
            usleep(10);
    seen = x;
    if (locks())
        unlock();
    pthread_join(thread, NULL);
    printf("%s\n", seen < 0 ? "wrong" : "fine");
    return 0;
}
