/* Runs made by other processes, as bytes. */
#include "explore/parcel.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "crew/crew.h"
#include "replay/plan.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void parcel_put_script(struct buffer *to, const struct schedule_script *s)
{
    uint64_t head[4] = {s->seed, s->effects, s->clocks[0], s->clocks[1]};

    bytes_put(to, head, sizeof head);
    bytes_put_array(to, s->java, s->java ? strlen(s->java) : 0, 1);
    bytes_put_count(to, s->threads_count);
    for (size_t i = 0; i < s->threads_count; i++) {
        bytes_put(to, &s->threads[i].parent, sizeof s->threads[i].parent);
        bytes_put(to, &s->threads[i].ordinal, sizeof s->threads[i].ordinal);
    }
    bytes_put_array(to, s->steps, s->steps_count, sizeof *s->steps);
    bytes_put_array(to, s->inputs, s->inputs_count, sizeof *s->inputs);
}

/* An array of `size`-byte items that the script owns from now on; false: there are not so many. */
static bool take_array(struct bytes_in *from, size_t size, void **items, size_t *count)
{
    if (!bytes_take_count(from, size, count))
        return false;
    *items = memory_new(*count + 1, size);
    return bytes_take(from, *items, *count * size);
}

bool parcel_take_script(struct bytes_in *from, struct schedule_script *s)
{
    uint64_t head[4];
    size_t length, threads;
    void *steps = NULL, *inputs = NULL;

    script_init(s);
    if (!bytes_take(from, head, sizeof head) || !bytes_take_count(from, 1, &length))
        return false;
    s->seed = head[0];
    s->effects = head[1] != 0;
    memcpy(s->clocks, &head[2], sizeof s->clocks);
    if (length > 0) {
        s->java = memory_text((const char *)from->at, length);
        from->at += length;
        from->left -= length;
    }
    if (!bytes_take_count(from, 2 * sizeof(uint32_t), &threads))
        return false;
    for (size_t i = 0; i < threads; i++) {
        struct script_name name;
        char text[32];
        int text_length = snprintf(text, sizeof text, "thread %zu", i);
        bytes_take(from, &name.parent, sizeof name.parent);
        bytes_take(from, &name.ordinal, sizeof name.ordinal);
        name.name = names_add(&s->texts, text, (size_t)text_length);
        ARRAY_PUSH(s, threads, name);
    }
    bool good = take_array(from, sizeof *s->steps, &steps, &s->steps_count);
    s->steps = steps;
    s->steps_capacity = s->steps_count;
    good = good && take_array(from, sizeof *s->inputs, &inputs, &s->inputs_count);
    s->inputs = inputs;
    s->inputs_capacity = s->inputs_count;
    return good;
}

struct numbers_base numbers_base_of(const struct deed_numbers *n)
{
    return (struct numbers_base){n->threads_count, names_count(&n->places)};
}

void parcel_put_numbers(struct buffer *to, const struct deed_numbers *n, struct numbers_base from)
{
    bytes_put_count(to, from.threads);
    bytes_put_count(to, from.places);
    bytes_put_array(to, n->threads + from.threads, n->threads_count - from.threads, sizeof *n->threads);
    bytes_put_count(to, names_count(&n->places) - from.places);
    for (size_t i = from.places; i < names_count(&n->places); i++)
        bytes_put_array(to, names_text(&n->places, (uint32_t)i), names_length(&n->places, (uint32_t)i), 1);
}

/* What stands at that number must be the same; what has no number yet gets this one. */
static bool take_thread(struct deed_numbers *n, size_t number, struct numbered_thread t)
{
    if (number < n->threads_count)
        return n->threads[number].maker == t.maker && n->threads[number].ordinal == t.ordinal;
    return deed_thread(n, t.maker, t.ordinal) == number;
}

