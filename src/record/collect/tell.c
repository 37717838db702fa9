/* Notes about a recording, for people. */
#include "record/collect/tell.h"
#include "record/collect/waiting.h"

#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#define BINARY_NOTE "atomic loads and stores that compile to plain instructions look like plain accesses"

void tell_recorded(const struct recording *r, const struct collection *c)
{
    const struct conversion *v = &r->conversion;
    uint64_t lost = session_load(&c->session->lost);
    char seed[40] = "";

    if (!*r->binary)
        snprintf(seed, sizeof seed, " (seed %" PRIu64 ")", r->seed);
    note_add(r->notes, NOTE_NEWS,
             "recorded %" PRIu64 " events in %s%s; %" PRIu64 " accesses to %" PRIu64
             " thread-local or read-only variables left out",
             v->events, r->output, seed, v->dropped_events - v->polls, v->dropped_variables);
    if (v->polls)
        note_add(r->notes, NOTE_NEWS, "%" PRIu64 " poll%s left out that found what those before them had found",
                 v->polls, v->polls == 1 ? "" : "s");
    if (v->beyond)
        note_add(r->notes, NOTE_CAVEAT,
                 "the trace ends %" PRIu64
                 " records before the program did: more could not be written in a tenth of "
                 "the time that recording took",
                 v->beyond);
    if (v->untyped)
        note_add(r->notes, NOTE_CAVEAT,
                 BINARY_NOTE "; %" PRIu64 " shared variables may be atomic in the source, the first: %s",
                 v->untyped, v->first_untyped);
    if (v->refused)
        note_add(r->notes, NOTE_CAVEAT, "%" PRIu64 " events left out that no possible run holds (%s)",
                 v->refused, v->refusal);
    if (v->unseen)
        note_add(r->notes, NOTE_CAVEAT,
                 "%" PRIu64 " reads saw values that uninstrumented code wrote; the first: %s", v->unseen,
                 v->first_unseen);
    if (c->feed->too_long)
        note_add(r->notes, NOTE_CAVEAT,
                 "only %d MB of standard input are kept in the trace: replaying needs the input again",
                 FEED_MOST >> 20);
    if (lost)
        note_add(r->notes, NOTE_CAVEAT, "%" PRIu64 " accesses in signal handlers were not recorded", lost);
    if (session_load(&c->session->cut))
        note_add(r->notes, NOTE_CAVEAT,
                 "%u time slices were ended by the clock, in uninstrumented code: another run with this seed "
                 "may differ",
                 session_load(&c->session->cut));
    if (*v->plain)
        note_add(r->notes, NOTE_CAVEAT, "not instrumented, accesses not recorded: %s", v->plain);
    if (strstr(v->plain, "libgomp.so") || strstr(v->plain, "libomp.so") || strstr(v->plain, "libiomp5.so"))
        note_add(r->notes, NOTE_CAVEAT,
                 "OpenMP's threads wait for each other inside its library, which is not recorded: findings "
                 "between them may be false");
    if (session_load(&c->session->forks))
        note_add(r->notes, NOTE_CAVEAT, "%u child processes were not recorded",
                 session_load(&c->session->forks));
    if (session_load(&c->session->exec))
        note_add(r->notes, NOTE_CAVEAT, "the program called exec; the new program%s%s was not recorded",
                 *c->session->became ? " " : "", c->session->became);
    if (session_load(&c->session->refused))
        note_add(r->notes, NOTE_CAVEAT, "only the first instrumented process is recorded; %u more were not",
                 session_load(&c->session->refused));
}

void tell_end(const struct recording *r, const struct collection *c, struct naming *naming)
{
    if (r->deadlocked && r->notes)
        stuck_deadlock(c->session, naming, r->notes);
    if (c->timed_out)
        note_add(r->notes, NOTE_NEWS, "the program was ended after %u seconds", r->timeout);
    else if (WIFSIGNALED(c->status) && !r->deadlocked && !c->cut_short)
        note_add(r->notes, NOTE_NEWS, "the program died of signal %d (%s)", WTERMSIG(c->status),
                 strsignal(WTERMSIG(c->status)));
}

enum status tell_nothing(const struct recording *r, const struct collection *c, struct error *err)
{
    if (*r->binary)
        return fail(err, HEDDLE_UNSUPPORTED, "%s: Valgrind could not run it%s%s", r->program[0],
                    *c->trouble ? ": " : "", c->trouble);
    return fail(
        err, HEDDLE_UNSUPPORTED,
        "%s is not instrumented, nothing was recorded: build it with `heddle cc` or `gcc "
        "-fsanitize=thread` (linked dynamically), or record it as it is with `heddle run --tool=valgrind`",
        r->program[0]);
}
