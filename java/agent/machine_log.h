/* The two files of a recorded machine: the mapped log and the list of names (runtime/protocol/java_log.h).
 *
 * The log's file grows ahead of its records, so that a full disk is met here and not by an access to memory. */
#pragma once
#include "bytes.h"

struct java_log_header;

struct machine_log {
    struct java_log_header *header; /* mapped */
    uint64_t ready;                 /* records that the file has room for */
    int file, list;                 /* descriptors */
};

/* The number of this machine among those that share the folder, from 1 on: FOLDER/machine-NUMBER then holds its process. 0
 * when the folder has no room. */
unsigned machine_number(const char *folder);

/* Makes FOLDER/PID.log and FOLDER/PID.list; false after a complaint on standard error. */
bool machine_log_open(struct machine_log *log, const char *folder, uint64_t records);

/* Makes room for this record. Returns for how many there is room now: not more than the record's number when the
 * limit is reached or the disk is full; recording is over then. One thread at a time. */
uint64_t machine_log_grow(struct machine_log *log, uint64_t record);

/* Appends whole entries to the list: what is written is there whatever happens next. Recording ends when the disk
 * is full. One thread at a time. */
void log_list(struct machine_log *log, const struct bytes *entries);
