/* A recorded run, run again: where each of its events stands, how it ends, whether it is still the same. */
#include "base/memory.h"
#include "record/feed.h"
#include "record/program.h"
#include "replay/plan.h"
#include "replay/same_trace.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A trace that does not say how to run its program again: why, and what to do. */
static enum status refuse(struct trace *trace, const char *path, struct error *err)
{
    bool binary = trace->origin.binary;

    trace_free(trace);
    if (binary)
        return fail(
            err, HEDDLE_UNSUPPORTED,
            "%s: was recorded from a program that is not instrumented, so its threads cannot be scheduled: "
            "build it with `heddle cc` or `heddle c++`, record it again, and replay the new findings",
            path);
    return fail(
        err, HEDDLE_UNSUPPORTED,
        "%s: has no journal of the run, so it cannot be repeated: only files that `heddle record` wrote have "
        "one, and converting drops it; build the program with `heddle cc` or `heddle c++` and record it again",
        path);
}

enum status replay_journal(const char *path, struct trace *trace, struct journal *journal, struct error *err)
{
    if (trace_load(trace, path, err) != HEDDLE_OK)
        return err->status;
    if (!trace->journal || trace->origin.binary)
        return refuse(trace, path, err);
    struct journal_bytes bytes = {trace->journal, trace->parts, trace->journal_length, trace->parts_length};
    if (journal_decode(journal, &bytes, err) != HEDDLE_OK) {
        trace_free(trace);
        return error_prefix(err, "%s: ", path);
    }
    return HEDDLE_OK;
}

/* The file that will run: the program given, unless that is a script that starts it. */
static void file_to_run(const char *program, const struct journal_module *module, char *to, size_t room)
{
    char magic[4] = "";
    int fd = program_find(program, to, room) ? open(to, O_RDONLY | O_CLOEXEC) : -1;
    bool is_program = fd >= 0 && read(fd, magic, 4) == 4 && memcmp(magic, "\177ELF", 4) == 0;

    if (fd >= 0)
        close(fd);
    if (!is_program)
        snprintf(to, room, "%s", module->path);
}

enum status replay_same_build(const char *program, const struct journal_module *modules, size_t count,
                              struct error *err)
{
    enum status status = HEDDLE_OK;
    char path[4096];

    for (size_t i = 0; i < count && status == HEDDLE_OK; i++) {
        char *build;
        if (i == 0)
            file_to_run(program, &modules[i], path, sizeof path);
        else
            snprintf(path, sizeof path, "%s", modules[i].path);
        build = program_build(path);
        if (*build == '\0')
            status = fail(err, HEDDLE_UNSUPPORTED, "cannot find %.300s, which was recorded", path);
        else if (strcmp(build, modules[i].build) != 0)
            status = fail(err, HEDDLE_UNSUPPORTED,
                          "%.300s is not the file that was recorded: its build-id is %.80s, not %.80s (--force "
                          "replays anyway)",
                          path, build, modules[i].build);
        free(build);
    }
    return status;
}

static void describe(const struct trace *t, uint32_t e, const uint32_t *bytecodes, char *to, size_t room)
{
    char bytecode[32] = "";

    if (e > t->count) {
        snprintf(to, room, "the end");
        return;
    }
    struct event v = trace_event(t, e);
    enum name_class class = kind_argument(op_kind(v.op));
    const char *arg = class < NAME_CLASSES && v.arg != ARG_NONE ? trace_name(t, class, v.arg) : "";
    if (bytecodes)
        snprintf(bytecode, sizeof bytecode, " (bytecode %u)", bytecodes[e]);
    snprintf(to, room, "%.80s: %s(%.120s) at %.120s%s", trace_name(t, NAME_THREAD, v.thread),
             kind_word(op_kind(v.op)), arg,
             v.location == NAME_NONE ? "?" : trace_name(t, NAME_LOCATION, v.location), bytecode);
}

