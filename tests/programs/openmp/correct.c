/* Correct uses of OpenMP, one a name: correct NAME prints its result, which no schedule changes. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { N = 24 };

static int a[N], b[N], kept;
#pragma omp threadprivate(kept)

static long reduction(void)
{
    long sum = 0;

#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < N; i++)
        sum += i;
    return sum;
}

static long sum_of(const int *array)
{
    long sum = 0;

    for (int i = 0; i < N; i++)
        sum = sum * 3 + array[i];
    return sum;
}

static long schedules(void)
{
    long sum;

#pragma omp parallel for schedule(static, 2)
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp parallel for schedule(dynamic, 3)
    for (int i = N - 1; i >= 0; i--)
        a[i] += i;
    sum = sum_of(a);
#pragma omp parallel for schedule(guided)
    for (unsigned long long i = 1; i < N; i += 2)
        a[i] += 5;
    omp_set_schedule(omp_sched_dynamic, 2);
#pragma omp parallel
    {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < N; i++)
            b[i] = i;
#pragma omp for schedule(nonmonotonic : dynamic)
        for (unsigned long long i = N; i > 0; i--)
            a[i - 1] *= 2;
    }
    return sum + sum_of(a) + sum_of(b);
}

static long collapse(void)
{
    int square[4][6];
    long sum = 0;

#pragma omp parallel for collapse(2) schedule(dynamic)
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            square[i][j] = i * j;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            sum = sum * 2 + square[i][j];
    return sum;
}

static long simd(void)
{
#pragma omp parallel for simd
    for (int i = 0; i < N; i++)
        a[i] = i * i;
    return sum_of(a);
}

static long sections(void)
{
    int x = 0, y = 0, z = 0;

#pragma omp parallel sections
    {
#pragma omp section
        x = 1;
#pragma omp section
        y = 2;
#pragma omp section
        z = 3;
    }
#pragma omp parallel
#pragma omp sections
    {
#pragma omp section
        x += y;
#pragma omp section
        z++;
    }
    return x * 100 + y * 10 + z;
}

static long barriers(void)
{
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num(), size = omp_get_num_threads();

        for (int round = 0; round < 3; round++) {
            a[me] = round + me;
#pragma omp barrier
            b[me] += a[(me + 1) % size];
#pragma omp barrier
        }
    }
    return sum_of(b);
}

static long singles(void)
{
    int value = 0, seen = 0;

#pragma omp parallel
    {
        int mine;

#pragma omp single copyprivate(mine)
        mine = 42;
#pragma omp single
        value = mine;
#pragma omp atomic
        seen += value == 42 && mine == 42 ? 0 : 1;
#pragma omp barrier
#pragma omp master
        value++;
#pragma omp barrier
#pragma omp single nowait
        value++;
    }
    return value * 10 + seen;
}

static long criticals(void)
{
    int x = 0, y = 0, z = 0;

#pragma omp parallel
    {
#pragma omp critical
        x++;
#pragma omp critical(one)
        {
            y++;
#pragma omp critical(two)
            z += y > 0;
        }
    }
    return x == omp_get_max_threads() && y == x && z == x;
}

static long atomics(void)
{
    int x = 0, last = 0;
    long double wide = 0;

#pragma omp parallel num_threads(3)
    {
        int got, most;

#pragma omp atomic capture
        got = x++;
#pragma omp atomic read
        most = x;
#pragma omp atomic
        wide += 1;
        if (got == 2 && most == 3)
#pragma omp atomic write
            last = 1;
    }
    return x * 10 + last + (long)wide;
}

static long locks(void)
{
    omp_lock_t lock;
    omp_nest_lock_t nest;
    int x = 0, y = 0;

    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(3)
    {
        omp_set_lock(&lock);
        x++;
        omp_unset_lock(&lock);
        if (omp_test_lock(&lock))
            omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        y++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    return x * 10 + y;
}

static long ordered(void)
{
    int next = 0;

#pragma omp parallel for ordered schedule(dynamic, 2)
    for (int i = 0; i < N; i++) {
        b[i] = i;
#pragma omp ordered
        a[next++] = i;
    }
#pragma omp parallel for ordered
    for (int i = 0; i < N; i++) {
#pragma omp ordered
        b[i] = next--;
    }
    return sum_of(a) + sum_of(b);
}

static long doacross(void)
{
    int square[5][5] = {{1}};

#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
        a[i] = a[i - 1] + i;
#pragma omp ordered depend(source)
    }
#pragma omp parallel for ordered(2) schedule(dynamic)
    for (int i = 1; i < 5; i++)
        for (int j = 1; j < 5; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            square[i][j] = square[i - 1][j] + square[i][j - 1] + 1;
#pragma omp ordered depend(source)
        }
    return sum_of(a) + square[4][4];
}

static int fib(int n)
{
    int x, y;

    if (n < 2)
        return n;
#pragma omp task shared(x) final(n < 3)
    x = fib(n - 1);
#pragma omp task shared(y) if (n > 2)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

static long tasks(void)
{
    int result = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
    result = fib(6);
    return result;
}

static long dependences(void)
{
    int x = 0, y = 0, z = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(in : x) depend(out : y)
        y = x + 1;
#pragma omp task depend(in : x) depend(out : z)
        z = x + 2;
#pragma omp task depend(inout : x) depend(in : y, z)
        x += y * z;
#pragma omp taskwait depend(in : x)
        x++;
    }
    return x;
}

static long groups(void)
{
    int x = 0, y = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task shared(x)
            {
#pragma omp task shared(x)
                x = 5;
            }
        }
        y = x;
    }
    return x + y;
}

static long task_loops(void)
{
    long sum = 0, all = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskloop grainsize(5)
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma omp taskloop reduction(+ : sum) num_tasks(4)
        for (int i = 0; i < N; i++)
            sum += a[i];
#pragma omp taskgroup task_reduction(+ : all)
        for (int i = 0; i < 4; i++) {
#pragma omp task in_reduction(+ : all)
            all += i;
        }
    }
    return sum_of(a) + sum * 7 + all;
}

static long nested(void)
{
    int x = 0;

    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : x)
    {
        int inner = 0;

#pragma omp parallel num_threads(2) reduction(+ : inner)
        inner += omp_get_level() * 10 + omp_get_ancestor_thread_num(1);
        x += inner;
    }
    return x;
}

static long private_threads(void)
{
    int sum = 0, last = 0, first = 4;

    kept = 7;
#pragma omp parallel num_threads(3) copyin(kept)
    kept += omp_get_thread_num();
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += kept;
#pragma omp parallel for lastprivate(last) firstprivate(first)
    for (int i = 0; i < N; i++)
        last = first + i;
    return sum * 100 + last;
}

/* Breadth-first search by levels: each thread claims vertices by compare-and-exchange. */
static long search(void)
{
    int parent[N], frontier[N], next[N], size = 1, count = 0;

    for (int i = 0; i < N; i++)
        parent[i] = -1;
    parent[0] = 0;
    frontier[0] = 0;
    for (int depth = 1; size; depth++) {
        int found = 0;

#pragma omp parallel for schedule(dynamic, 1)
        for (int i = 0; i < size; i++)
            for (int e = 1; e <= 2; e++) {
                int to = frontier[i] * 2 + e, none = -1;

                if (to < N && __atomic_compare_exchange_n(&parent[to], &none, frontier[i], 0, __ATOMIC_RELAXED,
                                                          __ATOMIC_RELAXED))
                    next[__atomic_fetch_add(&found, 1, __ATOMIC_RELAXED)] = to;
            }
        memcpy(frontier, next, sizeof frontier);
        count += size * depth;
        size = found;
    }
    return count;
}

static const struct {
    const char *name;
    long (*run)(void);
} cases[] = {{"reduction", reduction},
             {"schedules", schedules},
             {"collapse", collapse},
             {"simd", simd},
             {"sections", sections},
             {"barriers", barriers},
             {"singles", singles},
             {"criticals", criticals},
             {"atomics", atomics},
             {"locks", locks},
             {"ordered", ordered},
             {"doacross", doacross},
             {"tasks", tasks},
             {"groups", groups},
             {"dependences", dependences},
             {"task_loops", task_loops},
             {"nested", nested},
             {"private_threads", private_threads},
             {"search", search}};

int main(int count, char **arguments)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (count < 2)
            puts(cases[i].name);
        else if (!strcmp(cases[i].name, arguments[1]))
            printf("%s %ld\n", cases[i].name, cases[i].run());
    }
    return 0;
}
