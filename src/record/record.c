/* Recording a program: one run or more, then the trace, then what there is to say about it. */
#include "record/record.h"
#include "base/memory.h"
#include "record/collect.h"
#include "record/java_record.h"
#include "record/program.h"
#include "record/stuck.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BINARY_NOTE "atomic loads and stores that compile to plain instructions cannot be told from plain ones"
/* Passes that may find more shared memory than the one before, until one run records everything instead. */
enum { PASSES = 4 };

#define MONOTONIC_START                                                                                        \
    UINT64_C(86400000000000) /* of a program whose clocks are set: a day after the machine's */

enum { MANY_RECORDS = 200000000, HELD_BACK = 32 * SESSION_CHUNK };

struct taker {
    struct store store;
    struct converter *converter;
    const struct collection *collection;
    FILE *notes;
    bool warned;
    uint64_t changes;   /* batches with records that are more than looking at variables */
    struct record *raw; /* the first ones of a trial, which may all turn out to be unwanted */
    size_t raw_count, raw_capacity;
};

static void process(struct taker *t, const struct record *records, size_t count)
{
    const struct batch_rest *rest = converter_survey(t->converter, records, count);

    store_append(&t->store, records, count, rest);
    if (t->store.total > MANY_RECORDS && !t->warned && t->notes) {
        fprintf(t->notes,
                "heddle: note: more than %d million accesses so far; --two-pass keeps only the shared ones\n",
                MANY_RECORDS / 1000000);
        t->warned = true;
    }
}

/* What was held back is wanted after all. */
static void release_raw(struct taker *t)
{
    for (size_t at = 0; at < t->raw_count; at += SESSION_CHUNK)
        process(t, t->raw + at, t->raw_count - at < SESSION_CHUNK ? t->raw_count - at : SESSION_CHUNK);
    free(t->raw);
    t->raw = NULL;
    t->raw_count = t->raw_capacity = 0;
}

static bool any_change(const struct record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned kind = record_kind(records[i].word);
        if (kind != RECORD_READ && kind != RECORD_ATOMIC_READ && kind != RECORD_THREAD &&
            (kind < RECORD_TICKS || kind > RECORD_INPUT))
            return true;
    }
    return false;
}

static void take(void *to, const struct record *records, size_t count)
{
    struct taker *t = to;

    t->changes += any_change(records, count);
    if (session_load(&t->collection->session->gave_up))
        return;
    if (t->collection->trial && t->store.total == 0 && t->raw_count + count <= HELD_BACK) {
        if (t->raw_count + count > t->raw_capacity)
            t->raw = memory_grow(t->raw, &t->raw_capacity, t->raw_count + count, sizeof *t->raw);
        memcpy(t->raw + t->raw_count, records, count * sizeof *records);
        t->raw_count += count;
        return;
    }
    release_raw(t);
    process(t, records, count);
}

/* Forgets all that was taken. */
static void taker_restart(struct taker *t)
{
    converter_free(t->converter);
    t->converter = converter_new();
    store_free(&t->store);
    store_init(&t->store);
    t->raw_count = 0;
}

static void taker_free(struct taker *t)
{
    store_free(&t->store);
    converter_free(t->converter);
    free(t->raw);
}

static void tell_stuck(void *to, const struct session *session, const char *why)
{
    struct taker *t = to;

    release_raw(t); /* the names are among them */
    if (t->notes)
        stuck_describe(session, converter_naming(t->converter), why, t->notes);
}

enum status record_repeatable_input(int *fd, struct error *err)
{
    char part[65536];
    ssize_t got;

    if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0) {
        *fd = -1;
        return HEDDLE_OK;
    }
    if (isatty(STDIN_FILENO))
        return fail(err, HEDDLE_BAD_USAGE, "two passes need an input that can be read twice, not a terminal");
    *fd = memfd_create("heddle-input", MFD_CLOEXEC);
    while (*fd >= 0 && (got = read(STDIN_FILENO, part, sizeof part)) > 0)
        if (write(*fd, part, (size_t)got) != got)
            return fail(err, HEDDLE_IO, "no memory for a copy of the standard input");
    lseek(*fd, 0, SEEK_SET);
    return HEDDLE_OK;
}

