/* What runs showed, put together: one problem for each fingerprint. */
#include "base/memory.h"
#include "hunt/hunt.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void hunt_free(struct hunt *h)
{
    for (size_t i = 0; i < h->plans_count; i++)
        hunt_report_free(&h->plans[i].report);
    free(h->plans);
    free(h->pairs);
    free(h->code);
    map_free(&h->pair);
    free(h->runs);
    free(h->problems);
    free(h->candidates);
    free(h->reads);
    map_free(&h->known);
    map_free(&h->candidate);
    map_free(&h->read);
    map_free(&h->along);
    map_free(&h->behaviours);
    map_free(&h->accepted);
    for (int i = 0; i < COVERAGES; i++)
        map_free(&h->covered[i]);
    memset(h, 0, sizeof *h);
}

/* The problem of that fingerprint, new or known; counts a run that shows it. */
static struct hunt_problem *problem_of(struct hunt *h, uint64_t fingerprint, bool *fresh)
{
    uint32_t *at = map_at(&h->known, fingerprint);

    *fresh = *at == 0;
    if (*fresh) {
        ARRAY_PUSH(h, problems, (struct hunt_problem){.fingerprint = fingerprint});
        *at = (uint32_t)h->problems_count;
    }
    h->problems[*at - 1].times++;
    return &h->problems[*at - 1];
}

static bool ended_badly(const struct hunt_end *end)
{
    return end->ending != ENDED_EXIT || end->status != 0;
}

/* What of the run's end is a problem, in words; false when nothing is. */
static bool describe_end(const struct hunt *h, const struct hunt_end *end, char *to, size_t room)
{
    bool placed = *end->place != '\0';

    if (end->cut)
        return false;
    switch ((enum ending)end->ending) {
    case ENDED_SIGNAL:
        snprintf(to, room, "Crash: %s", end->words);
        return true;
    case ENDED_ASSERTION:
        snprintf(to, room, "Failed assertion%s%s", placed ? ": " : "", end->place);
        return true;
    case ENDED_EXCEPTION:
        snprintf(to, room, "Uncaught exception: %s", end->place);
        return true;
    case ENDED_DEADLOCK:
        snprintf(to, room, "Deadlock: no thread could continue");
        return true;
    case ENDED_HANG:
        snprintf(to, room, "Hang: the run did not end in time");
        return true;
    case ENDED_EXIT:
        break;
    }
    if (end->status != 0)
        snprintf(to, room, "The program ended with exit status %d", end->status);
    else if (h->first_known && !h->outputs_vary && memcmp(end->sums, h->first_sums, sizeof h->first_sums) != 0)
        snprintf(to, room, "The output differs from that of the first run");
    else
        return false;
    return true;
}

/* A deadlock is known by where threads wait. A run that hangs is also known by the function in which the last step was made: the line in
 * it is chance. */
uint64_t hunt_end_fingerprint(const struct hunt_end *end)
{
    uint64_t key = (uint64_t)end->ending << 32 | (uint32_t)end->status;
    const char *function = strrchr(end->place, ' ');

    if (!ended_badly(end))
        return XXH3_64bits("output", 6);
    if (end->ending == ENDED_DEADLOCK && end->where)
        return XXH3_64bits_withSeed(&end->where, sizeof end->where, key + 1);
    if (end->ending == ENDED_HANG && function)
        return XXH3_64bits_withSeed(function, strlen(function), key + 1 + end->where);
    return XXH3_64bits_withSeed(end->place, strlen(end->place), key + 1);
}

static uint32_t merge_end(struct hunt *h, const struct hunt_job *job, const struct hunt_end *end)
{
    char words[700];
    bool fresh;

    if (!describe_end(h, end, words, sizeof words))
        return 0;
    struct hunt_problem *p = problem_of(h, hunt_end_fingerprint(end), &fresh);
    if (fresh) {
        p->kind = PROBLEM_HAPPENED;
        p->run = p->first_run = job->run;
        p->switches = p->first_switches = end->switches;
        p->ticks = end->ticks;
        p->confirmed = true;
        memcpy(p->title, words, sizeof p->title);
        snprintf(p->place, sizeof p->place, "%.299s", end->place);
        memcpy(p->waits, end->waits, sizeof p->waits);
        p->hang = end->ending == ENDED_HANG;
    }
    p->free_times += job->kind == JOB_FREE;
    return fresh;
}

/* Runs to be made along it. */
static int runs_along(const struct hunt_finding *f)
{
    return !f->has_schedule ? 0 : f->property == PROPERTY_RACE ? 2 : 1;
}

