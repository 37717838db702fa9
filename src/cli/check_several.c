/* heddle check of several traces: what each shows that no earlier one has shown. */
#include "cli/check_several.h"
#include "base/create.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool several_is_text(const struct several *s)
{
    return strcmp(s->format->name, "text") == 0;
}

FILE *several_direct(const struct several *s)
{
    return several_is_text(s) && !s->output ? stdout : NULL;
}

static size_t put_briefs(struct finding_brief *to, const struct finding_list *list, const struct marks *marks)
{
    for (size_t i = 0; i < list->findings_count; i++)
        to[i] = (struct finding_brief){.fingerprint = marks ? marks->found[i].fingerprint : 0,
                                       .property = (uint16_t)list->findings[i].property,
                                       .problem = finding_is_problem(&list->findings[i]),
                                       .undecided = !marks};
    return list->findings_count;
}

struct finding_brief *several_briefs(const struct checking *c, size_t *count)
{
    const struct finding_list *found = &c->results.found, *undecided = &c->results.undecided;
    struct finding_brief *briefs =
        memory_new(found->findings_count + undecided->findings_count + 1, sizeof *briefs);

    *count = put_briefs(briefs, found, &c->marks);
    *count += put_briefs(briefs + *count, undecided, NULL);
    return briefs;
}

void several_merge(struct merged *m, const struct finding_brief *briefs, size_t count, struct repeats *repeats)
{
    uint32_t trace = (uint32_t)++m->checked;

    memcpy(repeats->numbers, m->numbers, sizeof m->numbers);
    for (size_t i = 0; i < count; i++) {
        const struct finding_brief *b = &briefs[i];
        uint32_t *first = b->undecided ? NULL : map_at(&m->seen, b->fingerprint);
        repeats->repeated[i] = first && *first > 0 && *first < trace;
        m->repeated += repeats->repeated[i];
        m->problems += first && *first == 0 && b->problem;
        m->notes += first && *first == 0 && !b->problem;
        if (first && *first == 0)
            *first = trace;
        if (!repeats->repeated[i] && b->property < PROPERTIES)
            m->numbers[b->property]++;
    }
}

static void drop(struct checking *c, const bool *repeated, size_t *counts)
{
    struct finding_list *list = &c->results.found;
    size_t kept = 0;

    for (size_t i = 0; i < list->findings_count; i++) {
        if (repeated[i]) {
            counts[list->findings[i].property]++;
            free(list->findings[i].events);
            free(list->findings[i].schedule.tail);
            continue;
        }
        list->findings[kept] = list->findings[i];
        c->marks.found[kept++] = c->marks.found[i];
    }
    list->findings_count = c->marks.count = kept;
}

int several_report(struct several *s, struct checking *c, const struct repeats *repeats, FILE *to)
{
    uint32_t numbers[PROPERTIES];
    struct error err;

    memset(s->how->repeated, 0, sizeof s->how->repeated);
    drop(c, repeats->repeated, s->how->repeated);
    memcpy(numbers, repeats->numbers, sizeof numbers);
    results_number_from(&c->results, numbers);
    s->how->marks = &c->marks;
    s->how->notes = c->notes;
    if (s->format->write(&c->results, &c->model, s->how, to, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    checking_tell_stale(c);
    return checking_status(c, s->request);
}

int several_worse(int a, int b)
{
    return a == EXIT_ERROR || b == EXIT_ERROR         ? EXIT_ERROR
           : a == EXIT_FINDINGS || b == EXIT_FINDINGS ? EXIT_FINDINGS
           : a > b                                    ? a
                                                      : b;
}

/* The last line of the text. */
static void put_summary(const struct several *s, const struct merged *m, FILE *to)
{
    if (m->checked < s->count)
        fprintf(to, "Interrupted: %d of %d traces checked", m->checked, s->count);
    else
        fprintf(to, "All %d traces", s->count);
    fprintf(to,
            ": %zu problem%s, %zu note%s, each listed once; %zu more repeat a finding of an earlier trace\n",
            m->problems, m->problems == 1 ? "" : "s", m->notes, m->notes == 1 ? "" : "s", m->repeated);
}

static enum status write_whole(const struct several *s, const struct merged *m, struct bundle *b,
                               struct error *err)
{
    const struct bundle_totals totals = {.problems = m->problems,
                                         .notes = m->notes,
                                         .repeated = m->repeated,
                                         .unchecked = (size_t)(s->count - m->checked)};
    FILE *to = s->output ? create_stream(s->output, err) : stdout;
    enum status status;

    if (!to)
        return err->status;
    if (several_is_text(s))
        put_summary(s, m, b->direct ? b->direct : b->to);
    status = bundle_end(b, &totals, to, err);
    if (s->output && fclose(to) != 0 && status == HEDDLE_OK)
        status = fail(err, HEDDLE_IO, "%s: %s", s->output, strerror(errno));
    return status;
}

int several_conclude(const struct several *s, struct merged *m, struct bundle *b, int result)
{
    struct error err;

    if (result != EXIT_ERROR && m->checked < s->count)
        result = several_worse(result, EXIT_INCOMPLETE);
    if (result != EXIT_ERROR && write_whole(s, m, b, &err) != HEDDLE_OK)
        result = complain("%s", err.text);
    map_free(&m->seen);
    bundle_free(b);
    return result;
}

int several_next(struct several *s, const char *path, struct merged *merged, struct bundle *bundle)
{
    struct repeats repeats;
    struct finding_brief *briefs;
    struct checking c;
    struct error err;
    size_t count, length = 0;
    char *text = NULL;
    FILE *to;
    int status;

    s->how->trace_path = path;
    if (checking_run(&c, s->request, path, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    briefs = several_briefs(&c, &count);
    repeats.repeated = memory_new(count + 1, sizeof *repeats.repeated);
    several_merge(merged, briefs, count, &repeats);
    to = open_memstream(&text, &length);
    status = to ? several_report(s, &c, &repeats, to) : complain("the report does not fit into memory");
    if (to)
        fclose(to);
    if (status != EXIT_ERROR && bundle_add(bundle, text, length, &err) != HEDDLE_OK)
        status = complain("%s", err.text);
    free(text);
    free(briefs);
    free(repeats.repeated);
    checking_end(&c);
    return status;
}

int check_several(struct several *s)
{
    struct merged merged = {0};
    struct bundle bundle;
    int result = EXIT_NOTHING_FOUND;

    bundle_begin(&bundle, s->format, several_direct(s));
    for (int i = 0; i < s->count && result != EXIT_ERROR && !check_stop_asked; i++)
        result = several_worse(result, several_next(s, s->paths[i], &merged, &bundle));
    return several_conclude(s, &merged, &bundle, result);
}
