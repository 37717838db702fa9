/* The model of a trace as CSPM: declarations, SYNC, the pattern, and for each variable threads and assertions.
 */
#include "base/memory.h"
#include "export/cspm_parts.h"
#include "method/csp/csp_plain.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 100 }; /* events of a thread in one definition: tools parse long ones by recursion */

static const char *access_channel(enum event_kind kind)
{
    if (kind_atomic(kind))
        return kind_writes(kind) ? "awrite" : "aread";
    return kind_writes(kind) ? "write" : "read";
}

static void write_declarations(struct cspm *w)
{
    output_text(w->to,
                "-- A trace as CSP: every order of its events that its synchronization allows, data ignored.\n"
                "-- Numbers and names after -- are those of the trace.\n\n");
    cspm_datatype(w, "THREAD", NAME_THREAD);
    cspm_datatype(w, "VARIABLE", NAME_VARIABLE);
    cspm_datatype(w, "LOCK", NAME_LOCK);
    cspm_datatype(w, "CONDITION", NAME_CONDITION);
    cspm_datatype(w, "BARRIER", NAME_BARRIER);
    cspm_datatype(w, "SEMAPHORE", NAME_SEMAPHORE);
    output_text(w->to, "\nchannel race\nchannel read, write : THREAD.VARIABLE\n");
    if (w->atomics)
        output_text(w->to, "channel aread, awrite : THREAD.VARIABLE\n");
    cspm_declare_channels(w);
}

/* A plain access races with every write, an atomic one with plain writes, a plain write with all. */
static void write_pattern(struct cspm *w)
{
    static const char *const kinds[] = {"read", "write", "aread", "awrite"};
    static const bool writes[] = {false, true, false, true}, atomic[] = {false, false, true, true};
    int count = w->atomics ? 4 : 2;
    const char *before = "  ";

    output_text(w->to, "\nrw_set(t1, t2, v) = {");
    for (int i = 0; i < 2 * count; i++)
        cspm_say(w, "%s%s.%s.v", i > 0 ? ", " : "", kinds[i % count], i < count ? "t1" : "t2");
    output_text(w->to, "}\n\nPATT_ERR(t1, t2, v) =\n");
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < count * count; i++) {
            int a = i / count, b = i % count;
            if ((!writes[a] && !writes[b]) || (atomic[a] && atomic[b]))
                continue;
            cspm_say(w, "%s%s.%s.v -> %s.%s.v -> race -> STOP\n", before, kinds[a], side ? "t2" : "t1",
                     kinds[b], side ? "t1" : "t2");
            before = "  [] ";
        }
    }
    output_text(
        w->to,
        "\nPATTERN(t1, t2, v) =\n  PATT_ERR(t1, t2, v) /\\ ([] x : union(sync_set, rw_set(t1, t2, v)) @ x -> "
        "PATTERN(t1, t2, v))\n");
}

/* THREAD_t_v, or where it goes on after so many events. */
static void write_thread_name(struct cspm *w, thread_id t, variable_id v, uint32_t part)
{
    cspm_say(w, "THREAD_%u_%u", t, v);
    if (part > 0)
        cspm_say(w, "_%u", part);
}

struct thread_writer {
    struct cspm *w;
    thread_id thread;
    variable_id variable;
    uint32_t written;
};

static void write_step_end(struct thread_writer *tw, event_id e)
{
    const struct trace *trace = tw->w->m->trace;

    cspm_say(tw->w, " -> -- %u", e);
    if (trace->location[e] != NAME_NONE) {
        cspm_character(tw->w, ' ');
        cspm_comment(tw->w, trace_name(trace, NAME_LOCATION, trace->location[e]));
    }
    cspm_character(tw->w, '\n');
    if (++tw->written % CHUNK == 0) {
        output_text(tw->w->to, "  ");
        write_thread_name(tw->w, tw->thread, tw->variable, tw->written / CHUNK);
        cspm_character(tw->w, '\n');
        write_thread_name(tw->w, tw->thread, tw->variable, tw->written / CHUNK);
        output_text(tw->w->to, " =\n");
    }
}

static void write_links(struct thread_writer *tw, uint32_t *next, uint32_t end)
{
    for (; *next < end; ++*next) {
        const struct csp_link *link = chain_link(&tw->w->plan, tw->thread, *next);
        output_text(tw->w->to, "  ");
        cspm_event(tw->w, tw->thread, link);
        write_step_end(tw, link->event);
    }
}

