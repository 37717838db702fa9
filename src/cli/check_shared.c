/* heddle check of several traces by several ranks.
 *
 * Rank 0 hands out traces. A rank that has checked one tells its findings in brief, and keeps it until rank 0, which goes by the order of
 * the traces, says which of them earlier traces have shown. Then it sends the text of its report. */
#include "base/memory.h"
#include "base/packed.h"
#include "cli/check_several.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HELD_MOST = 4 }; /* traces that a rank keeps while it waits */

enum shared_kind { SHARED_CHECK, SHARED_BRIEFS, SHARED_REPEATED, SHARED_TEXT, SHARED_DONE };

struct shared_head {
    uint32_t kind;
    uint32_t trace; /* its number, from 0 */
    int32_t
        status; /* of a text: the exit status; of briefs: 0, or EXIT_ERROR with the reason instead of them */
    uint32_t unused; /* no byte that is sent is left to chance */
};

static void send(const struct crew_ranks *ranks, int to, struct shared_head head, const void *bytes,
                 size_t length)
{
    struct buffer message = {0};

    bytes_put(&message, &head, sizeof head);
    bytes_put(&message, bytes, length);
    ranks->link->send(to, message.text, message.text_count);
    buffer_free(&message);
}

/* The next message; waits for it. `in` is what comes after the head, `*bytes` is to be released. */
static int receive(const struct crew_ranks *ranks, struct shared_head *head, struct bytes_in *in,
                   unsigned char **bytes)
{
    size_t length;
    int from;

    while (!ranks->link->receive(&from, bytes, &length))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    *in = (struct bytes_in){*bytes, length};
    if (!bytes_take(in, head, sizeof *head))
        *head = (struct shared_head){.kind = SHARED_DONE};
    return from;
}

/* A rank that checks: one of its traces. */
struct kept_check {
    bool used;
    uint32_t trace;
    struct checking check;
};

static void check_one(struct several *s, const struct crew_ranks *ranks, struct kept_check *h, uint32_t trace)
{
    struct shared_head head = {.kind = SHARED_BRIEFS, .trace = trace};
    struct finding_brief *briefs;
    struct error err;
    size_t count;

    if (checking_run(&h->check, s->request, s->paths[trace], &err) != HEDDLE_OK) {
        head.status = EXIT_ERROR;
        send(ranks, 0, head, err.text, strlen(err.text) + 1);
        return;
    }
    h->used = true;
    h->trace = trace;
    briefs = several_briefs(&h->check, &count);
    send(ranks, 0, head, briefs, count * sizeof *briefs);
    free(briefs);
}

static void tell_one(struct several *s, const struct crew_ranks *ranks, struct kept_check *h,
                     struct bytes_in *in)
{
    size_t count = h->check.results.found.findings_count, length = 0;
    struct repeats repeats = {.repeated = memory_new(count + 1, sizeof *repeats.repeated)};
    char *text = NULL;
    FILE *to = open_memstream(&text, &length);
    struct shared_head head = {.kind = SHARED_TEXT, .trace = h->trace, .status = EXIT_ERROR};

    bytes_take(in, repeats.numbers, sizeof repeats.numbers);
    bytes_take(in, repeats.repeated, count * sizeof *repeats.repeated);
    s->how->trace_path = s->paths[h->trace];
    if (to) {
        head.status = several_report(s, &h->check, &repeats, to);
        fclose(to);
    }
    send(ranks, 0, head, text, length);
    free(text);
    free(repeats.repeated);
    checking_end(&h->check);
    h->used = false;
}

static struct kept_check *held_as(struct kept_check *held, bool used, uint32_t trace)
{
    for (int i = 0; i < HELD_MOST; i++)
        if (held[i].used == used && (!used || held[i].trace == trace))
            return &held[i];
    return NULL;
}

static void check_for_first(struct several *s, const struct crew_ranks *ranks)
{
    struct kept_check held[HELD_MOST] = {0};
    bool more = true;

    while (more) {
        struct shared_head head;
        struct bytes_in in;
        unsigned char *bytes;
        struct kept_check *h;
        receive(ranks, &head, &in, &bytes);
        h = held_as(held, head.kind != SHARED_CHECK, head.trace);
        if (head.kind == SHARED_CHECK && h && head.trace < (uint32_t)s->count)
            check_one(s, ranks, h, head.trace);
        else if (head.kind == SHARED_REPEATED && h)
            tell_one(s, ranks, h, &in);
        more = head.kind != SHARED_DONE;
        ranks->link->release(bytes);
    }
    for (int i = 0; i < HELD_MOST; i++)
        if (held[i].used)
            checking_end(&held[i].check);
}

/* Rank 0: what it knows of a trace. */
struct shared_trace {
    int rank;   /* that checks it */
    bool known; /* its findings are */
    bool told;  /* its text is there */
    int status;
    struct finding_brief *briefs;
    char *text; /* of the report, or why there is none */
    size_t count, length;
};

struct shared {
    struct several *several;
    const struct crew_ranks *ranks;
    struct shared_trace *traces;
    int *under_way, *unchecked; /* by rank: traces that it has, and those of them that it has not told of */
    int given, merged_count, printed;
    struct merged merged;
    struct bundle bundle;
    int result;
};

