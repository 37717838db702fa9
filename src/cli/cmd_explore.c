/* heddle explore: every behaviour of a program that scheduling can bring about. */
#include "base/json_out.h"
#include "cli/command.h"
#include "explore/explore.h"
#include "record/java_program.h"
#include "record/patience.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option options[] = {
    {"output", 'o', "DIR", NULL,
     "Writes a schedule for each outcome into DIR, outcome-1.schedule and so on, instead of heddle-explore."},
    {"jobs", 'j', "N", NULL, "Makes N runs in parallel; 1 if not given. The result is the same for every N."},
    {"max-runs", 0, "N", NULL, "Stops after N runs; 10000 if not given."},
    {"stop-at-first", 0, NULL, NULL,
     "Stops at the first run that fails (a crash, a failed assertion, a deadlock, a hang, an exit status other "
     "than 0), ends differently from the first run, or whose trace shows a problem."},
    {"seed", 0, "N", NULL, "Seed for scheduling choices that the schedule leaves open; 1 if not given."},
    {"timeout", 0, "SECONDS", NULL,
     "Ends a run that takes longer and counts it as a hang; 10 if not given. Time in which the program got no "
     "processor does not count."},
    {"every-order", 0, NULL, NULL,
     "Runs every order of all steps that other threads can notice, even those that lead to the same behaviour, "
     "but "
     "for exchanging neighbours that touch nothing in common: brute force, for comparison."},
    {"format", 0, "FORMAT", "text json", "Format of the result: text (default) or json."},
    {"quiet", 'q', NULL, NULL, "Shows no differences between outcomes."},
    {0},
};

struct exploring {
    struct explore_settings settings;
    char folder[4096];
    const char *directory;
    bool json, quiet, every_order;
    uint64_t tries;
};

static stop_flag stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

static void show_progress(uint64_t runs, size_t outcomes)
{
    fprintf(stderr, "\r%llu runs, %zu outcome%s", (unsigned long long)runs, outcomes, outcomes == 1 ? "" : "s");
}

static void schedule_path(const struct exploring *x, size_t i, char *to, size_t room)
{
    snprintf(to, room, "%s/outcome-%zu.schedule", x->directory, i + 1);
}

static void outcome_title(const struct explored_outcome *o, char *to, size_t room)
{
    char ending[600];

    outcome_ending(&o->result.outcome, ending, sizeof ending);
    if (o->change == CHANGE_NONE)
        snprintf(to, room, "%.500s, as in the first run", ending);
    else if (o->change == CHANGE_OUTPUT || o->change == CHANGE_VALUES)
        snprintf(to, room, "%.500s, different output", ending);
    else
        snprintf(to, room, "%s%.500s", o->change == CHANGE_CRASH ? "crash: " : "", ending);
}

