/* Helpers: a check in which others do a part of the units finds, counts and schedules the same, whether they answer, answer nonsense,
 * claim what does not hold, or fall silent.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces. */
#include "property/unit_helpers.h"
#include "random/generate.h"
#include "random/print.h"
#include "random/wanted.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TRACES = 60, TRACES_LONG = 3000, MESSAGES = 4096, ROOM = 3 };

enum manner { MANNER_HONEST, MANNER_CUT, MANNER_CHANGED, MANNER_SILENT, MANNER_LATE, MANNERS };

static const stop_flag never;

struct message {
    unsigned char *bytes;
    size_t length;
    bool is_task;
    uint32_t task;
};

/* A helper in a thread of its own, and the two queues between it and the leader. */
struct stage {
    const struct model *m;
    const struct check_options *options;
    pthread_mutex_t lock;
    pthread_cond_t news;
    struct message to[MESSAGES], from[MESSAGES];
    size_t to_first, to_count, from_first, from_count;
    bool over;
    unsigned asked; /* and not answered */
    enum manner manner;
    uint64_t seed, late, answers, given; /* late: the seed of the leader's side */
};

static void put(struct stage *s, struct message *queue, size_t *count, struct message m)
{
    pthread_mutex_lock(&s->lock);
    assert_true(*count < MESSAGES);
    queue[(*count)++] = m;
    pthread_cond_broadcast(&s->news);
    pthread_mutex_unlock(&s->lock);
}

static unsigned char *copy_of(const void *bytes, size_t length)
{
    unsigned char *copy = malloc(length + 1);

    assert_non_null(copy);
    if (length > 0)
        memcpy(copy, bytes, length);
    return copy;
}

static bool next_of_stage(void *context, unsigned char **bytes, size_t *length, bool *is_task, uint32_t *task)
{
    struct stage *s = context;
    struct message m = {0};

    pthread_mutex_lock(&s->lock);
    while (!s->over && s->to_first == s->to_count)
        pthread_cond_wait(&s->news, &s->lock);
    bool got = s->to_first < s->to_count;
    if (got)
        m = s->to[s->to_first++];
    pthread_mutex_unlock(&s->lock);
    *bytes = m.bytes;
    *length = m.length;
    *is_task = m.is_task;
    *task = m.task;
    return got;
}

/* Sends what the manner makes of the answer. */
static void answer_of_stage(void *context, uint32_t task, const void *bytes, size_t length)
{
    struct stage *s = context;
    bool fails = s->manner != MANNER_HONEST && random_below(&s->seed, 2) == 0;
    unsigned char *copy = s->manner == MANNER_SILENT && fails ? NULL : copy_of(bytes, length);

    if (s->manner == MANNER_CUT && fails)
        length -= 1 + random_below(&s->seed, (unsigned)length);
    if (s->manner == MANNER_CHANGED && fails && length > 4) /* a number: of an event, if it is near the end */
        copy[length - 4 - length % 4 - 4 * random_below(&s->seed, (unsigned)length / 8)] ^= 1;
    s->answers++;
    put(s, s->from, &s->from_count, (struct message){copy, length, true, task});
}

static void *help(void *context)
{
    struct stage *s = context;
    struct unit_source source = {.context = s, .next = next_of_stage, .answer = answer_of_stage};
    struct check_options options = *s->options;

    options.helpers = NULL;
    options.workers = 2;
    assert_true(check_help(s->m, &options, &never, &source));
    return NULL;
}

static void begin_on_stage(void *context, const void *bytes, size_t length)
{
    struct stage *s = context;

    put(s, s->to, &s->to_count, (struct message){copy_of(bytes, length), length, false, 0});
}

static bool has_room_on_stage(void *context)
{
    struct stage *s = context;

    return s->asked < ROOM && (s->manner != MANNER_LATE || random_below(&s->late, 2) == 0);
}

static void give_on_stage(void *context, uint32_t task)
{
    struct stage *s = context;

    s->asked++;
    s->given++;
    put(s, s->to, &s->to_count, (struct message){NULL, 0, true, task});
}

static bool take_on_stage(void *context, uint32_t *task, unsigned char **bytes, size_t *length)
{
    struct stage *s = context;
    bool got;

    pthread_mutex_lock(&s->lock);
    while (s->asked > 0 && s->from_first == s->from_count)
        pthread_cond_wait(&s->news, &s->lock);
    got = s->from_first < s->from_count;
    if (got) {
        *task = s->from[s->from_first].task;
        *bytes = s->from[s->from_first].bytes;
        *length = s->from[s->from_first++].length;
        s->asked--;
    }
    pthread_mutex_unlock(&s->lock);
    return got;
}

static struct results check_alone(const struct model *m, const struct check_options *options)
{
    struct results results = {0};

    check_trace(m, options, &never, &results);
    return results;
}

