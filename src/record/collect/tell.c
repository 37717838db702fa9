/* Notes about a recording, for people. */
#include "record/collect/tell.h"
#include "record/collect/waiting.h"

#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#define BINARY_NOTE "atomic loads and stores that compile to plain instructions cannot be told from plain ones"

void tell_recorded(const struct recording *r, const struct collection *c)
{
    const struct conversion *v = &r->conversion;
    uint64_t lost = session_load(&c->session->lost);

    if (!r->notes)
        return;
    fprintf(r->notes, "heddle: recorded %" PRIu64 " events in %s", v->events, r->output);
    if (!*r->binary)
        fprintf(r->notes, " (seed %" PRIu64 ")", r->seed);
    fprintf(r->notes, "; %" PRIu64 " accesses to %" PRIu64 " thread-local or read-only variables left out\n",
            v->dropped_events, v->dropped_variables);
    if (v->untyped)
        fprintf(r->notes,
                "heddle: note: " BINARY_NOTE "; %" PRIu64 " shared variables may be atomic in the source, "
                "the first: %s\n",
                v->untyped, v->first_untyped);
    if (v->refused)
        fprintf(r->notes, "heddle: note: %" PRIu64 " events left out that no possible run holds (%s)\n",
                v->refused, v->refusal);
    if (v->unseen)
        fprintf(r->notes, "heddle: note: %" PRIu64 " reads saw what code without hooks wrote; the first: %s\n",
                v->unseen, v->first_unseen);
    if (c->feed->too_long)
        fprintf(r->notes,
                "heddle: note: more than %d MB of standard input are not kept: replaying needs them again\n",
                FEED_MOST >> 20);
    if (lost)
        fprintf(r->notes, "heddle: note: %" PRIu64 " accesses in signal handlers were not seen\n", lost);
    if (session_load(&c->session->cut))
        fprintf(r->notes,
                "heddle: note: %u time slices were ended by the clock, in code without hooks: another run with "
                "this seed may differ\n",
                session_load(&c->session->cut));
    if (*v->plain)
        fprintf(r->notes, "heddle: note: not instrumented, accesses inside not seen: %s\n", v->plain);
    if (strstr(v->plain, "libgomp.so") || strstr(v->plain, "libomp.so") || strstr(v->plain, "libiomp5.so"))
        fprintf(r->notes,
                "heddle: note: OpenMP's threads wait for each other inside its library, unseen: findings "
                "between them may be false\n");
    if (session_load(&c->session->forks))
        fprintf(r->notes, "heddle: note: %u child processes ran unrecorded\n",
                session_load(&c->session->forks));
    if (session_load(&c->session->exec))
        fprintf(r->notes, "heddle: note: the program became another one%s%s by exec, which ran unrecorded\n",
                *c->session->became ? ", " : "", c->session->became);
    if (session_load(&c->session->refused))
        fprintf(r->notes,
                "heddle: note: only the first instrumented process is recorded; %u more ran without\n",
                session_load(&c->session->refused));
}

void tell_end(const struct recording *r, const struct collection *c, struct naming *naming)
{
    if (!r->notes)
        return;
    if (r->deadlocked)
        stuck_deadlock(c->session, naming, r->notes);
    if (c->timed_out)
        fprintf(r->notes, "heddle: the program was ended after %u seconds\n", r->timeout);
    else if (WIFSIGNALED(c->status) && !r->deadlocked)
        fprintf(r->notes, "heddle: the program died of signal %d (%s)\n", WTERMSIG(c->status),
                strsignal(WTERMSIG(c->status)));
}

enum status tell_nothing(const struct recording *r, const struct collection *c, struct error *err)
{
    if (*r->binary)
        return fail(err, HEDDLE_UNSUPPORTED, "%s: Valgrind did not run it%s%s", r->program[0],
                    *c->trouble ? ": " : "", c->trouble);
    return fail(err, HEDDLE_UNSUPPORTED,
                "%s is not instrumented, nothing was recorded: build it with `heddle cc` or "
                "`gcc -fsanitize=thread` (linked dynamically), or record it as it is with --tool=valgrind",
                r->program[0]);
}
