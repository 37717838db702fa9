/* heddle run: records a program, checks the trace, leaves reports: the one command most people need. */
#include "base/buffer.h"
#include "base/memory.h"
#include "cli/checking.h"
#include "cli/recording.h"
#include "trace/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option options[] = {
    {"output", 'o', "FOLDER", NULL,
     "Writes trace and reports to FOLDER instead of heddle-out; creates it if necessary."},
    RECORD_OPTIONS,
    {"grounds", 0, "HOW", "on off ignore",
     "Whether the trace says which reads each event stands on, as far as gcc's plugin, the Java agent or the "
     "Valgrind tool can tell (on, the default; see heddle-cc(1)), and the check goes by it. With off, "
     "recording is "
     "faster; with ignore, the trace says it, and in the check an event depends on every earlier read of its "
     "thread."},
    CHECK_OPTIONS,
    VERDICT_OPTIONS,
    CONFIRM_OPTION,
    NOTES_OPTION,
    {"quiet", 'q', NULL, NULL,
     "Prints nothing but errors; see the exit status and the reports for the result."},
    LIMITS_OPTION,
    {0},
};

#define TRACE_FILE "trace.htr"

enum { FINDINGS_IN_FULL = 5 };

struct run {
    const char *folder;
    bool quiet, notes;
    struct recording recording;
    struct check_request request;
    char *trace; /* paths */
    int status;  /* what the command exits with */
};

static char *path_in(const struct run *r, const char *file)
{
    size_t room = strlen(r->folder) + strlen(file) + 2;
    char *path = memory_new(room, 1);

    snprintf(path, room, "%s/%s", r->folder, file);
    return path;
}

/* Makes the folder, and takes what an earlier run left out of it: a run that fails leaves no old answers. */
static bool prepare_folder(const struct run *r)
{
    struct stat about;
    char *path;

    if (mkdir(r->folder, 0777) != 0 && errno != EEXIST) {
        complain("%s: %s", r->folder, strerror(errno));
        return false;
    }
    if (stat(r->folder, &about) == 0 && !S_ISDIR(about.st_mode)) {
        complain("%s: %s", r->folder, strerror(ENOTDIR));
        return false;
    }
    if (access(r->folder, W_OK | X_OK) != 0) {
        complain("%s: %s", r->folder, strerror(errno));
        return false;
    }
    unlink(r->trace);
    for (const struct report_format *format = report_formats; format->name; format++) {
        if (!format->file)
            continue;
        path = path_in(r, format->file);
        unlink(path);
        free(path);
    }
    return true;
}

/* How the program ended, where the check says nothing about it. */
static void print_end(const struct run *r)
{
    if (r->quiet || r->recording.status == 0 || r->recording.deadlocked || r->recording.timed_out)
        return;
    if (r->recording.signal)
        fprintf(stderr, "heddle: checking what was recorded so far\n");
    else
        fprintf(stderr, "heddle: note: the program exited with status %d\n", r->recording.status);
}

/* "heddle-out/trace.htr", quoted as a shell wants it. */
static void put_path(const struct run *r, struct buffer *to, const char *file)
{
    char *path = path_in(r, file);

    buffer_shell(to, path);
    free(path);
}

/* The command that makes a finding happen; what is to be done first where there is none. */
static void put_next(const struct run *r, struct buffer *to, const char *id)
{
    bool binary = *r->recording.binary;

    buffer_text(to, "Next: make ");
    buffer_text(to, id);
    buffer_text(to, binary
                        ? " happen: build the program with `heddle cc` or `heddle c++`, then\n  heddle run --"
                        : " happen:\n  heddle replay ");
    if (!binary) {
        put_path(r, to, "report.json");
        buffer_text(to, " ");
        buffer_text(to, id);
        buffer_text(to, " --");
    }
    for (char *const *word = r->recording.program; *word; word++) {
        buffer_text(to, " ");
        buffer_shell(to, *word);
    }
    buffer_text(to, "\n");
}

/* The last lines: what there is now, and what to do with the first finding. */
static char *advice(const struct run *r, const struct checking *c, const struct report_options *how)
{
    struct buffer text = {0};
    char id[32], *result;

    buffer_text(&text, "\nWritten: ");
    put_path(r, &text, TRACE_FILE);
    for (const struct report_format *format = report_formats; format->name; format++) {
        if (!format->file)
            continue;
        buffer_text(&text, ", ");
        put_path(r, &text, format->file);
    }
    buffer_text(&text, "\n");
    report_leading_id(&c->results, how, id, sizeof id);
    if (*id)
        put_next(r, &text, id);
    result = memory_text(text.text, text.text_count);
    buffer_free(&text);
    return result;
}