static struct results check_helped(const struct model *m, struct check_options options, enum manner manner,
                                   uint64_t seed, uint64_t *given)
{
    struct stage *s = calloc(1, sizeof *s);
    struct unit_helpers helpers = {.context = s,
                                   .begin = begin_on_stage,
                                   .has_room = has_room_on_stage,
                                   .give = give_on_stage,
                                   .take = take_on_stage};
    struct results results = {0};
    pthread_t helper;

    assert_non_null(s);
    *s = (struct stage){.m = m,
                        .options = &options,
                        .manner = manner,
                        .seed = seed,
                        .late = seed,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .news = PTHREAD_COND_INITIALIZER};
    options.helpers = &helpers;
    assert_int_equal(pthread_create(&helper, NULL, help, s), 0);
    check_trace(m, &options, &never, &results);
    pthread_mutex_lock(&s->lock);
    s->over = true;
    pthread_cond_broadcast(&s->news);
    pthread_mutex_unlock(&s->lock);
    pthread_join(helper, NULL);
    assert_int_equal(s->given, s->answers);
    *given += s->given;
    free(s);
    return results;
}

static int by_events(const void *a, const void *b)
{
    const struct finding *p = a, *q = b;

    if (p->property != q->property)
        return p->property < q->property ? -1 : 1;
    if (p->event_count != q->event_count)
        return p->event_count < q->event_count ? -1 : 1;
    return memcmp(p->events, q->events, p->event_count * sizeof *p->events);
}

/* The order of findings is that of whoever was first; reports bring them into theirs. */
static void sort(struct finding_list *list)
{
    if (list->findings_count > 0)
        qsort(list->findings, list->findings_count, sizeof *list->findings, by_events);
}

static bool same_lists(struct finding_list *a, struct finding_list *b)
{
    bool same = a->findings_count == b->findings_count;

    sort(a);
    sort(b);
    for (size_t i = 0; same && i < a->findings_count; i++) {
        const struct finding *p = &a->findings[i], *q = &b->findings[i];
        same = by_events(p, q) == 0 && p->count == q->count && p->count_is_exact == q->count_is_exact &&
               p->severity == q->severity && p->schedule.prefix == q->schedule.prefix &&
               p->schedule.tail_count == q->schedule.tail_count &&
               (p->schedule.tail_count == 0 || memcmp(p->schedule.tail, q->schedule.tail,
                                                      p->schedule.tail_count * sizeof *p->schedule.tail) == 0);
    }
    return same;
}

static bool same_counts(const struct property_stats *a, const struct property_stats *b)
{
    return a->checked == b->checked && a->subjects == b->subjects && a->candidates == b->candidates &&
           a->feasible == b->feasible && a->undecided == b->undecided && a->skipped == b->skipped &&
           memcmp(a->refuted, b->refuted, sizeof a->refuted) == 0;
}

static bool same_results(struct results *a, struct results *b)
{
    bool same = same_lists(&a->found, &b->found) && same_lists(&a->undecided, &b->undecided);

    for (int p = 0; p < PROPERTIES; p++)
        same &= same_counts(&a->stats[p], &b->stats[p]);
    return same && a->certified == b->certified && a->complete == b->complete;
}

static bool lists(const struct finding_list *list, const struct finding *f)
{
    bool listed = false;

    for (size_t i = 0; i < list->findings_count && !listed; i++)
        listed = by_events(&list->findings[i], f) == 0;
    return listed;
}

/* Whether all that was found with a helper that lies is true. Which accesses are listed as unordered depends on which races are
 * found. */
static bool all_true(const struct results *alone, const struct results *helped)
{
    bool good = true;

    for (size_t i = 0; i < helped->found.findings_count; i++) {
        const struct finding *f = &helped->found.findings[i];
        good &= f->property == PROPERTY_UNORDERED || lists(&alone->found, f) || lists(&alone->undecided, f);
    }
    return good;
}

static void free_results(struct results *r)
{
    finding_list_free(&r->found);
    finding_list_free(&r->undecided);
}

static void compare(const struct trace *t, uint64_t seed, const char *name, uint64_t *given)
{
    bool all = seed % 2 == 0;
    struct check_options options = {
        .all = all, .atomic_locks = true, .budget = 20, .thrift = 50000, .workers = 1};
    struct model m;
    struct error err;

    for (int p = 0; p < PROPERTIES; p++)
        options.properties[p] = true;
    assert_int_equal(model_build(&m, t, &err), HEDDLE_OK);
    for (enum manner manner = 0; manner < MANNERS; manner++) {
        struct results alone = check_alone(&m, &options);
        struct results helped = check_helped(&m, options, manner, seed, given);
        /* Counts, and what was not found, are the helper's word. */
        bool good =
            manner != MANNER_CHANGED ? same_results(&alone, &helped) : !all || all_true(&alone, &helped);
        if (!good) {
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 " HEDDLE_TRACES=1 %s, manner %d\n", seed, name, (int)manner);
            trace_print_std(stderr, t);
            fail();
        }
        free_results(&alone);
        free_results(&helped);
    }
    model_free(&m);
}

static void helpers_change_nothing(void **state)
{
    uint64_t seed = wanted_seed(), count = wanted_traces(TRACES, TRACES_LONG), given = 0;

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        struct shape shape = (seed + i) % 3 ? ground_shapes[(seed + i) % ground_shapes_count]
                                            : shapes[(seed + i) % shapes_count];
        struct trace t;
        shape.min_events = 30;
        shape.max_events = 90;
        shape.variables += 4;
        random_trace(&t, seed + i, &shape);
        compare(&t, seed + i, shape.name, &given);
        trace_free(&t);
    }
    assert_true(given > count); /* helpers had something to do */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(helpers_change_nothing)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
