/* The numbers behind a report: as a table, and as the reason why nothing was found. */
#include "report/text/narrate.h"

#include <string.h>

/* What was looked at, in words: "17 reads examined, 4 other writes". */
static const struct {
    const char *clean; /* when nothing was found and everything decided */
    const char *none;  /* when nothing was found so far */
    const char *subject, *candidate;
} words[PROPERTIES] = {
    [PROPERTY_NONDET] = {"Deterministic: no read depends on the schedule of these events.",
                         "No nondeterministic read", "read", "other write"},
    [PROPERTY_FINAL] = {"No other final value predicted from this run.", "No other final value", "variable",
                        "other last write"},
    [PROPERTY_RACE] = {"No race predicted from this run.", "No race", "access", "conflicting pair"},
    [PROPERTY_UNORDERED] = {"No unordered accesses in this run, races aside.", "No unordered accesses",
                            "access", "conflicting pair"},
    [PROPERTY_DEADLOCK] = {"No deadlock predicted from this run.", "No deadlock", "acquire", "lock cycle"},
    [PROPERTY_ATOMICITY] = {"No atomicity violation predicted from this run.", "No atomicity violation",
                            "block", "unserializable triple"},
    [PROPERTY_STALE] = {"No stale read predicted from this run.", "No stale read", "write", "overtaking write"},
    [PROPERTY_STUCK] = {"No stuck thread predicted from this run.", "No stuck thread", "waiting place",
                        "stuck state"},
    [PROPERTY_DETERMINISM] = {"No violation of deterministic blocks in this run.",
                              "No violation of deterministic blocks", "block", "conflict"},
    [PROPERTY_SERIALIZABILITY] = {"No violation of serializability in this run.",
                                  "No violation of serializability", "block", "conflict"},
    [PROPERTY_OBSERVED] = {"The recorded run itself ended well.", "The recorded run itself ended well", "", ""},
};

/* The first class counts orders that synchronization forces and those that a read forces: both hold in every
 * run that gets to the events in question. */
static const char *const rules[REFUTATIONS] = {
    [REFUTED_MUST_ORDER] = " by locks, synchronization or reads that later events depend on",
    [REFUTED_CYCLE] = " by several of these together",
    [REFUTED_CHOICES] = " by trying every remaining order",
};

static void say_numbers(struct narrator *n, enum property property, const struct property_stats *s)
{
    bool first = true;

    say(n, "  ");
    say_count(n, s->subjects, words[property].subject);
    say(n, " examined, ");
    say_count(n, s->candidates, words[property].candidate);
    for (enum refutation why = 0; why < REFUTATIONS; why++) {
        if (s->refuted[why] == 0)
            continue;
        say(n, first ? ";\n  ruled out: " : ", ");
        buffer_grouped(&n->out, s->refuted[why]);
        say(n, rules[why]);
        first = false;
    }
    if (s->undecided > 0) {
        say(n, ";\n  undecided: ");
        buffer_grouped(&n->out, s->undecided);
    }
    say(n, ".\n");
}

/* For what only annotated programs have: a trace without it is neither good nor bad. */
static const char *nothing_to_check(enum property property)
{
    return property == PROPERTY_ATOMICITY ? "Atomicity: no atomic blocks to check.\n"
           : property == PROPERTY_STALE
               ? "Stale reads: no write is known to depend on a read of the same variable; nothing to check.\n"
           : property == PROPERTY_DETERMINISM     ? "Determinism: no deterministic blocks to check.\n"
           : property == PROPERTY_SERIALIZABILITY ? "Serializability: no atomic blocks to check.\n"
                                                  : NULL;
}

/* Reads depend on the schedule, but nothing depends on them. */
static void say_idle(struct narrator *n, const struct results *r)
{
    say(n, "No order-dependent read matters in this run: ");
    say_count(n, r->idle_reads, "read");
    say(n, " could see another value, but no branch, address or output depends on what they saw.");
}

void say_verdict(struct narrator *n, const struct results *r, enum property property)
{
    bool settled = results_settled(r, n->trace, property);
    const char *nothing = nothing_to_check(property);

    if (property == PROPERTY_OBSERVED) {
        say(n, words[property].clean);
        say(n, "\n");
        return;
    }

    if (nothing && r->stats[property].subjects == 0 && settled) {
        say(n, nothing);
        return;
    }
    if (r->graph.used && settled) {
        say(n, "No feasible witness: the graph method rules out all.");
    } else if (settled && property == PROPERTY_NONDET && r->idle_reads > 0) {
        say_idle(n, r);
    } else if (settled) {
        say_tone(n, TONE_GOOD);
        say(n, words[property].clean);
        say_tone(n, TONE_PLAIN);
    } else {
        say(n, words[property].none);
        say(n, results_undecided(r, property)
                   ? " found, but not everything was decided: this is not an all-clear."
                   : " found so far: the check is incomplete, this is not an all-clear.");
    }
    say(n, "\n");
    if (r->predicted && property_traits(property)->about_blocks && settled)
        say(n, "  Nor does any other order of these events let a single other transaction interfere.\n");
    say_numbers(n, property, &r->stats[property]);
}

/* A cell of the table, to the right; the first column is to the left. */
static void say_padded(struct narrator *n, const char *text, size_t width)
{
    size_t length = strlen(text);

    if (width > 0) /* however long it is, it does not touch its neighbour */
        buffer_spaces(&n->out, length < width ? width - length : 1);
    say(n, text);
}

static void say_number(struct narrator *n, uint64_t number, size_t width)
{
    struct buffer digits = {0};

    buffer_grouped(&digits, number);
    buffer_bytes(&digits, "", 1);
    say_padded(n, digits.text, width);
    buffer_free(&digits);
}

static void say_seconds(struct narrator *n, double seconds, size_t width)
{
    char text[64];

    snprintf(text, sizeof text, "%.3f", seconds);
    say_padded(n, text, width);
}

void say_statistics(struct narrator *n, const struct results *r)
{
    enum { NAME = 16, NARROW = 11, WIDE = 14 };
    static const char *const heads[] = {"subjects", "candidates", "feasible", "must-order", "cycle",
                                        "choices",  "undecided",  "skipped",  "seconds"};

    say(n, "\n");
    say_tone(n, TONE_STRONG);
    say(n, "property        ");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        say_padded(n, heads[i], i < 6 ? WIDE : NARROW);
    say_tone(n, TONE_PLAIN);
    say(n, "\n");
    for (enum property p = 0; p < PROPERTIES; p++) {
        const struct property_stats *s = &r->stats[p];
        if (!s->checked)
            continue;
        say(n, property_title(p));
        buffer_spaces(&n->out, NAME - strlen(property_title(p)));
        say_number(n, s->subjects, WIDE);
        say_number(n, s->candidates, WIDE);
        say_number(n, s->feasible, WIDE);
        for (enum refutation why = 0; why < REFUTATIONS; why++)
            say_number(n, s->refuted[why], WIDE);
        say_number(n, s->undecided, NARROW);
        say_number(n, s->skipped, NARROW);
        say_seconds(n, s->seconds, NARROW);
        say(n, "\n");
    }
    say_count(n, r->certified, "schedule");
    say(n, " certified; loading took ");
    say_seconds(n, r->load_seconds, 0);
    say(n, " s, the model ");
    say_seconds(n, r->model_seconds, 0);
    say(n, " s\n");
    say_tables(n, r);
}
