/* The other side of helped.c: does tasks of a check that another process leads. */
#include "base/memory.h"
#include "property/unit_helpers.h"
#include "property/unit_parcel.h"

#include <pthread.h>
#include <stdlib.h>

struct help {
    struct check_plan *plan;
    const struct unit_source *source;
    pthread_mutex_t asking, answering;
    bool over;
    bool differs; /* the leader has another trace */
};

struct help_thread {
    struct help *help;
    struct worker_thread worker;
};

/* The next task; false: there is none. Messages of rounds come only when the leader has all answers to the round before, so that
 * nobody is using the plan. */
static bool next_for_us(struct help *h, uint32_t *task)
{
    bool is_task = false;

    pthread_mutex_lock(&h->asking);
    while (!h->over && !is_task) {
        unsigned char *bytes;
        size_t length;
        h->over = *h->plan->stop || !h->source->next(h->source->context, &bytes, &length, &is_task, task);
        if (h->over)
            break;
        if (!is_task)
            h->differs = !parcel_take_round(h->plan, bytes, length);
        h->over = h->differs || (is_task && *task >= plan_tasks(h->plan));
        free(bytes);
    }
    bool got = !h->over;
    pthread_mutex_unlock(&h->asking);
    return got;
}

/* What was stopped in the middle is no answer. */
static void *help_until_over(void *argument)
{
    struct help_thread *self = argument;
    struct help *h = self->help;
    uint32_t task;

    worker_begin(&self->worker);
    while (next_for_us(h, &task)) {
        struct buffer answer = {0};
        worker_run_task(&self->worker, task);
        parcel_put_answer(&answer, &self->worker, task);
        pthread_mutex_lock(&h->answering);
        if (!*h->plan->stop)
            h->source->answer(h->source->context, task, answer.text, answer.text_count);
        pthread_mutex_unlock(&h->answering);
        buffer_free(&answer);
    }
    worker_end(&self->worker);
    free(self->worker.again.list);
    return NULL;
}

bool check_help(const struct model *m, const struct check_options *options, const stop_flag *stop,
                const struct unit_source *source)
{
    struct check_plan plan = {.m = m, .options = options, .stop = stop};
    struct help help = {.plan = &plan,
                        .source = source,
                        .asking = PTHREAD_MUTEX_INITIALIZER,
                        .answering = PTHREAD_MUTEX_INITIALIZER};
    unsigned workers = options->workers > 0 ? options->workers : 1, made = 1;
    struct help_thread *threads = memory_new(workers, sizeof *threads);
    struct results unused = {0};

    plan_begin(&plan, &unused);
    plan_make_index(&plan);
    for (unsigned i = 0; i < workers; i++)
        threads[i] = (struct help_thread){.help = &help, .worker = {.plan = &plan, .keeps_apart = true}};
    while (made < workers &&
           pthread_create(&threads[made].worker.thread, NULL, help_until_over, &threads[made]) == 0)
        made++;
    help_until_over(&threads[0]);
    for (unsigned i = 1; i < made; i++)
        pthread_join(threads[i].worker.thread, NULL);
    plan_end(&plan);
    free(threads);
    return !help.differs;
}
