/* The plug-in that knows MPI: what it offers. It is built only where MPI is, and loaded only under it.
 *
 * Messages are bytes from one rank to another. Sending never waits; receiving only looks. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define CREW_LINK_VERSION 1
#define CREW_LINK_SYMBOL  "heddle_mpi_link"

struct crew_link {
    unsigned version;
    /* Joins the others; false: `why` says what failed. */
    bool (*open)(int *rank, int *size, char *why, size_t room);
    /* Begins to send a copy of the bytes. */
    void (*send)(int to, const void *bytes, size_t length);
    /* A message that has come, to be freed with `release`; false: there is none. Sending goes on here, too. */
    bool (*receive)(int *from, unsigned char **bytes, size_t *length);
    void (*release)(unsigned char *bytes);
    /* Leaves: together with all others, or, if some are lost, without waiting for them, with this exit status. */
    void (*close)(bool all, int status);
    /* Name and version of the library behind it. */
    void (*describe)(char *to, size_t room);
};
