/* expect: race=no nondet=no unordered=no deadlock=no */
/* A random workload on the allocator. Two threads at a time work on blocks of their own, each of which is a model of what
 * it must hold; blocks change hands between rounds only. Whatever the allocator hands out again at once, to another
 * thread, longer or shorter, in its place or not, is another variable: nothing here is shared without order. */
#define _GNU_SOURCE
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 6, DEEDS = 120, BLOCKS = 24, PAGE = 4096 };

struct block {
    unsigned char *bytes;
    size_t length;
    unsigned char holds; /* in every byte */
    int mapped;
};

struct worker {
    struct block blocks[BLOCKS];
    uint64_t state;
};

static struct worker workers[2];

static unsigned below(struct worker *w, unsigned limit)
{
    w->state = w->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(w->state >> 33) % limit;
}

static size_t some_length(struct worker *w)
{
    return below(w, 4) ? 1 + below(w, 64) : 1 + below(w, 2000);
}

static void fill(struct block *b, size_t from, unsigned char byte)
{
    for (size_t i = from; i < b->length; i += 1 + i / 8)
        b->bytes[i] = byte;
    b->holds = byte;
}

static void check(const struct block *b, size_t length)
{
    for (size_t i = 0; i < length; i += 1 + i / 8)
        assert(b->bytes[i] == b->holds);
}

static void allocate(struct worker *w, struct block *b)
{
    size_t length = some_length(w), alignment = (size_t)16 << below(w, 4);
    void *made = NULL;

    switch (below(w, 7)) {
    case 0:
        made = calloc(1, length);
        break;
    case 1:
        made = aligned_alloc(alignment, (length + alignment - 1) / alignment * alignment);
        break;
    case 2:
        assert(posix_memalign(&made, alignment, length) == 0);
        break;
    case 3:
        made = memalign(alignment, length);
        break;
    case 4:
        made = reallocarray(NULL, 1, length);
        break;
    default:
        made = malloc(length);
        break;
    }
    *b = (struct block){.bytes = made, .length = length};
    fill(b, 0, (unsigned char)below(w, 256));
}

static void resize(struct worker *w, struct block *b)
{
    size_t length = below(w, 2) ? b->length + 1 + below(w, 16) : some_length(w);
    size_t kept = length < b->length ? length : b->length;

    b->bytes = below(w, 2) ? realloc(b->bytes, length) : reallocarray(b->bytes, 1, length);
    check(b, kept);
    b->length = length;
    fill(b, 0, (unsigned char)below(w, 256));
}

static void map(struct worker *w, struct block *b)
{
    size_t length = PAGE * (1 + below(w, 3));

    if (b->bytes) {
        b->bytes = mremap(b->bytes, b->length, length, MREMAP_MAYMOVE);
        b->length = length < b->length ? length : b->length;
        check(b, b->length);
        b->length = length;
    } else {
        *b = (struct block){.bytes =
                                mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                            .length = length,
                            .mapped = 1};
    }
    fill(b, 0, (unsigned char)below(w, 256));
}

static void give_back(struct block *b)
{
    check(b, b->length);
    if (b->mapped)
        munmap(b->bytes, b->length);
    else
        free(b->bytes);
    *b = (struct block){0};
}

static void *work(void *own)
{
    struct worker *w = own;

    for (int i = 0; i < DEEDS; i++) {
        struct block *b = &w->blocks[below(w, BLOCKS)];
        if (b->bytes && below(w, 2))
            give_back(b);
        else if (b->mapped || (!b->bytes && below(w, 12) == 0))
            map(w, b);
        else if (b->bytes)
            resize(w, b);
        else
            allocate(w, b);
    }
    return own;
}

int main(void)
{
    pthread_t threads[2];

    mallopt(M_ARENA_MAX, 1); /* what one thread gives back the other gets */
    workers[0].state = 1;
    workers[1].state = 2;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, work, &workers[i]);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < BLOCKS; i += 2) {
            struct block b = workers[0].blocks[i];
            workers[0].blocks[i] = workers[1].blocks[i];
            workers[1].blocks[i] = b;
        }
    }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < BLOCKS; k++)
            if (workers[i].blocks[k].bytes)
                give_back(&workers[i].blocks[k]);
    return 0;
}
