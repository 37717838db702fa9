/* heddle verify of a hunt: each problem against the trace of the run that shows it. */
#include "cli/command.h"
#include "cli/verifying.h"
#include "hunt/hunt_read.h"
#include "report/json/recall.h"
#include "report/verify.h"
#include "trace/ending.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the checker says of a problem. */
enum judgement { JUDGED_RIGHT, JUDGED_WRONG, JUDGED_NOT };

/* Whether the checker accepts the finding of the report of that run, which is one of that property; `observed`: and the
 * observed run is its schedule. */
static enum judgement judge_finding(const char *folder, uint32_t run, const char *id, const char *property,
                                    bool observed, struct error *err)
{
    char trace_path[4200], report_path[4200];
    struct report report;
    struct trace trace;
    enum judgement result = JUDGED_WRONG;
    size_t at;

    snprintf(trace_path, sizeof trace_path, "%s/run-%u.htr", folder, run);
    snprintf(report_path, sizeof report_path, "%s/run-%u.json", folder, run);
    if (trace_load(&trace, trace_path, err) != HEDDLE_OK)
        return JUDGED_WRONG;
    if (report_load_whole(&report, report_path, err) == HEDDLE_OK) {
        struct verify_request request = {.only = id, .options.atomic_locks = report.atomic_locks};
        struct verified verified;
        at = report_find(&report, id);
        if (at == SIZE_MAX)
            fail(err, HEDDLE_REJECTED, "%s has no finding %s", report_path, id);
        else if (strcmp(property_title(report.found.findings[at].property), property) != 0)
            fail(err, HEDDLE_REJECTED, "%s of %s is no finding of property %.31s", id, report_path, property);
        else if (observed && report.found.findings[at].schedule.tail_count > 0)
            fail(err, HEDDLE_REJECTED, "the schedule of %s is not the observed run", id);
        else {
            report_verify(&report, &trace, &request, &verified);
            if (verified.rejected == 0)
                result = JUDGED_RIGHT;
            else
                fail(err, HEDDLE_REJECTED, "the schedule of %s in %s does not show it", id, report_path);
        }
    }
    report_free(&report);
    trace_free(&trace);
    return result;
}

/* Whether the trace of the run says that it ended badly. No trace shows that an output differs, or that a run would not have ended had it
 * gone on. */
static enum judgement judge_end(const char *folder, uint32_t run, struct error *err)
{
    struct trace trace;
    char path[4200];
    enum judgement result;

    snprintf(path, sizeof path, "%s/run-%u.htr", folder, run);
    if (trace_load(&trace, path, err) != HEDDLE_OK)
        return JUDGED_WRONG;
    result = trace_end_failed(&trace.end) ? JUDGED_RIGHT : JUDGED_NOT;
    if (result == JUDGED_NOT)
        fail(err, HEDDLE_OK,
             trace.end.outcome == RUN_UNKNOWN ? "the trace of run %u ends where the time of the run was up"
                                              : "the trace of run %u does not record output",
             run);
    trace_free(&trace);
    return result;
}

static enum judgement judge(const char *folder, const struct hunt_place *p, struct error *err)
{
    if (p->happened != (strcmp(p->kind, "happened") == 0) ||
        (!p->happened && strcmp(p->kind, "predicted") != 0 && strcmp(p->kind, "note") != 0)) {
        fail(err, HEDDLE_REJECTED, "kind %.15s does not go with what shows it", p->kind);
        return JUDGED_WRONG;
    }
    if (p->happened)
        return judge_end(folder, p->run, err);
    if (judge_finding(folder, p->run, p->finding, p->property, false, err) != JUDGED_RIGHT)
        return JUDGED_WRONG;
    return p->observed_run ? judge_finding(folder, p->observed_run, p->observed_finding, p->property, true, err)
                           : JUDGED_RIGHT;
}

static void tell(const struct hunt_place *p, enum judgement judgement, const struct error *err)
{
    if (judgement == JUDGED_WRONG)
        printf("%s: rejected: %s\n", p->id, err->text);
    else if (judgement == JUDGED_NOT)
        printf("%s: not checked: %s\n", p->id, err->text);
    else if (p->happened)
        printf("%s: accepted: happened in run %u\n", p->id, p->run);
    else if (p->observed_run)
        printf("%s: accepted: observed in run %u\n", p->id, p->observed_run);
    else
        printf("%s: accepted: predicted from run %u\n", p->id, p->run);
}

int verify_hunt(const char *folder, const char *id, bool quiet)
{
    struct hunt_place *list;
    struct error err;
    size_t count, asked = 0;
    int result = EXIT_SUCCESS;

    if (hunt_list(folder, &list, &count, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    for (size_t i = 0; i < count; i++) {
        enum judgement judgement;
        if (id && strcmp(list[i].id, id) != 0)
            continue;
        asked++;
        judgement = judge(folder, &list[i], &err);
        if (!quiet)
            tell(&list[i], judgement, &err);
        if (judgement == JUDGED_WRONG)
            result = EXIT_ERROR;
    }
    free(list);
    if (id && asked == 0)
        return complain("verify: %s/hunt.json: has no problem %s", folder, id);
    return result;
}
