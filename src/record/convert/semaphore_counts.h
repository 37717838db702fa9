/* Tokens of semaphores: whether the count that a semaphore began with is all there was. A signal handler that
 * interrupts the runtime posts unseen, and so does another process. */
#pragma once
#include "base/map.h"
#include "runtime/protocol/session.h"

#include <stdbool.h>
#include <stddef.h>

struct token_count {
    int64_t left;
    bool short_of; /* a token was taken that no recorded post gave */
};

struct semaphore_tokens {
    struct map current;         /* place of a semaphore: index + 1 of its present count */
    struct token_count *counts; /* in the order of their initialisation */
    size_t counts_count, counts_capacity;
    size_t written; /* second walk: initialisations passed */
};

/* First walk: RECORD_SEM_INIT, RECORD_POST or RECORD_SEM_WAIT of the semaphore at `place`, a number that no
 * other block's has. */
void tokens_survey(struct semaphore_tokens *tokens, uint64_t place, unsigned kind, uint64_t value);

/* Second walk, at each RECORD_SEM_INIT: whether its count explains all that was taken. */
bool tokens_counted(struct semaphore_tokens *tokens);
void tokens_free(struct semaphore_tokens *tokens);
