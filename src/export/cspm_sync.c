/* SYNC: the processes that keep synchronization events in order. */
#include "export/cspm_parts.h"

#include <string.h>

/* The channels of synchronization events, in the order they are declared. */
static const struct {
    const char *name, *type;
    bool numbered; /* its events carry numbers of the trace */
} channels[] = {
    {"start", "THREAD", false},
    {"end", "THREAD", false},
    {"fork", "THREAD.THREAD", false},
    {"join", "THREAD.THREAD", false},
    {"lock", "THREAD.LOCK", false},
    {"unlock", "THREAD.LOCK", false},
    {"upgrade", "THREAD.LOCK", false},
    {"rlock", "THREAD.LOCK", false},
    {"runlock", "THREAD.LOCK", false},
    {"tlock", "THREAD.LOCK", true},
    {"tupgrade", "THREAD.LOCK", true},
    {"tryfail", "THREAD.LOCK", true},
    {"waitpre", "THREAD.CONDITION", true},
    {"notify", "THREAD.CONDITION", true},
    {"notifyall", "THREAD.CONDITION", true},
    {"waitpost", "THREAD.CONDITION", true},
    {"benter", "THREAD.BARRIER", true},
    {"bexit", "THREAD.BARRIER", true},
    {"post", "THREAD.SEMAPHORE", true},
    {"semwait", "THREAD.SEMAPHORE", true},
    {"free", "THREAD", true},
};

enum { CHANNELS = sizeof channels / sizeof *channels };

/* The numbers that events of the channel carry; returns how many links the channel has. */
static size_t list_numbers(struct cspm *w, const char *channel, bool print)
{
    size_t count = 0;

    for (thread_id t = 0; t < w->m->thread_count; t++) {
        for (uint32_t k = 0; k < chain_length(&w->plan, t); k++) {
            const struct csp_link *link = chain_link(&w->plan, t, k);
            if (strcmp(cspm_channel(w, link), channel) != 0)
                continue;
            if (print)
                cspm_say(w, "%s%u", count > 0 ? ", " : "", link->event);
            count++;
        }
    }
    return count;
}

static bool has_operation(const struct cspm *w, lock_id lock, enum lock_operation operation, bool section)
{
    for (uint32_t i = w->plan.lock_start[lock]; i < w->plan.lock_start[lock + 1]; i++)
        if (w->plan.lock_labels[i].operation == operation &&
            (w->plan.lock_labels[i].section != SECTION_NONE) == section)
            return true;
    return false;
}

void cspm_sort_locks(struct cspm *w)
{
    for (lock_id l = 0; l < w->m->lock_count; l++) {
        w->plain_lock[l] = !has_operation(w, l, LOCK_SHARE, false) && !has_operation(w, l, LOCK_TRY, true) &&
                           !has_operation(w, l, LOCK_SHARE, true);
        w->other_locks |= !w->plain_lock[l];
    }
}

/* Those that the processes of threads and locks speak of are always there. */
static bool is_declared(struct cspm *w, int i)
{
    const char *name = channels[i].name;

    if (channels[i].numbered)
        return list_numbers(w, name, false) > 0;
    if (strcmp(channels[i].type, "THREAD.LOCK") != 0)
        return true;
    return strcmp(name, "lock") == 0 || strcmp(name, "unlock") == 0 ? w->m->lock_count > 0 : w->other_locks;
}

void cspm_declare_channels(struct cspm *w)
{
    const char *before = "";

    for (int i = 0; i < CHANNELS; i++) {
        if (!is_declared(w, i))
            continue;
        cspm_say(w, "channel %s : %s", channels[i].name, channels[i].type);
        if (channels[i].numbered) {
            output_text(w->to, ".{");
            list_numbers(w, channels[i].name, true);
            cspm_character(w, '}');
        }
        cspm_character(w, '\n');
    }
    output_text(w->to, "\nsync_set = {| ");
    for (int i = 0; i < CHANNELS; i++) {
        if (!is_declared(w, i))
            continue;
        cspm_say(w, "%s%s", before, channels[i].name);
        before = ", ";
    }
    output_text(w->to, " |}\n");
}

static bool is_boundary(const struct cspm *w, const struct csp_member *member, enum link_kind kind)
{
    return chain_link(&w->plan, member->thread, member->position)->kind == kind;
}