/* Leaves only what is known to be shared; returns how many granules were touched. */
static uint64_t clean_part(uint16_t *marks, size_t count)
{
    uint64_t touched = 0;

    for (size_t k = 0; k < count; k++) {
        bool kept = marks[k] & SHADOW_ONCE || (marks[k] & SHADOW_KEPT) == SHADOW_KEPT;
        uint16_t then = kept ? SHADOW_KEPT | SHADOW_ONCE : 0;
        touched += (marks[k] & (SHADOW_OWNER | SHADOW_TOUCHED)) != 0;
        if (marks[k] != then)
            marks[k] = then;
    }
    return touched;
}

/* After a pass: goes over the parts of the marks that there are. */
static uint64_t clean_marks(int fd)
{
    uint64_t touched = 0;
    off_t start = 0, end;

    while ((start = lseek(fd, start, SEEK_DATA)) >= 0 && (uint64_t)start < SHADOW_BYTES &&
           (end = lseek(fd, start, SEEK_HOLE)) > start) {
        end = (uint64_t)end < SHADOW_BYTES ? end : (off_t)SHADOW_BYTES;
        size_t length = (size_t)(end - start);
        uint16_t *marks = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, start);
        if (marks != MAP_FAILED) {
            touched += clean_part(marks, length / sizeof *marks);
            munmap(marks, length);
        }
        start = end;
    }
    return touched;
}

/* Makes room for marks, and the input repeatable, for a run that may not be the only one. */
static enum status prepare_passes(struct collection *c, off_t *start, struct error *err)
{
    *start = lseek(STDIN_FILENO, 0, SEEK_CUR);
    c->shadow_fd = memfd_create("heddle-marks", MFD_CLOEXEC);
    if (c->shadow_fd < 0 || ftruncate(c->shadow_fd, (off_t)(SHADOW_BYTES + SHADOW_BLOCKS)) != 0)
        return fail(err, HEDDLE_IO, "no memory for the marks of shared variables");
    return c->input_fd < 0 ? record_repeatable_input(&c->input_fd, err) : HEDDLE_OK;
}

/* One more run of the program, from the start, which is not shown. */
static enum status run_again(struct collection *c, struct taker *t, off_t start, struct error *err)
{
    const struct session *before = c->session;

    if (!c->real_time) {
        c->realtime = before->realtime;
        c->monotonic = before->monotonic;
    }
    lseek(c->input_fd >= 0 ? c->input_fd : STDIN_FILENO, c->input_fd >= 0 ? 0 : start, SEEK_SET);
    collection_end(c);
    taker_restart(t);
    c->trial = false;
    c->silent = true;
    return collection_run(c, err);
}

/* Runs the program: once, if most of what it does concerns others; else until a run finds all that it shares
 * marked by the runs before. */
static enum status run_passes(const struct recording *r, struct collection *c, struct taker *t,
                              uint64_t *touched, struct error *err)
{
    enum status status;
    off_t start;
    int shown;

    /* A script knows. For tests: programs that are not worth two passes, too. */
    c->trial = !r->script_fd && !getenv("HEDDLE_NO_TRIAL");
    c->mode = c->trial ? SESSION_ALL : SESSION_MARK;
    status = prepare_passes(c, &start, err);
    if (status == HEDDLE_OK)
        status = collection_run(c, err);
    if (status != HEDDLE_OK || (c->trial && !session_load(&c->session->gave_up)))
        return status;
    shown = c->status;
    for (int pass = 1; status == HEDDLE_OK && pass <= PASSES; pass++) {
        clean_marks(c->shadow_fd);
        if (c->timed_out && r->notes && pass == 1)
            fprintf(r->notes, "heddle: note: the first pass was ended after %u seconds\n", r->timeout);
        c->timed_out = false;
        c->mode = pass < PASSES ? SESSION_FILTER : SESSION_ALL;
        if (pass == PASSES && r->notes)
            fprintf(r->notes, "heddle: note: each run shares other memory than the one before; this one "
                              "records all of it\n");
        status = run_again(c, t, start, err);
        if (status == HEDDLE_OK && session_load(&c->session->strays) == 0)
            break;
    }
    if (c->mode == SESSION_FILTER)
        *touched = clean_marks(c->shadow_fd);
    if (status == HEDDLE_OK && c->status != shown && r->notes)
        fprintf(r->notes,
                "heddle: note: the run that was recorded ended otherwise than the one that was shown\n");
    return status;
}

