/* Linked into every program that `heddle cc` builds with clang, whose hooks are where a function really ends. gcc puts them into
 * functions before these are expanded in place. So code of libraries does not find these hooks. */
#include "runtime/hot.h"

#define HOOK __attribute__((section("heddle_hooks"), visibility("hidden")))

HOOK void __tsan_func_entry(void *back);
HOOK void __tsan_func_exit(void);

HOOK void __tsan_func_entry(void *back)
{
    (void)back;
}

HOOK void __tsan_func_exit(void)
{
    hot_frame_end((const struct call_link *)__builtin_frame_address(0));
}
