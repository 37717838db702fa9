/* Which Heddle this is. */
#pragma once

/* Prints the version, the commit it was built from, and the path of each part, or "no" for one that is missing. */
void print_version(void);
