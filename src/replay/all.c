/* Replays all findings of a check. */
#include "base/memory.h"
#include "replay/confirm.h"

#include <stdlib.h>
#include <string.h>

void replay_notes_free(struct replay_note *notes, size_t count)
{
    for (size_t i = 0; i < count && notes; i++)
        free(notes[i].outcome);
    free(notes);
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

enum status replay_confirm_all(struct replay_case *c, const struct finding_list *list,
                               struct replay_note **notes, void (*progress)(size_t done, size_t all),
                               struct error *err)
{
    size_t count = list->findings_count;
    enum status status = HEDDLE_OK;

    *notes = memory_new(count + 1, sizeof **notes);
    for (size_t i = 0; i < count && status == HEDDLE_OK; i++) {
        status = confirm_one(c, &list->findings[i], &(*notes)[i], err);
        if (progress)
            progress(i + 1, count);
    }
    if (status == HEDDLE_STOPPED && progress)
        progress(count, count);
    return status == HEDDLE_STOPPED ? HEDDLE_OK : status;
}
