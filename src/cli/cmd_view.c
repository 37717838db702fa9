/* heddle view: serves a page that shows a trace, however large. */
#include "base/memory.h"
#include "base/temporary.h"
#include "cli/command.h"
#include "report/json/read.h"
#include "trace/limits.h"
#include "trace/save.h"
#include "view/view.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    {"report", 0, "REPORT", NULL,
     "Lists the findings of this JSON report of the trace, to go to their events."},
    {"port", 0, "N", NULL, "Listens on this port of 127.0.0.1; any free one if not given."},
    LIMITS_OPTION,
    {0},
};

enum { DESCRIBED_MOST = 50 }; /* findings whose places are looked up before the page is there */

static stop_flag stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = true;
}

/* Anything but a plain native file is made one, which nobody else sees. The file itself may be malformed: then this is what
 * says so. */
static enum status open_converted(struct view *view, const struct trace_limits *limits, struct error *err)
{
    struct trace trace;
    char path[4096];
    enum status status = trace_load_limited(&trace, view->path, limits, err);
    int fd = -1;

    if (status == HEDDLE_OK) {
        temporary_pattern(path, sizeof path);
        fd = mkstemp(path);
        if (fd < 0)
            status = fail(err, HEDDLE_IO, "cannot create a temporary file in %s", temporary_folder());
    }
    if (status == HEDDLE_OK)
        status = trace_save_native(&trace, path, HTR_USUAL, err);
    trace_free(&trace);
    if (status == HEDDLE_OK)
        status = view_index_open(&view->index, path, limits, err);
    if (fd >= 0) {
        close(fd);
        unlink(path);
    }
    return status;
}

/* What an event is about and where: "counter at a.c:12"; "" where the trace does not say. */
static void add_event_words(struct view *view, uint64_t event, struct buffer *to)
{
    struct htr_ranges *file = view->index.file;
    struct htr_window window;
    struct error err;

    if (htr_ranges_read(file, htr_ranges_block_of(file, event), &window, &err) != HEDDLE_OK)
        return;
    size_t i = (size_t)(event - window.before);
    enum name_class class = kind_argument(trace_kind(window.events, i));
    if (class < NAME_CLASSES && window.events->arg[i] != ARG_NONE) {
        buffer_text(to, to->text_count ? ", " : "");
        buffer_text(to, trace_name(window.events, class, window.events->arg[i]));
    }
    if (window.events->location[i] != NAME_NONE) {
        buffer_text(to, " at ");
        buffer_text(to, trace_name(window.events, NAME_LOCATION, window.events->location[i]));
    }
}

static int ascending(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void add_jump(struct view *view, const char *id, const struct finding *f)
{
    struct view_jump jump = {.events = memory_new(f->event_count + 1, sizeof *jump.events)};
    struct buffer words = {0}, title = {0};

    for (uint32_t i = 0; i < f->event_count; i++)
        if (f->events[i] != EVENT_INIT && f->events[i] <= htr_ranges_events(view->index.file))
            jump.events[jump.events_count++] = f->events[i];
    if (jump.events_count == 0) { /* there is nowhere to go */
        free(jump.events);
        return;
    }
    for (size_t i = 0; i < jump.events_count && view->jumps_count < DESCRIBED_MOST; i++)
        add_event_words(view, jump.events[i], &words);
    qsort(jump.events, jump.events_count, sizeof *jump.events, ascending);
    buffer_text(&title, property_traits(f->property)->headline);
    buffer_text(&title, words.text_count ? ": " : "");
    buffer_bytes(&title, words.text_count ? words.text : "", words.text_count);
    jump.id = memory_text(id, strlen(id));
    jump.title = memory_text(title.text, title.text_count);
    ARRAY_PUSH(view, jumps, jump);
    buffer_free(&words);
    buffer_free(&title);
}

static enum status read_findings(struct view *view, const char *path, struct error *err)
{
    struct report report;

    if (report_load(&report, path, err) != HEDDLE_OK)
        return err->status;
    if (report.events != htr_ranges_events(view->index.file)) {
        fail(err, HEDDLE_BAD_REPORT, "%s: is of a trace with %llu events; %s has %llu", path,
             (unsigned long long)report.events, view->path,
             (unsigned long long)htr_ranges_events(view->index.file));
        report_free(&report);
        return HEDDLE_BAD_REPORT;
    }
    for (size_t i = 0; i < report.entries_count; i++)
        add_jump(view, report.entries[i].id, &report.found.findings[i]);
    report_free(&report);
    return HEDDLE_OK;
}

static int serve(struct view *view)
{
    struct error err;
    int listener;

    if (!view_make_token(view))
        return complain("view: the system gives no random numbers");
    listener = view_listen(view, &err);
    if (listener < 0)
        return complain("view: %s", err.text);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = stop}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = stop}, NULL);
    printf("http://127.0.0.1:%u/%s/\n", view->port, view->token);
    fflush(stdout);
    fprintf(stderr, "heddle: open this address in a browser of this machine; Ctrl-C ends\n");
    view_serve(view, listener, &stopped);
    close(listener);
    return EXIT_SUCCESS;
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *report = argument_of(self, args, "report");
    struct view view = {.path = args->operands[0]};
    struct trace_limits limits;
    struct error err;
    uint64_t port = 0;
    int result;

    if (!argument_limits(self, args, &limits) || !argument_number(self, args, "port", 65535, &port))
        return EXIT_ERROR;
    view.port = (unsigned)port;
    if (view_index_open(&view.index, view.path, &limits, &err) != HEDDLE_OK &&
        open_converted(&view, &limits, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    if (htr_ranges_events(view.index.file) == 0)
        result = complain("%s: there are no events to show", view.path);
    else if (report && read_findings(&view, report, &err) != HEDDLE_OK)
        result = complain("%s", err.text);
    else
        result = serve(&view);
    view_close(&view);
    return result;
}

const struct command command_view = {
    .name = "view",
    .operands = "FILE",
    .summary = "shows a trace in a browser, however large",
    .description =
        "Serves one page on 127.0.0.1, with a random token in its address, that shows the trace: threads as "
        "lanes, locks as bars, from millions of events down to each of them. FILE is a trace in any format. "
        "Prints the address; ends with Ctrl-C.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
