/* Passes messages between rank 0 and the hands of all ranks, and notices which of them are gone. */
#include "crew/hands.h"
#include "base/clock.h"
#include "base/memory.h"
#include "crew/hand_pipe.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BEAT = 1,               /* seconds between signs of life */
    SILENCE = 10,           /* a rank that is silent so long is lost */
    LOOK_PAUSE = 500000,    /* nanoseconds between looks at messages */
    MESSAGE_MOST = 1 << 30, /* bytes that one message may have */
};

/* The last byte of a message between ranks. */
enum relayed { RELAYED_MESSAGE = 'M', RELAYED_GONE = 'G', RELAYED_QUIT = 'Q', RELAYED_BEAT = 'B' };

enum hand_state { HAND_ALIVE, HAND_GONE /* and its rank alive */, HAND_RANK_LOST };

struct hands {
    const struct crew_ranks *ranks;
    struct hand_pipe own;
    struct one_hand {
        enum hand_state state;
        bool told; /* to whoever receives: that it is gone */
        double heard;
    } * each; /* by rank */
    double looked, beaten;
};

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = LOOK_PAUSE}, NULL);
}

static void send_to(const struct hands *h, int rank, enum relayed kind, const void *bytes, size_t length)
{
    unsigned char *message = memory_new(length + 1, 1);

    if (length > 0)
        memcpy(message, bytes, length);
    message[length] = (unsigned char)kind;
    h->ranks->link->send(rank, message, length + 1);
    free(message);
}

enum status hands_start(struct hands **hands, const struct crew_ranks *ranks,
                        void (*work)(void *context, int connection), void *context, struct error *err)
{
    struct hands *h = memory_new(1, sizeof *h);

    assert(ranks->size > 1);
    h->ranks = ranks;
    if (!hand_pipe_open(&h->own, work, context)) {
        free(h);
        return fail(err, HEDDLE_IO, "cannot start a process: %s", strerror(errno));
    }
    h->each = memory_new((size_t)ranks->size, sizeof *h->each);
    *hands = h;
    return HEDDLE_OK;
}

void hands_free(struct hands *h)
{
    for (int rank = 1; h->ranks->rank == 0 && rank < h->ranks->size; rank++)
        if (h->each[rank].state != HAND_RANK_LOST)
            send_to(h, rank, RELAYED_QUIT, NULL, 0);
    hand_pipe_close(&h->own);
    free(h->each);
    free(h);
}

/* What the hand of this rank says goes to rank 0; that it is gone, too, once. */
static void pass_up(struct hands *h)
{
    unsigned char *bytes;
    size_t length;

    while (hand_pipe_receive(&h->own, &bytes, &length)) {
        if (length < MESSAGE_MOST)
            send_to(h, 0, RELAYED_MESSAGE, bytes, length);
        else
            hand_pipe_close(&h->own); /* what cannot be sent is as good as lost */
        free(bytes);
    }
    if (!h->own.pid && !h->each[h->ranks->rank].told) {
        h->each[h->ranks->rank].told = true;
        send_to(h, 0, RELAYED_GONE, NULL, 0);
    }
}

/* What rank 0 says goes to the hand; false: it is over. */
static bool pass_down(struct hands *h)
{
    unsigned char *bytes;
    size_t length;
    bool more = true;
    int from;

    while (more && h->ranks->link->receive(&from, &bytes, &length)) {
        if (from == 0 && length > 0) {
            more = bytes[length - 1] != RELAYED_QUIT;
            if (bytes[length - 1] == RELAYED_MESSAGE && h->own.pid)
                hand_pipe_send(&h->own, bytes, length - 1);
        }
        h->ranks->link->release(bytes);
    }
    return more;
}

void hands_serve(struct hands *h)
{
    while (pass_down(h)) {
        double now = seconds_now();
        pass_up(h);
        if (now - h->beaten > BEAT) {
            h->beaten = now;
            send_to(h, 0, RELAYED_BEAT, NULL, 0);
        }
        nap();
    }
}

bool hands_alive(const struct hands *h, int hand)
{
    return hand == 0 ? h->own.pid != 0 : h->each[hand].state == HAND_ALIVE;
}

unsigned hands_lost(const struct hands *h)
{
    unsigned count = 0;

    for (int rank = 1; rank < h->ranks->size; rank++)
        count += h->each[rank].state == HAND_RANK_LOST;
    return count;
}

void hands_send(struct hands *h, int hand, const void *bytes, size_t length)
{
    assert(length < MESSAGE_MOST);
    if (!hands_alive(h, hand))
        return;
    if (hand == 0)
        hand_pipe_send(&h->own, bytes, length);
    else
        send_to(h, hand, RELAYED_MESSAGE, bytes, length);
}

/* A message of another rank's hand; true: it is one for whoever receives. */
static bool hear(struct hands *h, int *hand, unsigned char **bytes, size_t *length)
{
    unsigned char *message;
    size_t size;
    int from;

    while (h->ranks->link->receive(&from, &message, &size)) {
        bool is_message = size > 0 && message[size - 1] == RELAYED_MESSAGE;
        struct one_hand *one = &h->each[from];
        one->heard = seconds_now();
        if (size > 0 && message[size - 1] == RELAYED_GONE && one->state == HAND_ALIVE)
            one->state = HAND_GONE;
        if (is_message && one->state == HAND_ALIVE) {
            *hand = from;
            *length = size - 1;
            *bytes = memory_new(size, 1);
            memcpy(*bytes, message, *length);
        }
        h->ranks->link->release(message);
        if (is_message && one->state == HAND_ALIVE)
            return true;
    }
    return false;
}

/* Whoever has said nothing for long is lost; silence counts only while somebody listens. */
static void notice_silence(struct hands *h)
{
    double now = seconds_now();

    for (int rank = 1; rank < h->ranks->size; rank++) {
        struct one_hand *one = &h->each[rank];
        if (now - h->looked > BEAT)
            one->heard = now;
        if (one->state != HAND_RANK_LOST && now - one->heard > SILENCE)
            one->state = HAND_RANK_LOST;
    }
    h->looked = now;
}

/* One that is gone and was not told of; -1: none. */
static int find_gone(struct hands *h)
{
    for (int hand = 0; hand < h->ranks->size; hand++)
        if (!hands_alive(h, hand) && !h->each[hand].told) {
            h->each[hand].told = true;
            return hand;
        }
    return -1;
}

bool hands_receive(struct hands *h, int milliseconds, int *hand, unsigned char **bytes, size_t *length)
{
    double until = seconds_now() + milliseconds / 1000.0;

    for (;;) {
        if (hear(h, hand, bytes, length))
            return true;
        notice_silence(h);
        *hand = 0;
        if (hand_pipe_receive(&h->own, bytes, length))
            return true;
        *hand = find_gone(h);
        *bytes = NULL;
        if (*hand >= 0)
            return true;
        if (seconds_now() >= until)
            return false;
        nap();
    }
}
