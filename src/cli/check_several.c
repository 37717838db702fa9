/* heddle check of several traces: what each shows that no earlier one has shown. */
#include "cli/check_several.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct finding_brief *several_briefs(const struct checking *c, size_t *count)
{
    const struct finding_list *list = &c->results.found;
    struct finding_brief *briefs = memory_new(list->findings_count + 1, sizeof *briefs);

    *count = list->findings_count;
    for (size_t i = 0; i < *count; i++)
        briefs[i] =
            (struct finding_brief){c->marks.found[i].fingerprint, finding_is_problem(&list->findings[i])};
    return briefs;
}

void several_merge(struct merged *m, const struct finding_brief *briefs, size_t count, uint32_t trace,
                   bool *repeated)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t *first = map_at(&m->seen, briefs[i].fingerprint);
        repeated[i] = *first > 0 && *first < trace;
        m->repeated += repeated[i];
        m->problems += *first == 0 && briefs[i].problem;
        m->notes += *first == 0 && !briefs[i].problem;
        if (*first == 0)
            *first = trace;
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
    results_number(&c->results);
}

int several_report(struct several *s, struct checking *c, const bool *repeated, FILE *to)
{
    struct error err;

    memset(s->how->repeated, 0, sizeof s->how->repeated);
    drop(c, repeated, s->how->repeated);
    s->how->marks = &c->marks;
    s->how->notes = c->notes;
    if (report_write(s->format, &c->results, &c->model, s->how, to, &err) != HEDDLE_OK)
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

void several_conclude(const struct several *s, struct merged *m, int result)
{
    if (result != EXIT_ERROR)
        printf("All %d traces: %zu problem%s, %zu note%s, each listed once; %zu more repeat a finding of an "
               "earlier trace\n",
               s->count, m->problems, m->problems == 1 ? "" : "s", m->notes, m->notes == 1 ? "" : "s",
               m->repeated);
    map_free(&m->seen);
}

int check_several(struct several *s)
{
    struct merged merged = {0};
    int result = EXIT_NOTHING_FOUND;

    for (int i = 0; i < s->count && result != EXIT_ERROR && !check_stop_asked; i++) {
        struct finding_brief *briefs;
        struct checking c;
        struct error err;
        bool *repeated;
        size_t count;
        s->how->trace_path = s->paths[i];
        if (checking_run(&c, s->request, s->paths[i], &err) != HEDDLE_OK) {
            result = complain("%s", err.text);
            break;
        }
        briefs = several_briefs(&c, &count);
        repeated = memory_new(count + 1, sizeof *repeated);
        several_merge(&merged, briefs, count, (uint32_t)i + 1, repeated);
        result = several_worse(result, several_report(s, &c, repeated, stdout));
        free(briefs);
        free(repeated);
        checking_end(&c);
    }
    several_conclude(s, &merged, result);
    return result;
}
