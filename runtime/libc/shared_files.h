/* Files that are mapped more than once: the same bytes at two addresses are one variable. The caller has the turn. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Which file it is: of a segment of shared memory the device is SEGMENT_DEVICE and the number its own, of memory without a file that
 * was mapped again DOUBLED_DEVICE and a count. */
struct file_identity {
    uint64_t device, number;
};

#define SEGMENT_DEVICE UINT64_MAX
#define DOUBLED_DEVICE (UINT64_MAX - 1)

/* A mapping is there, of the file from `offset` on; tells which of its bytes others have, too. */
void shared_files_mapped(void *at, size_t length, const struct file_identity *file, uint64_t offset,
                         uintptr_t pc);

/* The same for an open file; it may be none that can be known. */
void shared_files_mapped_file(void *at, size_t length, int fd, off_t offset, uintptr_t pc);

/* A mapping is there, of the shared memory that is at `old`, too. */
void shared_files_doubled(void *at, size_t length, const void *old, uintptr_t pc);

/* Something else is there from now on, or nothing. */
void shared_files_gone(const void *at, size_t length);
