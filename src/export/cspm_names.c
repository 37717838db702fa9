/* Names of the trace as identifiers of CSPM. */
#include "export/cspm_parts.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

enum { NAME_MOST = 40 }; /* characters of a name that are kept; the number in front tells all apart */

void cspm_say(struct cspm *w, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    output_text(w->to, text);
}

void cspm_character(struct cspm *w, char c)
{
    output_write(w->to, &c, 1);
}

static char class_letter(enum name_class class)
{
    switch (class) {
    case NAME_THREAD:
        return 't';
    case NAME_VARIABLE:
        return 'v';
    case NAME_LOCK:
        return 'm';
    case NAME_CONDITION:
        return 'c';
    case NAME_BARRIER:
        return 'b';
    default:
        return 's';
    }
}

/* isalnum depends on the locale. */
static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

void cspm_name(struct cspm *w, enum name_class class, uint32_t id)
{
    const char *text = trace_name(w->m->trace, class, id);

    cspm_say(w, "%c%u_", class_letter(class), id);
    for (int i = 0; text[i] && i < NAME_MOST; i++)
        cspm_character(w, (char)(is_plain(text[i]) ? text[i] : '_'));
}

void cspm_comment(struct cspm *w, const char *text)
{
    for (; *text; text++)
        cspm_character(w, (char)(iscntrl((unsigned char)*text) ? '?' : *text));
}

void cspm_datatype(struct cspm *w, const char *type, enum name_class class)
{
    size_t count = trace_names(w->m->trace, class);

    if (count == 0)
        return;
    cspm_say(w, "datatype %s =\n", type);
    for (uint32_t id = 0; id < count; id++) {
        output_text(w->to, id > 0 ? "  | " : "    ");
        cspm_name(w, class, id);
        output_text(w->to, " -- ");
        cspm_comment(w, trace_name(w->m->trace, class, id));
        cspm_character(w, '\n');
    }
}

static const char *lock_channel(const struct cspm *w, const struct csp_link *link)
{
    const struct csp_plan *p = &w->plan;
    lock_id lock = link->leaf - p->stage_count;
    uint32_t i = p->lock_start[lock];

    while (p->lock_labels[i].label != link->label)
        i++;
    switch (p->lock_labels[i].operation) {
    case LOCK_TAKE:
        return p->lock_labels[i].section == SECTION_NONE ? "lock" : "tlock";
    case LOCK_UPGRADE:
        return p->lock_labels[i].section == SECTION_NONE ? "upgrade" : "tupgrade";
    case LOCK_GIVE:
        return "unlock";
    case LOCK_SHARE:
        return "rlock";
    case LOCK_UNSHARE:
        return "runlock";
    default:
        return "tryfail";
    }
}

const char *cspm_channel(const struct cspm *w, const struct csp_link *link)
{
    if (link->kind != LINK_EVENT)
        return link->kind == LINK_START ? "start" : "end";
    if (link->leaf == LEAF_NONE)
        return "free";
    if (link->leaf >= w->plan.stage_count)
        return lock_channel(w, link);
    return kind_word(kind_of(w->m, link->event));
}

void cspm_event(struct cspm *w, thread_id t, const struct csp_link *link)
{
    const struct model *m = w->m;
    enum event_kind kind = kind_of(m, link->event);
    bool numbered = link->label == link->event + 1;

    cspm_say(w, "%s.", cspm_channel(w, link));
    cspm_name(w, NAME_THREAD, t);
    if (link->kind != LINK_EVENT)
        return;
    if (link->leaf != LEAF_NONE) {
        cspm_character(w, '.');
        cspm_name(w, kind_argument(kind), arg_of(m, link->event));
    }
    if (link->leaf == LEAF_NONE || (numbered && kind != EVENT_FORK && kind != EVENT_JOIN))
        cspm_say(w, ".%u", link->event); /* this one, not any of its kind */
}
