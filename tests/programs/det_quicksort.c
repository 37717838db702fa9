/* expect: race=no deadlock=no determinism=no serializability=yes */
/* ESOP'09 Fig. 1: parallel quicksort under a lock, by two callers. Deterministic, and not atomic: it has to
 * wait for the threads it forks. */
#include <heddle/annotate.h>
#include <pthread.h>
#include <stdio.h>

enum { LENGTH = 8 };

struct part {
    int *numbers;
    int low, high;
};

static int numbers[LENGTH] = {5, 2, 8, 1, 7, 3, 6, 4};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int partition(int *a, int low, int high)
{
    int pivot = a[high], at = low;

    for (int i = low; i < high; i++) {
        if (a[i] < pivot) {
            int other = a[at];
            a[at++] = a[i];
            a[i] = other;
        }
    }
    a[high] = a[at];
    a[at] = pivot;
    return at;
}

static void *sort_part(void *argument)
{
    struct part *p = argument;
    struct part left, right;
    pthread_t threads[2];

    if (p->high - p->low < 1)
        return NULL;
    int middle = partition(p->numbers, p->low, p->high);
    left = (struct part){p->numbers, p->low, middle - 1};
    right = (struct part){p->numbers, middle + 1, p->high};
    pthread_create(&threads[0], NULL, sort_part, &left);
    pthread_create(&threads[1], NULL, sort_part, &right);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return NULL;
}

static void *quicksort(void *argument)
{
    struct part all = {argument, 0, LENGTH - 1};

    HEDDLE_DETERMINISTIC_BEGIN("quicksort");
    HEDDLE_ATOMIC_BEGIN("quicksort");
    pthread_mutex_lock(&lock);
    sort_part(&all);
    pthread_mutex_unlock(&lock);
    HEDDLE_ATOMIC_END("quicksort");
    HEDDLE_DETERMINISTIC_END("quicksort");
    return NULL;
}

int main(void)
{
    pthread_t other;

    pthread_create(&other, NULL, quicksort, numbers);
    quicksort(numbers);
    pthread_join(other, NULL);
    printf("%d %d\n", numbers[0], numbers[LENGTH - 1]);
    return 0;
}
