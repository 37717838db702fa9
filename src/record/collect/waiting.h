/* Reports which thread waits for which, in a deadlock and when nothing has moved for a while. */
#pragma once
#include "base/note.h"
#include "record/symbols/naming.h"
#include "runtime/protocol/session.h"

/* Every thread that is alive: what it waits for, and where. `why` is the line above them. */
void stuck_describe(const struct session *session, struct naming *naming, const char *why, note_taker *to);

/* The cycle of threads that wait for each other, if there is one; then the others. */
void stuck_deadlock(const struct session *session, struct naming *naming, note_taker *to);
