/* The hand of a rank in a check by several ranks: checks whole traces, or does units of one that rank 0 checks.
 *
 * Of a trace that it has checked it tells the findings in brief, and keeps it until rank 0, which goes by the order of the traces,
 * says which of them earlier traces have shown. Then it sends the text of its report. */
#include "base/memory.h"
#include "cli/check_messages.h"
#include "cli/check_several.h"
#include "cli/memory_budget.h"
#include "property/unit_helpers.h"

#include <stdlib.h>
#include <string.h>

struct kept_check {
    bool used;
    uint32_t trace;
    struct checking check;
};

struct check_hand {
    struct several *several;
    int connection;
    struct kept_check held[HELD_MOST + 1];
};

static void answer(int connection, struct shared_head head, const void *bytes, size_t length)
{
    struct buffer message = {0};

    shared_pack(&message, head, bytes, length);
    hand_write(connection, message.text, message.text_count);
    buffer_free(&message);
}

static void check_one(struct check_hand *hand, struct kept_check *h, uint32_t trace)
{
    struct shared_head head = {.kind = SHARED_BRIEFS, .number = trace};
    struct several *s = hand->several;
    struct finding_brief *briefs;
    struct error err;
    size_t count;

    if (checking_run(&h->check, s->request, s->paths[trace], &err) != HEDDLE_OK) {
        head.status = EXIT_ERROR;
        answer(hand->connection, head, err.text, strlen(err.text) + 1);
        return;
    }
    h->used = true;
    h->trace = trace;
    briefs = several_briefs(&h->check, &count);
    answer(hand->connection, head, briefs, count * sizeof *briefs);
    free(briefs);
}

static void tell_one(struct check_hand *hand, struct kept_check *h, struct bytes_in *in)
{
    size_t count = h->check.results.found.findings_count, length = 0;
    struct repeats repeats = {.repeated = memory_new(count + 1, sizeof *repeats.repeated)};
    struct several *s = hand->several;
    char *text = NULL;
    FILE *to = open_memstream(&text, &length);
    struct shared_head head = {.kind = SHARED_TEXT, .number = h->trace, .status = EXIT_ERROR};

    bytes_take(in, repeats.numbers, sizeof repeats.numbers);
    bytes_take(in, repeats.repeated, count * sizeof *repeats.repeated);
    s->how->trace_path = s->paths[h->trace];
    *s->how->left_out = 0;
    if (to) {
        head.status = several_report(s, &h->check, &repeats, to);
        fclose(to);
    }
    head.left_out = (uint32_t)*s->how->left_out;
    answer(hand->connection, head, text, length);
    free(text);
    free(repeats.repeated);
    checking_end(&h->check);
    h->used = false;
}

static struct kept_check *held_as(struct check_hand *hand, bool used, uint32_t trace)
{
    for (int i = 0; i < HELD_MOST + 1; i++)
        if (hand->held[i].used == used && (!used || hand->held[i].trace == trace))
            return &hand->held[i];
    return NULL;
}

static bool next_message(void *context, unsigned char **bytes, size_t *length, bool *is_task, uint32_t *task)
{
    struct check_hand *hand = context;
    struct shared_head head;

    if (!hand_read(hand->connection, bytes, length))
        return false;
    if (*length >= sizeof head)
        memcpy(&head, *bytes, sizeof head);
    if (*length < sizeof head || (head.kind != SHARED_ROUND && head.kind != SHARED_TASK)) {
        free(*bytes);
        return false;
    }
    *length -= sizeof head;
    memmove(*bytes, *bytes + sizeof head, *length);
    *is_task = head.kind == SHARED_TASK;
    *task = head.number;
    return true;
}

static void answer_task(void *context, uint32_t task, const void *bytes, size_t length)
{
    struct check_hand *hand = context;

    answer(hand->connection, (struct shared_head){.kind = SHARED_ANSWER, .number = task}, bytes, length);
}

/* Helps with a trace that rank 0 checks; false: this hand had better end, and leave its memory to others. */
static bool help_with(struct check_hand *hand, uint32_t trace)
{
    struct shared_head ready = {.kind = SHARED_READY, .number = trace};
    struct unit_source source = {.context = hand, .next = next_message, .answer = answer_task};
    struct check_request *r = hand->several->request;
    const char *path = hand->several->paths[trace];
    struct checking c = {0};
    struct error err;
    bool same, enough;

    memory_budget_begin(r->memory);
    if (checking_load(&c, r, path, &err) != HEDDLE_OK) {
        memory_budget_end();
        complain("%s; this rank does not help", err.text);
        answer(hand->connection, ready, NULL, 0);
        return true;
    }
    memory_budget_check(&check_stop_asked);
    ready.status = (int32_t)r->check.workers;
    answer(hand->connection, ready, NULL, 0);
    r->check.progress = NULL;
    r->check.index = c.index;
    same = check_help(&c.model, &r->check, &check_stop_asked, &source);
    enough = !memory_budget_end();
    if (!same) {
        complain("%s is another file on this rank than on rank 0; this rank does not help", path);
        ready.status = 0;
        answer(hand->connection, ready, NULL, 0);
    }
    checking_end(&c);
    return enough;
}

void check_hand(void *several, int connection)
{
    struct check_hand hand = {.several = several, .connection = connection};
    unsigned char *bytes;
    bool more = true;
    size_t length;

    while (more && hand_read(connection, &bytes, &length)) {
        struct bytes_in in = {bytes, length};
        struct shared_head head;
        if (bytes_take(&in, &head, sizeof head) && head.number < (uint32_t)hand.several->count) {
            struct kept_check *h = held_as(&hand, head.kind != SHARED_CHECK, head.number);
            if (head.kind == SHARED_CHECK && h)
                check_one(&hand, h, head.number);
            else if (head.kind == SHARED_REPEATED && h)
                tell_one(&hand, h, &in);
            else if (head.kind == SHARED_OPEN)
                more = help_with(&hand, head.number);
        }
        free(bytes);
    }
    for (int i = 0; i < HELD_MOST + 1; i++)
        if (hand.held[i].used)
            checking_end(&hand.held[i].check);
}
