/* Records a program: one run or more, then the trace, then notes about it. */
#include "record/record.h"
#include "base/clock.h"
#include "record/collect/passes.h"
#include "record/collect/run_end.h"
#include "record/collect/tell.h"
#include "record/deeds/native_deeds.h"
#include "record/java_program.h"
#include "record/program.h"
#include "trace/htr.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of a program whose clocks are set: a day after the machine's start. */
#define MONOTONIC_START UINT64_C(86400000000000)

/* What there is to say of the run beside its events. */
static void fill_journal(const struct recording *r, const struct collection *c, struct journal *j)
{
    j->seed = r->seed;
    j->policy = r->policy;
    j->two_pass = c->mode == SESSION_FILTER;
    j->real_time = r->real_time;
    j->status = (uint32_t)c->status;
    if (session_load(&c->session->clock_used)) { /* otherwise they would only tell equal runs apart */
        j->clocks[0] = c->session->realtime;
        j->clocks[1] = c->session->monotonic;
    }
    feed_keep(c->feed, c->input_fd, j);
    if (c->unread && !j->has_standard_input) /* none will do when it is repeated */
        j->has_standard_input = true;
}

static enum status read_deeds(const struct recording *r, const struct collection *c, struct store *store,
                              struct error *err)
{
    struct deed_reader reader;
    struct store_reader to = {.to = &reader, .take = deed_reader_take};
    enum status status;

    deed_reader_init(&reader, r->numbers, r->deeds);
    r->deeds->too_many = c->too_many;
    status = store_replay(store, &to, err);
    if (status == HEDDLE_OK)
        deed_reader_end(&reader, c->session->threads, sizeof r->threads / sizeof *r->threads);
    deed_reader_free(&reader);
    return status;
}

/* A trace that could not be written to its end is no recording. */
static void remove_part(const char *path)
{
    struct stat about;

    if (lstat(path, &about) == 0 && S_ISREG(about.st_mode))
        unlink(path);
}

/* Seconds that writing the trace may take, where recording was limited: of a tenth of what that took, the rest is for what was not
 * surveyed yet and for the last blocks. Runs that are compared with others need all of the trace. */
static double time_to_write(const struct recording *r)
{
    if (!r->timed_out || r->again || r->keep_ticks)
        return 0;
    return 0.09 * r->took > 1 ? 0.09 * r->took : 1;
}

static enum status write_trace(struct recording *r, struct collection *c, struct taker *taker, uint64_t touched,
                               struct error *err)
{
    uint64_t syncs = session_load(&c->session->syncs);
    struct whole whole = {.accesses = session_load(&c->session->accesses) - SESSION_SYNC * syncs -
                                      session_load(&c->session->steps),
                          .granules = touched,
                          .bare = session_load(&c->session->bare),
                          .partial = c->mode == SESSION_FILTER};
    struct run_end_source end = {r, c, taker};
    char *program = program_command_line(r->program);
    enum status status;

    if (r->deeds && read_deeds(r, c, &taker->store, err) != HEDDLE_OK) {
        free(program);
        return err->status;
    }
    if (r->keep_ticks)
        converter_keep_ticks(taker->converter);
    converter_limit(taker->converter, time_to_write(r));
    fill_journal(r, c, converter_journal(taker->converter));
    converter_on_end(taker->converter, run_end_fill, &end);
    status = converter_write(taker->converter, &taker->store, r->output, program, &whole, &r->conversion, err);
    if (status != HEDDLE_OK)
        remove_part(r->output);
    free(program);
    r->ticks = converter_take_ticks(taker->converter);
    r->last_tick = converter_last_tick(taker->converter);
    r->journal = *converter_journal(taker->converter);
    memset(converter_journal(taker->converter), 0, sizeof r->journal);
    if (status == HEDDLE_OK && taker->store.error.status != HEDDLE_OK)
        status = fail(err, taker->store.error.status, "%s; the trace ends there", taker->store.error.text);
    return status;
}

/* Refuses what cannot be recorded before it runs. */
static enum status look_at_program(const struct recording *r, struct error *err)
{
    char path[4096];

    if (program_find(r->program[0], path, sizeof path) && program_look(path).own_runtime)
        return fail(err, HEDDLE_UNSUPPORTED, "%s cannot be recorded: %s", r->program[0], PROGRAM_OWN_RUNTIME);
    return HEDDLE_OK;
}

/* "setlocale at a.c:7 main" */
static void keep_unmodelled(struct recording *r, const struct collection *c, struct naming *naming)
{
    char place[512];

    r->outlasting = session_load(&c->session->outlasting) != 0;
    if (!c->session->unmodelled[0])
        return;
    symbols_place(naming->symbols, session_load(&c->session->unmodelled_pc), place, sizeof place);
    snprintf(r->unmodelled, sizeof r->unmodelled, "%.127s at %s", c->session->unmodelled, place);
}

