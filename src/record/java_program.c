/* Recording a Java program. */
#include "record/java_program.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "record/collect/run_end.h"
#include "record/deeds/java_deeds.h"
#include "record/feed.h"
#include "record/java/launch.h"
#include "record/java/log_convert.h"
#include "record/java/log_light.h"
#include "record/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in memory, as far as it has something in it. */
struct mapped {
    uint8_t *bytes;
    size_t length;
};

static bool map_file(const char *path, struct mapped *to)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;

    *to = (struct mapped){0};
    if (fd < 0)
        return false;
    if (fstat(fd, &about) == 0 && about.st_size > 0) {
        to->length = (size_t)about.st_size;
        to->bytes = mmap(NULL, to->length, PROT_READ, MAP_PRIVATE, fd, 0);
        if (to->bytes == MAP_FAILED)
            to->bytes = NULL;
    }
    close(fd);
    return to->bytes != NULL;
}

static void unmap_file(struct mapped *file)
{
    if (file->bytes)
        munmap(file->bytes, file->length);
}

/* Whether the file is a log, and how many records it holds. */
static bool log_records(const char *path, uint64_t *records)
{
    struct java_log_header header;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good =
        fd >= 0 && read(fd, &header, sizeof header) == (ssize_t)sizeof header && header.magic == JAVA_LOG_MAGIC;

    if (fd >= 0)
        close(fd);
    *records = good ? header.ended ? header.kept : header.next : 0;
    return good;
}

/* Whether the machine followed a script. */
static bool has_gate(const char *log)
{
    char path[4200];

    snprintf(path, sizeof path, "%.*s.gate", (int)(strlen(log) - 4), log);
    return access(path, F_OK) == 0;
}

/* The machine that follows the script, or else the one that did most, is the one to record; tools like Maven start
 * several. Returns how many there were that did something: `java -version` does not. */
static unsigned choose_machine(const char *folder, char *stem, size_t room)
{
    DIR *all = opendir(folder);
    struct dirent *entry;
    uint64_t most = 0, records;
    unsigned count = 0, worked = 0;
    bool gated = false;
    char path[4096];

    while (all && (entry = readdir(all))) {
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".log") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!log_records(path, &records))
            continue;
        count++;
        worked += records > JAVA_LOG_FIRST;
        if (!gated && (records >= most || has_gate(path))) {
            most = records;
            gated = has_gate(path);
            snprintf(stem, room, "%.*s", (int)(strlen(path) - 4), path);
        }
    }
    if (all)
        closedir(all);
    return worked ? worked : count;
}

/* Which of the machines it was, in the order in which they started; 0: not known. */
static unsigned number_of_machine(const char *folder, const char *stem)
{
    long wanted = strtol(strrchr(stem, '/') + 1, NULL, 10), found = 0;
    char path[4096];

    for (unsigned number = 1;; number++) {
        snprintf(path, sizeof path, "%.4000s/" JAVA_MACHINE "%u", folder, number);
        FILE *file = fopen(path, "re");
        if (!file)
            return 0;
        bool read = fscanf(file, "%ld", &found) == 1;
        fclose(file);
        if (read && found == wanted)
            return number;
    }
}

/* Adds to the settings that will repeat the run which machine it is about, if `java` is not started directly. */
static void keep_machine(struct recording *r, const char *folder, const char *stem)
{
    unsigned number = number_of_machine(folder, stem);
    size_t room = strlen(r->journal.java) + 32;
    char *words;

    if (is_machine(r->program[0]) || strstr(r->journal.java, ",machine=") || number == 0)
        return;
    words = memory_new(room, 1);
    snprintf(words, room, "%s,machine=%u", r->journal.java, number);
    free(r->journal.java);
    r->journal.java = words;
}

