/* Native files built by hand, right or wrong, with right checksums: for tests and fuzzers of the reader. */
#pragma once
#include "trace/htr.h"

struct htr_file {
    unsigned char *bytes;
    size_t bytes_count, bytes_capacity;
};

/* The file's header; blocks follow. */
void htr_file_start(struct htr_file *file, unsigned version, unsigned features);

/* A block around any payload; `events` is what its header says was before it. */
void htr_file_block(struct htr_file *file, unsigned type, uint64_t events, const void *payload, size_t length);

/* The end block of a file of so many events. */
void htr_file_end(struct htr_file *file, uint64_t events);

/* Makes the checksum of the block right that begins here. */
void htr_file_sign(unsigned char *block);

void htr_file_free(struct htr_file *file);
