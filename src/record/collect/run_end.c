/* How a recorded run ended: its outcome, which thread waited for what, what is missing. */
#include "record/collect/run_end.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static bool is_alive(const struct session_thread *t)
{
    uint32_t state = session_load(&t->state);

    return session_load(&t->id) != 0 && state != STATE_FREE && state != STATE_ENDED;
}

/* What a thread waits for, in words: the object as the trace names it. */
static void put_what(struct converter *c, const struct session_thread *t, char *to, size_t room)
{
    static const struct {
        const char *words;
        enum name_class class;
    } kinds[] = {
        [WAIT_NONE] = {"its turn", NAME_CLASSES},
        [WAIT_LOCK] = {"lock ", NAME_LOCK},
        [WAIT_CONDITION] = {"condition ", NAME_CONDITION},
        [WAIT_BARRIER] = {"barrier ", NAME_BARRIER},
        [WAIT_SEMAPHORE] = {"semaphore ", NAME_SEMAPHORE},
        [WAIT_JOIN] = {"the end of ", NAME_THREAD},
        [WAIT_ONCE] = {"the initialization of ", NAME_SEMAPHORE},
        [WAIT_FUTEX] = {"a change of ", NAME_VARIABLE},
        [WAIT_TIME] = {"time to pass", NAME_CLASSES},
        [WAIT_DESCRIPTOR] = {"a file descriptor", NAME_CLASSES},
    };
    uint32_t reason = session_load(&t->reason), owner = session_load(&t->owner);
    uint64_t key = session_load(&t->key);
    char object[1024] = "";

    if (reason >= sizeof kinds / sizeof *kinds)
        reason = WAIT_NONE;
    if (reason == WAIT_JOIN && owner)
        converter_thread_name(c, owner - 1, object, sizeof object);
    else if (kinds[reason].class < NAME_CLASSES && reason != WAIT_JOIN && key)
        converter_object_name(c, kinds[reason].class, key, session_load(&t->pc), object, sizeof object);
    snprintf(to, room, "%s%.900s", kinds[reason].words,
             *object                              ? object
             : kinds[reason].class < NAME_CLASSES ? "an unnamed object"
                                                  : "");
}

static void add_waiter(struct converter *c, const struct session_thread *t, struct trace_end *end)
{
    uint32_t owner = session_load(&t->owner);
    uint64_t pc = session_load(&t->pc);
    char name[512], what[1024], place[1024] = "", holder[512] = "";

    converter_thread_name(c, session_load(&t->id) - 1, name, sizeof name);
    put_what(c, t, what, sizeof what);
    if (pc) {
        struct naming *naming = converter_naming(c);
        pc = converter_own_place(c, session_load(&t->id) - 1, pc);
        symbols_place(naming->symbols, pc, place, sizeof place);
        naming_note_function(&naming->functions_at, place, symbols_first_line(naming->symbols, pc));
    }
    if (owner && session_load(&t->reason) == WAIT_LOCK)
        converter_thread_name(c, owner - 1, holder, sizeof holder);
    trace_end_waiter(end, name, what, place, holder);
}

/* No thread can go on: a deadlock if a thread waits for a lock, else a hang. Threads that wait for a lock
 * come first. */
static void fill_stopped(struct converter *c, const struct session *session, struct trace_end *end)
{
    size_t locks = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < SESSION_THREADS; i++) {
            const struct session_thread *t = &session->threads[i];
            if (is_alive(t) && (session_load(&t->reason) == WAIT_LOCK) == (pass == 0))
                add_waiter(c, t, end);
        }
        locks = pass == 0 ? end->waiters_count : locks;
    }
    trace_end_outcome(end, locks > 0 ? RUN_DEADLOCK : RUN_HANG, 0, NULL);
}

/* The time was up: threads that waited then for something else than their turn. */
static void fill_waiters(struct converter *c, const struct session *session, struct trace_end *end)
{
    for (int i = 0; i < SESSION_THREADS; i++) {
        const struct session_thread *t = &session->threads[i];
        if (is_alive(t) && session_load(&t->state) >= STATE_BLOCKED && session_load(&t->reason) != WAIT_NONE)
            add_waiter(c, t, end);
    }
}