static void empty_folder(const char *folder)
{
    DIR *all = opendir(folder);
    struct dirent *entry;
    char path[4096];

    while (all && (entry = readdir(all))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (all)
        closedir(all);
}

/* The threads of the script that was followed. */
static struct script_thread *script_threads(int fd, size_t *count)
{
    struct script head;
    struct script_thread *threads;

    *count = 0;
    if (fd <= 0 || pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head)
        return NULL;
    threads = memory_new(head.thread_count + 1u, sizeof *threads);
    if (pread(fd, threads, head.thread_count * sizeof *threads, sizeof head) ==
        (ssize_t)(head.thread_count * sizeof *threads))
        *count = head.thread_count;
    return threads;
}

/* What the machine left of its gate; NULL: nothing. */
static const struct java_gate *map_gate(const char *stem, struct mapped *file)
{
    const struct java_gate *gate;
    char path[4096];

    snprintf(path, sizeof path, "%.4000s.gate", stem);
    if (!map_file(path, file))
        return NULL;
    gate = (const struct java_gate *)(const void *)file->bytes;
    return file->length == sizeof *gate && gate->magic == JAVA_GATE_MAGIC ? gate : NULL;
}

/* That a thread waits for something other than a lock is only known of where the machine stopped. */
static struct session_thread gate_thread(const struct java_gate *gate, const struct java_gate_thread *t)
{
    bool waits = t->stuck == JAVA_STUCK_WAIT && gate->deadlock;

    return (struct session_thread){.id = t->script,
                                   .state =
                                       t->stuck == JAVA_STUCK_LOCK || waits ? STATE_BLOCKED : STATE_RUNNING,
                                   .reason = t->stuck == JAVA_STUCK_LOCK ? WAIT_LOCK
                                             : waits                     ? WAIT_CONDITION
                                                                         : 0};
}

/* How far the machine followed the script, and whether it got stuck. */
static void read_gate(struct recording *r, const char *stem)
{
    struct mapped file;
    const struct java_gate *gate = map_gate(stem, &file);
    size_t used = 0;

    if (gate) {
        r->script_state = (enum script_state)gate->state;
        r->script_trouble = (enum script_trouble)gate->trouble;
        r->script_at = gate->at;
        r->deadlocked = gate->deadlock;
        for (size_t i = 0; i < JAVA_GATE_THREADS && used < sizeof r->threads / sizeof *r->threads; i++)
            if (gate->threads[i].script)
                r->threads[used++] = gate_thread(gate, &gate->threads[i]);
    }
    unmap_file(&file);
}

/* How the process ended, and what of it is not in the log. */
static void fill_end(const struct recording *r, unsigned machines, struct trace_end *end)
{
    char text[128];

    if (r->deadlocked)
        trace_end_outcome(end, RUN_DEADLOCK, 0, NULL);
    else if (!r->timed_out && !r->interrupted)
        run_end_status(end, r->ended);
    snprintf(text, sizeof text, "the program was ended after %u seconds", r->timeout);
    if (r->timed_out)
        trace_end_incomplete(end, text);
    if (r->interrupted)
        trace_end_incomplete(end, "the recording was interrupted");
    snprintf(text, sizeof text, "%u Java virtual machines ran; the trace is of the most active one", machines);
    if (machines > 1)
        trace_end_incomplete(end, text);
}

/* Who waits for what, where the program stopped. */
static void tell_waiters(const struct recording *r, const struct trace_end *end)
{
    char text[1024];

    if (end->waiters_count == 0)
        return;
    note_add(r->notes, NOTE_NEWS, "%s",
             end->outcome == RUN_DEADLOCK ? "deadlock: threads of the program cannot continue"
                                          : "no thread of the program can continue");
    for (size_t i = 0; i < end->waiters_count; i++) {
        run_waiter_text(&end->waiters[i], text, sizeof text);
        note_add(r->notes, NOTE_DETAIL, "%s", text);
    }
}

static enum status convert(struct recording *r, const char *stem, unsigned machines, struct java_light *light,
                           struct java_conversion *result, struct error *err)
{
    struct mapped log = {0}, list = {0}, gate = {0};
    struct java_list names;
    char path[4096], list_path[4096];
    char *program = program_command_line(r->program);
    struct java_reader reader;
    struct trace_end end = {0};
    struct java_conversion_input in = {.name = path,
                                       .list = &names,
                                       .path = r->output,
                                       .program = program,
                                       .end = &end,
                                       .journal = &r->journal};
    struct script_thread *threads = script_threads(r->script_fd, &in.thread_count);
    enum status status;

    fill_end(r, machines, &end);
    in.threads = threads;
    in.wants = r->wants;
    in.wants_count = r->wants_count;
    if (r->deeds) {
        java_reader_init(&reader, r->numbers, r->deeds);
        in.observe = java_reader_take;
        in.observer = &reader;
    }
    in.light = r->java.pass ? light : NULL;
    in.learns = r->java.pass == 1;
    in.reach = r->reach;
    in.gate = map_gate(stem, &gate);
    if (r->keep_ticks) {
        in.ticks = &r->ticks;
        in.bytecodes = &r->bytecodes;
        in.last_tick = &r->last_tick;
        in.last_place = r->last_place;
    }
    snprintf(path, sizeof path, "%s.log", stem);
    snprintf(list_path, sizeof list_path, "%s.list", stem);
    if (!map_file(path, &log) || !map_file(list_path, &list))
        status = errno == ENOENT
                     ? fail(err, HEDDLE_IO,
                            "the Java virtual machine was not recorded, for the reason that it gave: "
                            "nothing was written")
                     : fail(err, HEDDLE_IO, "cannot read %s: %s", path, strerror(errno));
    else
        status = java_list_read(&names, list_path, list.bytes, list.length, err);
    if (status == HEDDLE_OK) {
        in.log = log.bytes;
        in.log_bytes = log.length;
        status = java_convert(&in, result, err);
        r->deadlocked |= names.waiters_count > 0 && status == HEDDLE_OK;
        if (!result->again)
            tell_waiters(r, &end);
        java_list_free(&names);
    }
    trace_end_free(&end);
    free(threads);
    free(program);
    unmap_file(&log);
    unmap_file(&list);
    unmap_file(&gate);
    return status;
}

/* Puts the script where the machine finds it. */
static enum status copy_script(const struct recording *r, const char *folder, struct error *err)
{
    char path[4096], bytes[65536];
    off_t at = 0;
    ssize_t got = 0;
    int fd;

    if (!r->script_fd)
        return HEDDLE_OK;
    snprintf(path, sizeof path, "%.4000s/" JAVA_SCRIPT, folder);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (fd >= 0 && (got = pread(r->script_fd, bytes, sizeof bytes, at)) > 0) {
        if (write(fd, bytes, (size_t)got) != got)
            got = -1;
        if (got < 0)
            break;
        at += got;
    }
    if (fd < 0 || close(fd) != 0 || got < 0)
        return fail(err, HEDDLE_IO, "%s: cannot write the schedule: %s", path, strerror(errno));
    return HEDDLE_OK;
}

static void add_caveat(void *recording, const char *text)
{
    const struct recording *r = recording;

    note_add(r->notes, NOTE_CAVEAT, "%s", text);
}

static void tell(struct recording *r, const struct java_conversion *v, unsigned machines)
{
    note_add(r->notes, NOTE_NEWS,
             "recorded %" PRIu64 " events in %s; %" PRIu64 " accesses to %" PRIu64
             " thread-local or read-only variables left out",
             v->events, r->output, v->dropped_events, v->dropped_variables);
    if (v->full && v->full_error)
        note_add(r->notes, NOTE_CAVEAT,
                 "the log in %s could not grow (%s): the trace ends there, the program went on; set TMPDIR to "
                 "a folder "
                 "with enough space",
                 temporary_folder(), strerror(v->full_error));
    if (v->full && !v->full_error)
        note_add(r->notes, NOTE_CAVEAT,
                 "the log reached its limit of %" PRIu64
                 " MB: the trace ends there, the program went on; --limit raises it",
                 r->java.megabytes);
    if (v->shortened)
        note_add(r->notes, NOTE_CAVEAT,
                 "the log would have reached its limit of %" PRIu64
                 " MB before a second thread started: of what the first thread did alone only the last writes "
                 "are kept, and "
                 "the run cannot be replayed; --limit raises the limit",
                 r->java.megabytes);
    java_tell_losses(v, add_caveat, r);
    if (machines > 1)
        note_add(r->notes, NOTE_CAVEAT, "%u Java virtual machines ran; the trace is of the most active one",
                 machines);
}

/* Runs the program in the folder and makes a trace of its log, if that is the one that is wanted. */
static enum status run_once(struct recording *r, const char *folder, struct java_light *light,
                            struct java_conversion *conversion, unsigned *machines, struct error *err)
{
    char stem[4096] = "";
    enum status status = java_launch(r, folder, r->journal.java, err);

    if (status != HEDDLE_OK)
        return status;
    r->journal.status = (uint32_t)r->ended;
    *machines = choose_machine(folder, stem, sizeof stem);
    read_gate(r, stem);
    if (*machines == 0)
        return fail(err, HEDDLE_UNSUPPORTED,
                    "%s started no Java virtual machine that could be recorded: nothing was written",
                    r->program[0]);
    keep_machine(r, folder, stem);
    return convert(r, stem, *machines, light, conversion, err);
}

enum {
    PASSES = 4
}; /* that may find more to be shared than the one before, until one run records everything instead */

/* Prepares the next run of the program: what was found to be unshared is not recorded in it. */
static enum status prepare_pass(struct recording *r, const char *folder, const struct java_light *light,
                                unsigned runs, struct error *err)
{
    char path[4096], *words = r->journal.java;

    r->journal.java = NULL;
    journal_free(&r->journal);
    r->journal.java = words;
    r->java.silent = true;
    r->timed_out = r->interrupted = r->deadlocked = false;
    empty_folder(folder);
    if (light->useless || runs >= PASSES) {
        note_add(r->notes, NOTE_CAVEAT, "%s; this run records all accesses",
                 light->useless ? "the program has threads that it does not start itself"
                                : "each run shared other variables than the one before");
        r->java.pass = 0;
        return HEDDLE_OK;
    }
    r->java.pass = 2;
    snprintf(path, sizeof path, "%.4000s/" JAVA_LIGHT, folder);
    return java_light_write(light, path, err);
}

/* Runs the program until a run is recorded in which nothing is shared that was not recorded. */
static enum status run_passes(struct recording *r, const char *folder, struct java_conversion *conversion,
                              unsigned *machines, struct error *err)
{
    off_t start = lseek(STDIN_FILENO, 0, SEEK_CUR);
    struct java_light light;
    enum status status = HEDDLE_OK;
    int shown, given = -1;

    if (r->input_fd <= 0)
        status = feed_repeatable(&given, r->notes, err);
    if (status != HEDDLE_OK)
        return status;
    if (given >= 0)
        r->input_fd = given;
    java_light_init(&light);
    r->java.pass = 1;
    status = run_once(r, folder, &light, conversion, machines, err);
    shown = r->status;
    for (unsigned runs = 1; status == HEDDLE_OK && conversion->again && !r->interrupted; runs++) {
        lseek(r->input_fd > 0 ? r->input_fd : STDIN_FILENO, r->input_fd > 0 ? 0 : start, SEEK_SET);
        if (r->timed_out)
            note_add(r->notes, NOTE_CAVEAT, "the first pass was ended after %u seconds", r->timeout);
        status = prepare_pass(r, folder, &light, runs, err);
        if (status == HEDDLE_OK)
            status = run_once(r, folder, &light, conversion, machines, err);
    }
    if (status == HEDDLE_OK && conversion->again)
        status = fail(err, HEDDLE_IO, "the recording was interrupted between its passes: nothing was written");
    if (status == HEDDLE_OK && r->status != shown)
        note_add(r->notes, NOTE_CAVEAT,
                 "the recorded run ended differently from the run whose output was shown");
    java_light_free(&light);
    if (given >= 0) {
        close(given);
        r->input_fd = 0;
    }
    return status;
}

/* Tells how the recorded run ended, and what of it is not in the trace. */
static enum status tell_result(struct recording *r, const struct java_conversion *conversion, unsigned machines,
                               enum status status, struct error *err)
{
    const char *counts = getenv("HEDDLE_JAVA_COUNTS");

    if (r->timed_out)
        note_add(r->notes, NOTE_NEWS, "the program was ended after %u seconds", r->timeout);
    if (r->signal && !r->timed_out && !r->deadlocked)
        note_add(r->notes, NOTE_NEWS, "the program died of signal %d (%s)", r->signal, strsignal(r->signal));
    if (status != HEDDLE_OK)
        return status;
    tell(r, conversion, machines);
    return counts ? java_counts_append(counts, &conversion->counts, conversion->mismatches, err) : HEDDLE_OK;
}

enum status record_java(struct recording *r, struct error *err)
{
    const char *temporary = temporary_folder();
    char folder[2048], agent[4200];
    struct java_conversion conversion = {0};
    unsigned machines = 0;
    int guard;
    enum status status;

    r->status = 1;
    snprintf(agent, sizeof agent, "%.4096s/" JAVA_AGENT, r->libraries);
    if (access(agent, R_OK) != 0)
        return fail(err, HEDDLE_UNSUPPORTED,
                    "Java programs cannot be recorded: %.600s is missing (it is built where a JDK 17 or later "
                    "is installed, such as Debian's default-jdk-headless)",
                    agent);
    temporary_pattern(folder, sizeof folder);
    if (!mkdtemp(folder))
        return fail(err, HEDDLE_IO,
                    "cannot create a folder in %s: %s (set TMPDIR to a folder with enough space)", temporary,
                    strerror(errno));
    guard = temporary_guard(folder);
    status = copy_script(r, folder, err);
    if (status == HEDDLE_OK)
        status = java_words(r, &r->journal.java, err);
    if (status == HEDDLE_OK)
        status = r->passes == PASSES_TWO && !r->script_fd
                     ? run_passes(r, folder, &conversion, &machines, err)
                     : run_once(r, folder, NULL, &conversion, &machines, err);
    if (machines > 0)
        status = tell_result(r, &conversion, machines, status, err);
    empty_folder(folder);
    rmdir(folder);
    if (guard >= 0)
        close(guard);
    return status;
}
