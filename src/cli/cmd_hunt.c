/* heddle hunt: runs a program along what is predicted, again and again, until time is up or nothing is left. */
#include "base/clock.h"
#include "base/memory.h"
#include "cli/checking.h"
#include "cli/hunt_each.h"
#include "cli/hunt_tell.h"
#include "crew/crew.h"
#include "hunt/hunt.h"
#include "hunt/isolate.h"
#include "record/java_program.h"
#include "record/patience.h"
#include "record/program.h"
#include "report/report.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option options[] = {
    {"for", 0, "TIME", NULL, "Hunts for at most TIME: 60s, 5m, 1h; 60s if not given. 0 means no limit."},
    {"runs", 0, "N", NULL,
     "Stops searching after N runs; making schedules shorter takes more. 0, or if not given: no limit."},
    {"jobs", 'j', "N", NULL,
     "Makes N runs in parallel, under MPI on each rank; 1 if not given. The search is the same for every N."},
    {"each", 0, NULL, NULL,
     "PROGRAM is ctest, pytest, or made with GoogleTest or Catch2: hunts each of its test cases, within an "
     "equal share of "
     "the time, in a folder of its own under DIR, and writes DIR/junit.xml."},
    {"stop-at-first", 0, NULL, NULL, "Stops at the first problem that happens."},
    {"output", 'o', "DIR", NULL, "Keeps traces, reports and schedules in DIR instead of heddle-hunt."},
    {"isolate", 0, "DIR", NULL,
     "Makes each run in a copy of DIR, with a TMPDIR of its own; both are removed after it. If not given, runs "
     "share the working folder."},
    {"net", 0, NULL, NULL,
     "Gives each run a network of its own, with nothing but a loopback device: for programs that listen on "
     "ports."},
    {"seed", 0, "N", NULL, "Seeds all choices; drawn and printed if not given."},
    {"timeout", 0, "SECONDS", NULL,
     "Ends a run that takes longer and counts it as a hang; 10 if not given, 120 for build tools such as mvn. "
     "Time in which the program got no processor does not count."},
    {"budget", 0, "N", NULL,
     "Gives up on a candidate, as undecided, after N choices (default 1000: many runs find more than one run "
     "that is checked in full)."},
    {"fail-on", 0, "NAME,…", "problems " PROPERTY_WORDS " all",
     "Which findings give exit status 2. Default: problems, which is every finding but notes. nondet and final "
     "make "
     "notes count, too; names of other properties restrict problems to those; observed stands for what "
     "happened."},
    CONFIG_OPTION,
    {"format", 0, "FORMAT", "text json", "Format of the result: text (default) or json."},
    {"quiet", 'q', NULL, NULL, "Prints nothing but errors; see the exit status and DIR for the result."},
    {0},
};

enum { BUDGET = 1000, SECONDS = 60, BUILD_SECONDS = 120 };

static stop_flag stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = true;
}

