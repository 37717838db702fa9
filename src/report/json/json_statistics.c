/* The numbers behind a JSON report: by property, and the tables of the published methods. */
#include "report/json/json_parts.h"

static void put_property(struct json_writer *w, enum property property, const struct property_stats *s)
{
    static const char *const rules[REFUTATIONS] = {"must_order", "causality_cycle", "exhausted_choices"};

    json_line(&w->out, 4);
    json_object_open(&w->out, property_title(property));
    json_count(&w->out, "subjects", s->subjects);
    json_count(&w->out, "candidates", s->candidates);
    json_count(&w->out, "feasible", s->feasible);
    json_object_open(&w->out, "refuted");
    for (enum refutation why = 0; why < REFUTATIONS; why++)
        json_count(&w->out, rules[why], s->refuted[why]);
    json_close(&w->out);
    json_count(&w->out, "undecided", s->undecided);
    json_count(&w->out, "skipped", s->skipped);
    if (w->options->stats)
        json_seconds(&w->out, "seconds", s->seconds);
    json_close(&w->out);
}

/* The columns of FMCAD'12, Table A1. The last: graphs looked at for each witness, the choice graphs where there
 * are choices and the witness order graph where there are none. */
static void put_graph(struct json_writer *w, const struct graph_stats *s)
{
    uint64_t graphs = s->possible - s->with_choice + s->choice_graphs_explored;
    double per_witness = s->possible > 0 ? (double)graphs / (double)s->possible : 0;

    json_line(&w->out, 4);
    json_object_open(&w->out, "graph");
    json_count(&w->out, "possible", s->possible);
    json_count(&w->out, "cyclic", s->cyclic);
    json_count(&w->out, "no_choice", s->no_choice);
    json_count(&w->out, "with_choice", s->with_choice);
    json_count(&w->out, "choice_graphs_possible", s->choice_graphs_possible);
    json_count(&w->out, "choice_graphs_explored", s->choice_graphs_explored);
    json_count(&w->out, "feasible", s->feasible);
    json_count(&w->out, "infeasible", s->infeasible);
    json_count(&w->out, "undecided", s->undecided);
    json_seconds(&w->out, "graphs_per_witness", per_witness);
    json_seconds(&w->out, "seconds", s->seconds);
    json_close(&w->out);
}

/* The columns of CAV'10, Table 1. */
static void put_funnel(struct json_writer *w, const struct ucg_stats *s)
{
    json_count(&w->out, "total", s->total);
    json_count(&w->out, "lsa", s->lsa);
    json_count(&w->out, "mhb", s->mhb);
    json_count(&w->out, "ucg", s->ucg);
    json_count(&w->out, "witnesses", s->witnesses);
    json_count(&w->out, "undecided", s->undecided);
    json_count(&w->out, "chopped", s->chopped);
    json_seconds(&w->out, "ucg_seconds", s->ucg_seconds);
    json_seconds(&w->out, "seconds", s->seconds);
}

/* For all properties together, then for each. */
static void put_ucg(struct json_writer *w, const struct ucg_stats *race, const struct ucg_stats *atomicity)
{
    const struct ucg_stats sum = {.total = race->total + atomicity->total,
                                  .lsa = race->lsa + atomicity->lsa,
                                  .mhb = race->mhb + atomicity->mhb,
                                  .ucg = race->ucg + atomicity->ucg,
                                  .witnesses = race->witnesses + atomicity->witnesses,
                                  .undecided = race->undecided + atomicity->undecided,
                                  .chopped = race->chopped + atomicity->chopped,
                                  .ucg_seconds = race->ucg_seconds + atomicity->ucg_seconds,
                                  .seconds = race->seconds + atomicity->seconds};

    json_line(&w->out, 4);
    json_object_open(&w->out, "ucg");
    put_funnel(w, &sum);
    if (race->used) {
        json_line(&w->out, 6);
        json_object_open(&w->out, "race");
        put_funnel(w, race);
        json_close(&w->out);
    }
    if (atomicity->used) {
        json_line(&w->out, 6);
        json_object_open(&w->out, "atomicity");
        put_funnel(w, atomicity);
        json_close(&w->out);
    }
    json_close(&w->out);
}

static void put_csp(struct json_writer *w, const struct csp_stats *s)
{
    json_line(&w->out, 4);
    json_object_open(&w->out, "csp");
    json_count(&w->out, "variables", s->variables);
    json_count(&w->out, "assertions", s->assertions);
    json_count(&w->out, "filtered", s->filtered);
    json_count(&w->out, "checks", s->checks);
    json_count(&w->out, "states", s->states);
    json_count(&w->out, "transitions", s->transitions);
    json_count(&w->out, "confirmed", s->confirmed);
    json_count(&w->out, "needs_another_path", s->other_path);
    json_count(&w->out, "unconfirmed", s->unconfirmed);
    json_seconds(&w->out, "seconds", s->seconds);
    json_seconds(&w->out, "confirm_seconds", s->confirm_seconds);
    json_close(&w->out);
}

static void put_methods(struct json_writer *w)
{
    const struct results *r = w->results;

    if (r->graph.used)
        put_graph(w, &r->graph);
    if (r->ucg_race.used || r->ucg_atomicity.used)
        put_ucg(w, &r->ucg_race, &r->ucg_atomicity);
    if (r->csp.used)
        put_csp(w, &r->csp);
}

void put_statistics(struct json_writer *w)
{
    json_line(&w->out, 2);
    json_object_open(&w->out, "statistics");
    for (enum property p = 0; p < PROPERTIES; p++)
        if (w->results->stats[p].checked)
            put_property(w, p, &w->results->stats[p]);
    if (w->results->idle_reads > 0) {
        json_line(&w->out, 4);
        json_count(&w->out, "idle_reads", w->results->idle_reads);
    }
    put_methods(w);
    json_line(&w->out, 4);
    json_count(&w->out, "certified", w->results->certified);
    if (w->options->stats) {
        json_line(&w->out, 4);
        json_seconds(&w->out, "load_seconds", w->results->load_seconds);
        json_line(&w->out, 4);
        json_seconds(&w->out, "model_seconds", w->results->model_seconds);
    }
    json_line(&w->out, 2);
    json_close(&w->out);
}
