/* A slab allocator whose chunks are larger than the objects in them, and an arena that holds objects of several types. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, CHUNK = 72, ITEMS = 6 };

struct item {
    struct item *next;
    uint16_t flags, refs;
    int hits;
    char key[];
};
struct conn {
    int fd, state;
    char peer[8];
    long bytes;
};
struct timer {
    long due;
    int armed;
};

static struct {
    void **pages;
    unsigned count;
    size_t left;
} slab;
static char *arena, *arena_end;
static struct item *items[ITEMS];
static struct conn *conns[3];
static struct timer *timers[3];

static void *slab_take(void)
{
    if (slab.left < CHUNK) {
        slab.pages = realloc(slab.pages, (slab.count + 1) * sizeof *slab.pages);
        slab.pages[slab.count++] = malloc(PAGE);
        slab.left = PAGE;
    }
    slab.left -= CHUNK;
    return (char *)slab.pages[slab.count - 1] + slab.left;
}

static void *arena_take(size_t size)
{
    char *at = arena_end;

    arena_end += (size + 15) / 16 * 16;
    return at;
}

static void *work(void *argument)
{
    int n = *(int *)argument;

    for (int i = 0; i < ITEMS; i++) {
        struct item *it = items[i];
        it->flags = (uint16_t)n;
        it->hits = n;
        it->refs = (uint16_t)n;
    }
    for (int i = 0; i < 3; i++) {
        conns[i]->bytes = n;
        conns[i]->state = n;
        timers[i]->armed = n;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {1, 2};

    arena = arena_end = calloc(1, PAGE);
    for (int i = 0; i < ITEMS; i++)
        items[i] = memset(slab_take(), 0, CHUNK);
    for (int i = 0; i < 3; i++) {
        conns[i] = arena_take(sizeof *conns[i]);
        timers[i] = arena_take(sizeof *timers[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
