/* Invariants of code inside a recorded program. Where one does not hold, the process ends there and says which; out of
 * builds with NDEBUG. assert() would call the program's own stdio. */
#pragma once

#ifdef NDEBUG
#define INVARIANT(condition) ((void)sizeof(condition))
#else
#define INVARIANT(condition)                                                                                   \
    (__builtin_expect(!(condition), 0) ? invariant_broken(__FILE_NAME__ ": " #condition "\n") : (void)0)
#endif
_Noreturn void invariant_broken(const char *which);
