/* heddle check by several ranks: rank 0 hands out traces and prints.
 *
 * A trace that is more than one rank's share of all of them is checked by rank 0 together with the others, unit by unit; the others
 * are checked by one hand each. Traces that a hand was checking when it died are given to another. */
#include "base/memory.h"
#include "cli/check_messages.h"
#include "cli/check_units.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WAIT_MILLISECONDS = 100 };

/* What rank 0 knows of a trace. */
struct shared_trace {
    bool by_units; /* else whole, by one hand */
    int hand;      /* that checks it; -1: nobody */
    bool known;    /* its findings are */
    bool checked;  /* by the hand that has it now */
    bool told;     /* its text is there */
    int status;
    struct finding_brief *briefs;
    struct buffer repeats; /* the message that says which findings earlier traces had; empty: it is not known */
    char *text;            /* of the report, or why there is none */
    size_t count, length;
};

struct shared {
    struct several *several;
    struct hands *hands;
    int ranks;
    struct shared_trace *traces;
    int *under_way, *unchecked; /* by hand: traces that it has, and those of them that it has not told of */
    int merged_count, printed;
    struct merged merged;
    struct bundle bundle;
    int result;
};

void several_tell_lost(int rank)
{
    remark("rank %d is lost; others do its part", rank);
}

/* Says which traces are checked unit by unit: those larger than one rank's share, and those that cannot be read twice. */
static void find_large(struct shared *s)
{
    uint64_t *sizes = memory_new((size_t)s->several->count, sizeof *sizes), all = 0;
    struct stat about;

    for (int i = 0; i < s->several->count; i++) {
        s->traces[i].hand = -1;
        if (stat(s->several->paths[i], &about) == 0 && S_ISREG(about.st_mode))
            sizes[i] = (uint64_t)about.st_size;
        else
            s->traces[i].by_units = strcmp(s->several->paths[i], "-") == 0;
        all += sizes[i];
    }
    for (int i = 0; i < s->several->count; i++)
        s->traces[i].by_units |= sizes[i] * (uint64_t)s->ranks > all && units_can(s->several, (uint32_t)i);
    free(sizes);
}

/* The next trace that some hand can take, or -1. None behind one that is checked unit by unit, which takes them all. */
static int next_trace(const struct shared *s)
{
    for (int i = s->printed; i < s->several->count && !s->traces[i].by_units; i++)
        if (s->traces[i].hand < 0 && !s->traces[i].told)
            return i;
    return -1;
}

/* Gives the hand one more trace if it has room: one to check, one in reserve, and not too many that wait. For the trace that all
 * others wait for there is always room. */
static void hand_out(struct shared *s, int hand)
{
    int trace = next_trace(s), most = trace == s->printed ? HELD_MOST + 1 : HELD_MOST;
    struct shared_head head = {.kind = SHARED_CHECK, .number = (uint32_t)trace};

    if (trace < 0 || !hands_alive(s->hands, hand) || s->under_way[hand] >= most || s->unchecked[hand] == 2 ||
        check_stop_asked)
        return;
    s->traces[trace].hand = hand;
    s->traces[trace].checked = false;
    hands_send(s->hands, hand, &head, sizeof head);
    s->under_way[hand]++;
    s->unchecked[hand]++;
}

static void hand_out_all(struct shared *s)
{
    for (int round = 0; round < 2; round++)
        for (int hand = 0; hand < s->ranks; hand++)
            hand_out(s, hand);
}

static char *copy_of(const struct bytes_in *in)
{
    char *copy = memory_new(in->left + 1, 1);

    if (in->left)
        memcpy(copy, in->at, in->left);
    return copy;
}

/* Whoever checked the trace may write its report, if what earlier traces had is known. */
static void send_repeats(struct shared *s, const struct shared_trace *t)
{
    if (t->checked && t->repeats.text_count > 0)
        hands_send(s->hands, t->hand, t->repeats.text, t->repeats.text_count);
}

static void take_briefs(struct shared *s, struct shared_trace *t, const struct shared_head *head,
                        const struct bytes_in *in)
{
    s->unchecked[t->hand]--;
    if (head->status == EXIT_ERROR) {
        t->known = t->told = true;
        t->status = EXIT_ERROR;
        t->text = copy_of(in);
        s->under_way[t->hand]--;
        return;
    }
    t->checked = true;
    if (t->known) { /* another hand had checked it and died */
        send_repeats(s, t);
        return;
    }
    t->known = true;
    t->count = in->left / sizeof *t->briefs;
    t->briefs = (struct finding_brief *)copy_of(in);
}

