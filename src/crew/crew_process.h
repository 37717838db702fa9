/* A worker of this rank: a process, and the pipe it answers on. */
#pragma once
#include "crew/crew.h"

#include <sys/types.h>

struct crew_process {
    pid_t pid; /* 0: idle */
    int from;
    uint64_t id;
    double deadline; /* 0: none */
    unsigned char *request;
    size_t request_length;
    unsigned char *bytes;
    size_t bytes_count, bytes_capacity;
};

enum status crew_process_start(struct crew_process *process, const struct crew_duty *duty, uint64_t id,
                               const void *request, size_t length, double seconds, bool away,
                               struct error *err);

/* Takes what it has written so far; true when it has ended. */
bool crew_process_read(struct crew_process *process);

/* Kills what is left of it, waits for its end and cleans up. Its bytes stay. */
void crew_process_end(struct crew_process *process, const struct crew_duty *duty);
