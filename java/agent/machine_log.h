/* The two files of a recorded machine: the mapped log and the list of names (runtime/protocol/java_log.h). */
#pragma once
#include "bytes.h"

struct java_log_header;

struct machine_log {
    struct java_log_header *header; /* mapped */
    int list;                       /* descriptor */
};

/* Makes FOLDER/PID.log and FOLDER/PID.list; false after a complaint on standard error. */
bool machine_log_open(struct machine_log *log, const char *folder, uint64_t records);

/* Appends whole entries to the list: what is written is there whatever happens next. */
void log_list(struct machine_log *log, const struct bytes *entries);
