/* The passes of a recording, and the marks of shared memory that go from one to the next. */
#include "record/collect/passes.h"
#include "base/memory.h"
#include "base/temporary.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Passes that may find more shared memory than the one before, until one run records everything instead. */
enum { PASSES = 4 };

/* Leaves only what is known to be shared; returns how many granules were touched. */
static uint64_t clean_part(uint16_t *marks, size_t count)
{
    uint64_t touched = 0;

    for (size_t k = 0; k < count; k++) {
        bool kept = marks[k] & SHADOW_ONCE || (marks[k] & SHADOW_KEPT) == SHADOW_KEPT;
        uint16_t then = kept ? SHADOW_KEPT | SHADOW_ONCE : 0;
        touched += (marks[k] & (SHADOW_OWNER | SHADOW_TOUCHED)) != 0;
        if (marks[k] != then)
            marks[k] = then;
    }
    return touched;
}

/* After a pass: cleans the parts of the marks file that were written. */
static uint64_t clean_marks(int fd)
{
    uint64_t touched = 0;
    off_t start = 0, end;

    while ((start = lseek(fd, start, SEEK_DATA)) >= 0 && (uint64_t)start < SHADOW_BYTES &&
           (end = lseek(fd, start, SEEK_HOLE)) > start) {
        end = (uint64_t)end < SHADOW_BYTES ? end : (off_t)SHADOW_BYTES;
        size_t length = (size_t)(end - start);
        uint16_t *marks = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, start);
        if (marks != MAP_FAILED) {
            touched += clean_part(marks, length / sizeof *marks);
            munmap(marks, length);
        }
        start = end;
    }
    return touched;
}

static bool allocate_marks(struct collection *c, struct error *err)
{
    c->shadow_fd =
        temporary_memory("recording in two passes (a sparse file of marks)", SHADOW_BYTES + SHADOW_BLOCKS, err);
    return c->shadow_fd >= 0;
}

/* Allocates the marks and makes the input repeatable, for a program that may run more than once. */
static enum status prepare_passes(struct collection *c, off_t *start, note_taker *notes, struct error *err)
{
    *start = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (!allocate_marks(c, err))
        return err->status;
    return c->input_fd < 0 ? feed_repeatable(&c->input_fd, notes, err) : HEDDLE_OK;
}

/* The clock leaps in later passes where it did in the first. */
static void keep_leaps(struct collection *c, const struct session *before)
{
    uint32_t count = session_load(&before->leaps_count);

    if (c->leaps || count > SESSION_LEAPS)
        return;
    if (count == 0) {
        c->steady = true;
        return;
    }
    c->leaps = memory_new(count, sizeof *c->leaps);
    memcpy(c->leaps, before->leaps, count * sizeof *c->leaps);
    c->leaps_count = count;
}

/* Back to the start, with nothing recorded. */
static void rewind_run(struct collection *c, struct taker *t, off_t start)
{
    lseek(c->input_fd >= 0 ? c->input_fd : STDIN_FILENO, c->input_fd >= 0 ? 0 : start, SEEK_SET);
    collection_end(c);
    taker_restart(t);
    c->trial = false;
}

/* Runs the program once more from the start, at the time of the run before. */
static enum status run_again(struct collection *c, struct taker *t, off_t start, struct error *err)
{
    const struct session *before = c->session;

    if (!c->real_time) {
        c->realtime = before->realtime;
        c->monotonic = before->monotonic;
        keep_leaps(c, before);
    }
    rewind_run(c, t, start);
    return collection_run(c, err);
}

static void tell_difference(note_taker *notes)
{
    note_add(notes, NOTE_CAVEAT, "the recorded run ended differently from the run whose output was shown");
}