/* Gives the rank one more trace: one to check, one in reserve, and not too many that wait. */
static void hand_out(struct shared *s, int rank)
{
    if (s->given == s->several->count || s->under_way[rank] == HELD_MOST || s->unchecked[rank] == 2 ||
        check_stop_asked)
        return;
    s->traces[s->given].rank = rank;
    send(s->ranks, rank, (struct shared_head){.kind = SHARED_CHECK, .trace = (uint32_t)s->given}, NULL, 0);
    s->under_way[rank]++;
    s->unchecked[rank]++;
    s->given++;
}

static char *copy_of(const struct bytes_in *in)
{
    char *copy = memory_new(in->left + 1, 1);

    if (in->left)
        memcpy(copy, in->at, in->left);
    return copy;
}

static void take_message(struct shared *s, const struct shared_head *head, struct bytes_in *in)
{
    struct shared_trace *t = &s->traces[head->trace];

    s->unchecked[t->rank] -= head->kind == SHARED_BRIEFS;
    if (head->kind == SHARED_BRIEFS && head->status == EXIT_ERROR) {
        t->known = t->told = true;
        t->status = EXIT_ERROR;
        t->text = copy_of(in);
        s->under_way[t->rank]--;
    } else if (head->kind == SHARED_BRIEFS) {
        t->known = true;
        t->count = in->left / sizeof *t->briefs;
        t->briefs = (struct finding_brief *)copy_of(in);
    } else if (head->kind == SHARED_TEXT) {
        t->told = true;
        t->status = head->status;
        t->length = in->left;
        t->text = copy_of(in);
        s->under_way[t->rank]--;
    }
}

/* Tells the rank that checked the trace which findings earlier traces had. */
static void tell_repeats(struct shared *s, const struct shared_trace *t, uint32_t trace)
{
    struct repeats repeats = {.repeated = memory_new(t->count + 1, sizeof *repeats.repeated)};
    struct buffer message = {0};

    several_merge(&s->merged, t->briefs, t->count, &repeats);
    bytes_put(&message, repeats.numbers, sizeof repeats.numbers);
    bytes_put(&message, repeats.repeated, t->count * sizeof *repeats.repeated);
    send(s->ranks, t->rank, (struct shared_head){.kind = SHARED_REPEATED, .trace = trace}, message.text,
         message.text_count);
    buffer_free(&message);
    free(repeats.repeated);
}

/* Merges the findings of all traces whose predecessors are merged, and prints texts, both in their order. */
static void go_on(struct shared *s)
{
    while (s->merged_count < s->several->count && s->traces[s->merged_count].known) {
        struct shared_trace *t = &s->traces[s->merged_count];
        if (t->status != EXIT_ERROR) {
            tell_repeats(s, t, (uint32_t)s->merged_count);
        }
        s->merged_count++;
    }
    while (s->printed < s->several->count && s->traces[s->printed].told && s->result != EXIT_ERROR) {
        struct shared_trace *t = &s->traces[s->printed++];
        struct error err;
        if (t->status == EXIT_ERROR && t->length == 0)
            complain("%s", t->text);
        else if (t->status != EXIT_ERROR && bundle_add(&s->bundle, t->text, t->length, &err) != HEDDLE_OK)
            t->status = complain("%s", err.text);
        s->result = several_worse(s->result, t->status);
    }
}

static int lead_check(struct several *several, const struct crew_ranks *ranks)
{
    struct shared s = {.several = several, .ranks = ranks, .result = EXIT_NOTHING_FOUND};

    bundle_begin(&s.bundle, several->format, several_direct(several));
    s.traces = memory_new((size_t)several->count, sizeof *s.traces);
    s.under_way = memory_new((size_t)ranks->size, sizeof *s.under_way);
    s.unchecked = memory_new((size_t)ranks->size, sizeof *s.unchecked);
    for (int round = 0; round < 2; round++)
        for (int rank = 1; rank < ranks->size; rank++)
            hand_out(&s, rank);
    while (s.printed < s.given && s.result != EXIT_ERROR) {
        struct shared_head head;
        struct bytes_in in;
        unsigned char *bytes;
        int from = receive(ranks, &head, &in, &bytes);
        if (head.trace < (uint32_t)several->count && head.kind != SHARED_DONE) {
            take_message(&s, &head, &in);
            go_on(&s);
            hand_out(&s, from);
        }
        ranks->link->release(bytes);
    }
    for (int rank = 1; rank < ranks->size; rank++)
        send(ranks, rank, (struct shared_head){.kind = SHARED_DONE}, NULL, 0);
    s.result = several_conclude(several, &s.merged, &s.bundle, s.result);
    for (int i = 0; i < several->count; i++) {
        free(s.traces[i].briefs);
        free(s.traces[i].text);
    }
    free(s.traces);
    free(s.under_way);
    free(s.unchecked);
    return s.result;
}

int check_shared(struct several *several, const struct crew_ranks *ranks)
{
    if (ranks->rank == 0)
        return lead_check(several, ranks);
    check_for_first(several, ranks);
    return EXIT_SUCCESS;
}
