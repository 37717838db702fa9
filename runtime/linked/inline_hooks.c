/* Linked into every program that `heddle cc` builds: the hooks that are called most, within reach. */
#include "runtime/grounds/label_hooks.h"

_Thread_local struct hot_words hot;
_Thread_local uintptr_t hot_lowest;
_Thread_local struct ground_words grounds;

/* A thread that is stopped between these is in a hook. */
extern char hooks_begin[] __asm__("__start_heddle_hooks") __attribute__((visibility("hidden")));
extern char hooks_end[] __asm__("__stop_heddle_hooks") __attribute__((visibility("hidden")));

__attribute__((constructor(102))) static void tell_runtime(void)
{
    heddle_linked_2((uintptr_t)hooks_begin, (uintptr_t)hooks_end);
}

#define HOOK __attribute__((section("heddle_hooks")))

HOOK void __tsan_read1(void *at);
HOOK void __tsan_read2(void *at);
HOOK void __tsan_read4(void *at);
HOOK void __tsan_read8(void *at);
HOOK void __tsan_write1(void *at);
HOOK void __tsan_write2(void *at);
HOOK void __tsan_write4(void *at);
HOOK void __tsan_write8(void *at);

HOT_HOOKS(HOOK)
LABEL_FUNCTIONS(HOOK)
