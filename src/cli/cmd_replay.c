/* heddle replay: makes a finding happen in the real program. */
#include "cli/command.h"
#include "cli/replay.h"
#include "hunt/hunt_read.h"
#include "record/patience.h"
#include "report/json/recall.h"
#include "report/json/report_file.h"
#include "report/report.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option options[] = {
    {"trace", 0, "FILE", NULL, "The trace that the report belongs to, if it is not where the report says."},
    {"script", 0, "FILE", NULL,
     "With a finding: writes its schedule to FILE, a small text file to keep and run again. Without a finding: "
     "runs the program along the schedule in FILE."},
    {"gdb", 0, NULL, NULL,
     "Runs the program in gdb and stops where the finding is decided: before the read, the first access of a "
     "race, the last lock of a deadlock; the schedule determines where the other threads are. Commands in gdb: "
     "info heddle, heddle next-event, heddle why, heddle lanes."},
    {"to", 0, "EVENT", NULL,
     "Follows the schedule only up to this event of the trace. With --gdb, stops before it; the rest of the "
     "schedule is followed when the program goes on."},
    {"loop", 0, "N", NULL, "Replays N times and counts the outcomes."},
    {"output", 'o', "FILE", NULL, "Writes the trace of the last run, which shows the finding, to FILE."},
    {"force", 0, NULL, NULL, "Replays even if the program is not the build that was recorded."},
    {"timeout", 0, "SECONDS", NULL,
     "Ends a run that takes longer and counts it as a hang; 60 if not given. Time in which the program got no "
     "processor does not count."},
    {"quiet", 'q', NULL, NULL, "Prints only whether the finding is confirmed, and the outcome."},
    {0},
};

#define NO_GDB "replay: --gdb does not work with Java programs: gdb cannot see the frames of Java threads"

/* The trace a report names: as it stands, or beside the report. */
static void trace_path(const struct report *report, const char *report_path, char *to, size_t room)
{
    const char *slash = strrchr(report_path, '/');

    snprintf(to, room, "%s", report->trace_file);
    if (access(to, R_OK) != 0 && *to != '/' && slash)
        snprintf(to, room, "%.*s%s", (int)(slash + 1 - report_path), report_path, report->trace_file);
}

/* The step of the event; UINT64_MAX when the schedule does not have it. */
static uint64_t step_of(const struct schedule_script *script, const struct replay_case *c, uint32_t event)
{
    const struct trace *t = &c->trace;
    const char *thread = event <= t->count ? trace_name(t, NAME_THREAD, t->thread[event]) : "";

    for (size_t i = 0; i < script->steps_count && event <= c->same; i++)
        if (script->steps[i].position == c->reference.ticks[event] && script->steps[i].op == t->op[event] &&
            strcmp(names_text(&script->texts, script->threads[script->steps[i].thread].name), thread) == 0)
            return i;
    return UINT64_MAX;
}