/* Forks and joins have one process each for all threads; `i` is one that starts, or ends. */
static void write_threads(struct cspm *w, const char *all, const char *process, enum link_kind kind)
{
    const char *before = "";

    cspm_say(w, "%s = ||| i : {", all);
    for (size_t i = 0; i < w->plan.members_count; i++) {
        if (!is_boundary(w, &w->plan.members[i], kind))
            continue;
        output_text(w->to, before);
        cspm_name(w, NAME_THREAD, w->plan.members[i].thread);
        before = ", ";
    }
    cspm_say(w, "} @ %s(i)\n", process);
}

static bool is_thread_process(const struct cspm *w, uint32_t process)
{
    for (uint32_t i = w->plan.member_start[process]; i < w->plan.member_start[process + 1]; i++)
        if (!is_boundary(w, &w->plan.members[i], LINK_EVENT))
            return true;
    return false;
}

/* (a -> SKIP ||| b -> SKIP) ; (c -> SKIP) */
static void write_stages(struct cspm *w, uint32_t process)
{
    const struct csp_plan *p = &w->plan;
    uint32_t first = p->member_start[process];

    cspm_say(w, "STAGES_%u =", process);
    for (uint32_t i = first; i < p->member_start[process + 1]; i++) {
        const struct csp_member *member = &p->members[i];
        bool is_new = i == first || p->members[i - 1].stage != member->stage;
        output_text(w->to, i == first ? "\n  (" : is_new ? ") ;\n  (" : " ||| ");
        cspm_event(w, member->thread, chain_link(p, member->thread, member->position));
        output_text(w->to, " -> SKIP");
    }
    output_text(w->to, ")\n");
}

/* The tries that failed in a section, as a branch of the process that holds its lock. */
static void write_tries(struct cspm *w, lock_id lock, uint32_t section)
{
    const struct csp_plan *p = &w->plan;
    const struct csp_lock_label *take = NULL;

    for (uint32_t i = p->lock_start[lock]; i < p->lock_start[lock + 1]; i++)
        if (p->lock_labels[i].section == section && p->lock_labels[i].operation != LOCK_TRY)
            take = &p->lock_labels[i];
    cspm_say(w, "TRIED_%u(n) =\n  unlock.", section);
    cspm_name(w, NAME_THREAD, take->thread);
    cspm_character(w, '.');
    cspm_name(w, NAME_LOCK, lock);
    output_text(w->to, " -> RWLOCK_");
    cspm_say(w, "%u(n)\n  [] (n < card(THREAD) & rlock.", lock);
    cspm_name(w, NAME_THREAD, take->thread);
    cspm_character(w, '.');
    cspm_name(w, NAME_LOCK, lock);
    cspm_say(w, " -> TRIED_%u(n + 1))\n  [] (n > 0 & runlock.", section);
    cspm_name(w, NAME_THREAD, take->thread);
    cspm_character(w, '.');
    cspm_name(w, NAME_LOCK, lock);
    cspm_say(w, " -> TRIED_%u(n - 1))\n", section);
    for (uint32_t i = p->lock_start[lock]; i < p->lock_start[lock + 1]; i++) {
        const struct csp_lock_label *l = &p->lock_labels[i];
        if (l->section != section || l->operation != LOCK_TRY)
            continue;
        output_text(w->to, "  [] tryfail.");
        cspm_name(w, NAME_THREAD, l->thread);
        cspm_character(w, '.');
        cspm_name(w, NAME_LOCK, lock);
        cspm_say(w, ".%u -> TRIED_%u(n)\n", l->label - 1, section);
    }
}

