/* Hands tasks of a check to the hands of other ranks and takes their answers. */
#include "cli/check_units.h"
#include "base/memory.h"
#include "cli/check_messages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WAIT_MILLISECONDS = 5 };

static void send_hand(struct units_lead *u, int hand, struct shared_head head, const void *bytes, size_t length)
{
    struct buffer message = {0};

    shared_pack(&message, head, bytes, length);
    hands_send(u->hands, hand, message.text, message.text_count);
    buffer_free(&message);
}

static void begin_round(void *context, const void *bytes, size_t length)
{
    struct units_lead *u = context;

    u->round.text_count = 0;
    shared_pack(&u->round, (struct shared_head){.kind = SHARED_ROUND}, bytes, length);
    for (int hand = 1; hand < u->ranks; hand++)
        if (u->each[hand].room > 0)
            hands_send(u->hands, hand, u->round.text, u->round.text_count);
}

/* The hand that has the least to do, or 0: none has room. */
static int find_room(const struct units_lead *u)
{
    int best = 0;

    for (int hand = 1; hand < u->ranks; hand++) {
        const struct hand_tasks *t = &u->each[hand];
        if (t->tasks_count < t->room && (best == 0 || t->tasks_count < u->each[best].tasks_count))
            best = hand;
    }
    return best;
}

static bool has_room(void *context)
{
    return find_room(context) > 0;
}

static void give_task(void *context, uint32_t task)
{
    struct units_lead *u = context;
    int hand = find_room(u);

    ARRAY_PUSH(&u->each[hand], tasks, task);
    send_hand(u, hand, (struct shared_head){.kind = SHARED_TASK, .number = task}, NULL, 0);
}

/* The hand helps no longer. */
static void leave_out(struct units_lead *u, int hand)
{
    struct hand_tasks *t = &u->each[hand];

    t->room = 0;
    for (size_t i = 0; i < t->tasks_count; i++)
        ARRAY_PUSH(u, orphans, t->tasks[i]);
    t->tasks_count = 0;
}

static void take_ready(struct units_lead *u, int hand, const struct shared_head *head)
{
    if (head->number != u->trace)
        return;
    if (head->status <= 0) {
        leave_out(u, hand);
        return;
    }
    u->each[hand].room = (unsigned)head->status + 1; /* one is waiting there when another is done */
    if (u->round.text_count > 0)
        hands_send(u->hands, hand, u->round.text, u->round.text_count);
}

/* Whether the hand had this task; it has it no longer. */
static bool take_off(struct hand_tasks *t, uint32_t task)
{
    for (size_t i = 0; i < t->tasks_count; i++)
        if (t->tasks[i] == task) {
            t->tasks[i] = t->tasks[--t->tasks_count];
            return true;
        }
    return false;
}

static bool take_orphan(struct units_lead *u, uint32_t *task, unsigned char **bytes, size_t *length)
{
    if (u->orphans_count == 0)
        return false;
    *task = u->orphans[--u->orphans_count];
    *bytes = NULL;
    *length = 0;
    return true;
}

static bool take_message(void *context, uint32_t *task, unsigned char **bytes, size_t *length)
{
    struct units_lead *u = context;
    struct shared_head head;
    int hand;

    if (take_orphan(u, task, bytes, length))
        return true;
    if (!hands_receive(u->hands, WAIT_MILLISECONDS, &hand, bytes, length))
        return false;
    if (!*bytes) {
        several_tell_lost(hand);
        leave_out(u, hand);
        return take_orphan(u, task, bytes, length);
    }
    if (*length >= sizeof head) {
        memcpy(&head, *bytes, sizeof head);
        if (head.kind == SHARED_READY)
            take_ready(u, hand, &head);
        if (head.kind == SHARED_ANSWER && take_off(&u->each[hand], head.number)) {
            *task = head.number;
            u->answers++;
            *length -= sizeof head;
            memmove(*bytes, *bytes + sizeof head, *length);
            return true;
        }
    }
    free(*bytes);
    return take_orphan(u, task, bytes, length);
}

bool units_can(const struct several *s, uint32_t trace)
{
    struct stat about;

    return s->request->method == METHOD_EXACT && stat(s->paths[trace], &about) == 0 && S_ISREG(about.st_mode);
}

void units_begin(struct units_lead *u, struct several *s, struct hands *hands, int ranks, uint32_t trace)
{
    *u = (struct units_lead){.hands = hands, .ranks = ranks, .trace = trace};
    if (!units_can(s, trace))
        return;
    u->each = memory_new((size_t)ranks, sizeof *u->each);
    u->helpers = (struct unit_helpers){
        .context = u, .begin = begin_round, .has_room = has_room, .give = give_task, .take = take_message};
    for (int hand = 1; hand < ranks; hand++)
        send_hand(u, hand, (struct shared_head){.kind = SHARED_OPEN, .number = trace}, NULL, 0);
    s->request->check.helpers = &u->helpers;
}

void units_end(struct units_lead *u, struct several *s)
{
    s->request->check.helpers = NULL;
    if (u->each && s->how->stats)
        remark("%s: other ranks did %" PRIu64 " parts of the check", s->paths[u->trace], u->answers);
    for (int hand = 1; u->each && hand < u->ranks; hand++) {
        send_hand(u, hand, (struct shared_head){.kind = SHARED_CLOSE, .number = u->trace}, NULL, 0);
        free(u->each[hand].tasks);
    }
    free(u->each);
    free(u->orphans);
    buffer_free(&u->round);
}
