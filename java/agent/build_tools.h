/* Virtual machines of build tools, which start others for the tests: nobody wants to know what their own threads do. */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

/* Whether the machine runs Maven, Gradle, or Ant. While it is being started. */
bool runs_build_tool(jvmtiEnv *machine);
