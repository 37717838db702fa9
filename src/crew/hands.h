/* Hands: one long-lived process on each rank that works for rank 0.
 *
 * A hand keeps what it has loaded from one message to the next, unlike a worker of a crew. Between it and rank 0 stands the process
 * of its rank, which passes messages on and gives signs of life, however long the hand works. A hand that dies, or whose rank does,
 * costs what it was doing; rank 0 hears of it and gives that to another. Messages are bytes. */
#pragma once
#include "base/error.h"
#include "base/note.h"
#include "crew/ranks.h"

#include <stdint.h>

struct hands;

/* On every rank, before anything large is loaded: starts the hand of this rank, a process that calls `work` with its end of a
 * connection and ends when that returns. */
enum status hands_start(struct hands **hands, const struct crew_ranks *ranks,
                        void (*work)(void *context, int connection), void *context, struct error *err);

/* On a rank other than 0: passes messages on until rank 0 is done. */
void hands_serve(struct hands *hands);

/* Ends them all, whatever they are doing. */
void hands_free(struct hands *hands);

/* On rank 0. A hand has the number of its rank, rank 0 has one, too. */
bool hands_alive(const struct hands *hands, int hand);
void hands_send(struct hands *hands, int hand, const void *bytes, size_t length);

/* Waits for a message, at most so long; false: none came. `*bytes` is to be freed; NULL: that hand is lost. */
bool hands_receive(struct hands *hands, int milliseconds, int *hand, unsigned char **bytes, size_t *length);

/* Ranks that are silent for so long that they are taken to be dead. */
unsigned hands_lost(const struct hands *hands);

/* In a hand: the next message, to be freed; false: nobody is there any more. */
bool hand_read(int connection, unsigned char **bytes, size_t *length);
void hand_write(int connection, const void *bytes, size_t length);
