/* What rank 0 and the hands of a check by several ranks say to each other. */
#pragma once
#include "base/packed.h"
#include "crew/hands.h"

enum shared_kind {
    SHARED_CHECK,    /* check this trace, and tell its findings in brief: … */
    SHARED_BRIEFS,   /* … these */
    SHARED_REPEATED, /* of these, earlier traces had those; now the report: … */
    SHARED_TEXT,     /* … this */
    SHARED_OPEN,     /* load this trace and help with its units */
    SHARED_READY,    /* it is loaded, or cannot be, or is left again; status: how many tasks at a time, or 0 */
    SHARED_ROUND,    /* what to know of the tasks that follow */
    SHARED_TASK,     /* do it */
    SHARED_ANSWER,   /* to a task */
    SHARED_CLOSE,    /* that was all of this trace */
};

struct shared_head {
    uint32_t kind;
    uint32_t number; /* of the trace or the task, from 0 */
    int32_t
        status; /* of a text: the exit status; of briefs: 0, or EXIT_ERROR with the reason instead of them */
    uint32_t left_out; /* of a text: files of source */
};

/* The head and the bytes in one message. */
static inline void shared_pack(struct buffer *to, struct shared_head head, const void *bytes, size_t length)
{
    bytes_put(to, &head, sizeof head);
    bytes_put(to, bytes, length);
}
