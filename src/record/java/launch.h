/* Starting a Java program with the agent, and waiting for its end. */
#pragma once
#include "record/java_program.h"

#define JAVA_AGENT "libheddle-java.so" /* beside the runtime of other programs */

/* The agent's settings besides files and limits: classes and blocks, as words; to be freed. */
enum status java_words(const struct recording *recording, char **words, struct error *err);

/* Where the script lies in the folder. */
#define JAVA_SCRIPT "script"

/* Sets `status`, `ended`, `signal` and `timed_out`. The machines leave their files in `folder`. */
enum status java_launch(struct recording *recording, const char *folder, const char *words, struct error *err);
