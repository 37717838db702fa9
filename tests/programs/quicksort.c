/* expect: race=no nondet=no deadlock=no */
/* Parallel quicksort: each half in its own thread, joined before use. Deterministic. */
#include <pthread.h>
#include <stdio.h>

enum { COUNT = 24, SMALL = 6 };

struct range {
    int *from, *to;
};

static void *sort(void *data)
{
    struct range *range = data;
    int *low = range->from, *high = range->to - 1, pivot;
    pthread_t left_thread;

    if (range->to - range->from < 2)
        return NULL;
    pivot = range->from[(range->to - range->from) / 2];
    while (low <= high) {
        while (*low < pivot)
            low++;
        while (*high > pivot)
            high--;
        if (low <= high) {
            int kept = *low;
            *low++ = *high;
            *high-- = kept;
        }
    }
    struct range left = {range->from, high + 1}, right = {low, range->to};
    if (range->to - range->from > SMALL && pthread_create(&left_thread, NULL, sort, &left) == 0) {
        sort(&right);
        pthread_join(left_thread, NULL);
        return NULL;
    }
    sort(&left);
    sort(&right);
    return NULL;
}

int main(void)
{
    int numbers[COUNT];
    struct range all = {numbers, numbers + COUNT};

    for (int i = 0; i < COUNT; i++)
        numbers[i] = i * 7919 % 101;
    sort(&all);
    for (int i = 1; i < COUNT; i++)
        if (numbers[i - 1] > numbers[i])
            return 1;
    puts("sorted");
    return 0;
}
