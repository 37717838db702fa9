/* What the files of replay evidence share. */
#pragma once
#include "replay/evidence.h"

/* The value of an event of the trace, in words. */
void evidence_value(struct buffer *to, const struct trace *t, uint32_t e);

/* A line: `before`, then the step in words. */
void evidence_step(const struct attempt *a, size_t step, const char *before, struct buffer *to);

/* The run is no evidence: at this step it did something else. False. */
bool evidence_refute(struct attempt *a, size_t step, const char *got);

/* A thread as the end of the run found it, or NULL. */
const struct session_thread *evidence_thread(const struct attempt *a, uint32_t number);

/* Stale reads: the other thread's write came between the read and the write. */
bool evidence_stale(struct attempt *a, struct buffer *to);

/* Stuck runs: no thread could go on, and these wait as the finding says. */
bool evidence_stuck(struct attempt *a, struct buffer *to);
