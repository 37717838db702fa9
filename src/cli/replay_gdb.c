/* heddle replay --gdb: the program in a debugger, its threads where the schedule put them. heddle-gdb.py adds commands
 * to gdb; what it is told of the schedule is written here. */
#include "base/buffer.h"
#include "base/json_out.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "cli/command.h"
#include "cli/replay.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPWISE_MOST = 100000 }; /* the last steps of a schedule, which a debugger can stop at */

/* "run", or with what it takes to give the program another input than gdb's: arguments for a shell. */
static char *run_command(const struct replaying *r)
{
    struct buffer text = {0};
    char *result, path[64];

    buffer_text(&text, "run");
    if (r->kept_input > 0) {
        for (char *const *word = r->settings.program + 1; *word; word++) {
            buffer_text(&text, " ");
            buffer_shell(&text, *word);
        }
        snprintf(path, sizeof path, " </proc/%ld/fd/%d", (long)getpid(), r->kept_input);
        buffer_text(&text, path);
    }
    result = memory_text(text.text, text.text_count);
    buffer_free(&text);
    return result;
}

/* What the step is in the finding: the name of its event there ("remote"), or NULL. */
static const char *role_of(const struct finding *f, const struct schedule_step *step)
{
    const struct property_traits *traits = f ? property_traits(f->property) : NULL;

    for (uint32_t i = 0; f && step->event && i < f->event_count; i++)
        if (f->events[i] == step->event)
            return traits->fields[0] ? traits->fields[i < PROPERTY_FIELDS ? i : PROPERTY_FIELDS - 1] : "event";
    return NULL;
}

static void write_step(struct json_out *out, const struct replaying *r, const struct schedule_script *script,
                       size_t i, uint64_t begins)
{
    const struct schedule_step *step = &script->steps[i];
    const char *role = role_of(r->about.finding, step);

    json_object_open(out, NULL);
    json_count(out, "thread", step->thread);
    if (step->event)
        json_count(out, "event", step->event);
    if (begins != UINT64_MAX)
        json_count(out, "at", begins);
    if (!step->any_op)
        json_text(out, "op", kind_word(op_kind(step->op)));
    if (step->arg != NAME_NONE)
        json_text(out, "object", names_text(&script->texts, step->arg));
    if (step->location != NAME_NONE)
        json_text(out, "place", names_text(&script->texts, step->location));
    if (step->attempt)
        json_flag(out, "attempt", true);
    if (role)
        json_text(out, "role", role);
    json_close(out);
}

/* The schedule for heddle-gdb.py. */
static void write_case(FILE *to, const struct replaying *r, const struct schedule_script *script)
{
    struct json_out out = {.to = to};
    uint64_t all, *stops = script_stops(script, &all);
    size_t first = script->stepwise < script->steps_count ? script->stepwise : script->steps_count;

    json_object_open(&out, NULL);
    json_count(&out, "version", 1);
    json_text(&out, "title", script->title ? script->title : "");
    json_text(&out, "trace", r->about.trace ? r->about.trace : "");
    json_text(&out, "report", r->about.report ? r->about.report : "");
    json_text(&out, "script", r->script ? r->script : "");
    json_text(&out, "id", r->about.id ? r->about.id : "");
    json_text(&out, "property", r->about.finding ? property_title(r->about.finding->property) : "");
    json_flag(&out, "exact", script->mode == SCRIPT_EXACT);
    json_count(&out, "runtime_steps", all);
    json_count(&out, "earlier", first);
    json_array_open(&out, "threads");
    for (size_t i = 0; i < script->threads_count; i++)
        json_text(&out, NULL, names_text(&script->texts, script->threads[i].name));
    json_close(&out);
    json_array_open(&out, "steps");
    for (size_t i = first; i < script->steps_count; i++)
        write_step(&out, r, script, i, stops[i]);
    json_close(&out);
    json_close(&out);
    json_end(&out);
    free(stops);
}

/* A file without a name that gdb can open while we run; NULL: there is no room for it. */
static FILE *case_file(const struct replaying *r, const struct schedule_script *script)
{
    FILE *file = temporary_file();

    if (!file)
        return NULL;
    write_case(file, r, script);
    if (fflush(file) == 0 && !ferror(file))
        return file;
    fclose(file);
    return NULL;
}

/* Runs gdb in the place of the program: it stops in the runtime, and the first frame that is not the runtime's is
 * shown. */
static int run_gdb(struct replaying *r, const struct schedule_script *script, const char *extension, int fd)
{
    char *start = run_command(r), open_case[64], source[4200];
    const char *const head[] = {
        "gdb",   "-q",
        "-ex",   r->kept_input > 0 ? "set startup-with-shell on" : "set startup-with-shell off",
        "-ex",   "set breakpoint pending on",
        "-ex",   "handle SIG62 nostop noprint pass",
        "-ex",   "break heddle_replay_stop",
        "-ex",   source,
        "-ex",   open_case,
        "-ex",   start,
        "-ex",   "heddle here",
        "--args"};
    size_t given = 0, fixed = sizeof head / sizeof *head;
    struct replay_result now;
    struct error err;
    char **words;
    int result = EXIT_SUCCESS;

    snprintf(open_case, sizeof open_case, "heddle open /proc/%ld/fd/%d", (long)getpid(), fd);
    snprintf(source, sizeof source, "source %.4096s", extension);
    while (r->settings.program[given])
        given++;
    words = memory_new(fixed + given + 1, sizeof *words);
    for (size_t i = 0; i < fixed; i++)
        words[i] = (char *)head[i]; // NOLINT(clang-diagnostic-cast-qual)
    memcpy(words + fixed, r->settings.program, given * sizeof *words);
    r->settings.program = words;
    r->settings.show = r->settings.one_pass = true;
    r->settings.timeout = 0;
    r->settings.input_fd = 0;
    if (replay_run(&r->settings, script, &now, &err) != HEDDLE_OK)
        result = complain("%s", err.text);
    else
        replay_result_free(&now);
    free(words);
    free(start);
    return result;
}

int replay_in_gdb(struct replaying *r, struct schedule_script *script)
{
    char extension[sizeof r->folder + 32];
    FILE *file;
    int result;

    snprintf(extension, sizeof extension, "%s/heddle-gdb.py", r->folder);
    if (access(extension, R_OK) != 0)
        return complain("replay: cannot find %s: is the installation complete?", extension);
    if (script->mode == SCRIPT_EXACT)
        script->stepwise = script->steps_count > STEPWISE_MOST ? script->steps_count - STEPWISE_MOST : 0;
    file = case_file(r, script);
    if (!file)
        return complain("replay: cannot write a temporary file in %s", temporary_folder());
    result = run_gdb(r, script, extension, fileno(file));
    fclose(file);
    return result;
}
