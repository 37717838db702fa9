/* What the published methods counted, as a row of the tables they were published with. */
#include "report/text/narrate.h"
#include "trace/counts.h"

/* "4118 (84)": a count and its percentage. */
static void say_share(struct narrator *n, uint64_t count, uint64_t of)
{
    char text[64];

    snprintf(text, sizeof text, "%llu (%.1f)", (unsigned long long)count,
             of > 0 ? 100.0 * (double)count / (double)of : 0.0);
    say(n, text);
}

static void say_ratio(struct narrator *n, const char *format, double number)
{
    char text[64];

    snprintf(text, sizeof text, format, number);
    say(n, text);
}

static void say_plain_number(struct narrator *n, const char *before, uint64_t number)
{
    say(n, before);
    buffer_number(&n->out, number);
}

static void say_trace_columns(struct narrator *n)
{
    struct trace_counts c;

    trace_count(n->trace, &c);
    say_plain_number(n, "thrds: ", trace_names(n->trace, NAME_THREAD));
    say_plain_number(n, ", evs: ", n->trace->count);
    say_plain_number(n, ", l-evs: ", c.lock_events);
    say_plain_number(n, ", l-vars: ", trace_names(n->trace, NAME_LOCK));
    say_plain_number(n, ", rw-evs: ", c.accesses);
    say_plain_number(n, ", rw-vars: ", trace_names(n->trace, NAME_VARIABLE));
    say_plain_number(n, ", wn-evs: ", c.wait_notify_events);
}

static double per(uint64_t sum, uint64_t of)
{
    return of > 0 ? (double)sum / (double)of : 0;
}

static void say_graph_row(struct narrator *n, const struct graph_stats *s)
{
    say(n, "\nFMCAD'12, Table A1: trace | possible | cycles (%) | no choice (%) | choice (%) | choice graphs "
           "possible per witness with choices | explored | seconds | feasible (%) | infeasible (%) | graphs "
           "per witness\n");
    say_trace_columns(n);
    say_plain_number(n, " | ", s->possible);
    say(n, " | ");
    say_share(n, s->cyclic, s->possible);
    say(n, " | ");
    say_share(n, s->no_choice, s->possible);
    say(n, " | ");
    say_share(n, s->with_choice, s->possible);
    if (s->with_choice > 0) {
        say_ratio(n, " | %.4g", per(s->choice_graphs_possible, s->with_choice));
        say_ratio(n, " | %.4g", per(s->choice_graphs_explored, s->with_choice));
    } else {
        say(n, " | - | -");
    }
    say_ratio(n, " | %.3f", s->seconds);
    say(n, " | ");
    say_share(n, s->feasible, s->possible);
    say(n, " | ");
    say_share(n, s->infeasible, s->possible);
    say_ratio(n, " | %.4g\n", per(s->possible - s->with_choice + s->choice_graphs_explored, s->possible));
}

static void say_ucg_columns(struct narrator *n, const struct ucg_stats *s)
{
    if (!s->used) {
        say(n, " | - | - | - | - | - | -");
        return;
    }
    say_plain_number(n, " | ", s->total);
    say_plain_number(n, " | ", s->lsa);
    say_plain_number(n, " | ", s->mhb);
    say_plain_number(n, " | ", s->ucg);
    say_plain_number(n, " | ", s->witnesses);
    say_ratio(n, " | %.3f", s->seconds);
}

static void say_ucg_row(struct narrator *n, const struct results *r)
{
    struct trace_counts c;

    trace_count(n->trace, &c);
    say(n, "\nCAV'10, Table 1: thrd | events | lk | wn | lk vars | wn vars | races: total | lsa | mhb | ucg | "
           "wits | time(s) | atomicity: total | lsa | mhb | ucg | wits | time(s)\n");
    say_plain_number(n, "", trace_names(n->trace, NAME_THREAD));
    say_plain_number(n, " | ", n->trace->count);
    say_plain_number(n, " | ", c.lock_events);
    say_plain_number(n, " | ", c.wait_notify_events);
    say_plain_number(n, " | ", trace_names(n->trace, NAME_LOCK));
    say_plain_number(n, " | ", trace_names(n->trace, NAME_CONDITION));
    say_ucg_columns(n, &r->ucg_race);
    say_ucg_columns(n, &r->ucg_atomicity);
    say(n, "\n");
}

static void say_csp_row(struct narrator *n, const struct csp_stats *s)
{
    say(n, "\nCSP: variables | assertions | filtered pairs | checks | states | transitions | confirmed | need "
           "another path | unconfirmed | seconds | exact\n");
    say_plain_number(n, "", s->variables);
    say_plain_number(n, " | ", s->assertions);
    say_plain_number(n, " | ", s->filtered);
    say_plain_number(n, " | ", s->checks);
    say_plain_number(n, " | ", s->states);
    say_plain_number(n, " | ", s->transitions);
    say_plain_number(n, " | ", s->confirmed);
    say_plain_number(n, " | ", s->other_path);
    say_plain_number(n, " | ", s->unconfirmed);
    say_ratio(n, " | %.3f", s->seconds);
    say_ratio(n, " | %.3f\n", s->confirm_seconds);
}

void say_tables(struct narrator *n, const struct results *r)
{
    if (r->graph.used)
        say_graph_row(n, &r->graph);
    if (r->ucg_race.used || r->ucg_atomicity.used)
        say_ucg_row(n, r);
    if (r->csp.used)
        say_csp_row(n, &r->csp);
}