static enum status write_schedules(const struct exploring *x, const struct exploration *found,
                                   struct error *err)
{
    for (size_t i = 0; i < found->outcomes_count; i++) {
        struct schedule_script script;
        char path[4200], title[700];
        enum status status;
        schedule_path(x, i, path, sizeof path);
        outcome_title(&found->outcomes[i], title, sizeof title);
        explored_script(&found->outcomes[i], &found->outcomes[0].result.outcome, title, &script);
        status = script_write(&script, path, err);
        script_free(&script);
        if (status != HEDDLE_OK)
            return status;
    }
    return HEDDLE_OK;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static bool is_bad(const struct outcome *o)
{
    return o->ending != ENDED_EXIT;
}

/* The verdict in a line. */
static void put_verdict(const struct exploring *x, const struct exploration *found, struct buffer *to)
{
    char line[800];

    if (found->incomplete != INCOMPLETE_NOT)
        snprintf(line, sizeof line,
                 "not complete after %llu run%s, %llu behaviour%s: ", (unsigned long long)found->runs,
                 plural(found->runs), (unsigned long long)found->behaviours, plural(found->behaviours));
    else if (found->outcomes_count == 1)
        snprintf(line, sizeof line, "all %llu behaviour%s explored, output always the same\n",
                 (unsigned long long)found->behaviours, plural(found->behaviours));
    else
        snprintf(line, sizeof line, "all %llu behaviour%s explored, %zu outcomes\n",
                 (unsigned long long)found->behaviours, plural(found->behaviours), found->outcomes_count);
    buffer_text(to, line);
    if (found->incomplete != INCOMPLETE_NOT) {
        buffer_safe(to, found->reason);
        buffer_text(to, "\n");
    }
    if (x->every_order)
        snprintf(line, sizeof line,
                 "%llu runs, one for every order; %llu of them only showed that no thread could continue\n",
                 (unsigned long long)found->runs, (unsigned long long)x->tries);
    else
        snprintf(line, sizeof line, "%llu run%s, %llu states\n", (unsigned long long)found->runs,
                 plural(found->runs), (unsigned long long)found->states);
    buffer_text(to, line);
}

static void put_notes(const struct exploration *found, struct buffer *to)
{
    if (found->cut)
        buffer_text(to, "note: busy-wait loops were cut after two identical iterations\n");
    if (found->timed)
        buffer_text(to, "note: timed condition waits time out only when no other thread can run\n");
}

/* What the traces of the runs show beside their outcomes. */
static void put_problems(const struct exploring *x, const struct exploration *found, struct buffer *to)
{
    char line[5200];

    for (size_t i = 0; i < found->problems_count; i++) {
        const struct explored_problem *p = &found->problems[i];
        snprintf(line, sizeof line, "problem %zu: ", i + 1);
        buffer_text(to, line);
        buffer_safe(to, p->title);
        if (*p->place) {
            buffer_text(to, ", at ");
            buffer_safe(to, p->place);
        }
        snprintf(line, sizeof line, " (%llu behaviour%s, first in run %llu; %s of ",
                 (unsigned long long)p->times, plural(p->times), (unsigned long long)p->run, p->id);
        buffer_text(to, line);
        buffer_safe(to, x->directory);
        snprintf(line, sizeof line, "/run-%llu.json)\n", (unsigned long long)p->run);
        buffer_text(to, line);
    }
    if (found->unchecked) {
        snprintf(line, sizeof line, "note: the traces of %llu behaviour%s were not checked in full\n",
                 (unsigned long long)found->unchecked, plural(found->unchecked));
        buffer_text(to, line);
    }
}

static void tell_text(const struct exploring *x, const struct exploration *found)
{
    struct buffer b = {0};
    char line[5200], title[700], path[4200];

    put_verdict(x, found, &b);
    put_notes(found, &b);
    for (size_t i = 0; i < found->outcomes_count; i++) {
        const struct explored_outcome *o = &found->outcomes[i];
        outcome_title(o, title, sizeof title);
        schedule_path(x, i, path, sizeof path);
        snprintf(line, sizeof line, "outcome %zu: ", i + 1);
        buffer_text(&b, line);
        buffer_safe(&b, title);
        snprintf(line, sizeof line, " (%llu behaviour%s, first in run %llu; ", (unsigned long long)o->times,
                 plural(o->times), (unsigned long long)o->run);
        buffer_text(&b, line);
        buffer_safe(&b, path);
        buffer_text(&b, ")\n");
        if (i > 0 && !x->quiet)
            outcome_diff(&found->outcomes[0].result, NULL, &o->result, &b);
    }
    put_problems(x, found, &b);
    buffer_flush(&b, stdout);
    buffer_free(&b);
}

static void put_outcome(const struct exploring *x, struct json_out *out, const struct explored_outcome *o,
                        size_t i)
{
    static const char *const endings[] = {"exit", "signal", "assertion", "exception", "deadlock", "hang"};
    char path[4200], words[700];

    outcome_words(o->change, &o->result.outcome, words, sizeof words);
    schedule_path(x, i, path, sizeof path);
    json_line(out, 4);
    json_object_open(out, NULL);
    json_text(out, "ending", endings[o->result.outcome.ending]);
    json_count(out, "status", (uint64_t)o->result.outcome.status);
    json_text(out, "outcome", words);
    json_count(out, "behaviours", o->times);
    json_count(out, "run", o->run);
    json_text(out, "stdout", o->result.outcome.output[0].bytes);
    json_text(out, "stderr", o->result.outcome.output[1].bytes);
    json_text(out, "schedule", path);
    json_close(out);
}

/* On a line of its own. */
static void put_count(struct json_out *out, const char *name, uint64_t value)
{
    json_line(out, 2);
    json_count(out, name, value);
}

static void put_json_problem(const struct exploring *x, struct json_out *out, const struct explored_problem *p)
{
    char path[4300];

    snprintf(path, sizeof path, "%s/run-%llu.json", x->directory, (unsigned long long)p->run);
    json_line(out, 4);
    json_object_open(out, NULL);
    json_text(out, "title", p->title);
    json_text(out, "place", p->place);
    json_count(out, "behaviours", p->times);
    json_count(out, "run", p->run);
    json_text(out, "report", path);
    json_text(out, "finding", p->id);
    json_close(out);
}

static void tell_json(const struct exploring *x, const struct exploration *found)
{
    struct json_out out = {.to = stdout, .spaced = true};

    json_object_open(&out, NULL);
    json_blank(&out);
    json_text(&out, "format", "heddle-exploration");
    json_count(&out, "version", 1);
    put_count(&out, "runs", found->runs);
    put_count(&out, "behaviours", found->behaviours);
    put_count(&out, "states", found->states);
    put_count(&out, "cut", found->cut);
    if (x->every_order)
        put_count(&out, "tries", x->tries);
    json_line(&out, 2);
    json_flag(&out, "complete", !found->incomplete);
    json_line(&out, 2);
    if (found->incomplete)
        json_text(&out, "reason", found->reason);
    json_line(&out, 2);
    json_array_open(&out, "outcomes");
    for (size_t i = 0; i < found->outcomes_count; i++)
        put_outcome(x, &out, &found->outcomes[i], i);
    json_close(&out);
    json_line(&out, 2);
    json_array_open(&out, "problems");
    for (size_t i = 0; i < found->problems_count; i++)
        put_json_problem(x, &out, &found->problems[i]);
    json_close(&out);
    json_blank(&out);
    json_close(&out);
    json_end(&out);
    puts("");
}

static int judge(const struct exploration *found)
{
    bool bad = found->outcomes_count > 1 || found->problems_count > 0;

    for (size_t i = 0; i < found->outcomes_count; i++)
        bad |= is_bad(&found->outcomes[i].result.outcome);
    return bad ? EXIT_FINDINGS : found->incomplete ? EXIT_INCOMPLETE : EXIT_NOTHING_FOUND;
}

static bool read_options(const struct command *self, const struct arguments *args, struct exploring *x)
{
    const char *format = argument_of(self, args, "format"), *directory = argument_of(self, args, "output");
    uint64_t timeout = 10, jobs = 1;

    x->settings =
        (struct explore_settings){.seed = 1, .most_runs = 10000, .most_states = 50000000, .stop = &stopped};
    x->directory = directory ? directory : "heddle-explore";
    x->every_order = argument_of(self, args, "every-order") != NULL;
    x->settings.folder = x->every_order ? NULL : x->directory;
    x->json = format && strcmp(format, "json") == 0;
    x->quiet = argument_of(self, args, "quiet") != NULL;
    x->settings.stop_at_first = argument_of(self, args, "stop-at-first") != NULL;
    if (format && !x->json && strcmp(format, "text") != 0) {
        complain("explore: --format: expected text or json, not %s", format);
        return false;
    }
    if (!argument_number(self, args, "max-runs", UINT32_MAX, &x->settings.most_runs) ||
        !argument_number(self, args, "seed", UINT32_MAX, &x->settings.seed) ||
        !argument_number(self, args, "timeout", UINT32_MAX, &timeout) ||
        !argument_number(self, args, "jobs", 256, &jobs) || !runtime_folder(x->folder, sizeof x->folder))
        return false;
    if (x->settings.most_runs == 0) {
        complain("explore: --max-runs must be at least 1");
        return false;
    }
    x->settings.workers = jobs > 0 ? (unsigned)jobs : 1;
    if (isatty(STDERR_FILENO) && !x->quiet)
        x->settings.progress = show_progress;
    x->settings.replay = (struct replay_settings){.program = args->program,
                                                  .libraries = x->folder,
                                                  .timeout = (unsigned)timeout,
                                                  .longest = patience_longest((unsigned)timeout),
                                                  .grounds = true,
                                                  .stop = &stopped};
    return true;
}

/* On rank 0, which is the only one where there is no MPI: the exploration, and what it found. */
static int lead(struct exploring *x, unsigned *lost)
{
    struct exploration found;
    struct error err;
    enum status status;
    char last[4200];
    int result;

    status = x->every_order ? explore_every_order(&x->settings, &found, &x->tries, &err)
                            : explore(&x->settings, &found, &err);
    if (x->settings.progress)
        fputs("\r\033[K", stderr);
    *lost = found.lost;
    snprintf(last, sizeof last, "%s/run.htr", x->directory); /* of the last run, which showed nothing new */
    unlink(last);
    if (status == HEDDLE_OK)
        status = write_schedules(x, &found, &err);
    if (status == HEDDLE_OK) {
        (x->json ? tell_json : tell_text)(x, &found);
        result = judge(&found);
    } else {
        result = complain("%s", err.text);
    }
    exploration_free(&found);
    return result;
}

static int serve(struct exploring *x)
{
    struct exploration none;
    struct error err;

    if (!x->every_order)
        explore(&x->settings, &none, &err);
    return EXIT_SUCCESS;
}

static int run(const struct command *self, const struct arguments *args)
{
    struct exploring x = {0};
    struct crew_ranks ranks;
    struct error err;
    unsigned lost = 0;
    int result;

    if (!args->program || !args->program[0])
        return complain("explore: no program given: heddle explore -- PROGRAM ARGUMENTS");
    if (!read_options(self, args, &x))
        return EXIT_ERROR;
    x.settings.java = is_java(args->program[0]);
    if (x.settings.java && strcmp(basename(args->program[0]), "java") != 0)
        return complain("explore: a Java program must be started by `java` itself, not by %s",
                        args->program[0]);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = stop}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = stop}, NULL);
    ranks_guard(print_note);
    if (ranks_join(&ranks, x.folder, &err) != HEDDLE_OK ||
        (ranks.rank == 0 && replay_input(&x.settings.replay.input_fd, print_note, &err) != HEDDLE_OK) ||
        ranks_share_input(&ranks, &x.settings.replay.input_fd, &err) != HEDDLE_OK)
        return complain("explore: %s", err.text);
    if (ranks.rank == 0 && mkdir(x.directory, 0777) != 0 && errno != EEXIST)
        return complain("%s: %s", x.directory, strerror(errno));
    x.settings.ranks = &ranks;
    result = ranks.rank == 0 ? lead(&x, &lost) : serve(&x);
    close(x.settings.replay.input_fd);
    fflush(stdout);
    ranks_leave(&ranks, lost, result);
    return result;
}

const struct command command_explore = {
    .name = "explore",
    .operands = "",
    .summary = "runs every behaviour of a program that the scheduler can cause",
    .description =
        "Runs PROGRAM again and again, each time along a schedule in which some read gets its value from a "
        "write that no earlier run combined with the rest, until every combination was run once. Reports the "
        "outcomes and writes a schedule for each, for `heddle replay --script`. Exits with 0 if all behaviours "
        "were explored and the outcome is always the same, with 2 if there are several outcomes, one is a "
        "crash, a failed assertion, a deadlock or a hang, or a trace shows a problem, with 3 if none of these "
        "was found but the exploration is not complete.",
    .options = options,
    .takes_program = true,
    .run = run,
};
