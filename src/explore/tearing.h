/* Accesses that the machine may make in several parts, between which another thread may come. */
#pragma once
#include "record/deeds.h"

/* The first access of a run that may be torn where another thread can notice: it is plain and longer than the
 * machine moves at once, and nothing keeps a conflicting access of another thread away from its middle. Returns
 * its index, plus one; 0: there is none.
 *
 * Two accesses are kept apart by a lock that both threads hold, or by an order that all runs of the same behaviour
 * have: program order, threads, barriers, things done once, and which write each read sees. */
size_t tearing_find(const struct deeds *deeds);
