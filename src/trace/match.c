/* Threads that a trace forks under another name than their events have. */
#include "trace/match.h"
#include "base/memory.h"
#include "trace/validate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The name without the prefix that tools put before a thread's number. */
static const char *bare(const char *name)
{
    const char *digits = name;

    while (isalpha((unsigned char)*digits) || *digits == '-' || *digits == '_' || *digits == ' ')
        digits++;
    return isdigit((unsigned char)*digits) && digits[strspn(digits, "0123456789")] == '\0' ? digits : name;
}

/* What a trace says of each thread. */
struct thread_uses {
    bool *acts, *forked;
};

static struct thread_uses uses_of(const struct trace *t)
{
    size_t count = trace_names(t, NAME_THREAD);
    struct thread_uses u = {memory_new(count + 1, sizeof *u.acts), memory_new(count + 1, sizeof *u.forked)};

    for (size_t e = 1; e <= t->count; e++) {
        enum event_kind kind = trace_kind(t, e);
        u.acts[t->thread[e]] = true;
        if (kind == EVENT_FORK || kind == EVENT_JOIN)
            u.forked[t->arg[e]] = true;
    }
    return u;
}

/* The only thread that could be meant, or NAME_NONE. */
static thread_id meant_by(const struct trace *t, const struct thread_uses *u, thread_id forked)
{
    const char *number = bare(trace_name(t, NAME_THREAD, forked));
    thread_id found = NAME_NONE;

    for (thread_id other = 0; other < trace_names(t, NAME_THREAD); other++) {
        if (other == forked || !u->acts[other] || u->forked[other] ||
            strcmp(bare(trace_name(t, NAME_THREAD, other)), number) != 0)
            continue;
        if (found != NAME_NONE)
            return NAME_NONE;
        found = other;
    }
    return found;
}

static bool next_match(const struct trace *t, const struct thread_uses *u, thread_id first,
                       struct thread_match *to)
{
    for (thread_id forked = first; forked < trace_names(t, NAME_THREAD); forked++) {
        if (!u->forked[forked] || u->acts[forked])
            continue;
        *to = (struct thread_match){forked, meant_by(t, u, forked)};
        if (to->meant != NAME_NONE)
            return true;
    }
    return false;
}

bool trace_mismatched_thread(const struct trace *t, struct thread_match *match)
{
    struct thread_uses u = uses_of(t);
    bool found = next_match(t, &u, 0, match);

    free(u.acts);
    free(u.forked);
    return found;
}

enum status trace_match_threads(struct trace *t, const char *path, struct error *err)
{
    struct thread_uses u = uses_of(t);
    struct thread_match match;
    size_t at;

    for (thread_id next = 0; next_match(t, &u, next, &match); next = match.forked + 1)
        for (size_t e = 1; e <= t->count; e++)
            if ((trace_kind(t, e) == EVENT_FORK || trace_kind(t, e) == EVENT_JOIN) && t->arg[e] == match.forked)
                t->arg[e] = match.meant;
    free(u.acts);
    free(u.forked);
    if (validate_again(t, &at, err) != HEDDLE_OK)
        return error_prefix(err, "%s: with --threads=match, event %zu: ", path, at);
    return HEDDLE_OK;
}
