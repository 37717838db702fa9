/* heddle --version: which Heddle this is, what it was built with, and where its parts are. */
#include "cli/version.h"
#include "cli/command.h"
#include "cli/plugin.h"
#include "record/binary.h"

#include <stdio.h>
#include <unistd.h>

static void print_part(const char *name, const char *path)
{
    printf("  %-12s %s\n", name, path ? path : "no");
}

void print_version(void)
{
    static const char *const plugin_state[] = {
        [PLUGIN_OTHER] = "built for another gcc than the one in PATH", [PLUGIN_ABSENT] = NULL};
    char folder[4096], path[4200];

    printf("heddle %s%s\n", heddle_version(), *HEDDLE_COMMIT ? " (commit " HEDDLE_COMMIT ")" : "");
    if (!runtime_find(folder, sizeof folder)) {
        print_part("runtime", NULL);
        return;
    }
    print_part("runtime", folder);
    enum plugin plugin = plugin_find(folder, "gcc", path, sizeof path);
    print_part("gcc plugin", plugin == PLUGIN_FITS ? path : plugin_state[plugin]);
    snprintf(path, sizeof path, "%s/openmp/libgomp.so.1", folder);
    print_part("OpenMP", access(path, R_OK) == 0 ? path : NULL);
    snprintf(path, sizeof path, "%s/libheddle-java.so", folder);
    print_part("Java", access(path, R_OK) == 0 ? path : NULL);
    snprintf(path, sizeof path, "%s/heddle-mpi.so", folder);
    print_part("MPI", access(path, R_OK) == 0 ? path : NULL);
    print_part("Valgrind", binary_recorder(folder, path, sizeof path) ? path : NULL);
}
