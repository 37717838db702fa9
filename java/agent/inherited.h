/* Names of methods that classes of the program may have from the JDK. */
#pragma once
#include "bytes.h"

#include <stdbool.h>

bool is_inherited(struct span name);
