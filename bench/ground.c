/* heddle-ground IN: the trace with values and grounds as a recorder would give them, as text on standard output.
 *
 * A thread that writes what it read before counts: the value is one more, made of that read. Other writes are constants.
 * One event in five of a thread was decided by the last read of its thread, which had to be in a range; the others
 * by none. */
#include "base/map.h"
#include "base/memory.h"
#include "trace/std.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BRANCH_EVERY = 5 };

struct thread_state {
    uint32_t last_read; /* 0: none yet */
    uint64_t seen;
    uint32_t events;
};

struct grounder {
    struct trace trace;
    uint64_t *value; /* by variable */
    struct thread_state *threads;
    struct map reads; /* thread and variable → the read whose value the thread has not written back yet */
    uint64_t *seen;   /* by event, of a read */
};

/* The event's text up to the closing parenthesis, or all of it. */
static void put_event(const struct trace *t, size_t e, bool has_value, uint64_t value)
{
    char text[512];

    std_event_text(t, e, text, sizeof text);
    size_t length = strlen(text);
    if (has_value && length > 0 && text[length - 1] == ')')
        printf("%.*s=%" PRIu64 ")", (int)length - 1, text, value);
    else
        fputs(text, stdout);
    printf("|%s|", t->location[e] == NAME_NONE ? "" : names_text(&t->names[NAME_LOCATION], t->location[e]));
}

static void put_by(struct thread_state *s)
{
    if (s->last_read == 0 || ++s->events % BRANCH_EVERY != 0)
        printf("by -");
    else if (s->seen == 0)
        printf("by %u[0..0]", s->last_read);
    else
        printf("by %u[1..]", s->last_read);
}

static void ground_write(struct grounder *g, uint32_t e, uint32_t thread, uint32_t x)
{
    uint32_t *known = map_at(&g->reads, map_pair(thread, x));
    uint32_t read = trace_kind(&g->trace, e) == EVENT_WRITE ? *known : 0;

    g->value[x] = read ? g->seen[read] + 1 : e % 2;
    put_event(&g->trace, e, true, g->value[x]);
    put_by(&g->threads[thread]);
    if (read)
        printf(" from %u+1\n", read);
    else
        printf(" from -\n");
    *known = 0;
}

static void ground_event(struct grounder *g, uint32_t e)
{
    const struct trace *t = &g->trace;
    enum event_kind kind = trace_kind(t, e);
    uint32_t thread = t->thread[e];

    if (kind_writes(kind) && !kind_updates(kind)) {
        ground_write(g, e, thread, t->arg[e]);
        return;
    }
    bool reads = kind_reads(kind) && !kind_updates(kind);
    put_event(t, e, reads, reads ? g->value[t->arg[e]] : 0);
    put_by(&g->threads[thread]);
    putchar('\n');
    if (!reads)
        return;
    g->seen[e] = g->value[t->arg[e]];
    g->threads[thread].last_read = e;
    g->threads[thread].seen = g->seen[e];
    *map_at(&g->reads, map_pair(thread, t->arg[e])) = e;
}

int main(int argc, char **argv)
{
    struct grounder g = {0};
    struct error err;

    if (argc != 2) {
        fprintf(stderr, "usage: heddle-ground IN\n");
        return EXIT_FAILURE;
    }
    if (trace_load(&g.trace, argv[1], &err) != HEDDLE_OK) {
        fprintf(stderr, "heddle-ground: %s\n", err.text);
        return EXIT_FAILURE;
    }
    g.value = memory_new(trace_names(&g.trace, NAME_VARIABLE), sizeof *g.value);
    g.threads = memory_new(trace_names(&g.trace, NAME_THREAD), sizeof *g.threads);
    g.seen = memory_new(g.trace.count + 1, sizeof *g.seen);
    for (uint32_t e = 1; e <= g.trace.count; e++)
        ground_event(&g, e);
    map_free(&g.reads);
    free(g.value);
    free(g.threads);
    free(g.seen);
    trace_free(&g.trace);
    return EXIT_SUCCESS;
}
