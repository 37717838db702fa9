/* Memory and locks that are given back while another thread may still use them, each in its own way; with `ordered` the
 * user is joined first. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct node {
    int value;
    pthread_mutex_t lock;
};

static struct node *node;
static int *page, *local, sum;
static const char *way;
static int ordered;

static int is(const char *name)
{
    return strcmp(way, name) == 0;
}

static void *use(void *unused)
{
    if (is("destroy")) {
        pthread_mutex_lock(&node->lock);
        sum++;
        pthread_mutex_unlock(&node->lock);
    } else if (is("unmap")) {
        sum += page[3];
    } else if (is("end")) {
        while (!ordered && !__atomic_load_n(&local, __ATOMIC_ACQUIRE))
            sched_yield();
        if (!ordered)
            sum += *local;
    } else {
        sum += node->value;
    }
    return unused;
}

/* Its variable ends with it. */
static void *lend(void *unused)
{
    struct timespec delay = {.tv_nsec = 1000000};
    int mine = 5;

    __atomic_store_n(&local, &mine, __ATOMIC_RELEASE);
    nanosleep(&delay, NULL);
    return unused;
}

static void give_back(void)
{
    struct node *old = node;
    pthread_t lender;

    if (is("destroy")) {
        pthread_mutex_destroy(&old->lock);
    } else if (is("unmap")) {
        munmap(page, 4096);
    } else if (is("resize")) {
        if (!realloc(old, 4000))
            abort();
    } else if (is("end")) {
        pthread_create(&lender, NULL, lend, NULL);
        pthread_join(lender, NULL);
    } else {
        free(old);
    }
}

int main(int count, char **words)
{
    pthread_t thread;

    way = words[1];
    ordered = count > 2;
    node = malloc(sizeof *node);
    node->value = 1;
    pthread_mutex_init(&node->lock, NULL);
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[3] = 1;
    pthread_create(&thread, NULL, use, NULL);
    if (ordered)
        pthread_join(thread, NULL);
    give_back();
    if (!ordered)
        pthread_join(thread, NULL);
    return 0;
}
