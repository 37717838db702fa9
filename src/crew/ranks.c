/* Finds out whether this process is one of several ranks, and loads the plug-in that joins them. */
#include "crew/ranks.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "base/temporary.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

bool ranks_expected(void)
{
    /* Set by Open MPI, by MPICH and its kin, and by srun for the tasks of a step. */
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS",
                                        "SLURM_STEP_NUM_TASKS"};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *text = getenv(sizes[i]);
        if (text && strtol(text, NULL, 10) > 1)
            return true;
    }
    return false;
}

/* Its path; to be freed. */
static char *plugin_path(const char *folder)
{
    size_t room = strlen(folder) + sizeof "/heddle-mpi.so";
    char *path = memory_new(room, 1);

    snprintf(path, room, "%s/heddle-mpi.so", folder);
    return path;
}

/* The plug-in, or NULL with the reason. */
static const struct crew_link *load(const char *folder, void **library, char *why, size_t room)
{
    char *path = plugin_path(folder);
    const struct crew_link *link = NULL;

    *library = NULL;
    if (access(path, R_OK) != 0) {
        snprintf(why, room, "%s is not there: it is built where the Debian package libopenmpi-dev is installed",
                 path);
    } else {
#ifdef HEDDLE_STATIC
        snprintf(why, room, "this heddle is linked statically and cannot load %s", path);
#else
        *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* MPI loads parts of itself that need its names */
        link = *library ? dlsym(*library, CREW_LINK_SYMBOL) : NULL;
        if (!link)
            snprintf(why, room, "%s", dlerror());
        else if (link->version != CREW_LINK_VERSION) {
            snprintf(why, room, "%s belongs to another version of heddle", path);
            link = NULL;
        }
#endif
    }
    free(path);
    return link;
}

static void forget_environment(void)
{
    static const char *const starts[] = {"OMPI_", "PMIX_", "PMI_", "ORTE_", "PRTE_", "MPI_LOCAL"};

    for (char **e = environ; e && *e;) {
        const char *equals = strchr(*e, '=');
        char name[256];
        bool ours = false;
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
            ours |= strncmp(*e, starts[i], strlen(starts[i])) == 0;
        if (ours && equals && (size_t)(equals - *e) < sizeof name) {
            snprintf(name, sizeof name, "%.*s", (int)(equals - *e), *e);
            unsetenv(name);
            e = environ;
        } else {
            e++;
        }
    }
    unsetenv("SLURM_STEP_NUM_TASKS");
}

enum status ranks_join(struct crew_ranks *to, const char *folder, struct error *err)
{
    char why[400] = "";

    *to = (struct crew_ranks){.size = 1};
    if (!ranks_expected())
        return HEDDLE_OK;
    to->link = load(folder, &to->library, why, sizeof why);
    if (!to->link || !to->link->open(&to->rank, &to->size, why, sizeof why)) {
        *to = (struct crew_ranks){.size = 1};
        return fail(err, HEDDLE_UNSUPPORTED, "started as one of several ranks, but MPI cannot be used: %s",
                    why);
    }
    forget_environment();
    return HEDDLE_OK;
}

/* Rank 0: reads all and sends it. */
static enum status send_input(const struct crew_ranks *ranks, int fd, struct error *err)
{
    char part[1 << 14];
    struct buffer all = {0};
    off_t at = 0;
    ssize_t got;

    while ((got = pread(fd, part, sizeof part, at)) > 0) {
        buffer_bytes(&all, part, (size_t)got);
        at += got;
    }
    buffer_bytes(&all, "I", 1); /* no message is empty */
    for (int r = 1; r < ranks->size; r++)
        ranks->link->send(r, all.text, all.text_count);
    buffer_free(&all);
    return got == 0 ? HEDDLE_OK : fail(err, HEDDLE_IO, "cannot read standard input: %s", strerror(errno));
}

static enum status receive_input(const struct crew_ranks *ranks, int *fd, struct error *err)
{
    unsigned char *bytes;
    size_t length;
    ssize_t done;
    int from;

    while (!ranks->link->receive(&from, &bytes, &length))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    *fd = temporary_memory("standard input", 0, err);
    if (*fd < 0)
        return err->status;
    done = length > 1 ? write(*fd, bytes, length - 1) : 0;
    ranks->link->release(bytes);
    return done + 1 == (ssize_t)length
               ? HEDDLE_OK
               : fail(err, HEDDLE_IO, "cannot keep standard input: %s", strerror(errno));
}

enum status ranks_share_input(const struct crew_ranks *ranks, int *fd, struct error *err)
{
    if (ranks->size <= 1)
        return HEDDLE_OK;
    return ranks->rank == 0 ? send_input(ranks, *fd, err) : receive_input(ranks, fd, err);
}

void ranks_leave(struct crew_ranks *ranks, unsigned lost, int status)
{
    if (ranks->link)
        ranks->link->close(lost == 0, status);
    ranks->link = NULL; /* the library stays: MPI has threads that may still run */
}

bool ranks_describe(const char *folder, char *to, size_t room)
{
    void *library;
    const struct crew_link *link = load(folder, &library, to, room);

    if (!link)
        return false;
    link->describe(to, room);
#ifndef HEDDLE_STATIC
    dlclose(library);
#endif
    return true;
}
