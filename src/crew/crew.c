/* The crew as a whole: processes of this rank, and ranks that serve, under one numbering of workers. */
#include "crew/crew.h"
#include "base/clock.h"
#include "base/memory.h"
#include "crew/crew_process.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BEAT = 1,     /* seconds between signs of life */
    SILENCE = 10, /* a rank that is silent so long is lost */
    LOOK = 1,     /* milliseconds between looks at messages */
};

/* The first byte of a message. */
enum message {
    MESSAGE_REQUEST = 'R',
    MESSAGE_LESSON = 'T',
    MESSAGE_STOP = 'S',
    MESSAGE_QUIT = 'Q',
    MESSAGE_ANSWER = 'A',
    MESSAGE_BEAT = 'B'
};

struct message_head {
    uint64_t kind, id;
    double seconds;
};

struct away_worker {
    bool busy;
    uint64_t id;
};

struct away_rank {
    double heard; /* from it, at this time */
    bool lost;
};

struct crew {
    struct crew_duty duty;
    const struct crew_ranks *ranks;
    unsigned workers; /* of each rank */
    struct crew_process *processes;
    struct away_worker *away;  /* of rank 1, of rank 2 … */
    struct away_rank *others;  /* by rank */
    struct crew_answer *ready; /* answers of workers that were lost */
    size_t ready_count, ready_capacity;
    double started, used, beaten; /* used: seconds of the processor when it started */
    struct pollfd *fds;
};