static char *command_line(char *const *program)
{
    size_t room = 1;
    char *text;

    for (char *const *p = program; *p; p++)
        room += strlen(*p) + 1;
    text = memory_new(room, 1);
    for (char *const *p = program; *p; p++) {
        strcat(text, *p); // NOLINT(clang-analyzer-security.insecureAPI.strcpy)
        if (p[1])
            strcat(text, " "); // NOLINT(clang-analyzer-security.insecureAPI.strcpy)
    }
    return text;
}

static void tell(const struct recording *r, const struct collection *c)
{
    const struct conversion *v = &r->conversion;
    uint64_t lost = session_load(&c->session->lost);

    if (!r->notes)
        return;
    fprintf(r->notes, "heddle: recorded %" PRIu64 " events in %s", v->events, r->output);
    if (!*r->binary)
        fprintf(r->notes, " (seed %" PRIu64 ")", r->seed);
    fprintf(r->notes, "; %" PRIu64 " accesses to %" PRIu64 " thread-local or read-only variables left out\n",
            v->dropped_events, v->dropped_variables);
    if (v->untyped)
        fprintf(r->notes,
                "heddle: note: " BINARY_NOTE "; %" PRIu64 " shared variables may be atomic in the source, "
                "the first: %s\n",
                v->untyped, v->first_untyped);
    if (v->refused)
        fprintf(r->notes, "heddle: note: %" PRIu64 " events left out that no possible run holds (%s)\n",
                v->refused, v->refusal);
    if (v->unseen)
        fprintf(r->notes, "heddle: note: %" PRIu64 " reads saw what code without hooks wrote; the first: %s\n",
                v->unseen, v->first_unseen);
    if (c->feed->too_long)
        fprintf(r->notes,
                "heddle: note: more than %d MB of standard input are not kept: replaying needs them again\n",
                FEED_MOST >> 20);
    if (lost)
        fprintf(r->notes, "heddle: note: %" PRIu64 " accesses in signal handlers were not seen\n", lost);
    if (session_load(&c->session->cut))
        fprintf(r->notes,
                "heddle: note: %u time slices were ended by the clock, in code without hooks: another run with "
                "this seed may differ\n",
                session_load(&c->session->cut));
    if (*v->plain)
        fprintf(r->notes, "heddle: note: not instrumented, accesses inside not seen: %s\n", v->plain);
    if (session_load(&c->session->forks))
        fprintf(r->notes, "heddle: note: %u child processes ran unrecorded\n",
                session_load(&c->session->forks));
    if (session_load(&c->session->refused))
        fprintf(r->notes,
                "heddle: note: only the first instrumented process is recorded; %u more ran without\n",
                session_load(&c->session->refused));
}

/* How the program ended, where that is not its own affair. */
static void tell_end(const struct recording *r, const struct collection *c, struct naming *naming)
{
    if (!r->notes)
        return;
    if (r->deadlocked)
        stuck_deadlock(c->session, naming, r->notes);
    if (c->timed_out)
        fprintf(r->notes, "heddle: the program was ended after %u seconds\n", r->timeout);
    else if (WIFSIGNALED(c->status) && !r->deadlocked)
        fprintf(r->notes, "heddle: the program died of signal %d (%s)\n", WTERMSIG(c->status),
                strsignal(WTERMSIG(c->status)));
}

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
}

static enum status write_trace(struct recording *r, struct collection *c, struct taker *taker, uint64_t touched,
                               struct error *err)
{
    uint64_t syncs = session_load(&c->session->syncs);
    struct whole whole = {.accesses = session_load(&c->session->accesses) - SESSION_SYNC * syncs,
                          .granules = touched};
    char *program = command_line(r->program);
    enum status status;

    struct store_reader observer = {.to = r->observer, .take = r->observe};
    if (r->observe && store_replay(&taker->store, &observer, err) != HEDDLE_OK) {
        free(program);
        return err->status;
    }
    if (r->keep_ticks)
        converter_keep_ticks(taker->converter);
    fill_journal(r, c, converter_journal(taker->converter));
    status = converter_write(taker->converter, &taker->store, r->output, program,
                             c->mode == SESSION_FILTER ? &whole : NULL, &r->conversion, err);
    free(program);
    r->ticks = converter_take_ticks(taker->converter);
    r->last_tick = converter_last_tick(taker->converter);
    r->journal = *converter_journal(taker->converter);
    memset(converter_journal(taker->converter), 0, sizeof r->journal);
    if (status == HEDDLE_OK && taker->store.error.status != HEDDLE_OK)
        status = fail(err, taker->store.error.status, "%s; the trace ends there", taker->store.error.text);
    return status;
}

