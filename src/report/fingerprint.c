/* Fingerprints: places as text, sorted where the order of roles is chance, hashed. */
#include "report/fingerprint.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "report/report.h"
#include "trace/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct fingerprints {
    const struct trace *trace;
    struct source *functions; /* sorted by file, function, line */
    size_t functions_count, functions_capacity;
};

static int compare_files(const struct source *a, const struct source *b)
{
    size_t shared = a->file_length < b->file_length ? a->file_length : b->file_length;
    int order = memcmp(a->file, b->file, shared);

    return order != 0 ? order : a->file_length < b->file_length ? -1 : a->file_length > b->file_length;
}

static int compare_functions(const void *left, const void *right)
{
    const struct source *a = left, *b = right;
    int order = compare_files(a, b);

    if (order == 0)
        order = strcmp(a->function, b->function);
    return order != 0 ? order : a->line < b->line ? -1 : a->line > b->line;
}

struct fingerprints *fingerprints_new(const struct trace *trace)
{
    struct fingerprints *p = memory_new(1, sizeof *p);

    p->trace = trace;
    for (uint32_t id = 0; id < names_count(&trace->functions); id++) {
        struct source source;
        if (source_parse(names_text(&trace->functions, id), &source))
            ARRAY_PUSH(p, functions, source);
    }
    if (p->functions_count > 1)
        qsort(p->functions, p->functions_count, sizeof *p->functions, compare_functions);
    return p;
}

void fingerprints_free(struct fingerprints *p)
{
    if (!p)
        return;
    free(p->functions);
    free(p);
}

/* The line on which the function around the place begins, the last of its name before it; 0 when not known. */
static uint32_t first_line(const struct fingerprints *p, const struct source *place)
{
    size_t low = 0, high = p->functions_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_functions(&p->functions[middle], place) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || compare_files(&p->functions[low - 1], place) != 0 ||
        strcmp(p->functions[low - 1].function, place->function) != 0)
        return 0;
    return p->functions[low - 1].line;
}

/* "queue.c push +3"; a place that is no line of a file stays as it is. */
static void put_place(const struct fingerprints *p, struct buffer *to, const char *text)
{
    struct source source;

    if (!source_parse(text, &source)) {
        buffer_text(to, text);
        return;
    }
    size_t name = source.file_length;
    while (name > 0 && source.file[name - 1] != '/')
        name--;
    uint32_t first = first_line(p, &source);
    buffer_bytes(to, source.file + name, source.file_length - name);
    buffer_text(to, " ");
    buffer_text(to, source.function);
    buffer_text(to, first ? " +" : " ");
    buffer_number(to, source.line - first);
}

/* Whether a number begins here that says which one of many: an index, a size, a line, an address, a serial. */
static bool is_counter(const char *text, size_t at)
{
    return at > 0 && strchr("[:#+ ", text[at - 1]) != NULL;
}

/* A variable's name without numbers of that sort and without the bookkeeping of a container. */
static void put_variable(struct buffer *to, const char *name)
{
    size_t end = name_own_length(name);

    for (size_t i = 0; i < end;) {
        if (isdigit((unsigned char)name[i]) && is_counter(name, i)) {
            bool hexadecimal = name[i] == '0' && name[i + 1] == 'x';
            i += hexadecimal ? 2 : 1;
            while (hexadecimal ? isxdigit((unsigned char)name[i]) : isdigit((unsigned char)name[i]))
                i++;
        } else if (name[i] == ' ' && name[i + 1] == '#') { /* the first of a name has no serial */
            i += 2;
            while (isdigit((unsigned char)name[i]))
                i++;
        } else if (name[i] == ' ' && name[i + 1] == '+') { /* nor the first element an offset */
            i += 2;
            while (isdigit((unsigned char)name[i]))
                i++;
        } else {
            buffer_bytes(to, name + i++, 1);
        }
    }
}

/* What an event is to the finding where that does not depend on the order of the run. */
static const char *role_of(const struct finding *f, uint32_t i)
{
    if (f->property == PROPERTY_NONDET)
        return i == 0 ? "read " : "";
    if (f->property == PROPERTY_STALE)
        return i == 0 ? "read " : i == 1 ? "remote " : "";
    if (f->property == PROPERTY_ATOMICITY)
        return i == 1 ? "remote " : "";
    if (finding_is_conflict(f))
        return i == 0 ? "block " : "";
    return "";
}

struct part {
    size_t start, length;
};

static int compare_parts(const void *left, const void *right, void *text)
{
    const struct part *a = left, *b = right;
    size_t shared = a->length < b->length ? a->length : b->length;
    int order = shared > 0 ? memcmp((char *)text + a->start, (char *)text + b->start, shared) : 0;

    return order != 0 ? order : a->length < b->length ? -1 : a->length > b->length;
}

