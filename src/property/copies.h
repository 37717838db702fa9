/* Reads of several variables that one section wrote together: what such a read cannot see. */
#pragma once
#include "model/model.h"

/* Whether the read cannot see the write because of another read shortly before it, both in one section of a
 * lock: that one sees what a section wrote which wrote this read's variable, too, and the section of the write
 * wrote the variables of both. False where that says nothing. */
bool copies_refute(const struct model *m, event_id read, event_id write);
