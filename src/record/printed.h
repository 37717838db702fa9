/* What a program writes to standard output or error, kept in bounded memory.
 *
 * The program writes into a file in memory. Once that is longer than PRINTED_HEAD + PRINTED_TAIL, the part between the first and the last
 * bytes is added to a checksum and removed from the file while the program runs. */
#pragma once
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { PRINTED_HEAD = 4 << 20, PRINTED_TAIL = 64 << 10 };

struct printed {
    int fd;         /* where the program writes; 0: not open */
    uint64_t taken; /* bytes after the first PRINTED_HEAD that are in the checksum and no longer in the file */
    struct XXH3_state_s *sum;
};

enum status printed_open(struct printed *output, const char *name, struct error *err);

/* Takes what is beyond the limit from standard output and error, or from nothing (NULL). To be called again and again while the program
 * runs. */
void printed_step(struct printed *outputs);

/* The whole output, or its first and last bytes with a line between them that has the number and the checksum of the others. So two outputs
 * are the same if and only if these texts are, but for a collision of checksums. The text ends with a NUL and is to be freed; the output is
 * closed. */
char *printed_close(struct printed *output, size_t *length);