static void describe(struct hunt_problem *p, const struct hunt_job *job, const struct hunt_finding *f)
{
    p->fingerprint = f->fingerprint;
    p->severity = f->severity;
    p->property = f->property;
    p->source = f->source;
    p->run = p->first_run = job->run;
    p->switches = p->first_switches = f->switches;
    p->scheduled = f->has_schedule;
    p->left = runs_along(f);
    snprintf(p->title, sizeof p->title, "%s", f->title);
    snprintf(p->place, sizeof p->place, "%s", f->place);
    memcpy(p->id, f->id, sizeof p->id);
}

static uint32_t merge_finding(struct hunt *h, const struct hunt_job *job, const struct hunt_finding *f)
{
    bool fresh;

    if (f->property == PROPERTY_OBSERVED) /* the run's end says so */
        return 0;
    struct hunt_problem *p = problem_of(h, f->fingerprint, &fresh);
    if (fresh) {
        p->kind = f->problem ? PROBLEM_PREDICTED : PROBLEM_NOTE;
        describe(p, job, f);
    }
    if (!fresh && f->has_schedule && f->switches < (p->better_run ? p->better_switches : p->switches)) {
        p->better_run = job->run;
        p->better_switches = f->switches;
        memcpy(p->better_id, f->id, sizeof p->better_id);
    }
    p->observed_times += f->observed;
    if (f->observed && !p->observed_run) {
        p->observed_run = job->run;
        memcpy(p->observed_id, f->id, sizeof p->observed_id);
        if (job->kind == JOB_CANDIDATE && h->candidates[job->problem].fingerprint == f->fingerprint)
            p->towards = job->parent;
    }
    return fresh && f->problem;
}

/* A candidate that failed once is tried again from a few other runs. */
static void merge_candidate(struct hunt *h, const struct hunt_job *job, const struct hunt_finding *f)
{
    enum { BASES = 3 };
    uint32_t *at;

    if (map_get(&h->known, f->fingerprint)) /* it is certain already */
        return;
    at = map_at(&h->candidate, f->fingerprint);
    if (*at == 0) {
        ARRAY_PUSH(h, candidates, (struct hunt_problem){.kind = PROBLEM_CANDIDATE});
        *at = (uint32_t)h->candidates_count;
    }
    struct hunt_problem *c = &h->candidates[*at - 1];
    c->times++;
    if (c->left > 0 || c->bases >= BASES || runs_along(f) == 0)
        return;
    describe(c, job, f);
    c->bases++;
}

/* Reads that could see something else: one for each state of all threads. */
static void merge_read(struct hunt *h, const struct hunt_job *job, const struct hunt_finding *f)
{
    enum { READS_LEFT = 4096 };
    struct hunt_read read = {.mark = f->read, .source = f->source, .run = job->run};

    if (!f->has_schedule || h->reads_left >= READS_LEFT || (*map_at(&h->read, f->state))++ > 0)
        return;
    memcpy(read.id, f->id, sizeof read.id);
    memcpy(read.title, f->title, sizeof read.title);
    memcpy(read.place, f->place, sizeof read.place);
    ARRAY_PUSH(h, reads, read);
    h->reads_left++;
}

/* What came of running along a problem that was predicted, or towards a candidate. */
static void note_outcome(struct hunt_problem *p, const struct hunt_end *end)
{
    if (p->confirmed && !ended_badly(end)) /* the other order showed it, too, and perhaps more */
        return;
    p->confirmed |= end->ran && end->confirmed;
    snprintf(p->outcome, sizeof p->outcome, "%s", end->ran && end->diverged ? "diverged" : end->words);
}

bool hunted_something(const struct hunted_run *run)
{
    return run->problems > 0 || run->covered[COVER_PLACES] > 0 || run->covered[COVER_PAIRS] > 0 ||
           run->covered[COVER_SOURCES] > 0 || run->covered[COVER_CODE] > 0 || run->covered[COVER_READS] > 0;
}

/* By file, then by line: "a.c:9 f" before "a.c:10 f". */
static int by_place(const void *a, const void *b)
{
    const struct code_place *p = a, *q = b;

    return strverscmp(p->text, q->text);
}

