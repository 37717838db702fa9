/* Invariants. assert() states what costs next to nothing to look at; it is on in every build but Release.
 * assert_costly() states what takes a walk: on in sanitized and Debug builds, in which nearly all tests run. */
#pragma once
#include <assert.h>

#ifdef HEDDLE_COSTLY_ASSERTIONS
#define assert_costly(condition) assert(condition)
#else
#define assert_costly(condition) ((void)sizeof(condition))
#endif
