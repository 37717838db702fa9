/* expect: race=no nondet=no deadlock=no unordered=no */
/* Loops that may touch a variable and never do, while another thread writes it: compilers like to read it
 * before the loop all the same. */
#include <pthread.h>
#include <stdio.h>

enum { LENGTH = 64 };

char marks[LENGTH];
int length = LENGTH;
static int counted, added, pointed, last, sums[4];

__attribute__((noinline)) static int add_marked(const int *value)
{
    int sum = 0;

    for (int i = 0; i < LENGTH; i++)
        if (marks[i] == 7)
            sum += *value;
    return sum;
}

static void *look(void *unused)
{
    int sum = 0;

    for (int i = 0; i < LENGTH; i++)
        if (marks[i] == 7)
            counted++;
    for (int i = 0; i < LENGTH; i++)
        if (marks[i] == 7)
            sums[0] += added;
    sums[1] = add_marked(&pointed);
    for (int left = length; left-- > 0;) {
        sum += left;
        if (sum > 1000000)
            sum += last;
    }
    sums[2] = sum;
    return unused;
}

static void *change(void *unused)
{
    counted = 1;
    added = 2;
    pointed = 3;
    last = 4;
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < LENGTH; i++)
        marks[i] = (char)(i % 5);
    pthread_create(&threads[0], NULL, look, NULL);
    pthread_create(&threads[1], NULL, change, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d\n", counted + added + pointed + last, sums[0] + sums[1] + sums[2]);
    return 0;
}