/* Of a run that was made and is no repetition: what it showed. */
static void merge_run(struct hunt *h, struct hunted_run *run, const struct hunt_report *report)
{
    const struct hunt_job *job = &run->job;
    bool known = job->reads && report->end.behaviour && (*map_at(&h->behaviours, report->end.behaviour))++ > 0;

    h->diverged += report->end.diverged;
    h->searched += !report->end.cut;
    h->searched_free += !report->end.cut && job->kind == JOB_FREE;
    h->undecided += !report->end.complete;
    if (*report->end.missing && !report->end.cut && h->partial++ == 0)
        snprintf(h->missing, sizeof h->missing, "%s", report->end.missing);
    if (report->end.ticks > h->longest)
        h->longest = report->end.ticks;
    if (!h->first_known && !ended_badly(&report->end)) {
        h->first_known = true;
        memcpy(h->first_sums, report->end.sums, sizeof h->first_sums);
    }
    run->problems = merge_end(h, job, &report->end);
    for (size_t i = 0; i < report->findings_count; i++)
        if (report->findings[i].suppressed)
            h->accepted_count += (*map_at(&h->accepted, report->findings[i].fingerprint))++ == 0;
        else if (report->findings[i].one_read && known) /* an earlier run had the same */
            continue;
        else if (report->findings[i].one_read)
            merge_read(h, job, &report->findings[i]);
        else if (report->findings[i].candidate)
            merge_candidate(h, job, &report->findings[i]);
        else
            run->problems += merge_finding(h, job, &report->findings[i]);
    for (size_t i = 0; i < report->pairs_count; i++)
        if ((*map_at(&h->pair, report->pairs[i].mark))++ == 0)
            ARRAY_PUSH(h, pairs, report->pairs[i]);
    for (size_t i = 0; i < report->code_count; i++)
        ARRAY_PUSH(h, code, report->code[i]);
    if (report->code_count > 0)
        qsort(h->code, h->code_count, sizeof *h->code, by_place);
    for (int what = 0; what < COVERAGES; what++) {
        for (size_t i = 0; i < report->covered[what].marks_count; i++)
            run->covered[what] += (*map_at(&h->covered[what], report->covered[what].marks[i]))++ == 0;
        h->cover_count[what] += run->covered[what];
    }
}

/* Whether a run that is to be the same as another has other output. Where a run is cut off depends on time. */
static bool has_other_output(const struct hunt_end *first, const struct hunt_end *second)
{
    return !first->cut && !second->cut && first->ending != ENDED_HANG && second->ending != ENDED_HANG &&
           memcmp(first->sums, second->sums, sizeof first->sums) != 0;
}

/* What the repetition of the first run shows: whether outputs vary by themselves. Where it left the schedule, it says nothing, and is
 * made once more. */
static void merge_repetition(struct hunt *h, const struct hunt_end *end)
{
    bool other = has_other_output(&h->runs[0].end, end);

    h->outputs_vary = other && (!end->diverged || h->unsettled);
    h->unsettled = other && end->diverged;
}

void hunt_merge(struct hunt *h, const struct hunt_job *job, const struct hunt_report *report)
{
    struct hunted_run run = {.job = *job, .end = report->end};

    if (job->kind == JOB_FINDING)
        note_outcome(&h->problems[job->problem], &report->end);
    if (job->kind == JOB_CANDIDATE)
        note_outcome(&h->candidates[job->problem], &report->end);
    h->cut += report->end.cut && !report->end.starved;
    h->starved += report->end.starved;
    if (!report->end.ran && report->end.cut) {
        assert(!report->end.starved); /* it had no time to begin */
    } else if (!report->end.ran) {
        h->failed++;
        if (!h->failure[0])
            snprintf(h->failure, sizeof h->failure, "%s", report->end.words);
    } else if (job->kind == JOB_REPEAT) {
        merge_repetition(h, &report->end);
    } else if (job->kind == JOB_SHORTEN || job->kind == JOB_CONFIRM) {
        /* It is to repeat what is known, so it does not count for how often that comes, unless it shows something new. */
        if (map_get(&h->known, hunt_end_fingerprint(&report->end)) == 0)
            run.problems = merge_end(h, job, &report->end);
        h->searched += run.problems;
    } else {
        merge_run(h, &run, report);
    }
    ARRAY_PUSH(h, runs, run);
}

bool hunt_is_complete(const struct hunt *h)
{
    return h->over != OVER_STOPPED && h->over != OVER_NOT && h->searched > 0 &&
           h->undecided + h->partial + h->failed + h->starved == 0;
}

static int by_weight(const void *a, const void *b)
{
    const struct hunt_problem *p = a, *q = b;

    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    if (p->severity != q->severity)
        return p->severity < q->severity ? -1 : 1;
    if (p->confirmed != q->confirmed)
        return p->confirmed ? -1 : 1;
    if (p->run != q->run)
        return p->run < q->run ? -1 : 1;
    return strcmp(p->id, q->id);
}

void hunt_sort(struct hunt *h)
{
    if (h->problems_count > 0)
        qsort(h->problems, h->problems_count, sizeof *h->problems, by_weight);
}

void hunt_rank(struct hunt *h)
{
    hunt_sort(h);
    map_free(&h->known);
    memset(&h->known, 0, sizeof h->known);
}
