/* Static initializers. */
#pragma once
#include "classfile.h"

/* Whether the class has an initializer that may do more than give its own static fields what they start with. */
bool initializer_acts(const struct class_file *class);