/* Nothing was recorded: why. */
static enum status tell_nothing(const struct recording *r, const struct collection *c, struct error *err)
{
    if (*r->binary)
        return fail(err, HEDDLE_UNSUPPORTED, "%s: Valgrind did not run it%s%s", r->program[0],
                    *c->trouble ? ": " : "", c->trouble);
    return fail(err, HEDDLE_UNSUPPORTED,
                "%s is not instrumented, nothing was recorded: build it with `heddle cc` or "
                "`gcc -fsanitize=thread` (linked dynamically), or record it as it is with --tool=valgrind",
                r->program[0]);
}

/* Refuses what cannot be recorded before it runs. */
static enum status look_at_program(const struct recording *r, struct error *err)
{
    char path[4096];

    if (program_find(r->program[0], path, sizeof path) && program_look(path).own_runtime)
        return fail(err, HEDDLE_UNSUPPORTED, "%s cannot be recorded: %s", r->program[0], PROGRAM_OWN_RUNTIME);
    return HEDDLE_OK;
}

/* The state the program left behind. */
static void keep_end(struct recording *r, const struct collection *c, const struct taker *taker)
{
    struct naming *naming = converter_naming(taker->converter);

    r->ended = c->status;
    r->script_state = (enum script_state)session_load(&c->session->script_state);
    r->script_trouble = (enum script_trouble)session_load(&c->session->script_trouble);
    r->script_at = session_load(&c->session->script_at);
    r->other_inputs = session_load(&c->session->other_inputs);
    if (r->other_inputs)
        symbols_place(naming->symbols, session_load(&c->session->other_input_pc), r->other_place,
                      sizeof r->other_place);
    snprintf(r->other_file, sizeof r->other_file, "%.255s", c->session->other_input_path);
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

static enum status record_instrumented(struct recording *r, struct error *err)
{
    struct taker taker = {.converter = converter_new(), .notes = r->notes};
    struct feed feed;
    struct collection c = {.program = r->program,
                           .libraries = r->libraries,
                           .binary = *r->binary ? r->binary : NULL,
                           .seed = r->seed,
                           .mode = SESSION_ALL,
                           .policy = r->policy,
                           .real_time = r->real_time,
                           .timeout = r->timeout,
                           .shadow_fd = -1,
                           .input_fd = r->input_fd ? r->input_fd : -1,
                           .script_fd = r->script_fd,
                           .stdout_fd = r->stdout_fd,
                           .stderr_fd = r->stderr_fd,
                           .realtime = r->again ? r->again->clocks[0] : r->clock,
                           .monotonic = r->again   ? r->again->clocks[1]
                                        : r->clock ? MONOTONIC_START
                                                   : 0,
                           .feed = &feed,
                           .take = take,
                           .stuck = tell_stuck,
                           .to = &taker,
                           .changes = &taker.changes};
    uint64_t touched = 0;
    enum status status;

    r->status = 1;
    taker.collection = &c;
    store_init(&taker.store);
    feed_open(&feed, c.input_fd, !r->two_pass && !*r->binary);
    if (*r->binary)
        converter_binary(taker.converter);
    status = look_at_program(r, err);
    if (status == HEDDLE_OK && r->two_pass)
        status = run_passes(r, &c, &taker, &touched, err);
    else if (status == HEDDLE_OK)
        status = collection_run(&c, err);
    if (status == HEDDLE_OK) {
        release_raw(&taker);
        r->status = WIFSIGNALED(c.status) ? 128 + WTERMSIG(c.status) : WEXITSTATUS(c.status);
        r->signal = WIFSIGNALED(c.status) ? WTERMSIG(c.status) : 0;
        r->timed_out = c.timed_out;
        r->interrupted = c.interrupted;
        r->deadlocked = session_load(&c.session->deadlock) != 0;
        keep_end(r, &c, &taker);
        if (session_load(&c.session->pid) == 0)
            status = tell_nothing(r, &c, err);
        else
            status = write_trace(r, &c, &taker, touched, err);
        tell_end(r, &c, converter_naming(taker.converter));
        if (status == HEDDLE_OK)
            tell(r, &c);
    }
    collection_end(&c);
    feed_close(&feed);
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