/* Parts of a text, sorted, each once, one a line. */
static void put_sorted(struct buffer *to, struct part *parts, size_t count, const struct buffer *text)
{
    if (count > 1)
        qsort_r(parts, count, sizeof *parts, compare_parts, text->text);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && compare_parts(&parts[i - 1], &parts[i], text->text) == 0)
            continue;
        buffer_text(to, "\n");
        buffer_bytes(to, text->text + parts[i].start, parts[i].length);
    }
}

/* The places of the finding. */
static void put_parts(const struct fingerprints *p, struct buffer *to, const struct finding *f)
{
    struct part *parts = memory_new(f->event_count, sizeof *parts);
    struct buffer text = {0};

    for (uint32_t i = 0; i < f->event_count; i++) {
        uint32_t e = f->events[i];
        parts[i].start = text.text_count;
        buffer_text(&text, role_of(f, i));
        if (e == EVENT_INIT)
            buffer_text(&text, "initial");
        else
            put_place(p, &text, event_place(p->trace, e));
        parts[i].length = text.text_count - parts[i].start;
    }
    put_sorted(to, parts, f->event_count, &text);
    buffer_free(&text);
    free(parts);
}

/* The one that waits and is the thread; `waiters_count`: none. */
static size_t waiter_of(const struct trace_end *end, const char *thread)
{
    size_t i = 0;

    while (i < end->waiters_count && strcmp(end->waiters[i].thread, thread) != 0)
        i++;
    return i;
}

/* A waiter in a circle of threads that wait for each other's locks; `waiters_count`: there is none. */
static size_t circle_of(const struct trace_end *end)
{
    for (size_t first = 0; first < end->waiters_count; first++) {
        size_t at = first;
        for (size_t steps = 0; steps < end->waiters_count; steps++) {
            at = waiter_of(end, end->waiters[at].holder);
            if (at == end->waiters_count || at == first)
                break;
        }
        if (at == first)
            return first;
    }
    return end->waiters_count;
}

/* A deadlock that happened is the one that is predicted elsewhere: the places at which the threads of the circle wait. */
static void put_circle(const struct fingerprints *p, struct buffer *to, size_t first)
{
    const struct trace_end *end = &p->trace->end;
    struct part *parts = memory_new(end->waiters_count, sizeof *parts);
    struct buffer text = {0};
    size_t count = 0, at = first;

    do {
        parts[count].start = text.text_count;
        put_place(p, &text, end->waiters[at].place);
        parts[count].length = text.text_count - parts[count].start;
        count++;
        at = waiter_of(end, end->waiters[at].holder);
    } while (at != first);
    buffer_text(to, property_title(PROPERTY_DEADLOCK));
    buffer_text(to, "\n");
    put_sorted(to, parts, count, &text);
    buffer_free(&text);
    free(parts);
}

/* How the run ended; threads and places differ from run to run. */
static void put_end(const struct fingerprints *p, struct buffer *to)
{
    const struct trace_end *end = &p->trace->end;
    size_t circle = end->outcome == RUN_DEADLOCK ? circle_of(end) : end->waiters_count;

    if (circle < end->waiters_count) {
        put_circle(p, to, circle);
        return;
    }
    buffer_text(to, property_title(PROPERTY_OBSERVED));
    buffer_text(to, "\n\n");
    buffer_text(to, outcome_word(end->outcome));
    buffer_text(to, " ");
    buffer_number(to, end->number);
}

uint64_t fingerprint_of(const struct fingerprints *p, const struct finding *f)
{
    uint32_t subject = finding_subject(f);
    struct buffer text = {0};
    uint64_t hash;

    if (f->property == PROPERTY_OBSERVED) {
        put_end(p, &text);
    } else {
        /* Whether unordered accesses can also run at the same moment differs from run to run. */
        buffer_text(&text, property_title(f->property == PROPERTY_UNORDERED ? PROPERTY_RACE : f->property));
        buffer_text(&text, "\n");
        if (subject != EVENT_INIT && kind_accesses(trace_kind(p->trace, subject)))
            put_variable(&text, trace_name(p->trace, NAME_VARIABLE, p->trace->arg[subject]));
        put_parts(p, &text, f);
    }
    if (f->kind > 0)
        buffer_number(&text, f->kind);
    hash = XXH3_64bits(text.text, text.text_count);
    buffer_free(&text);
    return hash;
}

void fingerprint_text(uint64_t fingerprint, char to[FINGERPRINT_ROOM])
{
    snprintf(to, FINGERPRINT_ROOM, "%016llx", (unsigned long long)fingerprint);
}

bool fingerprint_parse(const char *text, size_t length, uint64_t *to)
{
    *to = 0;
    if (length != FINGERPRINT_ROOM - 1)
        return false;
    for (size_t i = 0; i < length; i++) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, text[i]);
        if (!digit || !text[i])
            return false;
        *to = *to << 4 | (uint64_t)(digit - digits);
    }
    return true;
}