static void show_progress(const struct hunt *h, const struct hunt_settings *settings)
{
    size_t problems = hunt_count(h, PROBLEM_HAPPENED) + hunt_count(h, PROBLEM_PREDICTED);
    double seconds = h->runs[h->runs_count - 1].second, left = settings->seconds - seconds;

    fprintf(stderr, "\r\033[K%zu runs, %.1f runs/s, %zu problem%s, %llu pairs of places", h->runs_count,
            seconds > 0 ? (double)h->runs_count / seconds : 0, problems, problems == 1 ? "" : "s",
            (unsigned long long)h->cover_count[COVER_PAIRS]);
    if (settings->most_runs)
        fprintf(stderr, ", of %llu runs", (unsigned long long)settings->most_runs);
    if (settings->seconds > 0)
        fprintf(stderr, ", %.0f s left", left > 0 ? left : 0);
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

static enum status write_file(const struct hunt *h, const struct hunt_settings *s, const char *name,
                              void (*put)(const struct hunt *, const struct hunt_settings *, FILE *),
                              struct error *err)
{
    char path[4200];
    FILE *to;

    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    to = fopen(path, "w");
    if (!to)
        return fail(err, HEDDLE_IO, "%s: %s", path, strerror(errno));
    errno = 0;
    put(h, s, to);
    bool failed = fflush(to) != 0 || ferror(to);
    int why = errno;
    if (fclose(to) != 0 || failed)
        return fail(err, HEDDLE_IO, "%s: %s", path, strerror(failed && why ? why : errno));
    return HEDDLE_OK;
}

static enum status write_files(const struct hunt *h, const struct hunt_settings *s, struct error *err)
{
    enum status status = write_file(h, s, "hunt.json", hunt_put_json, err);

    return status == HEDDLE_OK ? write_file(h, s, "hunt.html", hunt_put_page, err) : status;
}

/* What is known so far goes to the disk, if that takes a small part of the time: it is left if this process is killed. The whole file
 * takes the place of the one before. */
static void keep_so_far(const struct hunt *h, const struct hunt_settings *s)
{
    enum { SHARE = 20 };
    static double started, ended;
    static size_t known;
    char path[4200], done[4200];
    struct hunt view = *h;
    struct error err;

    if (h->problems_count == known || seconds_now() - ended < SHARE * (ended - started))
        return;
    known = h->problems_count;
    started = seconds_now();
    view.over = OVER_NOT;
    view.seconds = started - h->started;
    view.problems = memory_new(known, sizeof *view.problems);
    memcpy(view.problems, h->problems, known * sizeof *view.problems);
    hunt_sort(&view);
    snprintf(path, sizeof path, "%s/hunt.json.new", s->folder);
    snprintf(done, sizeof done, "%s/hunt.json", s->folder);
    if (write_file(&view, s, "hunt.json.new", hunt_put_json, &err) != HEDDLE_OK || rename(path, done) != 0)
        unlink(path); /* it is written again at the end, which says what is wrong */
    free(view.problems);
    ended = seconds_now();
}

static void after_run(const struct hunt *h, const struct hunt_settings *s)
{
    if (isatty(STDERR_FILENO) && !s->silent)
        show_progress(h, s);
    keep_so_far(h, s);
}

static bool counts(const struct hunt_problem *p, const struct fail_on *fail_on)
{
    uint32_t property = p->kind == PROBLEM_HAPPENED ? PROPERTY_OBSERVED : p->property;

    if (p->kind == PROBLEM_NOTE || fail_on->also[property])
        return fail_on->also[property];
    return !fail_on->restricted || fail_on->only[property];
}

static int judge(const struct hunt *h, const struct fail_on *fail_on)
{
    for (size_t i = 0; i < h->problems_count; i++)
        if (counts(&h->problems[i], fail_on))
            return EXIT_FINDINGS;
    return hunt_is_complete(h) ? EXIT_NOTHING_FOUND : EXIT_INCOMPLETE;
}

/* What the project accepts, and what counts. False after a complaint. */
static bool read_verdict(const struct command *self, const struct arguments *args, struct hunt_settings *s,
                         struct fail_on *fail_on)
{
    const struct config *config = configured(self, args);
    const char *list = argument_of(self, args, "fail-on");

    *fail_on = (struct fail_on){0};
    if (!config)
        return false;
    s->suppressions[0] = config->files.entries_count > 0 ? &config->files : NULL;
    s->suppressions[1] = config->suppressions.entries_count > 0 ? &config->suppressions : NULL;
    list = list ? list : config->fail_on;
    return !list || parse_fail_on(self->name, list, fail_on);
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
    s->isolate = argument_of(self, args, "isolate");
    s->network = argument_of(self, args, "net") != NULL;
    s->workers = jobs > 0 ? (unsigned)jobs : 1;
    s->java = is_java(args->program[0]);
    if (s->java && !is_machine(args->program[0]) && !argument_of(self, args, "timeout"))
        timeout = BUILD_SECONDS;
    s->replay = (struct replay_settings){.program = args->program,
                                         .libraries = libraries,
                                         .timeout = (unsigned)timeout,
                                         .longest = patience_longest((unsigned)timeout),
                                         .grounds = true};
    return true;
}

static bool make_folder(const char *folder)
{
    struct stat there;

    if (mkdir(folder, 0777) == 0)
        return true;
    if (errno == EEXIST && stat(folder, &there) == 0 && !S_ISDIR(there.st_mode))
        errno = ENOTDIR;
    if (errno == EEXIST)
        return true;
    complain("%s: %s", folder, strerror(errno));
    return false;
}

/* Whole paths, for as long as the command runs. */
struct whole_paths {
    char folder[PATH_MAX], program[PATH_MAX], isolate[PATH_MAX];
};

/* Runs work elsewhere: paths relative to the working folder become absolute. False after a complaint. */
static bool make_absolute(struct hunt_settings *s, char **program, struct whole_paths *to)
{
    struct stat about;

    if (strchr(program[0], '/') && realpath(program[0], to->program))
        program[0] = to->program;
    if (stat(s->isolate, &about) != 0 || !S_ISDIR(about.st_mode) || !realpath(s->isolate, to->isolate)) {
        complain("hunt: --isolate=%s: is no folder", s->isolate);
        return false;
    }
    if (!realpath(s->folder, to->folder)) {
        complain("%s: %s", s->folder, strerror(errno));
        return false;
    }
    s->isolate = to->isolate;
    s->folder = to->folder;
    return true;
}

/* Makes sure that runs can be kept apart as asked for; false after a complaint. */
static bool prepare_isolation(struct hunt_settings *s, char **program, struct whole_paths *to)
{
    struct error err;

    if (s->network && isolate_network_allowed(&err) != HEDDLE_OK) {
        complain("hunt: --net: %s", err.text);
        return false;
    }
    return !s->isolate || make_absolute(s, program, to);
}

/* What the hunt found, told in all ways that are asked for; the exit status. */
static int tell(struct hunt *hunt, const struct hunt_settings *settings, const struct fail_on *fail_on,
                const char *format, bool quiet)
{
    struct error err;

    hunt_rank(hunt);
    bool written = write_files(hunt, settings, &err) == HEDDLE_OK;
    if (format && strcmp(format, "json") == 0)
        hunt_put_json(hunt, settings, stdout);
    else if (!quiet)
        hunt_tell_text(hunt, settings);
    fflush(stdout);
    return written ? judge(hunt, fail_on) : complain("%s", err.text);
}

static void remove_file(const struct hunt_settings *s, const char *name)
{
    char path[4200];

    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    unlink(path);
}

/* On rank 0, which is the only one where there is no MPI: the hunt, and what it found. */
static int lead(struct hunt_settings *settings, const struct fail_on *fail_on, const char *format, bool quiet,
                unsigned *lost)
{
    struct hunt hunt;
    struct error err;
    enum status status;
    int result;

    settings->silent = quiet;
    remove_file(settings, "hunt.json"); /* of an earlier hunt */
    remove_file(settings, "hunt.html");
    status = hunt_program(settings, &hunt, after_run, &err);
    if (isatty(STDERR_FILENO) && !quiet)
        fputs("\r\033[K", stderr);
    *lost = hunt.lost;
    result = status == HEDDLE_OK ? tell(&hunt, settings, fail_on, format, quiet) : complain("%s", err.text);
    hunt_free(&hunt);
    return result;
}

static int serve(struct hunt_settings *settings)
{
    struct hunt hunt;
    struct error err;

    hunt_program(settings, &hunt, NULL, &err);
    return EXIT_SUCCESS;
}

static int run(const struct command *self, const struct arguments *args)
{
    bool quiet = argument_of(self, args, "quiet") != NULL;
    const char *format = argument_of(self, args, "format");
    struct hunt_settings settings;
    struct crew_ranks ranks;
    struct whole_paths paths;
    struct fail_on fail_on;
    struct error err;
    char libraries[4096];
    unsigned lost = 0;
    int result;

    if (!args->program || !args->program[0])
        return complain("hunt: no program given: heddle hunt -- PROGRAM ARGUMENTS");
    if (format && strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        return complain("hunt: --format: expected text or json, not %s", format);
    if (!read_options(self, args, &settings, libraries, sizeof libraries) ||
        !read_verdict(self, args, &settings, &fail_on) || !make_folder(settings.folder) ||
        !prepare_isolation(&settings, args->program, &paths))
        return EXIT_ERROR;
    if (argument_of(self, args, "each"))
        return hunt_each(self, args, settings.seconds, settings.folder);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = stop}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = stop}, NULL);
    ranks_guard(print_note);
    if (ranks_join(&ranks, libraries, &err) != HEDDLE_OK ||
        (ranks.rank == 0 && replay_input(&settings.replay.input_fd, print_note, &err) != HEDDLE_OK) ||
        ranks_share_input(&ranks, &settings.replay.input_fd, &err) != HEDDLE_OK)
        return complain("hunt: %s", err.text);
    settings.ranks = &ranks;
    result = ranks.rank == 0 ? lead(&settings, &fail_on, format, quiet, &lost) : serve(&settings);
    close(settings.replay.input_fd);
    fflush(stdout);
    ranks_leave(&ranks, lost, result);
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
