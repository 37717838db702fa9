/* Threads that a trace forks under another name than their events have. */
#include "trace/match.h"
#include "base/map.h"
#include "base/memory.h"
#include "trace/validate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

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
    struct map
        unforked; /* hash of the bare name of a thread with events that nobody forks → its number + 1, or SEVERAL */
};

enum { SEVERAL = UINT32_MAX };

static uint64_t bare_hash(const struct trace *t, thread_id thread)
{
    const char *name = bare(trace_name(t, NAME_THREAD, thread));

    return XXH3_64bits(name, strlen(name));
}

static struct thread_uses uses_of(const struct trace *t)
{
    size_t count = trace_names(t, NAME_THREAD);
    struct thread_uses u = {
        memory_new(count + 1, sizeof *u.acts), memory_new(count + 1, sizeof *u.forked), {0}};
    bool idle = false;

    for (size_t e = 1; e <= t->count; e++) {
        enum event_kind kind = trace_kind(t, e);
        u.acts[t->thread[e]] = true;
        if (kind == EVENT_FORK || kind == EVENT_JOIN)
            u.forked[t->arg[e]] = true;
    }
    for (thread_id thread = 0; thread < count; thread++)
        idle |= u.forked[thread] && !u.acts[thread];
    for (thread_id thread = 0; idle && thread < count; thread++)
        if (u.acts[thread] && !u.forked[thread]) {
            uint32_t *at = map_at(&u.unforked, bare_hash(t, thread));
            *at = *at ? SEVERAL : thread + 1;
        }
    return u;
}

static void uses_free(struct thread_uses *u)
{
    free(u->acts);
    free(u->forked);
    map_free(&u->unforked);
}

/* The only thread that could be meant, or NAME_NONE. */
static thread_id meant_by(const struct trace *t, const struct thread_uses *u, thread_id forked)
{
    uint32_t found = map_get(&u->unforked, bare_hash(t, forked));

    if (found == 0 || found == SEVERAL ||
        strcmp(bare(trace_name(t, NAME_THREAD, found - 1)), bare(trace_name(t, NAME_THREAD, forked))) != 0)
        return NAME_NONE;
    return found - 1;
}

/* For a thread that is forked or joined and has no events: the one that is meant; otherwise NAME_NONE. */
static thread_id match_of(const struct trace *t, const struct thread_uses *u, thread_id forked)
{
    return u->forked[forked] && !u->acts[forked] ? meant_by(t, u, forked) : NAME_NONE;
}

bool trace_mismatched_thread(const struct trace *t, struct thread_match *match)
{
    struct thread_uses u = uses_of(t);

    *match = (struct thread_match){.meant = NAME_NONE};
    for (thread_id forked = 0; match->meant == NAME_NONE && forked < trace_names(t, NAME_THREAD); forked++)
        *match = (struct thread_match){forked, match_of(t, &u, forked)};
    uses_free(&u);
    return match->meant != NAME_NONE;
}

enum status trace_match_threads(struct trace *t, const char *path, struct error *err)
{
    struct thread_uses u = uses_of(t);
    size_t at;

    for (size_t e = 1; e <= t->count; e++) {
        bool names_thread = trace_kind(t, e) == EVENT_FORK || trace_kind(t, e) == EVENT_JOIN;
        thread_id meant = names_thread ? match_of(t, &u, t->arg[e]) : NAME_NONE;
        if (meant != NAME_NONE)
            t->arg[e] = meant;
    }
    uses_free(&u);
    if (validate_again(t, &at, err) != HEDDLE_OK)
        return error_prefix(err, "%s: with --threads=match, event %zu: ", path, at);
    return HEDDLE_OK;
}
