/* Random valid traces as text: a walk over what five threads may do next, and what they stand on. */
#include "base/memory.h"
#include "support/traces.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 5, OBJECTS = 3, RECENT = 9 };

enum stage { UNSEEN, RUNS, GONE };

/* A read that later events may stand on. */
struct recent {
    size_t event;
    bool numbered; /* it saw `value`, for certain */
    long value;
};

struct walk {
    uint64_t seed;
    bool values, grounds;
    size_t events;
    struct recent recent[THREADS][RECENT];
    size_t reads[THREADS];
    bool used[OBJECTS], counted[OBJECTS]; /* semaphores */
    int tokens[OBJECTS];
    char *text;
    size_t text_count, text_capacity;
    enum stage stage[THREADS];
    int owner[OBJECTS], depth[OBJECTS]; /* of each lock in exclusive mode */
    int shared[OBJECTS][THREADS];
    bool waits[OBJECTS][THREADS], arrived[OBJECTS][THREADS];
    int begun[THREADS], det_begun[THREADS];
};

static unsigned draw(struct walk *w, unsigned bound)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(w->seed >> 33) % bound;
}

__attribute__((format(printf, 2, 3))) static void put(struct walk *w, const char *format, ...)
{
    char text[128];
    va_list args;

    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (int i = 0; i < length; i++)
        ARRAY_PUSH(w, text, text[i]);
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* One item of a list, of a read that thread `t` made not long ago. Ranges must let through what it saw. */
static void put_item(struct walk *w, int t, bool ranges, const char *before)
{
    size_t known = w->reads[t] < RECENT ? w->reads[t] : RECENT;
    const struct recent *read = &w->recent[t][(w->reads[t] - 1 - draw(w, (unsigned)known)) % RECENT];

    put(w, "%s%zu", before, read->event);
    switch (ranges ? draw(w, 4) : 0) {
    case 1:
        put(w, "[..]");
        break;
    case 2:
        if (!w->values)
            put(w, "[..-%u;%u..]", draw(w, 9) + 1, draw(w, 100));
        break;
    case 3:
        if (read->numbered)
            put(w, "[%ld..%ld;900..901]", read->value, read->value + (long)draw(w, 3));
        break;
    default:
        break;
    }
}

static void put_list(struct walk *w, int t, const char *word, bool from, bool offset)
{
    unsigned count = w->reads[t] > 0 ? draw(w, 4) : 0;

    put(w, "%s %s", word, count == 0 ? "-" : "");
    for (unsigned i = 0; i < count; i++)
        put_item(w, t, !from, i == 0 ? "" : ",");
    if (count == 1 && offset)
        put(w, draw(w, 2) ? "+%u" : "-%u", draw(w, 2) ? 1 : draw(w, 1000) + 1);
}

static void put_grounds(struct walk *w, int t, const char *op)
{
    bool writes = *op == 'w' || begins(op, "aw") || begins(op, "rmw") || begins(op, "cas");
    bool by = draw(w, 3) > 0, from = writes && !begins(op, "waitp") && draw(w, 3) > 0;

    if (by)
        put_list(w, t, "|by", false, false);
    if (from)
        put_list(w, t, by ? " from" : "|from", true, !strchr(op, '='));
}

static void note_read(struct walk *w, int t, const char *op)
{
    bool plain = begins(op, "r(") || begins(op, "ar");
    const char *equals = strchr(op, '=');
    struct recent read = {.event = w->events};

    if (!plain && !begins(op, "rmw") && !begins(op, "cas"))
        return;
    read.numbered =
        plain && equals && (equals[1] == '-' || equals[2] == ')') && equals[1] != 'n' && !begins(equals, "=-0");
    read.value = read.numbered ? atol(equals + 1) : 0;
    w->recent[t][w->reads[t]++ % RECENT] = read;
}

__attribute__((format(printf, 3, 4))) static void say(struct walk *w, int t, const char *format, ...)
{
    char op[64];
    va_list args;

    va_start(args, format);
    vsnprintf(op, sizeof op, format, args);
    va_end(args);
    put(w, "T%d|%s|f.c:%u", t, op, draw(w, 20));
    w->events++;
    if (w->grounds)
        put_grounds(w, t, op);
    put(w, "\n");
    note_read(w, t, op);
}

static void access_variable(struct walk *w, int t)
{
    static const char *const words[] = {"r",      "w",       "r",       "w",       "ar",     "ar.rlx",
                                        "ar.acq", "ar.sc",   "aw",      "aw.rlx",  "aw.rel", "aw.sc",
                                        "rmw",    "rmw.rlx", "rmw.acq", "rmw.rel", "rmw.ar", "rmw.sc",
                                        "cas",    "cas.rlx", "cas.acq", "cas.rel", "cas.ar", "cas.sc"};
    static const char *const values[] = {"0", "1", "-1", "007", "-0", "18446744073709551615", "null", "0x10"};
    const char *word = words[draw(w, sizeof words / sizeof *words)];
    unsigned x = draw(w, OBJECTS);

    if (w->values && draw(w, 3))
        say(w, t, "%s(x%u=%s)", word, x, values[draw(w, sizeof values / sizeof *values)]);
    else
        say(w, t, "%s(x%u)", word, x);
}

/* Whether only `t` holds lock l in reader mode, if anyone does. */
static bool no_other_reader(const struct walk *w, int l, int t)
{
    for (int u = 0; u < THREADS; u++)
        if (u != t && w->shared[l][u] > 0)
            return false;
    return true;
}

static void use_lock(struct walk *w, int t)
{
    int l = (int)draw(w, OBJECTS);
    bool mine = w->depth[l] > 0 && w->owner[l] == t, free = w->depth[l] == 0;

    switch (draw(w, 5)) {
    case 0:
        if ((mine || free) && no_other_reader(w, l, t)) {
            say(w, t, "acq(l%d)", l);
            w->owner[l] = t;
            w->depth[l]++;
        }
        break;
    case 1:
        if (mine) {
            say(w, t, "rel(l%d)", l);
            w->depth[l]--;
        }
        break;
    case 2:
        if (mine || free) {
            say(w, t, "racq(l%d)", l);
            w->shared[l][t]++;
        }
        break;
    case 3:
        if (w->shared[l][t] > 0) {
            say(w, t, "rrel(l%d)", l);
            w->shared[l][t]--;
        }
        break;
    default:
        if (!free || !no_other_reader(w, l, t))
            say(w, t, "tryfail(l%d)", l);
    }
}

static void use_thread(struct walk *w, int t)
{
    int u = (int)draw(w, THREADS);

    if (u == t)
        return;
    if (w->stage[u] == UNSEEN) {
        say(w, t, "fork(T%d)", u);
        w->stage[u] = RUNS;
    } else if (w->stage[u] == RUNS && draw(w, 8) == 0) {
        say(w, t, "join(T%d)", u);
        w->stage[u] = GONE;
    } else if (t > 0 && w->stage[0] == RUNS && draw(w, 20) == 0) { /* one goes on */
        say(w, t, "exit");
        w->stage[t] = GONE;
    }
}

static void use_semaphore(struct walk *w, int t, int s)
{
    bool fresh = !w->used[s];

    w->used[s] = true;
    if (fresh && draw(w, 2)) {
        w->counted[s] = true;
        w->tokens[s] = (int)draw(w, 3);
        say(w, t, "seminit(s%d=%d)", s, w->tokens[s]);
    } else if (draw(w, 2) || (w->counted[s] && w->tokens[s] == 0)) {
        say(w, t, "post(s%d)", s);
        w->tokens[s]++;
    } else {
        say(w, t, "semwait(s%d)", s);
        w->tokens[s]--;
    }
}

static void use_signal(struct walk *w, int t)
{
    int o = (int)draw(w, OBJECTS);

    switch (draw(w, 6)) {
    case 0:
    case 1:
        say(w, t, w->waits[o][t] ? "waitpost(c%d)" : "waitpre(c%d)", o);
        w->waits[o][t] = !w->waits[o][t];
        break;
    case 2:
        say(w, t, draw(w, 2) ? "notify(c%d)" : "notifyall(c%d)", o);
        break;
    case 3:
    case 4:
        say(w, t, w->arrived[o][t] ? "bexit(b%d)" : "benter(b%d)", o);
        w->arrived[o][t] = !w->arrived[o][t];
        break;
    default:
        use_semaphore(w, t, o);
    }
}

static void use_block(struct walk *w, int t)
{
    static const char *const fences[] = {"fence.acq", "fence.rel", "fence.ar", "fence.sc"};

    switch (draw(w, 5)) {
    case 0:
        say(w, t, "begin");
        w->begun[t]++;
        break;
    case 1:
        say(w, t, "dbegin(d)");
        w->det_begun[t]++;
        break;
    case 2:
        if (w->begun[t] > 0 && w->begun[t]-- > 0)
            say(w, t, "end");
        break;
    case 3:
        if (w->det_begun[t] > 0 && w->det_begun[t]-- > 0)
            say(w, t, "dend");
        break;
    default:
        say(w, t, "%s", fences[draw(w, 4)]);
    }
}

char *scribble(unsigned seed, unsigned events)
{
    static void (*const steps[])(struct walk *, int) = {access_variable, access_variable, use_lock, use_lock,
                                                        use_thread,      use_signal,      use_block};
    struct walk w = {
        .seed = seed * 2654435761u + 1, .values = seed % 3 == 0, .grounds = seed % 4 > 1, .stage = {RUNS}};

    for (unsigned made = 0; made < events;) {
        int t = (int)draw(&w, THREADS);
        size_t before = w.text_count;
        if (w.stage[t] == GONE || (w.stage[t] == UNSEEN && draw(&w, 50) != 0))
            continue;
        w.stage[t] = RUNS;
        steps[draw(&w, sizeof steps / sizeof *steps)](&w, t);
        made += w.text_count > before;
    }
    if (seed % 5 == 0)
        put(&w, "#end exit %u\n#incomplete seed %u\n", draw(&w, 4), seed);
    if (seed % 5 == 1)
        put(&w, "#end deadlock\n#wait T0|lock l0|f.c:1|T1\n#wait T1|lock l1||\n");
    ARRAY_PUSH(&w, text, '\0');
    return w.text;
}