static bool take_place(struct deed_numbers *n, size_t number, const char *text, size_t length)
{
    if (number < names_count(&n->places))
        return names_length(&n->places, (uint32_t)number) == length &&
               memcmp(names_text(&n->places, (uint32_t)number), text, length) == 0;
    return names_add(&n->places, text, length) == number;
}

/* Whether all numbers agree with ours, as far as we have them; `add`: takes over those that we lack. */
static bool compare_numbers(struct bytes_in *from, struct deed_numbers *n, bool add)
{
    uint64_t base[2];
    size_t count;

    if (!bytes_take(from, base, sizeof base) || base[0] > n->threads_count ||
        base[1] > names_count(&n->places) || !bytes_take_count(from, sizeof *n->threads, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct numbered_thread t = {0};
        bytes_take(from, &t, sizeof t);
        if ((add || base[0] + i < n->threads_count) && !take_thread(n, base[0] + i, t))
            return false;
    }
    if (!bytes_take_count(from, sizeof(uint64_t), &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t length;
        if (!bytes_take_count(from, 1, &length))
            return false;
        if ((add || base[1] + i < names_count(&n->places)) &&
            !take_place(n, base[1] + i, (const char *)from->at, length))
            return false;
        from->at += length;
        from->left -= length;
    }
    return true;
}

bool parcel_take_numbers(struct bytes_in *from, struct deed_numbers *n)
{
    struct bytes_in look = *from;

    return compare_numbers(&look, n, false) && compare_numbers(from, n, true);
}

/* What of a result is no pointer. */
struct plain_result {
    struct outcome outcome;
    struct divergence divergence;
    enum script_state state;
    struct session_thread threads[64];
    char unmodelled[700];
    bool outlasting;
    uint64_t last_tick;
    struct deeds deeds;
    uint64_t ticks, bytecodes;
    bool complete;
};

static void put_file(struct buffer *to, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    void *bytes;
    ssize_t got = 0;

    if (fd < 0 || fstat(fd, &about) != 0) {
        bytes_put_count(to, 0);
    } else {
        bytes = memory_new((size_t)about.st_size + 1, 1);
        got = read(fd, bytes, (size_t)about.st_size);
        bytes_put_array(to, bytes, got > 0 ? (size_t)got : 0, 1);
        free(bytes);
    }
    if (fd >= 0)
        close(fd);
}

static void put_run(struct buffer *to, const struct explored_run *run)
{
    const struct replay_result *r = &run->result;
    size_t events = r->trace.count + 1;
    struct plain_result plain = {.outcome = r->outcome,
                                 .divergence = r->divergence,
                                 .state = r->state,
                                 .outlasting = r->outlasting,
                                 .last_tick = r->last_tick,
                                 .deeds = run->deeds,
                                 .complete = run->complete};

    memcpy(plain.threads, r->threads, sizeof plain.threads);
    memcpy(plain.unmodelled, r->unmodelled, sizeof plain.unmodelled);
    bytes_put(to, &plain, sizeof plain);
    for (int i = 0; i < 2; i++)
        bytes_put_array(to, r->outcome.output[i].bytes, r->outcome.output[i].length, 1);
    bytes_put_array(to, run->deeds.deeds, run->deeds.deeds_count, sizeof *run->deeds.deeds);
    bytes_put_array(to, run->deeds.stuck, run->deeds.stuck_count, sizeof *run->deeds.stuck);
    bytes_put_array(to, r->ticks, r->ticks ? events : 0, sizeof *r->ticks);
    bytes_put_array(to, r->bytecodes, r->bytecodes ? events : 0, sizeof *r->bytecodes);
    bytes_put_array(to, run->marks, run->marks_count, sizeof *run->marks);
}

void parcel_work(struct explorer *e, const unsigned char *request, size_t length, int to)
{
    struct bytes_in in = {request, length};
    struct numbers_base base = numbers_base_of(&e->numbers);
    struct schedule_script script;
    struct explored_run run;
    struct buffer answer = {0};
    char path[4200];
    int fd;

    temporary_pattern(path, sizeof path);
    fd = mkstemp(path);
    if (fd < 0 || !parcel_take_script(&in, &script))
        return;
    close(fd);
    if (explorer_execute(e, &script, path, &run) == HEDDLE_OK) {
        if (e->settings->folder)
            explorer_look(e, &run);
        parcel_put_numbers(&answer, &e->numbers, base);
        put_run(&answer, &run);
        put_file(&answer, path);
        crew_write(to, answer.text, answer.text_count);
        buffer_free(&answer);
        explored_run_free(&run);
    }
    unlink(path);
    script_free(&script);
}

static bool take_output(struct bytes_in *in, struct captured_text *t)
{
    void *bytes = NULL;
    bool good = take_array(in, 1, &bytes, &t->length);

    t->bytes = bytes;
    return good;
}

static bool take_run(struct bytes_in *in, struct explored_run *run)
{
    struct replay_result *r = &run->result;
    struct plain_result plain;
    void *items = NULL;
    size_t count;
    bool good;

    if (!bytes_take(in, &plain, sizeof plain))
        return false;
    r->outcome = plain.outcome;
    r->divergence = plain.divergence;
    r->state = plain.state;
    r->outlasting = plain.outlasting;
    r->last_tick = plain.last_tick;
    memcpy(r->threads, plain.threads, sizeof r->threads);
    memcpy(r->unmodelled, plain.unmodelled, sizeof r->unmodelled);
    run->deeds = plain.deeds;
    run->deeds.deeds = NULL;
    run->deeds.stuck = NULL;
    run->complete = plain.complete;
    run->looked = true;
    r->outcome.output[0].bytes = r->outcome.output[1].bytes = NULL;
    good = take_output(in, &r->outcome.output[0]) && take_output(in, &r->outcome.output[1]);
    good = good && take_array(in, sizeof *run->deeds.deeds, &items, &count);
    run->deeds.deeds = items;
    run->deeds.deeds_count = run->deeds.deeds_capacity = good ? count : 0;
    items = NULL;
    good = good && take_array(in, sizeof *run->deeds.stuck, &items, &count);
    run->deeds.stuck = items;
    run->deeds.stuck_count = run->deeds.stuck_capacity = good ? count : 0;
    items = NULL;
    good = good && take_array(in, sizeof *r->ticks, &items, &count);
    r->ticks = items;
    items = NULL;
    good = good && take_array(in, sizeof *r->bytecodes, &items, &count);
    if (good && count == 0) {
        free(items);
        items = NULL;
    }
    r->bytecodes = items;
    items = NULL;
    good = good && take_array(in, sizeof *run->marks, &items, &count);
    run->marks = items;
    run->marks_count = run->marks_capacity = good ? count : 0;
    return good;
}

/* Puts the trace into the file and loads it, with its journal. */
static bool take_trace(struct bytes_in *in, const char *path, struct replay_result *r)
{
    struct error err;
    size_t length;
    FILE *to;
    bool good;

    if (!bytes_take_count(in, 1, &length))
        return false;
    to = fopen(path, "wb");
    if (!to)
        return false;
    good = fwrite(in->at, 1, length, to) == length;
    good &= fclose(to) == 0;
    trace_free(&r->trace);
    good = good && replay_journal(path, &r->trace, &r->journal, &err) == HEDDLE_OK;
    if (!good)
        trace_init(&r->trace);
    return good;
}

bool parcel_open(struct explorer *e, const unsigned char *answer, size_t length, const char *path,
                 struct explored_run *run)
{
    struct bytes_in in = {answer, length};

    memset(run, 0, sizeof *run);
    trace_init(&run->result.trace);
    if (parcel_take_numbers(&in, &e->numbers) && take_run(&in, run) && take_trace(&in, path, &run->result))
        return true;
    explored_run_free(run);
    return false;
}
