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
