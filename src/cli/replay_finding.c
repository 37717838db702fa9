/* heddle replay of a finding: made to happen once, or often, and what is told of it. */
#include "base/memory.h"
#include "base/names.h"
#include "cli/command.h"
#include "cli/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tell_divergence(const char *what, const char *text, const char *reason)
{
    complain("%s: the program did not follow the schedule: %s", what, text);
    if (*reason)
        complain("a possible reason, different from the recording: %s", reason);
    else
        complain("possible reasons: input that is not recorded (environment, files, network), code that "
                 "depends on addresses, the processor's time stamps (rdtsc)");
    return EXIT_INCOMPLETE;
}

/* A race found with data ignored: only a run can tell whether the program comes to both accesses, whatever it
 * reads on the way. */
static int tell_other_path(const char *id, const struct replay_verdict *v)
{
    complain("%s: needs another path: in this order of synchronization the program took a path on which the "
             "accesses do not meet: %s",
             id, v->divergence);
    return EXIT_INCOMPLETE;
}

static int tell(const struct replaying *r, const char *id, const struct finding *f,
                const struct replay_verdict *v)
{
    if (v->diverged && f->synchronization && !*v->reason)
        return tell_other_path(id, v);
    if (v->diverged)
        return tell_divergence(id, v->divergence, v->reason);
    printf("%s: %s with %u context switch%s\n", id, v->confirmed ? "confirmed" : "not confirmed", v->switches,
           v->switches == 1 ? "" : "es");
    if (v->confirmed && f->confirmation == CONFIRMATION_OTHER_PATH)
        printf("  on another path: the program reached both accesses with other values than recorded\n");
    if (!r->quiet)
        fwrite(v->text.text, 1, v->text.text_count, stdout);
    printf("outcome: %s\n", v->outcome);
    return !v->confirmed ? EXIT_INCOMPLETE : v->change != CHANGE_NONE ? EXIT_FINDINGS : EXIT_SUCCESS;
}

/* Counts of `--loop`: how often each outcome came. */
struct tally {
    struct names outcomes;
    uint64_t *times;
    size_t times_count, times_capacity;
    uint64_t confirmed, first_sum, alike;
};

static void count(struct tally *t, const struct replay_verdict *v, bool first)
{
    const char *outcome = v->diverged ? "diverged" : v->outcome;
    uint32_t id = names_add(&t->outcomes, outcome, strlen(outcome));

    if (id == t->times_count)
        ARRAY_PUSH(t, times, 0);
    t->times[id]++;
    t->confirmed += v->confirmed;
    if (first)
        t->first_sum = v->sum;
    t->alike += v->sum == t->first_sum;
}

static int tell_tally(const char *id, const struct tally *t, uint64_t runs)
{
    printf("%s: %llu of %llu confirmed, %llu with the same outcome as the first\n", id,
           (unsigned long long)t->confirmed, (unsigned long long)runs, (unsigned long long)t->alike);
    for (uint32_t i = 0; i < t->times_count; i++)
        printf("  %llu times: %s\n", (unsigned long long)t->times[i], names_text(&t->outcomes, i));
    return t->confirmed < runs                                                      ? EXIT_INCOMPLETE
           : t->times_count > 1 || strcmp(names_text(&t->outcomes, 0), "same") != 0 ? EXIT_FINDINGS
                                                                                    : EXIT_SUCCESS;
}

int replay_finding(const struct replaying *r, struct replay_case *c, const char *id, const struct finding *f)
{
    struct tally tally = {0};
    struct replay_verdict v = {0};
    struct error err;
    int result = EXIT_SUCCESS;
    uint64_t done = 0;

    names_init(&tally.outcomes);
    for (; done < r->loop; done++) {
        if (replay_confirm(c, f, &v, &err) != HEDDLE_OK) {
            result = complain("%s", err.text);
            break;
        }
        count(&tally, &v, done == 0);
        if (r->loop == 1)
            result = tell(r, id, f, &v);
        replay_verdict_free(&v);
    }
    if (r->loop > 1 && done == r->loop)
        result = tell_tally(id, &tally, done);
    names_free(&tally.outcomes);
    free(tally.times);
    return result;
}
