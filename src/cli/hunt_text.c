/* What a hunt found, as text. */
#include "base/buffer.h"
#include "base/memory.h"
#include "cli/hunt_tell.h"
#include "record/program.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_SHOWN = 5, PAIRS_SHOWN = 3, FUNCTIONS_SHOWN = 3 };

const char *hunt_over_words(enum hunt_over over)
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

void hunt_problem_id(const struct hunt *h, size_t i, char *to, size_t room)
{
    size_t number = 0;

    for (size_t k = 0; k <= i; k++)
        number += h->problems[k].kind == h->problems[i].kind;
    snprintf(to, room, "%c%zu", "HPN"[h->problems[i].kind], number);
}

size_t hunt_count(const struct hunt *h, enum problem_kind kind)
{
    size_t count = 0;

    for (size_t i = 0; i < h->problems_count; i++)
        count += h->problems[i].kind == kind;
    return count;
}

bool hunt_is_known(const struct hunt *h, uint64_t fingerprint)
{
    for (size_t i = 0; i < h->problems_count; i++)
        if (h->problems[i].fingerprint == fingerprint)
            return true;
    return false;
}

void hunt_count_candidates(const struct hunt *h, size_t *tried, size_t *happened)
{
    *tried = *happened = 0;
    for (size_t i = 0; i < h->candidates_count; i++)
        if (*h->candidates[i].outcome) {
            ++*tried;
            *happened += hunt_is_known(h, h->candidates[i].fingerprint);
        }
}

