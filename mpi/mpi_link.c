/* heddle-mpi.so: the plug-in that sends messages between ranks. The only file that knows MPI. */
#include "crew/link.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG = 17 };

/* A message on its way. */
struct parting {
    MPI_Request request;
    void *bytes;
    struct parting *next;
};

/* A message that has begun to come in. Its sender may die before the rest is here, so nobody waits for it. */
struct arrival {
    MPI_Request request;
    int from;
    unsigned char *bytes;
    size_t length;
    struct arrival *next;
};

static struct parting *under_way;
static struct arrival *coming; /* in the order in which they began */

static bool failed(int code, char *why, size_t room)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (code == MPI_SUCCESS)
        return false;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        snprintf(text, sizeof text, "MPI error %d", code);
    snprintf(why, room, "%s", text);
    return true;
}

static bool link_open(int *rank, int *size, char *why, size_t room)
{
    int given;

    if (failed(MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &given), why, room))
        return false;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* a rank that is gone is no reason to end */
    return !failed(MPI_Comm_rank(MPI_COMM_WORLD, rank), why, room) &&
           !failed(MPI_Comm_size(MPI_COMM_WORLD, size), why, room);
}

/* Frees messages that have arrived, or never will. */
static void sweep(void)
{
    for (struct parting **at = &under_way; *at;) {
        struct parting *p = *at;
        int done = 0;
        if (MPI_Test(&p->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        free(p->bytes);
        free(p);
    }
}

static void link_send(int to, const void *bytes, size_t length)
{
    struct parting *p = malloc(sizeof *p);
    void *copy = malloc(length);

    if (!p || !copy || length > INT32_MAX) {
        fprintf(stderr, "heddle: a message of %zu bytes to rank %d cannot be sent\n", length, to);
        free(p);
        free(copy);
        return;
    }
    memcpy(copy, bytes, length);
    *p = (struct parting){.bytes = copy, .next = under_way};
    if (MPI_Isend(copy, (int)length, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &p->request) != MPI_SUCCESS) {
        free(copy);
        free(p);
        return;
    }
    under_way = p;
}

/* Takes up a message that has begun to come in; false if there is none. */
static bool take_up(void)
{
    struct arrival **last = &coming, *a;
    MPI_Message message;
    MPI_Status status;
    int there = 0, count = 0;

    if (MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &message, &status) != MPI_SUCCESS || !there ||
        MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS)
        return false;
    a = calloc(1, sizeof *a);
    if (a)
        *a = (struct arrival){
            .from = status.MPI_SOURCE, .length = (size_t)count, .bytes = malloc((size_t)count + 1)};
    if (!a || !a->bytes || MPI_Imrecv(a->bytes, count, MPI_BYTE, &message, &a->request) != MPI_SUCCESS) {
        fprintf(stderr, "heddle: a message of %d bytes from rank %d cannot be received\n", count,
                status.MPI_SOURCE);
        free(a ? a->bytes : NULL);
        free(a);
        return false;
    }
    while (*last)
        last = &(*last)->next;
    *last = a;
    return true;
}

/* Whether an earlier message of the same rank is still coming in. */
static bool is_behind(const struct arrival *arrival)
{
    for (const struct arrival *a = coming; a != arrival; a = a->next)
        if (a->from == arrival->from)
            return true;
    return false;
}

static bool link_receive(int *from, unsigned char **bytes, size_t *length)
{
    sweep();
    while (take_up())
        continue;
    for (struct arrival **at = &coming; *at; at = &(*at)->next) {
        struct arrival *a = *at;
        int done = 0;
        if (is_behind(a) || MPI_Test(&a->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || !done)
            continue;
        *from = a->from;
        *bytes = a->bytes;
        *length = a->length;
        *at = a->next;
        free(a);
        return true;
    }
    return false;
}

static void link_release(unsigned char *bytes)
{
    free(bytes);
}

/* Nobody leaves before all that was sent has come: what comes too late to matter is received all the same. Rank 0 is the last to
 * come here, so it need not wait long for the others; they wait for it while it writes its report. */
static void link_close(bool all, int status)
{
    enum { PATIENCE = 10, PATIENCE_WITH_FIRST = 600 }; /* seconds */
    MPI_Request barrier = MPI_REQUEST_NULL;
    double started = MPI_Wtime();
    bool entered = false;
    int done = 0, rank = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (!done) {
        if (!all || MPI_Wtime() - started > (rank == 0 ? PATIENCE : PATIENCE_WITH_FIRST))
            MPI_Abort(MPI_COMM_WORLD, status); /* MPI_Finalize would wait for those that are gone */
        unsigned char *bytes;
        size_t length;
        int from;
        while (link_receive(&from, &bytes, &length))
            free(bytes);
        if (!under_way && !coming && !entered)
            entered = MPI_Ibarrier(MPI_COMM_WORLD, &barrier) == MPI_SUCCESS;
        if (entered)
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    MPI_Finalize();
}

static void link_describe(char *to, size_t room)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(text, &length);
    snprintf(to, room, "%.*s", (int)strcspn(text, ",\n"), text);
}

__attribute__((visibility("default"))) const struct crew_link heddle_mpi_link = {
    .version = CREW_LINK_VERSION,
    .open = link_open,
    .send = link_send,
    .receive = link_receive,
    .release = link_release,
    .close = link_close,
    .describe = link_describe,
};