/* A lock that is shared at times, or that a try failed on; n readers hold it. */
static void write_lock(struct cspm *w, lock_id lock)
{
    const struct csp_plan *p = &w->plan;

    cspm_say(w, "RWLOCK_%u(n) = -- ", lock);
    cspm_comment(w, trace_name(w->m->trace, NAME_LOCK, lock));
    output_text(w->to, "\n  (n == 0 & lock?t!");
    cspm_name(w, NAME_LOCK, lock);
    cspm_say(w, " -> HELD_%u(t, n))\n  [] (n == 1 & upgrade?t!", lock);
    cspm_name(w, NAME_LOCK, lock);
    cspm_say(w, " -> HELD_%u(t, n))\n  [] (n < card(THREAD) & rlock?t!", lock);
    cspm_name(w, NAME_LOCK, lock);
    cspm_say(w, " -> RWLOCK_%u(n + 1))\n  [] (n > 0 & runlock?t!", lock);
    cspm_name(w, NAME_LOCK, lock);
    cspm_say(w, " -> RWLOCK_%u(n - 1))\n", lock);
    for (uint32_t i = p->lock_start[lock]; i < p->lock_start[lock + 1]; i++) {
        const struct csp_lock_label *l = &p->lock_labels[i];
        if (l->section == SECTION_NONE || l->operation == LOCK_TRY)
            continue;
        cspm_say(w, "  [] (n == %d & %s.", l->operation == LOCK_UPGRADE,
                 l->operation == LOCK_UPGRADE ? "tupgrade" : "tlock");
        cspm_name(w, NAME_THREAD, l->thread);
        cspm_character(w, '.');
        cspm_name(w, NAME_LOCK, lock);
        cspm_say(w, ".%u -> TRIED_%u(n))\n", l->label - 1, l->section);
    }
    cspm_say(w, "HELD_%u(t, n) =\n  unlock.t.", lock);
    cspm_name(w, NAME_LOCK, lock);
    cspm_say(w, " -> RWLOCK_%u(n)\n  [] (n < card(THREAD) & rlock.t.", lock);
    cspm_name(w, NAME_LOCK, lock);
    cspm_say(w, " -> HELD_%u(t, n + 1))\n  [] (n > 0 & runlock.t.", lock);
    cspm_name(w, NAME_LOCK, lock);
    cspm_say(w, " -> HELD_%u(t, n - 1))\n", lock);
    for (uint32_t i = p->lock_start[lock]; i < p->lock_start[lock + 1]; i++)
        if (p->lock_labels[i].section != SECTION_NONE && p->lock_labels[i].operation != LOCK_TRY)
            write_tries(w, lock, p->lock_labels[i].section);
}

static void write_locks(struct cspm *w)
{
    const char *before = "";

    output_text(w->to, "MUTEX(i) = lock?t!i -> unlock.t.i -> MUTEX(i)\nMUTEXES = ||| i : {");
    for (lock_id l = 0; l < w->m->lock_count; l++) {
        if (!w->plain_lock[l])
            continue;
        output_text(w->to, before);
        cspm_name(w, NAME_LOCK, l);
        before = ", ";
    }
    output_text(w->to, "} @ MUTEX(i)\n");
    for (lock_id l = 0; l < w->m->lock_count; l++)
        if (!w->plain_lock[l])
            write_lock(w, l);
}

/* What nothing holds back: unmatched signals, tokens that were there at first. */
static bool write_free(struct cspm *w)
{
    size_t count = list_numbers(w, "free", false);

    if (count > 0)
        output_text(w->to, "FREE = [] x : {| free |} @ x -> FREE\n");
    return count > 0;
}

void cspm_sync(struct cspm *w)
{
    const struct csp_plan *p = &w->plan;
    bool free_events;

    output_text(w->to, "\nFORK(i) = fork?t!i -> start.i -> STOP\n");
    write_threads(w, "FORKS", "FORK", LINK_START);
    output_text(w->to, "\n-- Several threads may join one.\n"
                       "JOIN(i) = end.i -> JOINED(i)\nJOINED(i) = join?t!i -> JOINED(i)\n");
    write_threads(w, "JOINS", "JOIN", LINK_END);
    cspm_character(w, '\n');
    if (w->m->lock_count > 0)
        write_locks(w);
    for (uint32_t process = 0; process < p->stage_count; process++)
        if (!is_thread_process(w, process))
            write_stages(w, process);
    free_events = write_free(w);

    output_text(w->to, "\nSYNC = FORKS ||| JOINS");
    output_text(w->to, w->m->lock_count > 0 ? " ||| MUTEXES" : "");
    for (lock_id l = 0; l < w->m->lock_count; l++)
        if (!w->plain_lock[l])
            cspm_say(w, " ||| RWLOCK_%u(0)", l);
    for (uint32_t process = 0; process < p->stage_count; process++)
        if (!is_thread_process(w, process))
            cspm_say(w, "\n  ||| STAGES_%u", process);
    output_text(w->to, free_events ? "\n  ||| FREE\n" : "\n");
}
