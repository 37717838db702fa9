/* expect: race=no nondet=no deadlock=no */
/* Memory that is protected, moved or detached right after it was written. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/shm.h>

static int shared;

static void *write_to(void *memory)
{
    *(int *)memory = 1;
    shared++;
    return NULL;
}

/* Makes it memory that two threads have touched. */
static void share(int *memory)
{
    pthread_t thread;

    pthread_create(&thread, NULL, write_to, memory);
    pthread_join(thread, NULL);
}

static void protect_and_move(void)
{
    int *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *moved;

    share(page);
    *page = 2;
    mprotect(page, 4096, PROT_NONE);
    shared++;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    assert(*page == 2);
    *page = 3;
    moved = mremap(page, 4096, 1 << 20, MREMAP_MAYMOVE);
    shared++;
    assert(*moved == 3);
    share(moved);
    *moved = 4;
    munmap(moved, 1 << 20);
    shared++;
}

static void detach(void)
{
    int segment = shmget(IPC_PRIVATE, 4096, 0600);
    int *memory = shmat(segment, NULL, 0);

    shmctl(segment, IPC_RMID, NULL);
    share(memory);
    *memory = 5;
    shmdt(memory);
    shared++;
}

int main(void)
{
    protect_and_move();
    detach();
    return 0;
}