/* Follows the script, which was cut at an event, and tells how the program ends then. */
static int follow_to_event(const struct replaying *r, const char *id, const struct schedule_script *script)
{
    struct replay_result now;
    char ending[600];
    struct error err;
    int result = EXIT_SUCCESS;

    if (replay_run(&r->settings, script, &now, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    outcome_ending(&now.outcome, ending, sizeof ending);
    if (now.divergence.diverged)
        result = tell_divergence(id, now.divergence.text, now.divergence.reason);
    else
        printf("%s: followed up to event %llu; then the program ended with %s\n", id, (unsigned long long)r->to,
               ending);
    replay_result_free(&now);
    return result;
}

/* What is done with the script itself: written, looked at in a debugger, or followed up to an event. */
static int use_script(struct replaying *r, const char *id, struct schedule_script *script)
{
    struct error err;

    if (r->script)
        return script_write(script, r->script, &err) == HEDDLE_OK ? EXIT_SUCCESS : complain("%s", err.text);
    return r->gdb ? replay_in_gdb(r, script) : follow_to_event(r, id, script);
}

/* Makes the script of the finding, as far as it is wanted, and uses it. */
static int make_script(struct replaying *r, struct replay_case *c, const char *id, const struct finding *f)
{
    struct schedule_script script;
    struct replay_verdict verdict = {0};
    struct error err;
    int result;

    if (!r->to && replay_confirm(c, f, &verdict, &err) != HEDDLE_OK) /* which schedule shows more */
        return complain("%s", err.text);
    bool as_found = r->to || verdict.as_found;
    replay_verdict_free(&verdict);
    if (replay_finding_script(c, f, as_found, id, &script, &err) != HEDDLE_OK) {
        script_free(&script);
        return err.status == HEDDLE_REJECTED ? tell_divergence(id, err.text, c->reference.divergence.reason)
                                             : complain("%s", err.text);
    }
    uint64_t last = r->to ? step_of(&script, c, (uint32_t)r->to) : replay_deciding_step(f, &script);
    if (last == UINT64_MAX) {
        result = complain("replay: event %llu is not in the schedule of %s", (unsigned long long)r->to, id);
    } else {
        if (r->gdb)
            script.stop = last;
        else if (r->to)
            script.steps_count = last + 1;
        result = use_script(r, id, &script);
    }
    script_free(&script);
    return result;
}

static int replay_report(struct replaying *r, const char *report_path, const char *id, const char *trace)
{
    struct report_file file;
    struct report report;
    struct replay_case c;
    struct error err;
    char path[4096];
    size_t at;
    int result;

    if (report_file_open(&file, report_path, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    if (report_file_read_with(&file, id, false, &report, NULL, &err) != HEDDLE_OK) {
        report_file_close(&file);
        return complain("%s", err.text);
    }
    report_file_close(&file);
    at = report_find(&report, id);
    trace_path(&report, report_path, path, sizeof path);
    struct certify_options o = {.values_ignore = report.values_ignore,
                                .grounds_ignore = report.grounds_ignore,
                                .atomic_locks = report.atomic_locks};
    if (at == SIZE_MAX) {
        result = complain("%s: has no finding %s", report_path, id);
    } else if (!report.entries[at].has_schedule && finding_has_schedule(&report.found.findings[at])) {
        result = complain("%s: %s has no schedule; write the report with --schedules=full", report_path, id);
    } else if (replay_open(&c, trace ? trace : path, &r->settings, r->force, &o, &err) != HEDDLE_OK) {
        result = complain("%s", err.text);
    } else if (report_belongs(&report, &c.trace, trace ? trace : path, &err) != HEDDLE_OK) {
        result = complain("%s: %s", report_path, err.text);
        replay_close(&c);
    } else if (r->gdb && c.journal.java) {
        result = complain(NO_GDB);
        replay_close(&c);
    } else {
        const struct finding *f = &report.found.findings[at];
        r->about = (struct replay_subject){report_path, trace ? trace : path, id, f};
        r->settings.input_fd = c.settings.input_fd;
        r->kept_input = c.journal.standard_input_length ? c.input_fd : 0;
        result = r->script || r->gdb || r->to ? make_script(r, &c, id, f) : replay_finding(r, &c, id, f);
        replay_close(&c);
    }
    report_free(&report);
    return result;
}

static int follow_script(struct replaying *r, struct schedule_script *script)
{
    struct replay_result now;
    char outcome[600];
    enum change change;
    struct error err;
    int result;

    if (r->gdb && script->java)
        return complain(NO_GDB);
    if (r->gdb)
        return replay_in_gdb(r, script);
    if (replay_run(&r->settings, script, &now, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    fwrite(now.outcome.output[0].bytes, 1, now.outcome.output[0].length, stdout);
    fwrite(now.outcome.output[1].bytes, 1, now.outcome.output[1].length, stderr);
    change = replay_against_expectation(script, &now.outcome);
    outcome_words(change, &now.outcome, outcome, sizeof outcome);
    if (now.divergence.diverged) {
        result = tell_divergence(r->script, now.divergence.text, now.divergence.reason);
    } else {
        if (!r->quiet)
            fprintf(stderr, "heddle: %s: followed; outcome: %s\n", r->script,
                    script->expected.known ? outcome : "nothing to compare it with");
        result = change == CHANGE_NONE ? EXIT_SUCCESS : EXIT_FINDINGS;
    }
    replay_result_free(&now);
    return result;
}

static int replay_script(struct replaying *r)
{
    struct schedule_script script;
    struct error err;
    int result;

    if (script_load(&script, r->script, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    if (!r->gdb && replay_input(&r->settings.input_fd, print_note, &err) != HEDDLE_OK) {
        script_free(&script);
        return complain("%s", err.text);
    }
    if (script.steps_count > 0 && r->gdb)
        script.stop = script.steps_count - 1;
    result = !r->force && replay_same_build(r->settings.program[0], script.modules, script.modules_count,
                                            &err) != HEDDLE_OK
                 ? complain("%s", err.text)
                 : follow_script(r, &script);
    if (!r->gdb)
        close(r->settings.input_fd);
    script_free(&script);
    return result;
}

static bool read_options(const struct command *self, const struct arguments *args, struct replaying *r)
{
    uint64_t seconds = 60;

    r->script = argument_of(self, args, "script");
    r->force = argument_of(self, args, "force") != NULL;
    r->quiet = argument_of(self, args, "quiet") != NULL;
    r->gdb = argument_of(self, args, "gdb") != NULL;
    r->loop = 1;
    if (!argument_number(self, args, "timeout", 1u << 30, &seconds) ||
        !argument_number(self, args, "loop", 1u << 30, &r->loop) ||
        !argument_number(self, args, "to", UINT32_MAX, &r->to))
        return false;
    r->settings = (struct replay_settings){.program = args->program,
                                           .libraries = r->folder,
                                           .timeout = (unsigned)seconds,
                                           .longest = patience_longest((unsigned)seconds),
                                           .keep = argument_of(self, args, "output")};
    return runtime_folder(r->folder, sizeof r->folder);
}

/* Where the operands lead if the first is the folder of a hunt; `place` stays empty if it is a report. False after a
 * complaint. */
static bool in_hunt(const char *folder, const char *id, struct hunt_place *place)
{
    struct stat about;
    struct error err;

    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode) || hunt_find(folder, id, place, &err) == HEDDLE_OK)
        return true;
    complain("replay: %s", err.text);
    return false;
}

/* Along a finding of a hunt. The trace of its run is beside the report, wherever the folder has gone since. */
static int replay_of_hunt(struct replaying *r, const char *folder, const struct hunt_place *place,
                          const char *trace)
{
    char beside[4300];

    snprintf(beside, sizeof beside, "%.4200s/run-%u.htr", folder, place->run);
    if (!r->quiet && strcmp(place->finding, place->id) != 0)
        fprintf(stderr, "heddle: %s of the hunt is %s of %s\n", place->id, place->finding, place->path);
    return replay_report(r, place->path, place->finding, trace ? trace : beside);
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *trace = argument_of(self, args, "trace");
    struct replaying r = {0};
    struct hunt_place place = {0};
    int result;

    if (!args->program || !args->program[0])
        return complain("replay: no program given: heddle replay REPORT ID -- PROGRAM ARGUMENTS");
    if (args->operand_count == 1 || (args->operand_count == 0 && !argument_of(self, args, "script")))
        return complain(
            "replay: no finding given: heddle replay REPORT ID -- PROGRAM, or --script=FILE -- PROGRAM");
    if (!read_options(self, args, &r))
        return EXIT_ERROR;
    if (args->operand_count == 2 && !in_hunt(args->operands[0], args->operands[1], &place))
        return EXIT_ERROR;
    if (place.happened)
        r.script = place.path;
    int null = r.gdb ? open("/dev/null", O_RDONLY | O_CLOEXEC) : 0; /* our input is gdb's */
    r.settings.input_fd = null;
    if (args->operand_count < 2 || place.happened)
        result = replay_script(&r);
    else if (*place.path)
        result = replay_of_hunt(&r, args->operands[0], &place, trace);
    else
        result = replay_report(&r, args->operands[0], args->operands[1], trace);
    if (null > 0)
        close(null);
    return result;
}

const struct command command_replay = {
    .name = "replay",
    .operands = "[REPORT ID]",
    .summary = "makes a finding happen in the real program",
    .description =
        "Runs PROGRAM so that the finding ID of the JSON report REPORT happens (or the problem ID of a folder "
        "that heddle hunt wrote), and reports what changes. It first repeats the recorded run, then runs along "
        "the finding's schedule and from there freely to the end. Exits with 0 if the finding happened and "
        "changed nothing, with 2 if it changed the outcome, with 3 if the program did not follow the schedule.",
    .options = options,
    .operands_min = 0,
    .operands_max = 2,
    .takes_program = true,
    .run = run,
};
