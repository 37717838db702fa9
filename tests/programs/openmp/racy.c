/* Mistakes with OpenMP, one a name: racy NAME. Each has a race on `shared_value` or `shared_values`. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { N = 12 };

static int shared_value, shared_values[N + 1], other;

static void no_reduction(void)
{
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        shared_value += i;
}

static void carried(void)
{
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N; i++)
        shared_values[i + 1] = shared_values[i] + 1;
}

static void not_private(void)
{
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++) {
        shared_value = i;
        shared_values[i] = i;
    }
}

static void no_wait(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp for nowait schedule(static, 1)
        for (int i = 0; i < N; i++)
            shared_values[i] = i;
#pragma omp for schedule(static, 2)
        for (int i = 0; i < N; i++)
            shared_values[i]++;
    }
}

static void master_alone(void)
{
#pragma omp parallel num_threads(3)
    {
        int mine;

#pragma omp master
        shared_value = 1;
        mine = shared_value;
#pragma omp atomic
        other += mine;
    }
}

static void single_no_wait(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp single nowait
        shared_value = 1;
#pragma omp atomic
        other += shared_value;
    }
}

static void two_sections(void)
{
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        shared_value = 1;
#pragma omp section
        shared_value = 2;
    }
}

static void two_names(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num()) {
#pragma omp critical(one)
        shared_value++;
    } else {
#pragma omp critical(two)
        shared_value++;
    }
}

static void half_atomic(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num()) {
#pragma omp atomic
        shared_value++;
    } else
        shared_value = 3;
}

static void half_locked(void)
{
    omp_lock_t lock;

    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num()) {
        omp_set_lock(&lock);
        shared_value++;
        omp_unset_lock(&lock);
    } else
        shared_value++;
    omp_destroy_lock(&lock);
}

static void outside_ordered(void)
{
#pragma omp parallel for ordered schedule(static, 1)
    for (int i = 0; i < N; i++) {
        shared_value += i;
#pragma omp ordered
        other += i;
    }
}

static void wrong_sink(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 2; i < N; i++) {
#pragma omp ordered depend(sink : i - 2)
        shared_values[i] = shared_values[i - 1] + 1;
#pragma omp ordered depend(source)
    }
}

static void no_task_wait(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
    {
#pragma omp task
        shared_value = 1;
        other = shared_value;
    }
}

static void no_dependence(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : other)
        shared_value = 1;
#pragma omp task
        shared_value = 2;
    }
}

static void no_group(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
    {
#pragma omp task
        {
#pragma omp task
            shared_value = 5;
        }
#pragma omp taskwait
        other = shared_value;
    }
}

static void task_loop(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop num_tasks(6)
    for (int i = 0; i < N; i++)
        shared_value += i;
}

static void inner_teams(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp master
    shared_value++;
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"no_reduction", no_reduction},
             {"carried", carried},
             {"not_private", not_private},
             {"no_wait", no_wait},
             {"master_alone", master_alone},
             {"single_no_wait", single_no_wait},
             {"two_sections", two_sections},
             {"two_names", two_names},
             {"half_atomic", half_atomic},
             {"half_locked", half_locked},
             {"outside_ordered", outside_ordered},
             {"wrong_sink", wrong_sink},
             {"no_task_wait", no_task_wait},
             {"no_dependence", no_dependence},
             {"no_group", no_group},
             {"task_loop", task_loop},
             {"inner_teams", inner_teams}};

int main(int count, char **arguments)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (count < 2)
            puts(cases[i].name);
        else if (!strcmp(cases[i].name, arguments[1]))
            cases[i].run();
    }
    return 0;
}