static double processor_seconds(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

static bool has_others(const struct crew *c)
{
    return c->ranks && c->ranks->size > 1;
}

static unsigned count_all(const struct crew *c)
{
    return c->workers * (has_others(c) ? (unsigned)c->ranks->size : 1);
}

struct crew *crew_new(unsigned workers, const struct crew_duty *duty, const struct crew_ranks *ranks)
{
    struct crew *c = memory_new(1, sizeof *c);

    c->duty = *duty;
    c->ranks = ranks;
    c->workers = workers;
    c->processes = memory_new(workers, sizeof *c->processes);
    c->fds = memory_new(workers, sizeof *c->fds);
    c->away = memory_new(count_all(c), sizeof *c->away);
    c->others = memory_new(ranks ? (size_t)ranks->size : 1, sizeof *c->others);
    c->started = seconds_now();
    c->used = processor_seconds();
    for (int r = 1; has_others(c) && r < ranks->size; r++)
        c->others[r].heard = c->started;
    return c;
}

static void send_head(const struct crew *c, int to, struct message_head head, const void *bytes, size_t length)
{
    unsigned char *message = memory_new(sizeof head + length, 1);

    memcpy(message, &head, sizeof head);
    if (length > 0)
        memcpy(message + sizeof head, bytes, length);
    c->ranks->link->send(to, message, sizeof head + length);
    free(message);
}

static void send_all(const struct crew *c, enum message kind, const void *bytes, size_t length)
{
    for (int r = 1; has_others(c) && r < c->ranks->size; r++)
        if (!c->others[r].lost)
            send_head(c, r, (struct message_head){.kind = kind}, bytes, length);
}

void crew_teach(struct crew *c, const void *bytes, size_t length)
{
    send_all(c, MESSAGE_LESSON, bytes, length);
}

void crew_stop(struct crew *c)
{
    for (unsigned i = 0; i < c->workers; i++)
        if (c->processes[i].pid)
            crew_process_end(&c->processes[i], &c->duty);
    for (unsigned i = 0; i < c->ready_count; i++)
        free(c->ready[i].bytes);
    c->ready_count = 0;
    if (!has_others(c) || c->ranks->rank != 0)
        return;
    for (unsigned i = 0; i < count_all(c) - c->workers; i++)
        c->away[i].busy = false;
    send_all(c, MESSAGE_STOP, NULL, 0);
}

void crew_free(struct crew *c)
{
    crew_stop(c);
    if (has_others(c) && c->ranks->rank == 0)
        send_all(c, MESSAGE_QUIT, NULL, 0);
    for (unsigned i = 0; i < c->workers; i++) {
        free(c->processes[i].bytes);
        free(c->processes[i].request);
    }
    free(c->processes);
    free(c->fds);
    free(c->away);
    free(c->others);
    free(c->ready);
    free(c);
}

unsigned crew_rank(const struct crew *c, int worker)
{
    return (unsigned)worker / c->workers;
}

bool crew_is_away(const struct crew *c, int worker)
{
    return (unsigned)worker >= c->workers;
}

static bool is_lost(const struct crew *c, unsigned worker)
{
    return worker >= c->workers && c->others[crew_rank(c, (int)worker)].lost;
}

static bool is_busy(const struct crew *c, unsigned worker)
{
    return worker < c->workers ? c->processes[worker].pid != 0 : c->away[worker - c->workers].busy;
}

unsigned crew_size(const struct crew *c)
{
    unsigned n = 0;

    for (unsigned i = 0; i < count_all(c); i++)
        n += !is_lost(c, i);
    return n;
}

unsigned crew_busy(const struct crew *c)
{
    unsigned n = (unsigned)c->ready_count;

    for (unsigned i = 0; i < count_all(c); i++)
        n += is_busy(c, i);
    return n;
}

unsigned crew_lost(const struct crew *c)
{
    unsigned n = 0;

    for (int r = 1; has_others(c) && r < c->ranks->size; r++)
        n += c->others[r].lost;
    return n;
}

int crew_idle(const struct crew *c)
{
    for (unsigned i = 0; i < count_all(c); i++)
        if (!is_lost(c, i) && !is_busy(c, i))
            return (int)i;
    return -1;
}

enum status crew_give(struct crew *c, int worker, uint64_t id, const void *request, size_t length,
                      double seconds, struct error *err)
{
    if (!crew_is_away(c, worker))
        return crew_process_start(&c->processes[worker], &c->duty, id, request, length, seconds, false, err);
    c->away[(unsigned)worker - c->workers] = (struct away_worker){.busy = true, .id = id};
    send_head(c, (int)crew_rank(c, worker), (struct message_head){MESSAGE_REQUEST, id, seconds}, request,
              length);
    return HEDDLE_OK;
}

/* Waits for the processes of this rank to say something. One of them that has ended, or NULL. */
static struct crew_process *poll_processes(struct crew *c, int milliseconds)
{
    double now;
    int got;

    for (unsigned i = 0; i < c->workers; i++)
        c->fds[i] = (struct pollfd){.fd = c->processes[i].pid ? c->processes[i].from : -1, .events = POLLIN};
    got = poll(c->fds, c->workers, milliseconds);
    now = seconds_now();
    for (unsigned i = 0; i < c->workers; i++)
        if (got > 0 && c->processes[i].pid && c->fds[i].revents && crew_process_read(&c->processes[i]))
            return &c->processes[i];
    for (unsigned i = 0; i < c->workers; i++)
        if (c->processes[i].pid && c->processes[i].deadline > 0 && now > c->processes[i].deadline) {
            c->processes[i].bytes_count = 0;
            return &c->processes[i];
        }
    return NULL;
}

static void lose(struct crew *c, int rank)
{
    c->others[rank].lost = true;
    for (unsigned i = 0; i < c->workers; i++) {
        struct away_worker *w = &c->away[(unsigned)(rank - 1) * c->workers + i];
        if (w->busy)
            ARRAY_PUSH(c, ready, (struct crew_answer){.id = w->id});
        w->busy = false;
    }
}

/* Whether the message answers something that is still asked; then it goes to `answer`. */
static bool take_message(struct crew *c, int from, const unsigned char *bytes, size_t length,
                         struct crew_answer *answer)
{
    struct message_head head;

    if (length < sizeof head || from < 1 || from >= c->ranks->size)
        return false;
    memcpy(&head, bytes, sizeof head);
    c->others[from].heard = seconds_now();
    for (unsigned i = 0; head.kind == MESSAGE_ANSWER && i < c->workers; i++) {
        struct away_worker *w = &c->away[(unsigned)(from - 1) * c->workers + i];
        if (!w->busy || w->id != head.id)
            continue;
        w->busy = false;
        *answer = (struct crew_answer){.id = head.id, .length = length - sizeof head};
        answer->bytes = memory_new(answer->length + 1, 1);
        memcpy(answer->bytes, bytes + sizeof head, answer->length);
        return true;
    }
    return false;
}

/* Looks at what other ranks say; true: an answer. */
static bool hear_others(struct crew *c, struct crew_answer *answer)
{
    unsigned char *bytes;
    size_t length;
    double now;
    int from;

    while (c->ranks->link->receive(&from, &bytes, &length)) {
        bool taken = take_message(c, from, bytes, length, answer);
        c->ranks->link->release(bytes);
        if (taken)
            return true;
    }
    now = seconds_now();
    for (int r = 1; r < c->ranks->size; r++)
        if (!c->others[r].lost && now - c->others[r].heard > SILENCE)
            lose(c, r);
    if (now - c->beaten > BEAT) {
        c->beaten = now;
        send_all(c, MESSAGE_BEAT, NULL, 0);
    }
    return false;
}

static void take_over(struct crew_process *p, struct crew_answer *answer)
{
    *answer = (struct crew_answer){.id = p->id, .bytes = p->bytes, .length = p->bytes_count};
    p->bytes = NULL;
    p->bytes_count = p->bytes_capacity = 0;
}

bool crew_wait(struct crew *c, int milliseconds, struct crew_answer *answer)
{
    double until = seconds_now() + milliseconds / 1000.0;
    bool others = has_others(c);

    do {
        struct crew_process *p;
        if (others && hear_others(c, answer))
            return true;
        if (c->ready_count > 0) {
            *answer = c->ready[--c->ready_count];
            return true;
        }
        p = poll_processes(c, others && milliseconds > LOOK ? LOOK : milliseconds);
        if (p) {
            crew_process_end(p, &c->duty);
            take_over(p, answer);
            return true;
        }
    } while (seconds_now() < until);
    return false;
}

double crew_load(const struct crew *c)
{
    double elapsed = seconds_now() - c->started;

    return elapsed > 0 ? (processor_seconds() - c->used) / elapsed : 0;
}

/* A request of rank 0; where nothing can be started, the answer is empty. */
static void accept(struct crew *c, const struct message_head *head, const unsigned char *bytes, size_t length)
{
    struct error err;

    for (unsigned i = 0; i < c->workers; i++)
        if (!c->processes[i].pid) {
            if (crew_process_start(&c->processes[i], &c->duty, head->id, bytes, length, head->seconds, true,
                                   &err) == HEDDLE_OK)
                return;
            break;
        }
    send_head(c, 0, (struct message_head){.kind = MESSAGE_ANSWER, .id = head->id}, NULL, 0);
}

/* Does what rank 0 says; false: it is over. */
static bool obey(struct crew *c, const unsigned char *bytes, size_t length)
{
    struct message_head head;

    if (length < sizeof head)
        return true;
    memcpy(&head, bytes, sizeof head);
    bytes += sizeof head;
    length -= sizeof head;
    switch (head.kind) {
    case MESSAGE_REQUEST:
        accept(c, &head, bytes, length);
        return true;
    case MESSAGE_LESSON:
        if (c->duty.learn)
            c->duty.learn(c->duty.context, bytes, length);
        return true;
    case MESSAGE_STOP:
        crew_stop(c);
        return true;
    default:
        return head.kind != MESSAGE_QUIT;
    }
}

/* All that rank 0 has said so far; false: it is over. */
static bool obey_all(struct crew *c)
{
    unsigned char *bytes;
    size_t length;
    bool more = true;
    int from;

    while (more && c->ranks->link->receive(&from, &bytes, &length)) {
        if (from == 0) {
            c->others[0].heard = seconds_now();
            more = obey(c, bytes, length);
        }
        c->ranks->link->release(bytes);
    }
    return more && seconds_now() - c->others[0].heard < c->duty.patience;
}

void crew_serve(struct crew *c, const stop_flag *stop)
{
    c->others[0].heard = seconds_now();
    while (!*stop && obey_all(c)) {
        struct crew_process *p = poll_processes(c, LOOK);
        double now = seconds_now();
        if (p) {
            crew_process_end(p, &c->duty);
            send_head(c, 0, (struct message_head){.kind = MESSAGE_ANSWER, .id = p->id}, p->bytes,
                      p->bytes_count);
        }
        if (now - c->beaten > BEAT) {
            c->beaten = now;
            send_head(c, 0, (struct message_head){.kind = MESSAGE_BEAT}, NULL, 0);
        }
    }
}
