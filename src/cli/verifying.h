/* heddle verify: what its files share. */
#pragma once
#include <stdbool.h>

/* Verifies the problems of a hunt, or the one of that id, and prints the result; the exit status of the command. */
int verify_hunt(const char *folder, const char *id, bool quiet);
