/* Replays all findings of a check and ranks them by what they change. */
#include "base/memory.h"
#include "replay/confirm.h"

#include <stdlib.h>
#include <string.h>

struct ranked {
    struct finding finding;
    struct replay_note note;
    size_t at;
};

void replay_notes_free(struct replay_note *notes, size_t count)
{
    for (size_t i = 0; i < count && notes; i++)
        free(notes[i].outcome);
    free(notes);
}

/* The higher, the earlier. */
static unsigned weight_of(const struct replay_note *n)
{
    return !n->confirmed ? 0 : 1 + (unsigned)n->change;
}

static int compare(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    unsigned heavy = weight_of(&a->note), other = weight_of(&b->note);

    if (heavy != other)
        return heavy > other ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static enum status confirm_one(struct replay_case *c, const struct finding *f, struct replay_note *note,
                               struct error *err)
{
    struct replay_verdict v;
    const char *words;

    if (f->kind > 0) /* of the graph method: there is nothing to replay */
        return HEDDLE_OK;
    if (replay_confirm(c, f, &v, err) != HEDDLE_OK)
        return err->status;
    words = !v.diverged ? v.outcome : f->synchronization && !*v.reason ? "needs another path" : "diverged";
    *note = (struct replay_note){
        .confirmed = v.confirmed, .change = v.change, .outcome = memory_text(words, strlen(words))};
    replay_verdict_free(&v);
    return HEDDLE_OK;
}

enum status replay_confirm_all(struct replay_case *c, struct finding_list *list, struct replay_note **notes,
                               void (*progress)(size_t done, size_t all), struct error *err)
{
    size_t count = list->findings_count;
    struct ranked *ranked = memory_new(count + 1, sizeof *ranked);
    enum status status = HEDDLE_OK;

    *notes = memory_new(count + 1, sizeof **notes);
    for (size_t i = 0; i < count && status == HEDDLE_OK; i++) {
        ranked[i].finding = list->findings[i];
        ranked[i].at = i;
        status = confirm_one(c, &list->findings[i], &ranked[i].note, err);
        if (progress)
            progress(i + 1, count);
    }
    if (status == HEDDLE_OK && count > 0)
        qsort(ranked, count, sizeof *ranked, compare);
    for (size_t i = 0; i < count; i++) {
        if (status == HEDDLE_OK)
            list->findings[i] = ranked[i].finding;
        (*notes)[i] = ranked[i].note;
    }
    free(ranked);
    return status;
}
