/* Where the program's code enters code whose values have no labels: the system's libraries. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#pragma once
#include "tool.h"

/* A block of such code, for known_calls_enter. */
UInt known_calls_find(Addr address);

/* The block is entered, from the program's code. */
void grind_known_enter(HWord found);