void run_end_status(struct trace_end *end, int status)
{
    if (WIFSIGNALED(status))
        trace_end_outcome(end, RUN_SIGNAL, (uint64_t)WTERMSIG(status), NULL);
    else
        trace_end_outcome(end, RUN_EXIT, (uint64_t)WEXITSTATUS(status), NULL);
}

__attribute__((format(printf, 2, 3))) static void add_reason(struct trace_end *end, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    trace_end_incomplete(end, text);
}

/* Threads that were created and had no turn before the process ended. */
static void count_unstarted(const struct session *session, struct converter *c, struct trace_end *end)
{
    char name[512] = "";
    unsigned count = 0;

    for (int i = 0; i < SESSION_THREADS; i++) {
        const struct session_thread *t = &session->threads[i];
        if (!is_alive(t) || converter_has_started(c, session_load(&t->id) - 1))
            continue;
        if (count++ == 0)
            converter_thread_name(c, session_load(&t->id) - 1, name, sizeof name);
    }
    if (count == 1)
        add_reason(end, "thread %s was created but never ran", name);
    else if (count > 1)
        add_reason(end, "%u threads were created but never ran, the first: %s", count, name);
}

static void fill_incomplete(const struct run_end_source *s, struct converter *c, struct trace_end *end)
{
    const struct session *session = s->collection->session;
    uint64_t beyond = s->recording->conversion.beyond;
    uint32_t forks = session_load(&session->forks), refused = session_load(&session->refused);

    if (s->collection->timed_out)
        add_reason(end, "the program was ended after %u seconds", s->recording->timeout);
    if (s->collection->interrupted)
        add_reason(end, "the recording was interrupted");
    if (s->collection->cut_short)
        add_reason(end,
                   "the recorded run took another way than the one that was shown, and was ended before it did "
                   "something for the second time");
    if (s->taker->store.error.status != HEDDLE_OK)
        add_reason(end, "some records were lost: %.800s", s->taker->store.error.text);
    if (beyond)
        add_reason(end, "the trace ends %" PRIu64 " records before the program did", beyond);
    else
        count_unstarted(session, c, end);
    if (session_load(&session->exec))
        add_reason(end, "the program called exec; %s%s was not recorded",
                   *session->became ? "the new program " : "",
                   *session->became ? session->became : "the new program");
    if (refused)
        add_reason(end, "only the first instrumented process is recorded; %u more were not", refused);
    else if (forks)
        add_reason(end,
                   forks == 1 ? "%u child process was not recorded" : "%u child processes were not recorded",
                   forks);
    if (session_load(&session->lost))
        add_reason(end, "%" PRIu64 " accesses in signal handlers were not recorded",
                   session_load(&session->lost));
    if (s->recording->conversion.refused)
        add_reason(end, "%" PRIu64 " events left out that no possible run holds (%s)",
                   s->recording->conversion.refused, s->recording->conversion.refusal);
    if (converter_journal(c)->threads_count < 2)
        add_reason(end, "no second thread ran");
}

void run_end_fill(void *source, struct converter *c, struct trace_end *end)
{
    const struct run_end_source *s = source;
    const struct session *session = s->collection->session;
    uint32_t words = session_load(&session->last_words_kind);

    if (session_load(&session->deadlock))
        fill_stopped(c, session, end);
    else if (words == LAST_WORDS_ASSERTION)
        trace_end_outcome(end, RUN_ASSERTION, 0, session->last_words);
    else if (words == LAST_WORDS_EXCEPTION)
        trace_end_outcome(end, RUN_EXCEPTION, 0, session->last_words);
    else if (!s->collection->timed_out && !s->collection->interrupted && !s->collection->cut_short)
        run_end_status(end, s->collection->status);
    else if (s->collection->timed_out && s->recording->conversion.beyond == 0)
        fill_waiters(c, session, end);
    fill_incomplete(s, c, end);
}
