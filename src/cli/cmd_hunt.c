/* heddle hunt: runs a program along what is predicted, again and again, until time is up or nothing is left. */
#include "base/memory.h"
#include "cli/command.h"
#include "hunt/hunt.h"
#include "record/java_program.h"
#include "record/program.h"
#include "report/json/json_out.h"
#include "report/report.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option options[] = {
    {"for", 0, "TIME", NULL, "Hunts for at most TIME: 60s, 5m, 1h; 60s if not given. 0 means no limit."},
    {"runs", 0, "N", NULL, "Stops after N runs."},
    {"jobs", 'j', "N", NULL, "Makes N runs in parallel; 1 if not given."},
    {"stop-at-first", 0, NULL, NULL, "Stops at the first problem that happens."},
    {"output", 'o', "DIR", NULL, "Keeps traces, reports and schedules in DIR instead of heddle-hunt."},
    {"seed", 0, "N", NULL, "Seeds all choices; drawn and printed if not given."},
    {"timeout", 0, "SECONDS", NULL, "Ends a run that takes longer and counts it as a hang; 10 if not given."},
    {"budget", 0, "N", NULL, "Gives up on a candidate, as undecided, after N choices (default 20000)."},
    {"format", 0, "FORMAT", "text json", "Format of the result: text (default) or json."},
    {"quiet", 'q', NULL, NULL, "Prints nothing but errors; see the exit status and DIR for the result."},
    {0},
};

enum { BUDGET = 20000, SECONDS = 60, NOTES_SHOWN = 5 };

static stop_flag stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = true;
}

static void show_progress(const struct hunt *h, const struct hunt_settings *settings)
{
    size_t problems = 0;

    for (size_t i = 0; i < h->problems_count; i++)
        problems += h->problems[i].kind != PROBLEM_NOTE;
    fprintf(stderr, "\r\033[K%zu runs, %zu problem%s, %llu pairs of places", h->runs_count, problems,
            problems == 1 ? "" : "s", (unsigned long long)h->pair_count);
    if (settings->most_runs)
        fprintf(stderr, ", of %llu runs", (unsigned long long)settings->most_runs);
}

/* "60", "60s", "5m", "1h" in seconds; false after a complaint. */
static bool parse_time(const char *text, double *seconds)
{
    char *end;
    double number = strtod(text, &end), unit = *end == 'm' ? 60 : *end == 'h' ? 3600 : 1;

    if (end == text || !(number >= 0) || number > 1e9 || (*end && (!strchr("smh", *end) || end[1]))) {
        complain("hunt: --for=%s: expected a time like 60s, 5m or 1h", text);
        return false;
    }
    *seconds = number * unit;
    return true;
}

static const char *over_words(enum hunt_over over)
{
    switch (over) {
    case OVER_TIME:
        return "the time was up";
    case OVER_RUNS:
        return "the number of runs was reached";
    case OVER_FIRST:
        return "a problem happened";
    case OVER_STOPPED:
        return "it was interrupted";
    default:
        return "nothing new came up: every prediction was run, and 64 more schedules showed nothing new. This "
               "does not prove that nothing else can happen";
    }
}

static void id_of(const struct hunt *h, size_t i, char *to, size_t room)
{
    size_t number = 0;

    for (size_t k = 0; k <= i; k++)
        number += h->problems[k].kind == h->problems[i].kind;
    snprintf(to, room, "%c%zu", "HPN"[h->problems[i].kind], number);
}

