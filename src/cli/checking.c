/* Checks a trace for a command: load, build, decide, group, mark. */
#include "cli/checking.h"
#include "base/clock.h"
#include "base/memory.h"
#include "cli/memory_budget.h"
#include "cli/progress.h"
#include "record/patience.h"
#include "replay/confirm.h"
#include "report/arrange.h"
#include "report/group.h"
#include "trace/htr.h"
#include "trace/match.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

stop_flag check_stop_asked;

static stop_flag replay_stop_asked; /* by the user alone: the end of the time ends the check, not the replays */

static void ask_to_stop(int signal)
{
    check_stop_asked = true;
    if (signal == SIGINT)
        replay_stop_asked = true;
}

void checking_catch_interrupt(void)
{
    struct sigaction interrupt = {.sa_handler = ask_to_stop, .sa_flags = SA_RESTART};

    sigaction(SIGINT, &interrupt, NULL);
}

void checking_limit_time(uint64_t seconds)
{
    struct itimerval limit = {.it_value = {.tv_sec = (time_t)seconds}};
    struct sigaction alarm = {.sa_handler = ask_to_stop};

    if (seconds == 0)
        return;
    sigaction(SIGALRM, &alarm, NULL);
    setitimer(ITIMER_REAL, &limit, NULL);
}

static void tell_progress(void *context, uint64_t accesses)
{
    progress_add(context, accesses);
}

static void run_check(struct checking *c, struct check_request *r)
{
    const struct model *m = &c->model;
    struct results *results = &c->results;
    struct sigaction interrupt = {.sa_handler = ask_to_stop}, old;
    struct progress *progress = progress_start("accesses", m->access_start[m->variable_count]);

    r->check.index = c->index;
    r->check.progress = tell_progress;
    r->check.progress_context = progress;
    sigaction(SIGINT, &interrupt, &old);
    checking_limit_time(r->seconds);
    memory_budget_check(&check_stop_asked);
    method_run(r->method, m, &r->check, &check_stop_asked, results);
    if (memory_budget_end())
        remark("the check was ended because it used more than the %" PRIu64
               " MB of memory that --memory allows; this is what was decided so far",
               r->memory >> 20);
    sigaction(SIGINT, &old, NULL);
    progress_end(progress);
    group_findings(results, m->trace);
    if (!r->deterministic) {
        findings_merge_reads(results, m->trace);
        findings_drop_idle(results, m->trace);
        findings_drop_owner_counts(results, m->trace);
    }
}

/* A thread that is forked under a name other than that of its events loses its order: warns, or repairs it
 * if asked. */
static enum status match_threads(struct trace *trace, const struct check_request *r, const char *path,
                                 struct error *err)
{
    struct thread_match match;

    if (r->match_threads)
        return trace_match_threads(trace, path, err);
    if (trace_mismatched_thread(trace, &match))
        complain("warning: %s: thread %.80s is forked or joined but has no events, and %.80s has events but "
                 "nobody forks it; if they are the same thread, use --threads=match",
                 path, trace_name(trace, NAME_THREAD, match.forked),
                 trace_name(trace, NAME_THREAD, match.meant));
    return HEDDLE_OK;
}

static void make_index(void *checking)
{
    struct checking *c = checking;

    c->index = certify_index_new(&c->trace);
}

enum status checking_load(struct checking *c, const struct check_request *r, const char *path,
                          struct error *err)
{
    double start = seconds_now();
    struct model_options how = method_model(r->method, &r->check);

    if (r->limits.window > 0 && htr_count(path) == 0)
        return fail(err, HEDDLE_BAD_USAGE,
                    "%s: --window needs a native trace that is not compressed; heddle convert makes one", path);
    memory_budget_foresee(path, r->limits.window);
    enum status status = trace_load_limited(&c->trace, path, &r->limits, err);

    if (status == HEDDLE_OK)
        status = match_threads(&c->trace, r, path, err);
    if (status == HEDDLE_OK)
        memory_budget_require(&c->trace);
    c->results.load_seconds = seconds_now() - start;
    start = seconds_now();
    how.meanwhile = r->method == METHOD_EXACT ? make_index : NULL;
    how.context = c;
    if (status == HEDDLE_OK)
        status = model_build_with(&c->model, &c->trace, how, err);
    c->results.model_seconds = seconds_now() - start;
    if (status != HEDDLE_OK)
        trace_free(&c->trace);
    return status;
}

