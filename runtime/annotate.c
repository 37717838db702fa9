/* Declared blocks: what include/heddle/annotate.h calls. */
#include "runtime/runtime.h"
#include "runtime/sched/sched.h"

enum { NAME_MOST = 255, KINDS = 4 };

EXPORT void __heddle_block(int kind, const char *name);

EXPORT void __heddle_block(int kind, const char *name)
{
    uintptr_t pc = CALLER;
    size_t length;

    if (kind < 0 || kind >= KINDS || !sync_enter(pc))
        return;
    length = name ? text_length(name) : 0;
    if (length > NAME_MOST)
        length = NAME_MOST;
    log_emit(RECORD_BLOCK + (unsigned)kind, NULL, pc, length);
    log_text(name, length);
    sync_leave();
}
