/* Recording a program: from the command line to a trace. */
#pragma once
#include "base/error.h"
#include "record/convert.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct recording {
    char *const *program;
    const char *output;
    const char *libraries; /* folder of the runtime */
    char binary[4200];     /* folder of the Valgrind tool when that is to record, or "" */
    uint64_t seed;
    enum session_policy policy;
    bool two_pass;
    bool real_time;
    unsigned timeout; /* seconds, 0: none */
    FILE *notes;      /* where to say what happened, or NULL */

    /* What came of it. */
    int status;      /* exit status for the command */
    int signal;      /* that the program died of; 0: none */
    bool timed_out;  /* it was ended because its time was over */
    bool deadlocked; /* the program ended because no thread could go on */
    struct conversion conversion;
};

/* Runs the program and writes the trace. On failure after the program ran, `status` still holds its status. */
enum status record_program(struct recording *recording, struct error *err);
