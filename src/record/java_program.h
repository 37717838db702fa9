/* Recording a Java program: the machine runs it with the agent, the log becomes a trace. */
#pragma once
#include "record/record.h"

/* Whether the program is a Java launcher or a tool that starts one. */
bool is_java(const char *program);

/* Whether it is `java` itself, not a tool that starts machines. */
bool is_machine(const char *program);

/* What record_program does for Java programs. */
enum status record_java(struct recording *recording, struct error *err);
