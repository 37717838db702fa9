/* References to methods: `queue::add` and the like. */
#pragma once
#include "classfile.h"
#include "rewrite.h"

/* Writes the class with each reference to a method whose calls are recorded replaced by one to a method of the
 * class's own, which calls it and can be rewritten. False when there is none, or no room. */
bool references_expand(struct class_file *class, const struct rewriter *rewriter, struct bytes *out);
