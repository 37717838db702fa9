/* Marks for blocks of a program that are meant to be deterministic or atomic. Heddle checks the marks.
 *
 *     HEDDLE_DETERMINISTIC_BEGIN("sort");        From here to END the result must not depend on the schedule. Threads
 *     …                                          that are created in the block belong to it until they end.
 *     HEDDLE_DETERMINISTIC_END("sort");
 *
 *     HEDDLE_ATOMIC_BEGIN("transfer");           What the thread does from here to END must look like one step.
 *     …
 *     HEDDLE_ATOMIC_END("transfer");
 *
 *     HEDDLE_DETERMINISTIC_SCOPE("sort");        The same to the end of the enclosing { }, however it is left
 *     HEDDLE_ATOMIC_SCOPE("transfer");           (C with GNU extensions, and C++).
 *
 *     heddle::deterministic_block sort("sort");  C++: as long as the object lives.
 *     heddle::atomic_block transfer("transfer");
 *
 * Names are string literals; they appear in reports. Blocks nest: the outermost counts. In a build that is not
 * instrumented (with `heddle cc`, or gcc or clang with -fsanitize=thread) all of this compiles to nothing; in one
 * that is, but not recorded, to a test of a pointer. HEDDLE_NO_ANNOTATIONS turns the marks off everywhere. */
#ifndef HEDDLE_ANNOTATE_H
#define HEDDLE_ANNOTATE_H

#if defined(HEDDLE_NO_ANNOTATIONS)
#define HEDDLE_ANNOTATED 0
#elif defined(__SANITIZE_THREAD__)
#define HEDDLE_ANNOTATED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_ANNOTATED 1
#endif
#endif
#ifndef HEDDLE_ANNOTATED
#define HEDDLE_ANNOTATED 0
#endif

/* Kinds of block boundaries, passed to the runtime. The numbers are part of its interface and do not change. */
#define HEDDLE_BLOCK_BEGIN               0
#define HEDDLE_BLOCK_END                 1
#define HEDDLE_BLOCK_DETERMINISTIC_BEGIN 2
#define HEDDLE_BLOCK_DETERMINISTIC_END   3

#if HEDDLE_ANNOTATED

#ifdef __cplusplus
extern "C" {
#endif
/* In the runtime of a recorded program; the event's place is where the call returns to. The name must stay
 * valid. */
void __heddle_block(int kind, const char *name) __attribute__((weak));
#ifdef __cplusplus
}
#endif

#define HEDDLE_BLOCK(kind, name)                                                                               \
    do {                                                                                                       \
        if (__heddle_block)                                                                                    \
            __heddle_block((kind), (name));                                                                    \
    } while (0)

__attribute__((always_inline, artificial)) static inline const char *heddle_scope_begin(int kind,
                                                                                        const char *name)
{
    HEDDLE_BLOCK(kind, name);
    return name;
}

__attribute__((always_inline, artificial)) static inline void heddle_scope_end_deterministic(
    const char *const *name)
{
    HEDDLE_BLOCK(HEDDLE_BLOCK_DETERMINISTIC_END, *name);
}

__attribute__((always_inline, artificial)) static inline void heddle_scope_end_atomic(const char *const *name)
{
    HEDDLE_BLOCK(HEDDLE_BLOCK_END, *name);
}

#define HEDDLE_JOIN_(a, b) a##b
#define HEDDLE_JOIN(a, b)  HEDDLE_JOIN_(a, b)

#define HEDDLE_DETERMINISTIC_SCOPE(name)                                                                       \
    const char *const HEDDLE_JOIN(heddle_scope_, __LINE__)                                                     \
        __attribute__((cleanup(heddle_scope_end_deterministic), unused)) =                                     \
            heddle_scope_begin(HEDDLE_BLOCK_DETERMINISTIC_BEGIN, (name))
#define HEDDLE_ATOMIC_SCOPE(name)                                                                              \
    const char *const HEDDLE_JOIN(heddle_scope_, __LINE__)                                                     \
        __attribute__((cleanup(heddle_scope_end_atomic), unused)) =                                            \
            heddle_scope_begin(HEDDLE_BLOCK_BEGIN, (name))

#else /* nothing */

#define HEDDLE_BLOCK(kind, name)         ((void)0)
#define HEDDLE_DETERMINISTIC_SCOPE(name) ((void)0)
#define HEDDLE_ATOMIC_SCOPE(name)        ((void)0)

#endif

#define HEDDLE_DETERMINISTIC_BEGIN(name) HEDDLE_BLOCK(HEDDLE_BLOCK_DETERMINISTIC_BEGIN, name)
#define HEDDLE_DETERMINISTIC_END(name)   HEDDLE_BLOCK(HEDDLE_BLOCK_DETERMINISTIC_END, name)
#define HEDDLE_ATOMIC_BEGIN(name)        HEDDLE_BLOCK(HEDDLE_BLOCK_BEGIN, name)
#define HEDDLE_ATOMIC_END(name)          HEDDLE_BLOCK(HEDDLE_BLOCK_END, name)

#ifdef __cplusplus
namespace heddle
{

#if HEDDLE_ANNOTATED
#define HEDDLE_MEMBER(kind) HEDDLE_BLOCK(kind, name_)
#else
#define HEDDLE_MEMBER(kind) ((void)name_)
#endif

class deterministic_block
{
  public:
    __attribute__((always_inline, artificial)) inline explicit deterministic_block(const char *name)
        : name_(name)
    {
        HEDDLE_MEMBER(HEDDLE_BLOCK_DETERMINISTIC_BEGIN);
    }
    __attribute__((always_inline, artificial)) inline ~deterministic_block()
    {
        HEDDLE_MEMBER(HEDDLE_BLOCK_DETERMINISTIC_END);
    }
    deterministic_block(const deterministic_block &) = delete;
    deterministic_block &operator=(const deterministic_block &) = delete;

  private:
    const char *name_;
};

class atomic_block
{
  public:
    __attribute__((always_inline, artificial)) inline explicit atomic_block(const char *name) : name_(name)
    {
        HEDDLE_MEMBER(HEDDLE_BLOCK_BEGIN);
    }
    __attribute__((always_inline, artificial)) inline ~atomic_block()
    {
        HEDDLE_MEMBER(HEDDLE_BLOCK_END);
    }
    atomic_block(const atomic_block &) = delete;
    atomic_block &operator=(const atomic_block &) = delete;

  private:
    const char *name_;
};

#undef HEDDLE_MEMBER

} // namespace heddle
#endif

#endif
