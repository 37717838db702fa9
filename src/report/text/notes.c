/* The notes of a text report: reads and final values that depend on the schedule, a line for each variable. */
#include "base/memory.h"
#include "base/names.h"
#include "report/text/narrate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { IDS_MOST = 5 };

/* The notes on one variable or object. */
struct subject {
    uint32_t name; /* in the list of names */
    size_t first;  /* of its notes, which stands for them */
    size_t last;
    uint64_t count;
};

struct subjects {
    struct subject *list; /* in the order of their first notes */
    size_t list_count, list_capacity;
    struct names names; /* the number of a name is its index in the list */
    size_t *next;       /* by finding: the next note on the same variable; SIZE_MAX: none */
    uint64_t notes;
};

/* Elements of an array count as one object: "tasks[3].state" becomes "tasks[].state". */
static void put_object(struct buffer *to, const char *name)
{
    const char *end = name + name_own_length(name);

    while (name < end) {
        buffer_bytes(to, name, 1);
        if (*name++ == '[' && isdigit((unsigned char)*name))
            while (isdigit((unsigned char)*name))
                name++;
    }
}

static void add_note(struct subjects *s, const struct narrator *n, const struct finding *f, size_t at)
{
    struct buffer name = {0};
    uint32_t id;

    put_object(&name, trace_name(n->trace, NAME_VARIABLE, n->trace->arg[finding_subject(f)]));
    id = names_add(&s->names, name.text_count > 0 ? name.text : "", name.text_count);
    buffer_free(&name);
    if (id == s->list_count)
        ARRAY_PUSH(s, list, (struct subject){.name = id, .first = at, .last = at});
    else
        s->next[s->list[id].last] = at;
    s->list[id].last = at;
    s->list[id].count++;
    s->next[at] = SIZE_MAX;
    s->notes++;
}

/* "N1, N2, N3 and 4 more". */
static void say_ids(struct narrator *n, const struct subjects *s, const struct subject *subject,
                    const struct finding_list *list)
{
    size_t at = subject->first;

    for (size_t i = 0; i < IDS_MOST && at != SIZE_MAX; i++, at = s->next[at]) {
        say(n, i > 0 ? ", " : "");
        say_finding_id(n, &list->findings[at]);
    }
    if (subject->count > IDS_MOST) {
        say(n, " and ");
        buffer_grouped(&n->out, subject->count - IDS_MOST);
        say(n, " more");
    }
}

static void say_subject(struct narrator *n, const struct subjects *s, const struct subject *subject,
                        const struct finding_list *list)
{
    const struct finding *f = &list->findings[subject->first];

    say(n, "  ");
    say_tone(n, TONE_STRONG);
    buffer_safe(&n->out, names_text(&s->names, subject->name));
    say_tone(n, TONE_PLAIN);
    say(n, "  ");
    say_ids(n, s, subject, list);
    say(n, subject->count > 1 ? "; first " : ": ");
    say_place(n, f->events[0]);
    say_difference(n, f, ", ", ", from another write");
    if (f->property == PROPERTY_NONDET)
        say_decision(n, "; ", decided_by(n->decided, f->events[0]), "");
    say(n, "\n");
}

static void say_section(struct narrator *n, const struct results *r, const struct report_options *options,
                        enum property property, const char *title)
{
    struct subjects s = {.next = memory_new(r->found.findings_count, sizeof *s.next)};

    names_init(&s.names);
    for (size_t i = 0; i < r->found.findings_count; i++) {
        const struct finding *f = &r->found.findings[i];
        if (f->property == property && !finding_is_problem(f) && !mark_is_suppressed(options->marks, i) &&
            !mark_is_known(options->marks, i))
            add_note(&s, n, f, i);
    }
    if (s.notes > 0) {
        say(n, "\nNotes, ");
        say(n, title);
        say(n, ": ");
        buffer_grouped(&n->out, s.notes);
        say(n, " at ");
        say_count(n, s.list_count, "variable");
        say(n, "\n");
    }
    for (size_t i = 0; i < s.list_count && (options->most == 0 || i < options->most); i++)
        say_subject(n, &s, &s.list[i], &r->found);
    if (options->most > 0 && s.list_count > options->most) {
        say(n, "  and ");
        say_count(n, s.list_count - options->most, "more variable");
        say(n, "\n");
    }
    names_free(&s.names);
    free(s.list);
    free(s.next);
}

void say_notes(struct narrator *n, const struct results *r, const struct report_options *options)
{
    say_section(n, r, options, PROPERTY_NONDET, "order-dependent reads");
    say_section(n, r, options, PROPERTY_FINAL, "order-dependent final values");
}