static void tell_replays(size_t done, size_t all)
{
    if (!isatty(STDERR_FILENO))
        return;
    if (done < all)
        fprintf(stderr, "\rreplayed %zu of %zu", done, all);
    else
        fprintf(stderr, "\r%40s\r", "");
}

static unsigned suppression_effect(enum change change)
{
    return change == CHANGE_NONE     ? EFFECT_NONE
           : change == CHANGE_VALUES ? EFFECT_VALUES
           : change == CHANGE_OUTPUT ? EFFECT_OUTPUT
                                     : EFFECT_FAILED;
}

/* Replays what was found with the program. */
static enum status confirm_findings(struct checking *c, const struct check_request *r, const char *path,
                                    struct error *err)
{
    struct replay_settings settings = {.program = r->confirm,
                                       .libraries = r->libraries,
                                       .timeout = 60,
                                       .longest = patience_longest(60),
                                       .stop = &replay_stop_asked};
    struct certify_options options = {.values_ignore = r->check.values_ignore,
                                      .grounds_ignore = r->check.grounds_ignore,
                                      .atomic_locks = r->check.atomic_locks};
    struct replay_case replay;
    enum status status;

    if (c->results.found.findings_count == 0)
        return HEDDLE_OK;
    status = replay_open(&replay, path, &settings, false, &options, err);
    if (status == HEDDLE_OK) {
        status = replay_confirm_all(&replay, &c->results.found, &c->replays, tell_replays, err);
        replay_close(&replay);
    }
    if (replay_stop_asked)
        fprintf(stderr,
                "heddle: note: interrupted; findings that were not replayed are not marked as confirmed\n");
    if (status == HEDDLE_STOPPED)
        status = HEDDLE_OK;
    c->notes = memory_new(c->results.found.findings_count, sizeof *c->notes);
    for (size_t i = 0; i < c->results.found.findings_count && c->replays; i++) {
        const struct replay_note *note = &c->replays[i];
        c->notes[i] =
            (struct finding_note){.confirmed = !note->outcome    ? CONFIRMED_UNKNOWN
                                               : note->confirmed ? CONFIRMED_YES
                                                                 : CONFIRMED_NO,
                                  .outcome = note->outcome,
                                  .effect = note->confirmed ? suppression_effect(note->change) : EFFECT_NONE};
    }
    return status;
}

enum status checking_run(struct checking *c, struct check_request *r, const char *path, struct error *err)
{
    memset(c, 0, sizeof *c);
    memory_budget_begin(r->memory);
    if (checking_load(c, r, path, err) != HEDDLE_OK) {
        memory_budget_end();
        return err->status;
    }
    if (r->confirm) /* what was found is reported even if replaying it is interrupted */
        checking_catch_interrupt();
    if (c->trace.note)
        remark("%s: %s", path, c->trace.note);
    run_check(c, r);
    if (r->confirm && confirm_findings(c, r, path, err) != HEDDLE_OK) {
        checking_end(c);
        return err->status;
    }
    marks_init(&c->marks, &c->results, &c->trace);
    if (r->config->files.entries_count > 0)
        marks_suppress(&c->marks, &r->config->files, &c->results, &c->trace);
    if (r->has_suppressions)
        marks_suppress(&c->marks, &r->suppressions, &c->results, &c->trace);
    else if (r->config->suppressions.entries_count > 0)
        marks_suppress(&c->marks, &r->config->suppressions, &c->results, &c->trace);
    if (r->has_baseline)
        marks_compare(&c->marks, r->baseline, r->baseline_count);
    findings_arrange(&c->results, &c->trace, &c->marks, c->notes, r->deterministic);
    return HEDDLE_OK;
}

void checking_end(struct checking *c)
{
    replay_notes_free(c->replays, c->results.found.findings_count);
    free(c->notes);
    marks_free(&c->marks);
    finding_list_free(&c->results.found);
    finding_list_free(&c->results.undecided);
    certify_index_free(c->index);
    model_free(&c->model);
    trace_free(&c->trace);
}

void checking_tell_stale(const struct checking *c)
{
    for (size_t i = 0; i < c->marks.stale_count; i++)
        remark("%s:%zu: unused suppression: no finding matches it", c->marks.suppressions, c->marks.stale[i]);
}

int checking_status(const struct checking *c, const struct check_request *r)
{
    return marks_exit_status(&c->marks, &c->results, &r->fail_on);
}
