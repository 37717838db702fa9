/* Runs kept apart: a copy of a folder to work in, a folder for temporary files, a network of their own. */
#pragma once
#include "base/error.h"

#include <stdbool.h>

/* Copies a folder with all that is in it, but not what is in the folder `but` (or NULL). */
enum status isolate_copy(const char *from, const char *to, const char *but, struct error *err);

/* Removes a folder with all that is in it; what cannot be removed stays. */
void isolate_remove(const char *path);

/* Puts this process, which must have one thread, into a network of its own, with a loopback device. */
enum status isolate_network(struct error *err);

/* The same in a process of its own: whether the system allows it. */
enum status isolate_network_allowed(struct error *err);