size_t hunt_unseen_sources(const struct hunt *h)
{
    struct map counted = {0};
    size_t count = 0;

    for (size_t i = 0; i < h->problems_count; i++) {
        uint64_t source = h->problems[i].source;
        if (source && !map_get(&h->covered[COVER_SOURCES], source))
            count += (*map_at(&counted, source))++ == 0;
    }
    map_free(&counted);
    return count;
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

static const struct hunt_job *job_of(const struct hunt *h, uint32_t run)
{
    for (size_t i = 0; i < h->runs_count; i++)
        if (h->runs[i].job.run == run)
            return &h->runs[i].job;
    return NULL;
}

void hunt_cause_words(const struct hunt *h, uint32_t run, char *to, size_t room)
{
    const struct hunt_job *job = job_of(h, run);
    char id[24];

    *to = '\0';
    if (job && job->kind == JOB_SHORTEN)
        snprintf(to, room, "a part of the schedule of run %u", job->parent);
    if (job && job->kind == JOB_CANDIDATE) {
        const struct hunt_problem *c = &h->candidates[job->problem];
        snprintf(to, room, "a candidate of run %u: %s%s%s", job->parent, c->title, *c->place ? ", at " : "",
                 c->place);
    }
    if (job && job->kind == JOB_READ) {
        const struct hunt_read *r = &h->reads[job->problem];
        snprintf(to, room, "a read of run %u: %s%s%s", job->parent, r->title, *r->place ? ", at " : "",
                 r->place);
    }
    for (size_t i = 0; job && (job->kind == JOB_FINDING || job->kind == JOB_CONFIRM) && i < h->problems_count;
         i++) {
        const struct hunt_problem *p = &h->problems[i];
        if (p->kind == PROBLEM_HAPPENED || p->fingerprint != job->fingerprint)
            continue;
        hunt_problem_id(h, i, id, sizeof id);
        snprintf(to, room, "%s%s: %s%s%s", job->kind == JOB_CONFIRM ? "the shortest schedule of " : "", id,
                 p->title, *p->place ? ", at " : "", p->place);
    }
}

/* What the run that showed the problem followed, if that was something. */
static void put_cause(struct buffer *b, const struct hunt *h, uint32_t run)
{
    char words[1200];

    hunt_cause_words(h, run, words, sizeof words);
    if (*words)
        put_line(b, "    run %u followed %s", run, words);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

bool hunt_next_wait(const char **at, char *line, size_t room)
{
    size_t length = strcspn(*at, "\n");

    snprintf(line, room, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == '\n');
    return length > 0;
}

/* Where the threads were in a run that did not come to its end. */
static void put_waits(struct buffer *b, const struct hunt_problem *p)
{
    char line[600];

    for (const char *at = p->waits; hunt_next_wait(&at, line, sizeof line);)
        put_line(b, "    %s", line);
    if (p->hang && *p->place)
        put_line(b, "    the last step was made at %s", p->place);
}

static void put_happened(struct buffer *b, const struct hunt *h, const struct hunt_problem *p)
{
    put_line(b, "    happened in %llu of %llu runs (%llu of %llu free ones), first in run %u",
             (unsigned long long)p->times, (unsigned long long)h->searched, (unsigned long long)p->free_times,
             (unsigned long long)h->searched_free, p->first_run);
    put_waits(b, p);
    put_cause(b, h, p->first_run);
    if (p->run != p->first_run)
        put_line(b, "    shortest schedule: %u context switch%s, in run %u; %u when it was first seen",
                 p->switches, p->switches == 1 ? "" : "es", p->run, p->first_switches);
    else
        put_line(b, "    its schedule has %u context switch%s", p->switches, p->switches == 1 ? "" : "es");
}

static void put_predicted(struct buffer *b, const struct hunt *h, const struct hunt_problem *p)
{
    put_line(b, "    predicted from %llu run%s, first from run %u", (unsigned long long)p->times,
             plural(p->times), p->first_run);
    if (p->shortened)
        put_line(b,
                 "    shortest schedule: %u context switch%s, from run %u (%s); %u when it was first predicted",
                 p->switches, p->switches == 1 ? "" : "es", p->run, p->id, p->first_switches);
    if (p->observed_run)
        put_line(b, "    observed in %llu of %llu runs, first in run %u (%s)%s",
                 (unsigned long long)p->observed_times, (unsigned long long)h->searched, p->observed_run,
                 p->observed_id, p->towards ? ", which ran towards it" : "");
    if (p->confirmed)
        put_line(b, "    a run along its schedule showed it; outcome: %s", p->outcome);
    else if (*p->outcome)
        put_line(b, "    a run along its schedule did not show it: %s", p->outcome);
}

static void put_problem(struct buffer *b, const struct hunt *h, const struct hunt_settings *s,
                        const char *command, size_t i)
{
    const struct hunt_problem *p = &h->problems[i];
    char id[24];

    hunt_problem_id(h, i, id, sizeof id);
    buffer_text(b, "\n");
    put_line(b, "%s  %s", id, p->title);
    if (p->kind == PROBLEM_HAPPENED)
        put_happened(b, h, p);
    else
        put_predicted(b, h, p);
    put_line(b, "    heddle replay %s %s -- %s", s->folder, id, command);
}

size_t hunt_next_unseen(const struct hunt *h, size_t from)
{
    while (from < h->pairs_count && map_get(&h->covered[COVER_PAIRS], h->pairs[from].mark))
        from++;
    return from;
}

size_t hunt_unseen_pairs(const struct hunt *h)
{
    size_t count = 0;

    for (size_t i = hunt_next_unseen(h, 0); i < h->pairs_count; i = hunt_next_unseen(h, i + 1))
        count++;
    return count;
}

/* Some of the pairs that no run has shown. */
static void put_unseen(struct buffer *b, const struct hunt *h)
{
    size_t count = hunt_unseen_pairs(h), shown = 0;

    if (count == 0)
        return;
    put_line(b,
             "Never seen: %zu pair%s of conflicting accesses, the second right after the first, that "
             "synchronization does not rule out:",
             count, plural(count));
    for (size_t i = hunt_next_unseen(h, 0); i < h->pairs_count && shown < PAIRS_SHOWN;
         i = hunt_next_unseen(h, i + 1), shown++)
        put_line(b, "    %s, then %s", h->pairs[i].first, h->pairs[i].second);
    if (count > PAIRS_SHOWN)
        put_line(b, "    and %zu more, in hunt.json", count - PAIRS_SHOWN);
}

bool hunt_is_reached(const struct hunt *h, size_t place)
{
    return map_get(&h->covered[COVER_CODE], h->code[place].mark) != 0;
}

size_t hunt_count_unreached(const struct hunt *h)
{
    size_t count = 0;

    for (size_t i = 0; i < h->code_count; i++)
        count += !hunt_is_reached(h, i);
    return count;
}

/* Whether two places, "FILE:LINE FUNCTION", are in one function; `*line` is the second one's. */
static bool is_same_function(const char *one, const char *other, unsigned *line)
{
    size_t file = 0, after, there;

    while (one[file] && one[file] == other[file] &&
           !(one[file] == ':' && isdigit((unsigned char)one[file + 1])))
        file++;
    if (one[file] != ':' || other[file] != ':')
        return false;
    after = file + 1 + strspn(one + file + 1, "0123456789");
    there = file + 1 + strspn(other + file + 1, "0123456789");
    *line = (unsigned)strtoul(other + file + 1, NULL, 10);
    return strcmp(one + after, other + there) == 0;
}

/* Functions with places that no run has reached: "a.c:9 f, and lines 10, 12". */
static void put_unreached(struct buffer *b, const struct hunt *h)
{
    size_t count = hunt_count_unreached(h), shown = 0, told = 0;

    if (count == 0)
        return;
    put_line(b, "Never reached%s: %zu of %zu places at which the program's code reads or writes memory:",
             h->partial > 0 ? " in what was recorded" : "", count, h->code_count);
    for (size_t i = 0; i < h->code_count && shown < FUNCTIONS_SHOWN;) {
        size_t next = i + 1;
        unsigned line;
        bool more = false;
        if (hunt_is_reached(h, i)) {
            i = next;
            continue;
        }
        buffer_format(b, "    %s", h->code[i].text);
        for (told++; next < h->code_count && is_same_function(h->code[i].text, h->code[next].text, &line);
             next++) {
            if (hunt_is_reached(h, next))
                continue;
            buffer_format(b, more ? ", %u" : ", also line %u", line);
            more = true;
            told++;
        }
        buffer_text(b, "\n");
        shown++;
        i = next;
    }
    if (told < count)
        put_line(b, "    and %zu more, in hunt.json", count - told);
}

static void put_coverage(struct buffer *b, const struct hunt *h)
{
    size_t unseen = hunt_unseen_sources(h), tried, happened;

    hunt_count_candidates(h, &tried, &happened);
    put_line(
        b,
        "Covered: %llu place%s, %llu pair%s of conflicting accesses, %llu pair%s of a write and its reader; "
        "%zu more such pair%s predicted and never seen.",
        (unsigned long long)h->cover_count[COVER_PLACES], plural(h->cover_count[COVER_PLACES]),
        (unsigned long long)h->cover_count[COVER_PAIRS], plural(h->cover_count[COVER_PAIRS]),
        (unsigned long long)h->cover_count[COVER_SOURCES], plural(h->cover_count[COVER_SOURCES]), unseen,
        unseen == 1 ? " was" : "s were");
    put_unreached(b, h);
    put_unseen(b, h);
    if (h->candidates_count > 0)
        put_line(b, "Candidates that only reads rule out: %zu, of which %zu were run and %zu happened.",
                 h->candidates_count, tried, happened);
}

/* What the reader must know to judge the rest. */
void hunt_put_caveats(struct buffer *b, const struct hunt *h)
{
    if (h->ranks > 1)
        put_line(b, "%u ranks; rank 0 was busy with planning and merging for %.1f %% of the time.", h->ranks,
                 100 * h->load);
    if (h->lost)
        put_line(b, "%u rank%s lost, with the runs under way there.", h->lost,
                 h->lost == 1 ? " was" : "s were");
    if (h->searched == 0 && h->over == OVER_TIME)
        put_line(b, "No run came to its end: --for should be longer.");
    else if (h->cut)
        put_line(b, "%llu run%s cut off when the time was up.", (unsigned long long)h->cut,
                 h->cut == 1 ? " was" : "s were");
    if (h->starved)
        put_line(b, "%llu run%s cut off: the machine is too busy to tell whether a run hangs.",
                 (unsigned long long)h->starved, h->starved == 1 ? " was" : "s were");
    if (h->diverged)
        put_line(b, "%llu run%s left the schedule; what came of %s counts all the same.",
                 (unsigned long long)h->diverged, plural(h->diverged), h->diverged == 1 ? "it" : "them");
    if (h->failed)
        put_line(b, "%llu run%s failed to start or to be recorded; the first because: %s",
                 (unsigned long long)h->failed, plural(h->failed), h->failure);
    if (h->undecided)
        put_line(b, "%llu run%s not checked in full.", (unsigned long long)h->undecided,
                 h->undecided == 1 ? " was" : "s were");
    if (h->partial)
        put_line(b, "%llu run%s not recorded in full; the first: %s.", (unsigned long long)h->partial,
                 h->partial == 1 ? " was" : "s were", h->missing);
    if (h->over == OVER_NOTHING_NEW && h->reads_left > 0)
        put_line(
            b, "%zu read%s that could see another write, each in a state that a run came to, %s not run along.",
            h->reads_left, plural(h->reads_left), h->reads_left == 1 ? "was" : "were");
    if (h->accepted_count > 0)
        put_line(b, "%zu finding%s suppressed by the project's configuration.", h->accepted_count,
                 h->accepted_count == 1 ? " is" : "s are");
    if (h->outputs_vary && h->unsettled)
        put_line(b, "The program does not follow the first run's schedule again, so outputs are not compared.");
    else if (h->outputs_vary)
        put_line(b, "The same schedule gives different output each time, so outputs are not compared.");
}

void hunt_tell_text(const struct hunt *h, const struct hunt_settings *s)
{
    size_t happened = hunt_count(h, PROBLEM_HAPPENED), predicted = hunt_count(h, PROBLEM_PREDICTED),
           notes = hunt_count(h, PROBLEM_NOTE), shown = 0;
    char *command = program_command_line(s->replay.program);
    struct buffer b = {0};

    put_line(&b, "%zu run%s in %.1f s (seed %llu): %zu problem%s that happened, %zu predicted, %zu note%s",
             h->runs_count, plural(h->runs_count), h->seconds, (unsigned long long)s->seed, happened,
             plural(happened), predicted, notes, plural(notes));
    put_line(&b, "The hunt ended because %s.", hunt_over_words(h->over));
    put_coverage(&b, h);
    hunt_put_caveats(&b, h);
    for (size_t i = 0; i < h->problems_count; i++) {
        if (h->problems[i].kind == PROBLEM_NOTE && shown++ >= NOTES_SHOWN)
            continue;
        put_problem(&b, h, s, command, i);
    }
    if (notes > NOTES_SHOWN) {
        buffer_text(&b, "\n");
        put_line(&b, "and %zu more note%s, in %s/hunt.json", notes - NOTES_SHOWN, plural(notes - NOTES_SHOWN),
                 s->folder);
    }
    buffer_flush(&b, stdout);
    buffer_free(&b);
    free(command);
}
