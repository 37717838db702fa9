/* Runs a program along a script: the run itself and how it ended. */
#include "replay/run.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "record/feed.h"
#include "record/printed.h"
#include "replay/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JAVA_MEGABYTES = 1024, EXPLORED_MEGABYTES = 64 }; /* of the log; what is explored is kept in memory */

enum status replay_input(int *fd, note_taker *notes, struct error *err)
{
    if (isatty(STDIN_FILENO))
        *fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    else if (feed_repeatable(fd, notes, err) != HEDDLE_OK)
        return err->status;
    else if (*fd < 0)
        *fd = dup(STDIN_FILENO);
    return *fd >= 0 ? HEDDLE_OK : fail(err, HEDDLE_IO, "cannot set up standard input: %s", strerror(errno));
}

void replay_result_free(struct replay_result *r)
{
    trace_free(&r->trace);
    free(r->ticks);
    free(r->bytecodes);
    journal_free(&r->journal);
    for (int i = 0; i < 2; i++)
        free(r->outcome.output[i].bytes);
    memset(r, 0, sizeof *r);
}

/* Java machines that a tool starts say which options they found in the environment: ours, which name a folder of this run. */
static void drop_option_lines(struct captured_text *text)
{
    static const char start[] = "Picked up JAVA_TOOL_OPTIONS: ";
    char *from = text->bytes, *to = text->bytes, *end = text->bytes + text->length;

    while (from < end) {
        char *newline = memchr(from, '\n', (size_t)(end - from));
        size_t length = newline ? (size_t)(newline - from) + 1 : (size_t)(end - from);
        if (length < sizeof start || memcmp(from, start, sizeof start - 1) != 0) {
            memmove(to, from, length);
            to += length;
        }
        from += length;
    }
    text->length = (size_t)(to - text->bytes);
    *to = '\0';
}

/* assert() and what stands in for it say so before they abort. */
static bool failed_assertion(const struct outcome *o)
{
    return o->status == SIGABRT && strstr(o->output[1].bytes, "Assertion");
}

/* A Java thread that an exception ends says so; the machine may go on. */
static void find_exception(struct outcome *o)
{
    static const char start[] = "Exception in thread \"";
    const char *line = strstr(o->output[1].bytes, start), *name, *end;

    if (!line || (line != o->output[1].bytes && line[-1] != '\n'))
        return;
    name = line + strlen(start);
    end = strchr(name, '"');
    if (!end || end[1] != ' ')
        return;
    o->ending = strncmp(end + 2, "java.lang.AssertionError", 24) == 0 ? ENDED_ASSERTION : ENDED_EXCEPTION;
    snprintf(o->place, sizeof o->place, "%.*s in %.*s", (int)strcspn(end + 2, ": \t\r\n"), end + 2,
             (int)(end - name), name);
}

static void judge_ending(struct outcome *o, const struct recording *r)
{
    snprintf(o->place, sizeof o->place, "%s", r->last_place);
    o->raw = r->ended;
    if (r->deadlocked) {
        o->ending = ENDED_DEADLOCK;
    } else if (r->timed_out) {
        o->ending = ENDED_HANG;
    } else if (WIFSIGNALED(r->ended)) {
        o->status = WTERMSIG(r->ended);
        o->ending = failed_assertion(o) ? ENDED_ASSERTION : ENDED_SIGNAL;
    } else {
        o->status = WEXITSTATUS(r->ended);
        o->ending = ENDED_EXIT;
        if (r->java.wanted)
            find_exception(o);
    }
}

/* A name for the new trace; the file is there and empty. */
static enum status temporary_name(char *to, size_t room, struct error *err)
{
    const char *folder = temporary_folder();
    int fd;

    temporary_pattern(to, room);
    fd = mkstemp(to);
    if (fd < 0)
        return fail(err, HEDDLE_IO, "%s: cannot create a temporary file: %s (set TMPDIR)", folder,
                    strerror(errno));
    close(fd);
    return HEDDLE_OK;
}

static enum status run_once(const struct replay_settings *settings, struct recording *r,
                            struct replay_result *result, struct error *err)
{
    struct printed outputs[2] = {0};
    enum status status = HEDDLE_OK;

    for (int i = 0; i < 2 && !settings->show && status == HEDDLE_OK; i++)
        status = printed_open(&outputs[i], i == 0 ? "heddle-stdout" : "heddle-stderr", err);
    if (settings->input_fd)
        lseek(settings->input_fd, 0, SEEK_SET);
    r->outputs = settings->show ? NULL : outputs;
    if (status == HEDDLE_OK)
        status = record_program(r, err);
    r->outputs = NULL;
    for (int i = 0; i < 2; i++) {
        struct captured_text *text = &result->outcome.output[i];
        text->bytes = printed_close(&outputs[i], &text->length);
        if (r->java.wanted)
            drop_option_lines(text);
    }
    return status;
}

void replay_explain_inputs(const struct recording *r, char *to, size_t room)
{
    if (r->other_inputs == 0)
        return;
    if (strcmp(r->other_file, "stdin") == 0)
        snprintf(to, room, "standard input differs: %.300s read something else than in the recording",
                 r->other_place);
    else if (*r->other_file == '/')
        snprintf(to, room, "the file %.200s differs: %.200s read something else than in the recording",
                 r->other_file, r->other_place);
    else
        snprintf(to, room, "at %.400s it read something else than in the recording", r->other_place);
}

/* Of Java programs one machine follows a script, and it does so exactly. */
static enum status runnable(const struct replay_settings *settings, const struct schedule_script *script,
                            struct error *err)
{
    const char *slash = strrchr(settings->program[0], '/');