static void put_line(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put_line(struct buffer *b, const char *format, ...)
{
    char line[2400];
    va_list list;

    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    buffer_safe(b, line);
    buffer_text(b, "\n");
}

/* What the run that showed the problem followed, if that was a finding. */
static void put_cause(struct buffer *b, const struct hunt *h, uint32_t run)
{
    const struct hunt_job *job = NULL;

    for (size_t i = 0; i < h->runs_count; i++)
        if (h->runs[i].job.run == run && h->runs[i].job.kind == JOB_FINDING)
            job = &h->runs[i].job;
    for (size_t i = 0; job && i < h->problems_count; i++) {
        const struct hunt_problem *p = &h->problems[i];
        char id[24];
        if (p->run != job->parent || strcmp(p->id, job->finding) != 0)
            continue;
        id_of(h, i, id, sizeof id);
        put_line(b, "    run %u followed %s: %s%s%s", run, id, p->title, *p->place ? ", at " : "", p->place);
    }
}

static void put_problem(struct buffer *b, const struct hunt *h, const struct hunt_settings *s,
                        const char *command, size_t i)
{
    const struct hunt_problem *p = &h->problems[i];
    char id[24];

    id_of(h, i, id, sizeof id);
    buffer_text(b, "\n");
    put_line(b, "%s  %s", id, p->title);
    if (p->kind == PROBLEM_HAPPENED) {
        put_line(b, "    happened in %llu of %zu runs, first in run %u", (unsigned long long)p->times,
                 h->runs_count, p->run);
        put_cause(b, h, p->run);
        put_line(b, "    heddle replay %s %s -- %s", s->folder, id, command);
        return;
    }
    put_line(b, "    predicted from %llu run%s, first from run %u (%s)", (unsigned long long)p->times,
             p->times == 1 ? "" : "s", p->run, p->id);
    if (p->confirmed)
        put_line(b, "    a run along its schedule showed it; outcome: %s", p->outcome);
    else if (*p->outcome)
        put_line(b, "    a run along its schedule did not show it: %s", p->outcome);
    put_line(b, "    heddle replay %s %s -- %s", s->folder, id, command);
}

static size_t count_kind(const struct hunt *h, enum problem_kind kind)
{
    size_t count = 0;

    for (size_t i = 0; i < h->problems_count; i++)
        count += h->problems[i].kind == kind;
    return count;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void tell_text(const struct hunt *h, const struct hunt_settings *s)
{
    size_t happened = count_kind(h, PROBLEM_HAPPENED), predicted = count_kind(h, PROBLEM_PREDICTED),
           notes = count_kind(h, PROBLEM_NOTE), shown = 0;
    char *command = program_command_line(s->replay.program);
    struct buffer b = {0};

    put_line(&b,
             "%zu run%s in %.1f s (seed %llu): %zu problem%s that happened, %zu predicted, %zu note%s; %llu "
             "pairs of places",
             h->runs_count, plural(h->runs_count), h->seconds, (unsigned long long)s->seed, happened,
             plural(happened), predicted, notes, plural(notes), (unsigned long long)h->pair_count);
    put_line(&b, "The hunt ended because %s.", over_words(h->over));
    if (h->diverged)
        put_line(&b, "%llu runs left their schedule; their results count all the same.",
                 (unsigned long long)h->diverged);
    if (h->failed)
        put_line(&b, "%llu runs failed to start or to be recorded; the first because: %s",
                 (unsigned long long)h->failed, h->failure);
    if (h->undecided)
        put_line(&b, "%llu runs were not checked in full.", (unsigned long long)h->undecided);
    if (h->outputs_vary)
        put_line(&b, "The same schedule gives different output each time, so outputs are not compared.");
    for (size_t i = 0; i < h->problems_count; i++) {
        if (h->problems[i].kind == PROBLEM_NOTE && shown++ >= NOTES_SHOWN)
            continue;
        put_problem(&b, h, s, command, i);
    }
    if (notes > NOTES_SHOWN)
        put_line(&b, "\nand %zu more notes, in %s/hunt.json", notes - NOTES_SHOWN, s->folder);
    buffer_flush(&b, stdout);
    buffer_free(&b);
    free(command);
}

static void json_problem(struct json_out *o, const struct hunt *h, const struct hunt_settings *s, size_t i)
{
    static const char *const kinds[] = {"happened", "predicted", "note"};
    const struct hunt_problem *p = &h->problems[i];
    char id[24], path[4200];

    id_of(h, i, id, sizeof id);
    json_line(o, 4);
    json_object_open(o, NULL);
    json_text(o, "id", id);
    json_text(o, "kind", kinds[p->kind]);
    json_text(o, "title", p->title);
    json_text(o, "place", p->place);
    json_count(o, "run", p->run);
    json_count(o, "runs", p->times);
    if (p->kind == PROBLEM_HAPPENED) {
        snprintf(path, sizeof path, "%s/run-%u.schedule", s->folder, p->run);
        json_text(o, "schedule", path);
    } else {
        json_text(o, "property", property_title((enum property)p->property));
        snprintf(path, sizeof path, "%s/run-%u.json", s->folder, p->run);
        json_text(o, "report", path);
        json_text(o, "finding", p->id);
        json_flag(o, "confirmed", p->confirmed);
        if (*p->outcome)
            json_text(o, "outcome", p->outcome);
    }
    json_close(o);
}

static void json_run(struct json_out *o, const struct hunted_run *r)
{
    static const char *const kinds[] = {"free", "repeat", "finding"};

    json_line(o, 4);
    json_object_open(o, NULL);
    json_count(o, "run", r->job.run);
    json_text(o, "kind", kinds[r->job.kind]);
    if (r->job.kind == JOB_FREE)
        json_count(o, "seed", r->job.seed);
    if (r->job.kind == JOB_FINDING) {
        json_count(o, "of", r->job.parent);
        json_text(o, "finding", r->job.finding);
    }
    json_text(o, "outcome", r->end.words);
    json_flag(o, "diverged", r->end.diverged);
    json_count(o, "events", r->end.events);
    json_count(o, "new_problems", r->problems);
    json_count(o, "new_pairs", r->pairs);
    json_close(o);
}

static void put_json(const struct hunt *h, const struct hunt_settings *s, FILE *to)
{
    static const char *const over[] = {"time", "runs", "first", "stopped", "nothing new"};
    struct json_out o = {.to = to, .spaced = true};

    json_object_open(&o, NULL);
    json_text(&o, "format", "heddle-hunt");
    json_count(&o, "version", 1);
    json_line(&o, 2);
    json_count(&o, "seed", s->seed);
    json_seconds(&o, "seconds", h->seconds);
    json_text(&o, "over", over[h->over]);
    json_count(&o, "pairs", h->pair_count);
    json_flag(&o, "outputs_vary", h->outputs_vary);
    json_line(&o, 2);
    json_array_open(&o, "problems");
    for (size_t i = 0; i < h->problems_count; i++)
        json_problem(&o, h, s, i);
    json_close(&o);
    json_line(&o, 2);
    json_array_open(&o, "runs");
    for (size_t i = 0; i < h->runs_count; i++)
        json_run(&o, &h->runs[i]);
    json_close(&o);
    json_line(&o, 0);
    json_close(&o);
    json_end(&o);
    fputc('\n', to);
}

static enum status write_files(const struct hunt *h, const struct hunt_settings *s, struct error *err)
{
    char path[4200];
    FILE *to;

    snprintf(path, sizeof path, "%s/hunt.json", s->folder);
    to = fopen(path, "w");
    if (!to)
        return fail(err, HEDDLE_IO, "%s: %s", path, strerror(errno));
    put_json(h, s, to);
    if (fclose(to) != 0)
        return fail(err, HEDDLE_IO, "%s: %s", path, strerror(errno));
    return HEDDLE_OK;
}

static int judge(const struct hunt *h)
{
    if (count_kind(h, PROBLEM_HAPPENED) + count_kind(h, PROBLEM_PREDICTED) > 0)
        return EXIT_FINDINGS;
    return h->over == OVER_STOPPED || h->undecided > 0 || h->failed > 0 ? EXIT_INCOMPLETE : EXIT_NOTHING_FOUND;
}

static bool read_options(const struct command *self, const struct arguments *args, struct hunt_settings *s,
                         char *libraries, size_t room)
{
    const char *time = argument_of(self, args, "for"), *folder = argument_of(self, args, "output");
    uint64_t timeout = 10, jobs = 1;

    *s =
        (struct hunt_settings){.seconds = SECONDS, .stop = &stopped, .folder = folder ? folder : "heddle-hunt"};
    s->check.budget = BUDGET;
    for (enum property p = 0; p < PROPERTIES; p++)
        s->check.properties[p] = property_traits(p)->by_default;
    s->stop_at_first = argument_of(self, args, "stop-at-first") != NULL;
    if ((time && !parse_time(time, &s->seconds)) ||
        !argument_number(self, args, "runs", UINT32_MAX, &s->most_runs) ||
        !argument_number(self, args, "jobs", 256, &jobs) ||
        !argument_number(self, args, "budget", INT64_MAX, &s->check.budget) ||
        !argument_number(self, args, "timeout", 1u << 30, &timeout) || !runtime_folder(libraries, room))
        return false;
    if (getrandom(&s->seed, sizeof s->seed, 0) != sizeof s->seed)
        s->seed = (uint64_t)getpid();
    s->seed %= 1000000;
    if (!argument_number(self, args, "seed", UINT32_MAX, &s->seed))
        return false;
    s->workers = jobs > 0 ? (unsigned)jobs : 1;
    s->java = is_java(args->program[0]);
    s->replay = (struct replay_settings){
        .program = args->program, .libraries = libraries, .timeout = (unsigned)timeout};
    return true;
}

static bool make_folder(const char *folder)
{
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return true;
    complain("%s: %s", folder, strerror(errno));
    return false;
}

static int run(const struct command *self, const struct arguments *args)
{
    bool quiet = argument_of(self, args, "quiet") != NULL;
    const char *format = argument_of(self, args, "format");
    struct hunt_settings settings;
    struct hunt hunt;
    struct error err;
    char libraries[4096];
    int result;

    if (!args->program || !args->program[0])
        return complain("hunt: no program given: heddle hunt -- PROGRAM ARGUMENTS");
    if (format && strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        return complain("hunt: --format: expected text or json, not %s", format);
    if (!read_options(self, args, &settings, libraries, sizeof libraries) || !make_folder(settings.folder))
        return EXIT_ERROR;
    if (replay_input(&settings.replay.input_fd, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = stop}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = stop}, NULL);
    if (hunt_program(&settings, &hunt, isatty(STDERR_FILENO) && !quiet ? show_progress : NULL, &err) !=
        HEDDLE_OK) {
        hunt_free(&hunt);
        return complain("%s", err.text);
    }
    if (isatty(STDERR_FILENO) && !quiet)
        fputs("\r\033[K", stderr);
    hunt_rank(&hunt);
    if (write_files(&hunt, &settings, &err) != HEDDLE_OK) {
        result = complain("%s", err.text);
    } else {
        if (format && strcmp(format, "json") == 0)
            put_json(&hunt, &settings, stdout);
        else if (!quiet)
            tell_text(&hunt, &settings);
        result = judge(&hunt);
    }
    hunt_free(&hunt);
    close(settings.replay.input_fd);
    return result;
}

const struct command command_hunt = {
    .name = "hunt",
    .operands = "",
    .summary = "runs a program along predicted schedules to make its bugs happen",
    .description =
        "Records PROGRAM, checks the trace, and then repeatedly runs the program along the most promising "
        "schedule: predicted problems first, then reads that can see another write, with free runs under other "
        "seeds in between. It records and checks each run and merges the results: problems that happened "
        "(crashes, failed assertions, deadlocks, hangs, other exit statuses, other output) and problems that "
        "are predicted, each with the trace and the schedule that shows it.",
    .options = options,
    .takes_program = true,
    .run = run,
};