/* The files of the folder; they name the trace as it is called beside them. */
static enum status write_files(const struct run *r, const struct checking *c, struct error *err)
{
    size_t left_out = 0;
    struct report_options how = {.schedules = true,
                                 .trace_path = TRACE_FILE,
                                 .marks = &c->marks,
                                 .source_root = r->request.source_root,
                                 .source_named = r->request.source_named,
                                 .more_roots = r->request.source_roots ? r->request.source_roots->names : NULL,
                                 .left_out = &left_out,
                                 .notes = c->notes};
    enum status status = HEDDLE_OK;

    for (const struct report_format *format = report_formats; format->name && status == HEDDLE_OK; format++) {
        if (!format->file)
            continue;
        char *path = path_in(r, format->file);
        status = report_write_file(format, &c->results, &c->model, &how, path, err);
        free(path);
    }
    if (!r->quiet)
        remark_left_out(left_out);
    return status;
}

/* Standard output belongs to the program: what is not a terminal gets nothing but what the program writes. */
static enum status print_summary(const struct run *r, const struct checking *c, struct error *err)
{
    FILE *to = isatty(STDOUT_FILENO) ? stdout : stderr;
    struct report_options how = {.trace_path = r->trace,
                                 .marks = &c->marks,
                                 .most = FINDINGS_IN_FULL,
                                 .notes = c->notes,
                                 .full_notes = r->notes,
                                 .width = report_columns(to),
                                 .color = report_wants_color(to)};
    char *next = advice(r, c, &how);
    enum status status;

    how.next = next;
    status = report_text(&c->results, &c->model, &how, to, err);
    free(next);
    return status;
}

/* Whether how the run ended is in the baseline, or suppressed. */
static bool end_is_accepted(const struct checking *c)
{
    for (size_t i = 0; i < c->results.found.findings_count; i++)
        if (c->results.found.findings[i].property == PROPERTY_OBSERVED)
            return mark_is_known(&c->marks, i) || mark_is_suppressed(&c->marks, i);
    return false;
}

/* What was found, or was not decided; else the program's own status. A deadlock that happened is a problem; a
 * program that we ended was cut short. */
static int exit_status(const struct run *r, const struct checking *c)
{
    const struct fail_on *fail_on = &r->request.fail_on;
    int status = checking_status(c, &r->request);

    if (r->recording.deadlocked && !end_is_accepted(c) &&
        (!fail_on->restricted || fail_on->only[PROPERTY_DEADLOCK]))
        return EXIT_FINDINGS;
    if (status != EXIT_NOTHING_FOUND)
        return status;
    if (r->recording.deadlocked || r->recording.timed_out)
        return EXIT_INCOMPLETE;
    return r->recording.signal ? 128 + r->recording.signal : r->recording.status;
}

static enum status check(struct run *r, struct error *err)
{
    struct checking c;
    enum status status = checking_run(&c, &r->request, r->trace, err);

    if (status != HEDDLE_OK)
        return status;
    status = write_files(r, &c, err);
    if (status == HEDDLE_OK && !r->quiet)
        status = print_summary(r, &c, err);
    if (!r->quiet)
        checking_tell_stale(&c);
    r->status = exit_status(r, &c);
    checking_end(&c);
    return status;
}

static int record_and_check(struct run *r)
{
    struct error err;

    checking_catch_interrupt(); /* the trace gets written, whatever ends the program */
    if (record_program(&r->recording, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    print_end(r);
    fflush(stdout);
    if (check(r, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    return r->status;
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *output = argument_of(self, args, "output");
    struct run r = {.folder = output ? output : "heddle-out",
                    .quiet = argument_of(self, args, "quiet") != NULL,
                    .notes = argument_of(self, args, "notes") != NULL};
    char libraries[4096];
    int status = EXIT_ERROR;

    r.recording.notes = r.quiet ? NULL : print_note;
    r.recording.libraries = libraries;
    r.recording.passes = PASSES_AUTO;
    if (!recording_parse(self, args, &r.recording) || !runtime_folder(libraries, sizeof libraries) ||
        !recording_choose_tool(self, args, &r.recording) || !request_parse(self, args, &r.request))
        return EXIT_ERROR;
    if (argument_of(self, args, "confirm"))
        r.request.confirm = args->program;
    r.request.libraries = libraries;
    r.trace = path_in(&r, TRACE_FILE);
    r.recording.output = r.trace;
    if (prepare_folder(&r))
        status = record_and_check(&r);
    free(r.trace);
    recording_free(&r.recording);
    request_free(&r.request);
    return status;
}

const struct command command_run = {
    .name = "run",
    .operands = "",
    .summary = "records a program, checks the trace, writes reports",
    .description =
        "Runs PROGRAM, records what its threads do, and predicts what other schedules of the same events could "
        "do. Prints a summary (on standard error if standard output is no terminal, so that the program has "
        "standard output for itself) and writes trace and reports to the folder heddle-out. Ctrl-C ends the "
        "program, and a second one the check; what was recorded and decided so far is kept.",
    .options = options,
    .takes_program = true,
    .environment = "HEDDLE_OPTIONS",
    .run = run,
};
