/* Virtual machines of build tools. */
#include "build_tools.h"

#include <string.h>

bool runs_build_tool(jvmtiEnv *machine)
{
    static const char *const tools[] = {"org.codehaus.plexus.classworlds.launcher.Launcher",
                                        "org.apache.maven.wrapper.MavenWrapperMain",
                                        "org.apache.tools.ant.launch.Launcher",
                                        "org.gradle.wrapper.GradleWrapperMain",
                                        "org.gradle.launcher.GradleMain",
                                        "org.gradle.launcher.daemon.bootstrap.GradleDaemon",
                                        NULL};
    char *command = NULL; /* the main class and its arguments, as the launcher hands them to the machine */
    bool runs = false;

    if ((*machine)->GetSystemProperty(machine, "sun.java.command", &command) != JVMTI_ERROR_NONE)
        return false;
    for (size_t i = 0; tools[i] && !runs; i++) {
        size_t length = strlen(tools[i]);
        runs = strncmp(command, tools[i], length) == 0 && (command[length] == ' ' || command[length] == '\0');
    }
    (*machine)->Deallocate(machine, (unsigned char *)command);
    return runs;
}

/* Whether an object is of a class of Gradle's. */
static bool is_gradles(jvmtiEnv *machine, JNIEnv *env, jobject object)
{
    jclass class = (*env)->GetObjectClass(env, object);
    char *signature = NULL;
    bool is = false;

    if ((*machine)->GetClassSignature(machine, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        is = strncmp(signature, "Lorg/gradle/", 12) == 0 || strncmp(signature, "Lworker/org/gradle/", 19) == 0;
        (*machine)->Deallocate(machine, (unsigned char *)signature);
    }
    (*env)->DeleteLocalRef(env, class);
    return is;
}

bool serves_build_tool(jvmtiEnv *machine, JNIEnv *env, jobject loader)
{
    jclass class = loader ? (*env)->FindClass(env, "java/lang/ClassLoader") : NULL;
    jfieldID parent = class ? (*env)->GetFieldID(env, class, "parent", "Ljava/lang/ClassLoader;") : NULL;
    jobject above = loader ? (*env)->NewLocalRef(env, loader) : NULL;
    bool serves = false;

    while (above && parent && !serves) {
        jobject next = (*env)->GetObjectField(env, above, parent);
        serves = is_gradles(machine, env, above);
        (*env)->DeleteLocalRef(env, above);
        above = next;
    }
    if (above)
        (*env)->DeleteLocalRef(env, above);
    if (class)
        (*env)->DeleteLocalRef(env, class);
    return serves;
}