static void take_shared(struct shared *s, int hand, const unsigned char *bytes, size_t length)
{
    struct bytes_in in = {bytes, length};
    struct shared_head head;

    if (!bytes_take(&in, &head, sizeof head) || head.number >= (uint32_t)s->several->count)
        return;
    struct shared_trace *t = &s->traces[head.number];
    if (t->hand != hand || t->told)
        return;
    if (head.kind == SHARED_BRIEFS) {
        take_briefs(s, t, &head, &in);
    } else if (head.kind == SHARED_TEXT) {
        t->told = true;
        t->status = head.status;
        t->length = in.left;
        t->text = copy_of(&in);
        *s->several->how->left_out += head.left_out;
        s->under_way[hand]--;
    }
}

/* What the hand had is for others to do. */
static void lose_hand(struct shared *s, int hand)
{
    several_tell_lost(hand);
    s->under_way[hand] = s->unchecked[hand] = 0;
    for (int i = 0; i < s->several->count; i++)
        if (s->traces[i].hand == hand && !s->traces[i].told)
            s->traces[i].hand = -1;
}

/* Finds out which findings of the trace earlier ones had. */
static void merge_trace(struct shared *s, struct shared_trace *t, uint32_t trace)
{
    struct repeats repeats = {.repeated = memory_new(t->count + 1, sizeof *repeats.repeated)};

    several_merge(&s->merged, t->briefs, t->count, &repeats);
    shared_pack(&t->repeats, (struct shared_head){.kind = SHARED_REPEATED, .number = trace}, repeats.numbers,
                sizeof repeats.numbers);
    bytes_put(&t->repeats, repeats.repeated, t->count * sizeof *repeats.repeated);
    send_repeats(s, t);
    free(repeats.repeated);
}

/* Merges the findings of all traces whose predecessors are merged, and prints texts, both in their order. */
static void go_on(struct shared *s)
{
    for (; s->merged_count < s->several->count && s->traces[s->merged_count].known; s->merged_count++)
        if (s->traces[s->merged_count].status != EXIT_ERROR)
            merge_trace(s, &s->traces[s->merged_count], (uint32_t)s->merged_count);
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

static bool any_alive(const struct shared *s)
{
    bool alive = false;

    for (int hand = 0; hand < s->ranks; hand++)
        alive |= hands_alive(s->hands, hand);
    return alive;
}

/* Checks the next trace here, with the help of all. */
static void check_here(struct shared *s)
{
    struct shared_trace *t = &s->traces[s->printed];
    struct units_lead lead;
    int status;

    units_begin(&lead, s->several, s->hands, s->ranks, (uint32_t)s->printed);
    status = several_next(s->several, s->several->paths[s->printed], &s->merged, &s->bundle);
    units_end(&lead, s->several);
    s->result = several_worse(s->result, status);
    t->known = t->told = true;
    s->printed++;
    s->merged_count = s->printed;
}

static void wait_for_hands(struct shared *s)
{
    unsigned char *bytes;
    size_t length;
    int hand;

    if (!hands_receive(s->hands, WAIT_MILLISECONDS, &hand, &bytes, &length))
        return;
    if (bytes)
        take_shared(s, hand, bytes, length);
    else
        lose_hand(s, hand);
    free(bytes);
}

/* Whether a trace that was handed out has no report yet. */
static bool is_waiting(const struct shared *s)
{
    return s->printed < s->several->count && s->traces[s->printed].hand >= 0;
}

int check_shared(struct several *several, struct hands *hands, int ranks)
{
    struct shared s = {.several = several, .hands = hands, .ranks = ranks, .result = EXIT_NOTHING_FOUND};

    bundle_begin(&s.bundle, several->format, several_direct(several));
    s.traces = memory_new((size_t)several->count, sizeof *s.traces);
    s.under_way = memory_new((size_t)ranks, sizeof *s.under_way);
    s.unchecked = memory_new((size_t)ranks, sizeof *s.unchecked);
    find_large(&s);
    while (s.printed < several->count && s.result != EXIT_ERROR && (!check_stop_asked || is_waiting(&s))) {
        bool here = s.traces[s.printed].by_units || (!any_alive(&s) && !s.traces[s.printed].known);
        if (here) {
            check_here(&s);
            continue;
        }
        hand_out_all(&s);
        wait_for_hands(&s);
        go_on(&s);
    }
    s.result = several_conclude(several, &s.merged, &s.bundle, s.result);
    for (int i = 0; i < several->count; i++) {
        free(s.traces[i].briefs);
        buffer_free(&s.traces[i].repeats);
        free(s.traces[i].text);
    }
    free(s.traces);
    free(s.under_way);
    free(s.unchecked);
    return s.result;
}