/* The state the program left behind. */
static void keep_end(struct recording *r, const struct collection *c, const struct taker *taker)
{
    struct naming *naming = converter_naming(taker->converter);

    r->ended = c->status;
    r->status = WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
    r->signal = WIFSIGNALED(c->status) ? WTERMSIG(c->status) : 0;
    r->timed_out = c->timed_out;
    r->starved = c->starved;
    r->shortened = c->too_many;
    r->interrupted = c->interrupted;
    r->deadlocked = session_load(&c->session->deadlock) != 0;
    r->script_state = (enum script_state)session_load(&c->session->script_state);
    r->script_trouble = (enum script_trouble)session_load(&c->session->script_trouble);
    r->script_at = session_load(&c->session->script_at);
    r->other_inputs = session_load(&c->session->other_inputs);
    if (r->other_inputs)
        symbols_place(naming->symbols, session_load(&c->session->other_input_pc), r->other_place,
                      sizeof r->other_place);
    snprintf(r->other_file, sizeof r->other_file, "%.255s", c->session->other_input_path);
    keep_unmodelled(r, c, naming);
    converter_last_place(taker->converter, r->last_place, sizeof r->last_place);
    memcpy(r->threads, c->session->threads, sizeof r->threads);
}

void recording_free(struct recording *r)
{
    free(r->ticks);
    free(r->bytecodes);
    r->ticks = NULL;
    r->bytecodes = NULL;
    journal_free(&r->journal);
}

/* After the program ran: the trace, and what there is to say. */
static enum status finish(struct recording *r, struct collection *c, struct taker *taker, uint64_t touched,
                          struct error *err)
{
    enum status status;

    taker_release(taker);
    keep_end(r, c, taker);
    status =
        session_load(&c->session->pid) == 0 ? tell_nothing(r, c, err) : write_trace(r, c, taker, touched, err);
    if (session_load(&c->session->pid) == 0 && r->announced)
        remove_part(r->output);
    if (r->reach)
        code_reach_finish(r->reach, converter_naming(taker->converter)->symbols);
    tell_end(r, c, converter_naming(taker->converter));
    if (status == HEDDLE_OK)
        tell_recorded(r, c);
    return status;
}

/* Creates a trace that loads, so that there is one even if the recorder is killed. Anything but a regular
 * file is left alone. */
static void announce(void *recording)
{
    struct recording *r = recording;
    struct stat about;
    struct error err;

    if (lstat(r->output, &about) != 0 ||
        S_ISREG(about.st_mode)) /* a failure is reported when the trace is written */
        r->announced = htr_announce(r->output, &err) == HEDDLE_OK;
}

static enum status record_instrumented(struct recording *r, struct error *err)
{
    struct taker taker;
    struct feed feed;
    struct collection c = {.program = r->program,
                           .libraries = r->libraries,
                           .binary = *r->binary ? r->binary : NULL,
                           .seed = r->seed,
                           .mode = SESSION_ALL,
                           .policy = r->policy,
                           .real_time = r->real_time,
                           .grounds = r->grounds,
                           .stacks = r->stacks,
                           .timeout = r->timeout,
                           .longest = r->longest,
                           .most = r->deeds ? DEEDS_MOST : 0,
                           .looks = r->looks,
                           .impatient = r->impatient,
                           .shadow_fd = -1,
                           .input_fd = r->input_fd ? r->input_fd : -1,
                           .script_fd = r->script_fd,
                           .effects = r->effects,
                           .outputs = r->outputs,
                           .realtime = r->again ? r->again->clocks[0] : r->clock,
                           .monotonic = r->again   ? r->again->clocks[1]
                                        : r->clock ? MONOTONIC_START
                                                   : 0,
                           .steady = r->clock || r->again || r->script_fd || r->effects,
                           .feed = &feed,
                           .started = r->script_fd ? NULL : announce,
                           .started_to = r,
                           .take = taker_take,
                           .stuck = taker_stuck,
                           .to = &taker,
                           .changes = &taker.changes};
    uint64_t touched = 0;
    enum status status;

    r->status = 1;
    taker_init(&taker, &c, r->notes);
    taker_want(&taker, r->wants, r->wants_count);
    feed_open(&feed, c.input_fd, r->passes != PASSES_TWO && !*r->binary);
    if (*r->binary)
        converter_binary(taker.converter);
    if (r->reach && r->passes == PASSES_ONE)
        converter_reach(taker.converter, r->reach);
    status = look_at_program(r, err);
    if (status == HEDDLE_OK) {
        double begin = seconds_now();
        status = passes_run(r, &c, &taker, &touched, err);
        r->took = seconds_now() - begin;
    }
    if (status == HEDDLE_OK)
        status = finish(r, &c, &taker, touched, err);
    else if (r->announced)
        remove_part(r->output);
    collection_end(&c);
    feed_close(&feed);
    free(c.leaps);
    if (c.shadow_fd >= 0)
        close(c.shadow_fd);
    if (c.input_fd >= 0 && c.input_fd != r->input_fd)
        close(c.input_fd);
    taker_free(&taker);
    return status;
}

enum status record_program(struct recording *r, struct error *err)
{
    return r->java.wanted ? record_java(r, err) : record_instrumented(r, err);
}
