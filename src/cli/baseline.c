/* Reads baselines. */
#include "cli/baseline.h"
#include "base/memory.h"
#include "cli/command.h"
#include "hunt/hunt_read.h"
#include "report/json/report_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool load_report(const char *path, struct check_request *r)
{
    struct report_file file;
    struct error err;
    bool all = true;
    enum status status = report_file_open(&file, path, &err);

    for (size_t part = 0; status == HEDDLE_OK && part < file.parts_count; part++) {
        struct report report;
        status = report_file_read(&file, part, false, &report, &err);
        for (size_t i = 0; status == HEDDLE_OK && i < report.entries_count; i++) {
            all &= report.entries[i].has_fingerprint;
            ARRAY_PUSH(r, baseline, report.entries[i].fingerprint);
        }
        report_free(&report);
    }
    report_file_close(&file);
    if (status != HEDDLE_OK) {
        complain("%s", err.text);
        return false;
    }
    if (!all)
        complain("%s: a finding has no fingerprint; write the baseline again with this version of heddle",
                 path);
    return all;
}

/* The report of the run that a problem is of; a run that only failed may have none. */
static bool load_run(const char *folder, const struct hunt_place *problem, struct check_request *r)
{
    char path[4200];
    int length = snprintf(path, sizeof path, "%s/run-%u.json", folder, problem->run);

    if (!problem->happened)
        return load_report(problem->path, r);
    return length < 0 || (size_t)length >= sizeof path || access(path, F_OK) != 0 || load_report(path, r);
}

static bool load_hunt(const char *folder, struct check_request *r)
{
    struct hunt_place *list;
    struct error err;
    size_t count;
    bool loaded = true;

    if (hunt_list(folder, &list, &count, &err) != HEDDLE_OK) {
        complain("%s", err.text);
        return false;
    }
    for (size_t i = 0; i < count && loaded; i++) {
        size_t same = 0;
        while (same < i && strcmp(list[same].path, list[i].path) != 0)
            same++;
        if (same == i)
            loaded = load_run(folder, &list[i], r);
    }
    free(list);
    return loaded;
}

bool baseline_load(const char *path, struct check_request *r)
{
    struct stat about;
    bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);

    r->has_baseline = folder ? load_hunt(path, r) : load_report(path, r);
    return r->has_baseline;
}
