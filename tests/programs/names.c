/* expect: race=no deadlock=no */
/* Fields of structures in heap blocks, elements of arrays, locals of a caller, values of many types: for their
 * names. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
struct item {
    int key;
    double weight;
    struct item *next;
};
struct queue {
    struct item *items;
    int count;
    bool full;
    pthread_mutex_t lock;
    char tag;
    enum state { IDLE, BUSY } state;
    float ratio;
};
static struct queue *queue;
static struct item *head;
static int *numbers;
static short signed_value = -3;
static int grid[2][3][4];
struct job {
    int id;
    long result;
};
static void *work(void *arg)
{
    struct job *job = arg;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&queue->lock);
        queue->items[i].key -= 5;
        queue->items[i].weight += 0.5;
        queue->count++;
        queue->full = !queue->full;
        queue->tag++;
        queue->state = BUSY;
        queue->ratio /= 2;
        numbers[i]--;
        signed_value--;
        grid[1][i][2]++;
        head->key++;
        job->result += queue->count;
        pthread_mutex_unlock(&queue->lock);
    }
    return NULL;
}
static __attribute__((noinline)) void run(int rounds)
{
    struct job jobs[2] = {{1, 0}, {2, 0}};
    pthread_t t[2];
    int done = rounds;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &jobs[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%ld %d\n", jobs[0].result + jobs[1].result, done);
}
int main(void)
{
    struct item *mine = malloc(sizeof *mine);
    queue = calloc(1, sizeof *queue);
    pthread_mutex_init(&queue->lock, NULL);
    queue->items = calloc(5, sizeof *queue->items);
    queue->tag = 'a';
    queue->ratio = 1;
    numbers = calloc(10, sizeof *numbers);
    for (int i = 0; i < 3; i++) {
        struct item *n = malloc(sizeof *n);
        n->key = i;
        n->next = head;
        head = n;
    }
    mine->key = 1;
    run(1);
    run(2);
    return 0;
}
