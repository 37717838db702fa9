/* Runs that the crew makes ahead of the search. */
#include "explore/run_ahead.h"
#include "base/memory.h"
#include "explore/parcel.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GRACE = 20 }; /* seconds that a worker has beyond the time of a run, for checking it */

static void work(void *context, const unsigned char *request, size_t length, bool away, int to)
{
    struct explorer e = *(struct explorer *)context;
    struct explore_settings own = *e.settings;
    char path[64];

    (void)away;
    snprintf(path, sizeof path, "/proc/self/fd/%d", own.replay.input_fd);
    own.replay.input_fd = open(path, O_RDONLY | O_CLOEXEC); /* with a position of its own */
    own.progress = NULL;
    e.settings = &own;
    if (own.replay.input_fd >= 0)
        parcel_work(&e, request, length, to);
}

static void study(void *context, const unsigned char *bytes, size_t length)
{
    struct explorer *e = context;
    struct bytes_in in = {bytes, length};

    parcel_take_numbers(&in, &e->numbers);
}

struct crew *ahead_crew(struct explorer *e)
{
    const struct crew_duty duty = {.work = work, .learn = study, .context = e, .patience = 600};
    const struct crew_ranks *ranks = e->settings->ranks;
    struct crew *crew;

    if (e->settings->workers <= 1 && (!ranks || ranks->size <= 1))
        return NULL;
    crew = crew_new(e->settings->workers, &duty, ranks);
    if (!ranks || ranks->rank == 0)
        return crew;
    crew_serve(crew, e->settings->stop);
    crew_free(crew);
    return NULL;
}

void ahead_begin(struct state_search *s)
{
    struct explorer *e = s->explorer;
    struct numbers_base now = numbers_base_of(&e->numbers);
    struct buffer lesson = {0};

    if (!e->crew || (now.threads == e->taught.threads && now.places == e->taught.places))
        return;
    parcel_put_numbers(&lesson, &e->numbers, (struct numbers_base){e->taught.threads, e->taught.places});
    assert(now.threads >= e->taught.threads &&
           now.places >= e->taught.places); /* numbers are never taken back */
    crew_teach(e->crew, lesson.text, lesson.text_count);
    buffer_free(&lesson);
    e->taught.threads = now.threads;
    e->taught.places = now.places;
}

/* Whether an earlier one of the list will probably show the same. */
static bool is_repeated(const struct state_search *s, size_t from, size_t i)
{
    for (size_t k = from; k < i; k++)
        if (s->awaited[k].key == s->awaited[i].key)
            return true;
    return false;
}

void ahead_fill(struct state_search *s, size_t from)
{
    struct explorer *e = s->explorer;
    uint64_t left =
        e->settings->most_runs - (e->to->runs < e->settings->most_runs ? e->to->runs : e->settings->most_runs);
    int worker = -1;

    for (size_t i = from; e->crew && i < s->awaited_count && i - from < left; i++) {
        struct awaited *a = &s->awaited[i];
        struct buffer request = {0};
        struct error err;
        if (a->id || is_repeated(s, from, i) || !search_needs(s, a))
            continue;
        worker = crew_idle(e->crew);
        if (worker < 0)
            return;
        parcel_put_script(&request, &a->script);
        if (crew_give(e->crew, worker, ++s->asked, request.text, request.text_count,
                      e->settings->replay.longest + GRACE, &err) == HEDDLE_OK)
            a->id = s->asked;
        buffer_free(&request);
    }
}

static struct awaited *asked_as(struct state_search *s, uint64_t id)
{
    for (size_t i = 0; i < s->awaited_count; i++)
        if (s->awaited[i].id == id)
            return &s->awaited[i];
    return NULL;
}

/* Waits until the answer is there; false: it is to end. */
static bool wait_for(struct state_search *s, const struct awaited *wanted)
{
    struct explorer *e = s->explorer;
    size_t from = (size_t)(wanted - s->awaited);

    while (!wanted->answered) {
        struct crew_answer answer;
        struct awaited *a;
        if (e->settings->stop && *e->settings->stop)
            return false;
        if (!crew_wait(e->crew, 200, &answer))
            continue;
        a = asked_as(s, answer.id);
        if (a) {
            a->answer = answer;
            a->answered = true;
        } else {
            free(answer.bytes); /* of one that turned out to be unnecessary */
        }
        ahead_fill(s, from);
    }
    return true;
}

bool ahead_take(struct state_search *s, struct awaited *a, struct explored_run *run)
{
    struct explorer *e = s->explorer;
    char path[4200];
    bool good;

    if (!e->crew || !a->id || !wait_for(s, a))
        return false;
    assert(a->answered && (a->answer.length == 0 || a->answer.bytes));
    explorer_trace_path(e, path, sizeof path);
    good = a->answer.length > 0 && parcel_open(e, a->answer.bytes, a->answer.length, path, run);
    free(a->answer.bytes);
    a->answer.bytes = NULL;
    a->id = 0; /* a second time it is made here */
    return good;
}
