/* The numbers behind a JSON report: by property, and the tables of the published methods. */
#include "report/json/json_parts.h"

#include <stdio.h>

static void put_real(struct writer *w, const char *before, double number)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%.6f", number);

    for (int i = 0; i < length; i++) /* some locales have another decimal point */
        if (text[i] == ',')
            text[i] = '.';
    put(w, before);
    put(w, text);
}

static void put_property(struct writer *w, enum property property, const struct property_stats *s)
{
    static const char *const rules[REFUTATIONS] = {"must_order", "causality_cycle", "exhausted_choices"};

    put(w, "    \"");
    put(w, property_title(property));
    put_number(w, "\": {\"subjects\": ", s->subjects);
    put_number(w, ", \"candidates\": ", s->candidates);
    put_number(w, ", \"feasible\": ", s->feasible);
    put(w, ", \"refuted\": {");
    for (enum refutation why = 0; why < REFUTATIONS; why++) {
        put(w, why > 0 ? ", \"" : "\"");
        put(w, rules[why]);
        put_number(w, "\": ", s->refuted[why]);
    }
    put_number(w, "}, \"undecided\": ", s->undecided);
    put_number(w, ", \"skipped\": ", s->skipped);
    if (w->options->stats)
        put_real(w, ", \"seconds\": ", s->seconds);
    put(w, "},\n");
}

/* The columns of FMCAD'12, Table A1. The last: graphs looked at for each witness, the choice graphs where there
 * are choices and the witness order graph where there are none. */
static void put_graph(struct writer *w, const struct graph_stats *s)
{
    uint64_t graphs = s->possible - s->with_choice + s->choice_graphs_explored;
    double per_witness = s->possible > 0 ? (double)graphs / (double)s->possible : 0;

    put_number(w, "    \"graph\": {\"possible\": ", s->possible);
    put_number(w, ", \"cyclic\": ", s->cyclic);
    put_number(w, ", \"no_choice\": ", s->no_choice);
    put_number(w, ", \"with_choice\": ", s->with_choice);
    put_number(w, ", \"choice_graphs_possible\": ", s->choice_graphs_possible);
    put_number(w, ", \"choice_graphs_explored\": ", s->choice_graphs_explored);
    put_number(w, ", \"feasible\": ", s->feasible);
    put_number(w, ", \"infeasible\": ", s->infeasible);
    put_number(w, ", \"undecided\": ", s->undecided);
    put_real(w, ", \"graphs_per_witness\": ", per_witness);
    put_real(w, ", \"seconds\": ", s->seconds);
    put(w, "},\n");
}

/* The columns of CAV'10, Table 1. */
static void put_funnel(struct writer *w, const struct ucg_stats *s)
{
    put_number(w, "{\"total\": ", s->total);
    put_number(w, ", \"lsa\": ", s->lsa);
    put_number(w, ", \"mhb\": ", s->mhb);
    put_number(w, ", \"ucg\": ", s->ucg);
    put_number(w, ", \"witnesses\": ", s->witnesses);
    put_number(w, ", \"undecided\": ", s->undecided);
    put_number(w, ", \"chopped\": ", s->chopped);
    put_real(w, ", \"ucg_seconds\": ", s->ucg_seconds);
    put_real(w, ", \"seconds\": ", s->seconds);
}

/* For all properties together, then for each. */
static void put_ucg(struct writer *w, const struct ucg_stats *race, const struct ucg_stats *atomicity)
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

    put(w, "    \"ucg\": ");
    put_funnel(w, &sum);
    if (race->used) {
        put(w, ",\n      \"race\": ");
        put_funnel(w, race);
        put(w, "}");
    }
    if (atomicity->used) {
        put(w, ",\n      \"atomicity\": ");
        put_funnel(w, atomicity);
        put(w, "}");
    }
    put(w, "},\n");
}

static void put_csp(struct writer *w, const struct csp_stats *s)
{
    put_number(w, "    \"csp\": {\"variables\": ", s->variables);
    put_number(w, ", \"assertions\": ", s->assertions);
    put_number(w, ", \"filtered\": ", s->filtered);
    put_number(w, ", \"checks\": ", s->checks);
    put_number(w, ", \"states\": ", s->states);
    put_number(w, ", \"transitions\": ", s->transitions);
    put_number(w, ", \"confirmed\": ", s->confirmed);
    put_number(w, ", \"needs_another_path\": ", s->other_path);
    put_number(w, ", \"unconfirmed\": ", s->unconfirmed);
    put_real(w, ", \"seconds\": ", s->seconds);
    put_real(w, ", \"confirm_seconds\": ", s->confirm_seconds);
    put(w, "},\n");
}

static void put_methods(struct writer *w)
{
    const struct results *r = w->results;

    if (r->graph.used)
        put_graph(w, &r->graph);
    if (r->ucg_race.used || r->ucg_atomicity.used)
        put_ucg(w, &r->ucg_race, &r->ucg_atomicity);
    if (r->csp.used)
        put_csp(w, &r->csp);
}

void put_statistics(struct writer *w)
{
    put(w, ",\n  \"statistics\": {\n");
    for (enum property p = 0; p < PROPERTIES; p++)
        if (w->results->stats[p].checked)
            put_property(w, p, &w->results->stats[p]);
    put_methods(w);
    put_number(w, "    \"certified\": ", w->results->certified);
    if (w->options->stats) {
        put_real(w, ",\n    \"load_seconds\": ", w->results->load_seconds);
        put_real(w, ",\n    \"model_seconds\": ", w->results->model_seconds);
    }
    put(w, "\n  }");
}
