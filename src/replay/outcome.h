/* What a replayed run changes: endings, outputs and final values, compared with the recorded run's. */
#pragma once
#include "base/buffer.h"
#include "replay/run.h"

enum change {
    CHANGE_NONE,
    CHANGE_OUTPUT, /* standard output, error or exit status */
    CHANGE_VALUES, /* final values of shared variables, nothing else */
    CHANGE_CRASH,
    CHANGE_ASSERTION,
    CHANGE_DEADLOCK,
    CHANGE_HANG,
};

/* What of the new run differs from the reference. `again`, or NULL: the reference once more. What differs between these two
 * (times, addresses, process numbers) says nothing and is left out. */
enum change outcome_compare(const struct replay_result *reference, const struct replay_result *again,
                            const struct replay_result *now);

/* "same", "different output", "crash (SIGSEGV at queue.c:41 pop)", "assertion", "deadlock", "hang". */
void outcome_words(enum change change, const struct outcome *now, char *to, size_t room);

/* The differences, line by line, indented. */
void outcome_diff(const struct replay_result *reference, const struct replay_result *again,
                  const struct replay_result *now, struct buffer *to);

/* How a run ended: "exit status 0", "SIGSEGV at …". */
void outcome_ending(const struct outcome *outcome, char *to, size_t room);
