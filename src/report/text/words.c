/* Words for what is in a trace. */
#include "base/memory.h"
#include "report/text/narrate.h"

#include <stdlib.h>
#include <string.h>

enum { CALLERS_MOST = 8 }; /* told of an event; the JSON report has all */

void say_tone(struct narrator *n, enum tone tone)
{
    static const char *const codes[] = {
        [TONE_PLAIN] = "\033[0m", [TONE_STRONG] = "\033[1m",  [TONE_ALARM] = "\033[1;31m",
        [TONE_QUIET] = "\033[2m", [TONE_MARK] = "\033[1;33m", [TONE_GOOD] = "\033[1;32m",
    };

    if (n->color)
        buffer_text(&n->out, codes[tone]);
}

void say(struct narrator *n, const char *text)
{
    buffer_text(&n->out, text);
}

/* The noun alone. */
static void say_plural(struct narrator *n, uint64_t count, const char *noun)
{
    size_t length = strlen(noun);

    if (count == 1) {
        buffer_bytes(&n->out, noun, length);
        return;
    }
    bool y = length > 1 && noun[length - 1] == 'y' && !strchr("aeiou", noun[length - 2]);
    buffer_bytes(&n->out, noun, length - y);
    say(n, y ? "ies" : noun[length - 1] == 's' ? "es" : "s");
}

void say_count(struct narrator *n, uint64_t count, const char *noun)
{
    buffer_grouped(&n->out, count);
    say(n, " ");
    say_plural(n, count, noun);
}

void say_finding_id(struct narrator *n, const struct finding *f)
{
    char letter = property_letter(f->property);

    buffer_bytes(&n->out, &letter, 1);
    buffer_number(&n->out, f->number);
}

void say_thread(struct narrator *n, event_id e)
{
    buffer_safe(&n->out, trace_name(n->trace, NAME_THREAD, n->trace->thread[e]));
}

void say_argument(struct narrator *n, event_id e)
{
    enum name_class class = kind_argument(trace_kind(n->trace, e));

    if (class == NAME_CLASSES || n->trace->arg[e] == ARG_NONE)
        return;
    const char *name = trace_name(n->trace, class, n->trace->arg[e]);
    char *own = memory_text(name, name_own_length(name));
    buffer_safe(&n->out, own);
    free(own);
}

void say_place(struct narrator *n, event_id e)
{
    const char *place = event_place(n->trace, e);

    if (*place) {
        buffer_safe(&n->out, place);
        say(n, " (");
    }
    say(n, "event ");
    buffer_number(&n->out, e);
    if (*place)
        say(n, ")");
}

void say_callers(struct narrator *n, const char *indent, event_id e)
{
    const struct stacks *stacks = n->trace->stacks;
    stack_id stack = trace_stack(n->trace, e), own = event_own_stack(n->trace, e);
    uint64_t more = 0;

    if (own != STACK_NONE) /* it was already printed as the event's place */
        stack = stack_rest(stacks, own);

    for (int i = 0; stack != STACK_NONE && i < CALLERS_MOST; i++, stack = stack_rest(stacks, stack)) {
        say(n, indent);
        say(n, i == 0 ? "called from " : "       from ");
        buffer_safe(&n->out, stack_place(stacks, stack));
        say(n, "\n");
    }
    for (; stack != STACK_NONE; stack = stack_rest(stacks, stack))
        more++;
    if (more > 0) {
        say(n, indent);
        say(n, "       and ");
        say_count(n, more, "more call");
        say(n, "\n");
    }
}

void say_value(struct narrator *n, struct value value)
{
    switch (value.tag) {
    case VALUE_NONE:
        say(n, "?");
        break;
    case VALUE_UNSIGNED:
        buffer_number(&n->out, value.number);
        break;
    case VALUE_NEGATIVE:
        say(n, "-");
        buffer_number(&n->out, -value.number);
        break;
    case VALUE_NAME:
        buffer_safe(&n->out, trace_name(n->trace, NAME_VALUE, (uint32_t)value.number));
        break;
    }
}

static const struct {
    const char *verb, *rest; /* around the argument */
} event_words[EVENT_KINDS] = {
    [EVENT_READ] = {"reads ", ""},
    [EVENT_WRITE] = {"writes ", ""},
    [EVENT_ATOMIC_READ] = {"reads ", " (atomic)"},
    [EVENT_ATOMIC_WRITE] = {"writes ", " (atomic)"},
    [EVENT_RMW] = {"updates ", " (atomic)"},
    [EVENT_FENCE] = {"executes a fence", ""},
    [EVENT_ACQUIRE] = {"takes ", ""},
    [EVENT_RELEASE] = {"releases ", ""},
    [EVENT_SHARED_ACQUIRE] = {"takes ", " (shared)"},
    [EVENT_SHARED_RELEASE] = {"releases ", " (shared)"},
    [EVENT_TRY_FAIL] = {"fails to take ", ""},
    [EVENT_FORK] = {"starts ", ""},
    [EVENT_JOIN] = {"joins ", ""},
    [EVENT_WAIT_PRE] = {"waits for ", ""},
    [EVENT_WAIT_POST] = {"wakes up on ", ""},
    [EVENT_NOTIFY] = {"signals ", ""},
    [EVENT_NOTIFY_ALL] = {"signals all on ", ""},
    [EVENT_BARRIER_ENTER] = {"arrives at ", ""},
    [EVENT_BARRIER_EXIT] = {"leaves ", ""},
    [EVENT_POST] = {"posts ", ""},
    [EVENT_SEM_WAIT] = {"takes a token of ", ""},
    [EVENT_BEGIN] = {"begins an atomic block ", ""},
    [EVENT_END] = {"ends its atomic block ", ""},
    [EVENT_DET_BEGIN] = {"begins a deterministic block ", ""},
    [EVENT_DET_END] = {"ends its deterministic block ", ""},
    [EVENT_CAS] = {"updates ", " (atomic, compare-and-exchange)"},
    [EVENT_EXIT] = {"ends", ""},
    [EVENT_SEM_INIT] = {"initialises ", ""},
};

const char *event_verb(enum event_kind kind)
{
    return event_words[kind].verb;
}

const char *event_rest(enum event_kind kind)
{
    return event_words[kind].rest;
}

void say_event(struct narrator *n, event_id e, struct value value)
{
    enum event_kind kind = trace_kind(n->trace, e);

    say(n, trace_is_freeing(n->trace, e) ? VERB_FREES : event_verb(kind));
    if (n->trace->arg[e] == ARG_NONE && kind_argument(kind) == NAME_BLOCK)
        n->out.text_count--; /* no label: no blank before it */
    say_argument(n, e);
    if (value_known(value)) {
        say(n, " = ");
        say_value(n, value);
    }
    say(n, event_rest(kind));
}

void say_done(struct narrator *n, const char *label, event_id e)
{
    say(n, label);
    say_thread(n, e);
    say(n, " ");
    say_event(n, e, (struct value){VALUE_NONE, 0});
    say(n, " at ");
    say_place(n, e);
}
