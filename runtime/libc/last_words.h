/* The reason why a program ends itself, for the trace. */
#pragma once
#include <stdint.h>

/* A failed assertion, as assert reports it. */
void last_words_assertion(const char *text, const char *file, unsigned line, const char *function);

/* The program aborts, called from `caller`: if that is the C++ library because nobody caught an exception,
 * which. */
void last_words_abort(uintptr_t caller);
