/* Tokens of semaphores, counted. */
#include "record/convert/semaphore_counts.h"
#include "base/memory.h"

#include <stdlib.h>

void tokens_survey(struct semaphore_tokens *t, uint64_t place, unsigned kind, uint64_t value)
{
    uint32_t *index = map_at(&t->current, place);
    struct token_count *count;

    if (kind == RECORD_SEM_INIT) {
        ARRAY_PUSH(t, counts, (struct token_count){.left = (int64_t)value});
        *index = (uint32_t)t->counts_count;
        return;
    }
    if (*index == 0)
        return;
    count = &t->counts[*index - 1];
    count->left += kind == RECORD_POST ? 1 : -1;
    count->short_of |= count->left < 0;
}

bool tokens_counted(struct semaphore_tokens *t)
{
    return t->written < t->counts_count && !t->counts[t->written++].short_of;
}

void tokens_free(struct semaphore_tokens *t)
{
    map_free(&t->current);
    free(t->counts);
}