/* The program runs once if most of its accesses are to shared memory, otherwise as often as necessary. */
static enum status run_twice(const struct recording *r, struct collection *c, struct taker *t,
                             uint64_t *touched, struct error *err)
{
    enum status status;
    off_t start;
    int shown;

    /* A script fixes the mode. HEDDLE_NO_TRIAL is for tests: it forces two passes on programs that are too
     * short for them. */
    c->trial = !r->script_fd && !getenv("HEDDLE_NO_TRIAL");
    c->mode = c->trial ? SESSION_ALL : SESSION_MARK;
    status = prepare_passes(c, &start, r->notes, err);
    if (status == HEDDLE_OK)
        status = collection_run(c, err);
    if (status != HEDDLE_OK || (c->trial && !session_load(&c->session->gave_up)) ||
        (c->impatient && c->interrupted))
        return status;
    shown = c->status;
    for (int pass = 1; status == HEDDLE_OK && pass <= PASSES; pass++) {
        clean_marks(c->shadow_fd);
        if (c->timed_out && pass == 1)
            note_add(r->notes, NOTE_CAVEAT, "the first pass was ended after %u seconds", r->timeout);
        c->timed_out = false;
        c->mode = pass < PASSES ? SESSION_FILTER : SESSION_ALL;
        if (pass == PASSES)
            note_add(r->notes, NOTE_CAVEAT,
                     "each run shared other memory than the one before; this run records all accesses");
        c->silent = true;
        status = run_again(c, t, start, err);
        if (status == HEDDLE_OK && session_load(&c->session->strays) == 0)
            break;
    }
    if (c->mode == SESSION_FILTER)
        *touched = clean_marks(c->shadow_fd);
    if (status == HEDDLE_OK && c->status != shown)
        tell_difference(r->notes);
    return status;
}

/* Marks what is shared in a run that nobody sees and that leaves nothing behind; whether it got to its end, and marks
 * are worth it. */
static bool mark_unseen(struct collection *c, struct taker *t, struct harmless *plan, enum status *status,
                        struct error *err)
{
    note_taker *notes = t->notes;
    unsigned timeout = c->timeout;

    c->timeout = (timeout + 1) / 2; /* the run that is seen takes longer */
    c->unseen = notes;
    c->trial = !getenv("HEDDLE_NO_TRIAL");
    c->mode = c->trial ? SESSION_ALL : SESSION_MARK;
    c->confined = plan;
    c->silent = true;
    t->notes = NULL;
    *status = collection_run(c, err);
    t->notes = notes;
    c->timeout = timeout;
    c->unseen = NULL;
    c->confined = NULL;
    c->silent = false;
    return *status == HEDDLE_OK && !c->abandoned && !c->timed_out && !harmless_refused(c->status) &&
           (!c->trial || session_load(&c->session->gave_up));
}

/* The run that was shown shared more than was marked: another one, unseen, records everything. */
static enum status record_all(struct collection *c, struct taker *t, const struct harmless *plan, off_t start,
                              struct error *err)
{
    int shown = c->status;
    enum status status;

    c->mode = SESSION_ALL;
    c->confined = plan;
    c->silent = true;
    c->timed_out = c->abandoned = false;
    status = run_again(c, t, start, err);
    c->cut_short = status == HEDDLE_OK && (harmless_refused(c->status) || c->abandoned);
    if (c->cut_short)
        c->status = shown;
    else if (status == HEDDLE_OK && c->status != shown)
        tell_difference(t->notes);
    return status;
}

/* One pass, or two if the first one that nobody sees comes to its end without doing anything that lasts. */
static enum status run_as_fits(const struct recording *r, struct collection *c, struct taker *t,
                               uint64_t *touched, struct error *err)
{
    off_t start = lseek(STDIN_FILENO, 0, SEEK_CUR);
    struct error without_marks = {0};
    struct harmless plan;
    enum status status;
    bool marked;

    if (r->script_fd || r->real_time || r->effects || c->binary || c->input_fd >= 0 ||
        !harmless_plan(&plan, c->program) || !allocate_marks(c, &without_marks))
        return collection_run(c, err);
    marked = mark_unseen(c, t, &plan, &status, err);
    if (status != HEDDLE_OK || c->interrupted)
        return status;
    c->timed_out = c->abandoned = false;
    if (!marked) {
        rewind_run(c, t, start);
        c->mode = SESSION_ALL;
        return collection_run(c, err);
    }
    c->unread = harmless_guards_input(&plan);
    clean_marks(c->shadow_fd);
    c->mode = SESSION_FILTER;
    status = run_again(c, t, start, err);
    if (status != HEDDLE_OK || session_load(&c->session->strays) == 0) {
        *touched = clean_marks(c->shadow_fd);
        return status;
    }
    return record_all(c, t, &plan, start, err);
}

enum status passes_run(const struct recording *r, struct collection *c, struct taker *t, uint64_t *touched,
                       struct error *err)
{
    switch (r->passes) {
    case PASSES_TWO:
        return run_twice(r, c, t, touched, err);
    case PASSES_AUTO:
        return run_as_fits(r, c, t, touched, err);
    default:
        return collection_run(c, err);
    }
}
