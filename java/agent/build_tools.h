/* Virtual machines of build tools, which start others for the tests: nobody wants to know what their own threads do. */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

/* Whether the machine runs Maven, Gradle, or Ant. While it is being started. */
bool runs_build_tool(jvmtiEnv *machine);

/* Whether a class loader is one that Gradle makes, in the machine that it starts for tests, for itself and the libraries that it
 * uses there. Their locks are taken in Gradle's code, which is not recorded. */
bool serves_build_tool(jvmtiEnv *machine, JNIEnv *env, jobject loader);