    if (script->mode != SCRIPT_EXACT)
        return fail(err, HEDDLE_UNSUPPORTED,
                    "Java programs can follow exact schedules only, not ordering ones");
    if (strcmp(slash ? slash + 1 : settings->program[0], "java") != 0 && !strstr(script->java, ",machine="))
        return fail(err, HEDDLE_UNSUPPORTED,
                    "the schedule was recorded from a Java program: run it with `java`, not with %.300s",
                    settings->program[0]);
    return HEDDLE_OK;
}

/* Takes over what the recording holds, and finds out how far the run followed the script. */
static void judge(const struct schedule_script *script, const struct recording *r, struct replay_result *result)
{
    result->ticks = r->ticks;
    result->bytecodes = r->bytecodes;
    result->journal = r->journal;
    result->state = r->script_state;
    result->last_tick = r->last_tick;
    result->outlasting = r->outlasting;
    result->shortened = r->shortened;
    result->starved = r->timed_out && r->starved;
    snprintf(result->unmodelled, sizeof result->unmodelled, "%s", r->unmodelled);
    memcpy(result->threads, r->threads, sizeof result->threads);
    judge_ending(&result->outcome, r);
    follow_check(script, result, r->script_trouble, r->script_at);
    replay_explain_inputs(r, result->divergence.reason, sizeof result->divergence.reason);
}

/* The accesses of the finding: the new trace is to have them, whatever it leaves out. */
static struct want *list_wants(const struct schedule_script *script, size_t *count)
{
    struct want *list = memory_new(script->steps_count + 1, sizeof *list);

    *count = 0;
    for (size_t i = 0; i < script->steps_count; i++)
        if (script->steps[i].wanted && kind_accesses(op_kind(script->steps[i].op)))
            list[(*count)++] = (struct want){script->steps[i].thread, script->steps[i].position};
    return list;
}

/* Runs the program, loads its trace and hands over what the recording holds. `script`: NULL, or what it
 * follows. */
static enum status run_recording(const struct replay_settings *settings, struct recording *r,
                                 const struct schedule_script *script, struct replay_result *result,
                                 struct error *err)
{
    static const struct schedule_script none;
    char path[4096];
    enum status status;

    memset(result, 0, sizeof *result);
    trace_init(&result->trace);
    if (!settings->keep && temporary_name(path, sizeof path, err) != HEDDLE_OK)
        return err->status;
    r->output = settings->keep ? settings->keep : path;
    status = run_once(settings, r, result, err);
    if (status == HEDDLE_OK) {
        trace_free(&result->trace);
        status = trace_load(&result->trace, r->output, err);
    }
    if (!settings->keep)
        unlink(path);
    if (settings->stop && r->interrupted)
        *settings->stop = true;
    if (status == HEDDLE_OK && !(settings->stop && *settings->stop)) {
        judge(script ? script : &none, r, result);
        return HEDDLE_OK;
    }
    recording_free(r);
    replay_result_free(result);
    return settings->stop && *settings->stop ? fail(err, HEDDLE_STOPPED, "interrupted") : status;
}

enum status replay_run(const struct replay_settings *settings, const struct schedule_script *script,
                       struct replay_result *result, struct error *err)
{
    struct journal again = {.inputs = script->inputs, .inputs_count = script->inputs_count};
    struct recording r = {.program = settings->program,
                          .libraries = settings->libraries,
                          .seed = script->seed,
                          .policy = (enum session_policy)script->policy,
                          .passes = script->two_pass && !settings->one_pass ? PASSES_TWO : PASSES_ONE,
                          .grounds = settings->grounds,
                          .stacks = settings->stacks,
                          .timeout = settings->timeout,
                          .longest = settings->longest,
                          .impatient = settings->stop != NULL,
                          .input_fd = settings->input_fd,
                          .again = &again,
                          .effects = script->effects,
                          .keep_ticks = true,
                          .deeds = settings->deeds,
                          .numbers = settings->numbers,
                          .reach = settings->reach,
                          .looks = settings->looks,
                          .java = {.wanted = script->java != NULL,
                                   .words = script->java,
                                   .megabytes = settings->deeds ? EXPLORED_MEGABYTES : JAVA_MEGABYTES}};
    struct want *wants;
    enum status status;

    if (settings->stop && *settings->stop)
        return fail(err, HEDDLE_STOPPED, "interrupted");
    if (script->java && runnable(settings, script, err) != HEDDLE_OK)
        return err->status;
    memcpy(again.clocks, script->clocks, sizeof again.clocks);
    r.script_fd = script_compile(script);
    if (r.script_fd < 0)
        return fail(err, HEDDLE_IO, "not enough memory for the schedule");
    r.wants = wants = list_wants(script, &r.wants_count);
    status = run_recording(settings, &r, script, result, err);
    free(wants);
    close(r.script_fd);
    return status;
}

enum status replay_free_run(const struct replay_settings *settings, uint64_t seed, uint32_t policy, bool java,
                            struct replay_result *result, struct error *err)
{
    struct recording r = {.program = settings->program,
                          .libraries = settings->libraries,
                          .seed = seed,
                          .policy = (enum session_policy)policy,
                          .grounds = settings->grounds,
                          .timeout = settings->timeout,
                          .longest = settings->longest,
                          .input_fd = settings->input_fd,
                          .keep_ticks = true,
                          .reach = settings->reach,
                          .looks = settings->looks,
                          .java = {.wanted = java, .delays = java, .megabytes = JAVA_MEGABYTES}};

    return run_recording(settings, &r, NULL, result, err);
}