static void write_thread(struct cspm *w, thread_id t, variable_id v)
{
    struct thread_writer tw = {.w = w, .thread = t, .variable = v};
    const struct csp_plan *p = &w->plan;
    struct event_span accesses = accesses_of(w->m, v);
    uint32_t next = 0;

    write_thread_name(w, t, v, 0);
    output_text(w->to, " =\n");
    for (size_t i = 0; i < accesses.count; i++) {
        event_id e = accesses.events[i];
        if (thread_of(w->m, e) != t || !csp_keeps(p, e))
            continue;
        write_links(&tw, &next, p->chain_position[e]);
        cspm_say(w, "  %s.", access_channel(kind_of(w->m, e)));
        cspm_name(w, NAME_THREAD, t);
        cspm_character(w, '.');
        cspm_name(w, NAME_VARIABLE, v);
        write_step_end(&tw, e);
    }
    write_links(&tw, &next, chain_length(p, t));
    output_text(w->to, "  STOP\n");
}

/* Whether accesses of the two threads to v race by their kinds. */
static bool might_race(const struct model *m, variable_id v, thread_id one, thread_id other)
{
    struct event_span accesses = accesses_of(m, v);
    bool has[2][2][2] = {{{false}}}; /* by thread, writes, atomic */

    for (size_t i = 0; i < accesses.count; i++) {
        enum event_kind kind = kind_of(m, accesses.events[i]);
        thread_id t = thread_of(m, accesses.events[i]);
        if (t == one || t == other)
            has[t == other][kind_writes(kind)][kind_atomic(kind)] = true;
    }
    for (int i = 0; i < 16; i++)
        if (((i & 1) || (i & 4)) && !((i & 2) && (i & 8)) && has[0][i & 1][(i & 2) / 2] &&
            has[1][(i & 4) / 4][(i & 8) / 8])
            return true;
    return false;
}

static void write_assertion(struct cspm *w, variable_id v, thread_id one, thread_id other)
{
    cspm_say(w, "assert STOP [T= (PROGRAM_%u [| union(sync_set, rw_set(", v);
    for (int i = 0; i < 2; i++) {
        cspm_name(w, NAME_THREAD, one);
        output_text(w->to, ", ");
        cspm_name(w, NAME_THREAD, other);
        output_text(w->to, ", ");
        cspm_name(w, NAME_VARIABLE, v);
        output_text(w->to, i == 0 ? ")) |] PATTERN(" : ")) \\ diff(Events, {race})\n");
    }
}

static void put_variable(struct cspm *w, variable_id v)
{
    const struct model *m = w->m;

    output_text(w->to, "\n-- ");
    cspm_comment(w, trace_name(m->trace, NAME_VARIABLE, v));
    cspm_character(w, '\n');
    for (thread_id t = 0; t < m->thread_count; t++)
        write_thread(w, t, v);
    cspm_say(w, "T_INTER_%u = ", v);
    for (thread_id t = 0; t < m->thread_count; t++) {
        output_text(w->to, t > 0 ? " ||| " : "");
        write_thread_name(w, t, v, 0);
    }
    cspm_say(w, "\nPROGRAM_%u = T_INTER_%u [| sync_set |] SYNC\n", v, v);
    for (thread_id one = 0; one < m->thread_count; one++)
        for (thread_id other = one + 1; other < m->thread_count; other++)
            if (might_race(m, v, one, other))
                write_assertion(w, v, one, other);
}

static bool is_shared(const struct model *m, variable_id v)
{
    for (thread_id one = 0; one < m->thread_count; one++)
        for (thread_id other = one + 1; other < m->thread_count; other++)
            if (might_race(m, v, one, other))
                return true;
    return false;
}

static void write_model(struct cspm *w, uint32_t only)
{
    const struct model *m = w->m;

    for (event_id e = 1; e <= m->event_count; e++)
        w->atomics |= kind_atomic(kind_of(m, e));
    w->plain_lock = memory_new(m->lock_count, sizeof *w->plain_lock);
    csp_plan_build(&w->plan, m);
    cspm_sort_locks(w);
    write_declarations(w);
    cspm_sync(w);
    write_pattern(w);
    for (variable_id v = 0; v < m->variable_count; v++)
        if (only == NAME_NONE ? is_shared(m, v) : v == only)
            put_variable(w, v);
    csp_plan_free(&w->plan);
    free(w->plain_lock);
}

/* Every variable that two threads share, or the one asked for; an assertion for each pair of threads that might
 * race on it. */
enum status export_cspm(const struct exported *x, struct output *out, struct error *err)
{
    const struct model *m = x->model;
    const char *variable = x->variable;
    const struct names *names = &m->trace->names[NAME_VARIABLE];
    uint32_t only = variable ? names_find(names, variable, strlen(variable)) : (uint32_t)NAME_NONE;
    struct cspm w = {.to = out, .m = m};

    if (variable && only == NAME_NONE)
        return fail(err, HEDDLE_BAD_USAGE, "the trace has no variable %.200s", variable);
    if (names_count(names) == 0)
        output_text(out, "-- The trace has no variables: there is nothing to race on.\n");
    else
        write_model(&w, only);
    return HEDDLE_OK;
}
