/* What a hunt found, as JSON: what `heddle replay` and `heddle verify` look problems up in. */
#include "base/json_out.h"
#include "cli/hunt_tell.h"

static void put_happened(struct json_out *o, const struct hunt_settings *s, const struct hunt_problem *p)
{
    char path[4200], line[600];

    if (*p->waits) {
        json_array_open(o, "waiting");
        for (const char *at = p->waits; hunt_next_wait(&at, line, sizeof line);)
            json_text(o, NULL, line);
        json_close(o);
    }
    json_count(o, "first_run", p->first_run);
    json_count(o, "free_runs", p->free_times);
    json_count(o, "switches", p->switches);
    json_count(o, "first_switches", p->first_switches);
    snprintf(path, sizeof path, "%s/run-%u.schedule", s->folder, p->run);
    json_text(o, "schedule", path);
}

static void put_predicted(struct json_out *o, const struct hunt_settings *s, const struct hunt_problem *p)
{
    char path[4200];

    json_text(o, "property", property_title((enum property)p->property));
    snprintf(path, sizeof path, "%s/run-%u.json", s->folder, p->run);
    json_text(o, "report", path);
    json_text(o, "finding", p->id);
    if (p->observed_run) {
        json_count(o, "observed_run", p->observed_run);
        json_text(o, "observed_finding", p->observed_id);
        json_count(o, "observed_runs", p->observed_times);
    }
    if (p->towards)
        json_count(o, "candidate_of_run", p->towards);
    json_flag(o, "confirmed", p->confirmed);
    json_count(o, "first_run", p->first_run);
    if (p->shortened) {
        json_count(o, "switches", p->switches);
        json_count(o, "first_switches", p->first_switches);
    }
    if (*p->outcome)
        json_text(o, "outcome", p->outcome);
}

static void put_problem(struct json_out *o, const struct hunt *h, const struct hunt_settings *s, size_t i)
{
    static const char *const kinds[] = {"happened", "predicted", "note"};
    const struct hunt_problem *p = &h->problems[i];
    char id[24];

    hunt_problem_id(h, i, id, sizeof id);
    json_line(o, 4);
    json_object_open(o, NULL);
    json_text(o, "id", id);
    json_text(o, "kind", kinds[p->kind]);
    json_text(o, "title", p->title);
    json_text(o, "place", p->place);
    json_count(o, "run", p->run);
    json_count(o, "runs", p->times);
    if (p->kind == PROBLEM_HAPPENED)
        put_happened(o, s, p);
    else
        put_predicted(o, s, p);
    json_close(o);
}

static void put_candidate(struct json_out *o, const struct hunt_problem *c)
{
    json_line(o, 4);
    json_object_open(o, NULL);
    json_text(o, "property", property_title((enum property)c->property));
    json_text(o, "title", c->title);
    json_text(o, "place", c->place);
    json_count(o, "run", c->run);
    json_text(o, "outcome", c->outcome);
    json_close(o);
}

static void put_run(struct json_out *o, const struct hunt *h, const struct hunted_run *r)
{
    static const char *const kinds[] = {"free", "repeat", "finding", "candidate", "read", "shorten", "confirm"};
    static const char *const covered[] = {"new_places", "new_pairs", "new_sources", "new_code", "new_reads"};
    char cause[1200];

    json_line(o, 4);
    json_object_open(o, NULL);
    json_count(o, "run", r->job.run);
    json_text(o, "kind", kinds[r->job.kind]);
    if (r->job.kind == JOB_FREE)
        json_count(o, "seed", r->job.seed);
    else
        json_count(o, "of", r->job.parent);
    hunt_cause_words(h, r->job.run, cause, sizeof cause);
    if (*cause)
        json_text(o, "followed", cause);
    json_text(o, "outcome", r->end.words);
    json_flag(o, "diverged", r->end.diverged);
    json_count(o, "events", r->end.events);
    json_count(o, "switches", r->end.switches);
    json_count(o, "new_problems", r->problems);
    for (int i = 0; i < COVERAGES; i++)
        json_count(o, covered[i], r->covered[i]);
    json_seconds(o, "second", r->second);
    if (h->ranks > 1)
        json_count(o, "rank", r->rank);
    json_close(o);
}

static void put_lists(struct json_out *o, const struct hunt *h, const struct hunt_settings *s)
{
    json_line(o, 2);
    json_array_open(o, "problems");
    for (size_t i = 0; i < h->problems_count; i++)
        put_problem(o, h, s, i);
    json_close(o);
    json_line(o, 2);
    json_array_open(o, "candidates");
    for (size_t i = 0; i < h->candidates_count; i++)
        put_candidate(o, &h->candidates[i]);
    json_close(o);
    json_line(o, 2);
    json_array_open(o, "unseen_pairs");
    for (size_t i = hunt_next_unseen(h, 0); i < h->pairs_count; i = hunt_next_unseen(h, i + 1)) {
        json_line(o, 4);
        json_object_open(o, NULL);
        json_text(o, "first", h->pairs[i].first);
        json_text(o, "second", h->pairs[i].second);
        json_close(o);
    }
    json_close(o);
    json_line(o, 2);
    json_array_open(o, "unreached_places");
    for (size_t i = 0; i < h->code_count; i++)
        if (!hunt_is_reached(h, i)) {
            json_line(o, 4);
            json_text(o, NULL, h->code[i].text);
        }
    json_close(o);
    json_line(o, 2);
    json_array_open(o, "runs");
    for (size_t i = 0; i < h->runs_count; i++)
        put_run(o, h, &h->runs[i]);
    json_close(o);
}

void hunt_put_json(const struct hunt *h, const struct hunt_settings *s, FILE *to)
{
    static const char *const over[] = {"time", "runs", "first", "stopped", "nothing new", "not over"};
    struct json_out o = {.to = to, .spaced = true};

    json_object_open(&o, NULL);
    json_text(&o, "format", "heddle-hunt");
    json_count(&o, "version", 1);
    json_line(&o, 2);
    json_count(&o, "seed", s->seed);
    json_seconds(&o, "seconds", h->seconds);
    json_text(&o, "over", over[h->over]);
    json_flag(&o, "complete", hunt_is_complete(h));
    json_count(&o, "partial_runs", h->partial);
    if (h->partial > 0)
        json_text(&o, "missing", h->missing);
    json_count(&o, "places", h->cover_count[COVER_PLACES]);
    json_count(&o, "pairs", h->cover_count[COVER_PAIRS]);
    json_count(&o, "sources", h->cover_count[COVER_SOURCES]);
    json_count(&o, "code_places", h->code_count);
    json_count(&o, "reached_code_places", h->code_count - hunt_count_unreached(h));
    json_count(&o, "unseen_sources", hunt_unseen_sources(h));
    json_count(&o, "suppressed", h->accepted_count);
    json_flag(&o, "outputs_vary", h->outputs_vary);
    json_count(&o, "ranks", h->ranks);
    json_count(&o, "lost_ranks", h->lost);
    json_seconds(&o, "busy", h->load);
    put_lists(&o, h, s);
    json_line(&o, 0);
    json_close(&o);
    json_end(&o);
    fputc('\n', to);
}