/* How far the run of now is the recorded one. Its ticks are by the recorded events from then on. */
static void compare(struct replay_case *c)
{
    const struct trace *a = &c->trace, *b = &c->reference.trace;
    uint32_t *at = memory_new(a->count + 1, sizeof *at);
    char was[500], is[500];

    c->same = events_again(a, b, at);
    assert(c->same <= a->count && c->same <= b->count);
    if (c->same < a->count || a->count != b->count) {
        describe(a, c->same + 1, NULL, was, sizeof was);
        describe(b, at[c->same] + 1, c->reference.bytecodes, is, sizeof is);
        snprintf(c->difference, sizeof c->difference, "expected %s; got %s", was, is);
    }
    for (uint32_t e = 1; e <= c->same; e++) {
        assert(at[e] >= e);
        c->reference.ticks[e] = c->reference.ticks[at[e]];
        if (c->reference.bytecodes)
            c->reference.bytecodes[e] = c->reference.bytecodes[at[e]];
    }
    free(at);
}

static enum status run_recorded(struct replay_case *c, struct replay_result *result, struct error *err)
{
    struct schedule_script script;
    enum status status;

    script_init(&script);
    script_from_journal(&script, &c->journal, &c->trace);
    script_from_slices(&script, &c->journal);
    status = replay_run(&c->settings, &script, result, err);
    script_free(&script);
    return status;
}

static enum status run_reference(struct replay_case *c, struct error *err)
{
    enum status status = run_recorded(c, &c->reference, err);

    if (status == HEDDLE_OK)
        compare(c);
    return status;
}

const struct replay_result *replay_again(struct replay_case *c)
{
    struct error unused;

    if (!c->has_again && !c->no_again) {
        c->has_again = run_recorded(c, &c->again, &unused) == HEDDLE_OK;
        c->no_again = !c->has_again;
    }
    return c->has_again ? &c->again : NULL;
}

/* What the program reads: as it was recorded, if that is known. */
static enum status open_input(struct replay_case *c, struct error *err)
{
    if (c->journal.has_standard_input) {
        c->input_fd = feed_file(&c->journal);
        if (c->input_fd < 0)
            return fail(err, HEDDLE_IO, "not enough memory for a copy of standard input");
    } else if (c->settings.input_fd) {
        return HEDDLE_OK;
    } else if (replay_input(&c->input_fd, NULL, err) != HEDDLE_OK) {
        return err->status;
    }
    c->settings.input_fd = c->input_fd;
    return HEDDLE_OK;
}

enum status replay_open(struct replay_case *c, const char *path, const struct replay_settings *settings,
                        bool force, const struct certify_options *options, struct error *err)
{
    enum status status;

    memset(c, 0, sizeof *c);
    c->path = path;
    c->settings = *settings;
    c->options = *options;
    if (replay_journal(path, &c->trace, &c->journal, err) != HEDDLE_OK)
        return err->status;
    c->settings.stacks = c->trace.stacks != NULL; /* blocks are named by the calls that allocated them */
    status = force
                 ? HEDDLE_OK
                 : replay_same_build(c->settings.program[0], c->journal.modules, c->journal.modules_count, err);
    if (status == HEDDLE_OK)
        status = open_input(c, err);
    if (status == HEDDLE_OK)
        status = run_reference(c, err);
    if (status != HEDDLE_OK) {
        replay_close(c);
        return status;
    }
    c->index = certify_index_new(&c->trace);
    c->certifier = certifier_new(c->index);
    return HEDDLE_OK;
}

void replay_close(struct replay_case *c)
{
    if (c->certifier)
        certifier_free(c->certifier);
    if (c->index)
        certify_index_free(c->index);
    if (c->input_fd > 0)
        close(c->input_fd);
    replay_result_free(&c->reference);
    if (c->has_again)
        replay_result_free(&c->again);
    journal_free(&c->journal);
    trace_free(&c->trace);
    memset(c, 0, sizeof *c);
}
