/* Starting a Java program with the agent, and waiting for its end. */
#pragma once
#include "record/java_record.h"

#define JAVA_AGENT "libheddle-java.so" /* beside the runtime of other programs */

/* Sets `status`, `signal` and `timed_out`. The machines leave their files in `folder`. */
enum status java_launch(struct recording *recording, const char *folder, struct error *err);
