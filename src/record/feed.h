/* The program's standard input: what it reads there is kept with the run, so that it can be given to it again.
 */
#pragma once
#include "base/error.h"
#include "base/note.h"
#include "trace/journal.h"

#include <stddef.h>
#include <sys/types.h>

enum { FEED_MOST = 16 << 20 }; /* bytes that are kept; an input that is longer is not */

/* A pipe is passed on through one of ours: what is in a pipe can be read only once. A file is left to the
 * program. */
struct feed {
    int fd;       /* the program's end of our pipe, or -1: its input is not passed on */
    int to;       /* our end, or -1: the input is at its end */
    off_t start;  /* where a file was when the program began */
    size_t given; /* bytes passed on */
    char *bytes;  /* all that came through the pipe */
    size_t bytes_count, bytes_capacity;
    bool ended, too_long;
};

/* `fd`: the standard input to be, -1: ours. `pass_on`: a pipe may be replaced. */
void feed_open(struct feed *feed, int fd, bool pass_on);

/* Passes on what there is, without waiting. */
void feed_step(struct feed *feed);

/* Puts what the program was given into the journal; what comes from a terminal or is too long is not kept. */
void feed_keep(struct feed *feed, int fd, struct journal *journal);
void feed_close(struct feed *feed);

/* The input that a journal has kept as a file to read from its start; -1: there is no memory. */
int feed_file(const struct journal *journal);

/* A standard input that can be read twice: -1, our own can; else a copy of what comes through the pipe. A note says that its end has to be
 * waited for. */
enum status feed_repeatable(int *fd, note_taker *notes, struct error *err);
