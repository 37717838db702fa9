/* The calls under way in a thread. */
#pragma once
#include "runtime.h"

/* Logs them, the innermost first. */
void frames_log(void);
