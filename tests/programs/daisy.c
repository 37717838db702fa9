/* expect: race=no nondet=yes deadlock=no */
/* A file system in memory: every inode and every block has its own lock, taken in that order. Clients create,
 * write, read and delete the same few files. Operations for each client may be given. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { INODES = 4, BLOCKS = 10, LONGEST = 3, CLIENTS = 2 };

static struct {
    pthread_mutex_t lock;
    int exists, size;
    int blocks[LONGEST];
} inodes[INODES];

static struct {
    pthread_mutex_t lock;
    int used, data;
} blocks[BLOCKS];

static int operations = 12;

/* The callers hold the inode's lock. */
static int allocate(int first)
{
    for (int i = 0; i < BLOCKS; i++) {
        int block = (first + i) % BLOCKS, found = 0;
        pthread_mutex_lock(&blocks[block].lock);
        if (!blocks[block].used) {
            blocks[block].used = 1;
            blocks[block].data = 0;
            found = 1;
        }
        pthread_mutex_unlock(&blocks[block].lock);
        if (found)
            return block;
    }
    return -1;
}

static void append(int inode, int value)
{
    if (!inodes[inode].exists || inodes[inode].size == LONGEST)
        return;
    int block = allocate(inode * LONGEST);
    if (block < 0)
        return;
    inodes[inode].blocks[inodes[inode].size++] = block;
    pthread_mutex_lock(&blocks[block].lock);
    blocks[block].data = value;
    pthread_mutex_unlock(&blocks[block].lock);
}

static int sum(int inode)
{
    int total = 0;

    for (int i = 0; i < inodes[inode].size; i++) {
        int block = inodes[inode].blocks[i];
        pthread_mutex_lock(&blocks[block].lock);
        total += blocks[block].data;
        pthread_mutex_unlock(&blocks[block].lock);
    }
    return total;
}

static void clear(int inode)
{
    for (; inodes[inode].size > 0; inodes[inode].size--) {
        int block = inodes[inode].blocks[inodes[inode].size - 1];
        pthread_mutex_lock(&blocks[block].lock);
        blocks[block].used = 0;
        pthread_mutex_unlock(&blocks[block].lock);
    }
    inodes[inode].exists = 0;
}

static void *client(void *argument)
{
    int *result = argument, total = 0;

    for (int i = 0; i < operations; i++) {
        int inode = i % INODES;
        pthread_mutex_lock(&inodes[inode].lock);
        if (!inodes[inode].exists)
            inodes[inode].exists = 1;
        else if (i % 7 == 6)
            clear(inode);
        else if (i % 3 == 2)
            total += sum(inode);
        append(inode, i);
        pthread_mutex_unlock(&inodes[inode].lock);
    }
    *result = total;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[CLIENTS];
    int results[CLIENTS];

    operations = argc > 1 ? atoi(argv[1]) : operations;
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&inodes[i].lock, NULL);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&blocks[i].lock, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&threads[i], NULL, client, &results[i]);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d\n", results[0], results[1]);
    return 0;
}
