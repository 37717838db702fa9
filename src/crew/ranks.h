/* The ranks of an MPI job that this process belongs to. */
#pragma once
#include "base/error.h"
#include "base/note.h"
#include "crew/link.h"

struct crew_ranks {
    int rank, size; /* 0 and 1 where there is no MPI */
    const struct crew_link *link;
    void *library;
};

/* Whether the process was started as one of several ranks: by mpirun, mpiexec or srun. */
bool ranks_expected(void);

/* Joins the other ranks, if there are any, with the plug-in of that folder. Fails where there are and that is impossible. What
 * tells programs that they are ranks is removed from the environment: those that we start are none. */
enum status ranks_join(struct crew_ranks *to, const char *folder, struct error *err);

/* Before ranks_join, where others can do without this rank: goes on in a child process. When that is killed, this one waits for the
 * launcher to end it, which would end all ranks if it saw the death of one. Does nothing on rank 0 and where there is no MPI. */
void ranks_guard(note_taker *notes);

/* Gives all ranks what rank 0 reads from the descriptor; on the others it becomes a file of the same contents, to be closed. */
enum status ranks_share_input(const struct crew_ranks *ranks, int *fd, struct error *err);

/* Leaves: with all others, or, after some were lost, at once. */
void ranks_leave(struct crew_ranks *ranks, unsigned lost, int status);

/* "Open MPI 4.1.4", or why there is none. True: the plug-in can be loaded. */
bool ranks_describe(const char *folder, char *to, size_t room);
