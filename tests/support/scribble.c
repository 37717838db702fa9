/* Random valid traces as text: a walk over what five threads may do next. */
#include "base/memory.h"
#include "support/traces.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 5, OBJECTS = 3 };

enum stage { UNSEEN, RUNS, GONE };

struct walk {
    uint64_t seed;
    bool values;
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

__attribute__((format(printf, 3, 4))) static void say(struct walk *w, int t, const char *format, ...)
{
    char line[128];
    va_list args;
    int length = snprintf(line, sizeof line, "T%d|", t);

    va_start(args, format);
    length += vsnprintf(line + length, sizeof line - (size_t)length, format, args);
    va_end(args);
    length += snprintf(line + length, sizeof line - (size_t)length, "|f.c:%u\n", draw(w, 20));
    for (int i = 0; i < length; i++)
        ARRAY_PUSH(w, text, line[i]);
}

static void access_variable(struct walk *w, int t)
{
    static const char *const words[] = {"r",      "w",       "r",       "w",       "ar",     "ar.rlx",
                                        "ar.acq", "ar.sc",   "aw",      "aw.rlx",  "aw.rel", "aw.sc",
                                        "rmw",    "rmw.rlx", "rmw.acq", "rmw.rel", "rmw.ar", "rmw.sc"};
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
        say(w, t, draw(w, 2) ? "post(s%d)" : "semwait(s%d)", o);
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
    struct walk w = {.seed = seed * 2654435761u + 1, .values = seed % 3 == 0, .stage = {RUNS}};

    for (unsigned made = 0; made < events;) {
        int t = (int)draw(&w, THREADS);
        size_t before = w.text_count;
        if (w.stage[t] == GONE || (w.stage[t] == UNSEEN && draw(&w, 50) != 0))
            continue;
        w.stage[t] = RUNS;
        steps[draw(&w, sizeof steps / sizeof *steps)](&w, t);
        made += w.text_count > before;
    }
    ARRAY_PUSH(&w, text, '\0');
    return w.text;
}
