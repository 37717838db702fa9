/* Records about grounds that wait for the thread's next event: what decisions.c has for labelled.c. */
#pragma once
#include "runtime/grounds/decisions.h"

/* A decision that every value of its reads leads to. */
static inline bool record_decides(const struct record *r)
{
    return record_kind(r->word) == RECORD_BY && record_size(r->word) == 0;
}

/* False when there is no room: only the thread with the turn may write to the log at once. */
bool grounds_add_record(uint64_t word, uint64_t pc, uint64_t value);

/* Writes those that wait. The calling thread has the turn. */
void grounds_tell_records(void);

/* Memory of the thread's own was written, at least in part. */
void grounds_keep_taint(uint64_t address, uint64_t length, uint32_t label);

/* A read gave the label: that of the copy that is waiting for it, too. */
uint32_t grounds_finish_copy(uint32_t label);
