/* What states are made of: cells, objects, and which moves touch them. */
#include "base/memory.h"
#include "explore/space.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Bytes that a thread's moves touch. */
struct extent {
    uint64_t start, end;
    uint64_t threads; /* bits */
    bool writes;
};

struct spans {
    struct extent *spans;
    size_t spans_count, spans_capacity;
};

static bool is_access(const struct move *m)
{
    return m->kind == MOVE_READ || m->kind == MOVE_WRITE || m->kind == MOVE_ATOMIC;
}

static int compare_spans(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start ? 1 : x->end < y->end ? -1 : x->end > y->end;
}

static int compare_places(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* One span for each place and length, with all that touch it. */
static void merge_equal(struct spans *s)
{
    size_t kept = 0;

    qsort(s->spans, s->spans_count, sizeof *s->spans, compare_spans);
    for (size_t i = 0; i < s->spans_count; i++) {
        struct extent *last = kept ? &s->spans[kept - 1] : NULL;
        if (last && last->start == s->spans[i].start && last->end == s->spans[i].end) {
            last->threads |= s->spans[i].threads;
            last->writes |= s->spans[i].writes;
        } else {
            s->spans[kept++] = s->spans[i];
        }
    }
    s->spans_count = kept;
}

static struct spans collect_spans(const struct space *space)
{
    const struct history *h = space->history;
    uint64_t *threads = memory_new(h->moves_count + 1, sizeof *threads);
    struct spans s = {0};

    for (size_t n = 0; n < h->nodes_count; n++)
        if (h->nodes[n].next != MOVE_NONE)
            threads[h->nodes[n].next] |= UINT64_C(1) << h->nodes[n].thread;
    for (size_t m = 0; m < h->moves_count; m++)
        if (threads[m] && is_access(&h->moves[m]) && h->moves[m].length)
            ARRAY_PUSH(&s, spans,
                       (struct extent){h->moves[m].at, h->moves[m].at + h->moves[m].length, threads[m],
                                       space->writes[m]});
    free(threads);
    if (s.spans_count)
        merge_equal(&s);
    return s;
}

/* Cuts the bytes where a span begins or ends; what two threads touch and one writes is a cell. */
static void build_cells(struct space *space)
{
    struct spans s = collect_spans(space);
    uint64_t *cuts = memory_new(2 * s.spans_count + 1, sizeof *cuts);
    size_t count = 0, first = 0;

    for (size_t i = 0; i < s.spans_count; i++) {
        cuts[count++] = s.spans[i].start;
        cuts[count++] = s.spans[i].end;
    }
    if (count)
        qsort(cuts, count, sizeof *cuts, compare_places);
    for (size_t c = 0; c + 1 < count; c++) {
        uint64_t threads = 0;
        bool writes = false;
        if (cuts[c] == cuts[c + 1])
            continue;
        while (first < s.spans_count && s.spans[first].end <= cuts[c])
            first++;
        for (size_t i = first; i < s.spans_count && s.spans[i].start <= cuts[c]; i++)
            if (s.spans[i].end > cuts[c]) {
                threads |= s.spans[i].threads;
                writes |= s.spans[i].writes;
            }
        assert(space->cells_count == 0 || space->cells[space->cells_count - 1].end <= cuts[c]);
        if (writes && threads & (threads - 1))
            ARRAY_PUSH(space, cells, (struct cell_range){cuts[c], cuts[c + 1]});
    }
    free(cuts);
    free(s.spans);
}

static uint32_t extent_object_at(struct space *s, uint64_t place)
{
    uint32_t *index = map_at(&s->objects, place);

    if (*index == 0)
        *index = (uint32_t)++s->objects_count;
    assert(*index <= s->objects_count);
    return *index;
}

/* Outputs of a descriptor have a place that nothing else has. */
static uint64_t output_place(uint64_t descriptor)
{
    return ~descriptor;
}

static void touch_objects(struct space *s, const struct move *m, struct touch *t)
{
    switch (m->kind) {
    case MOVE_READ:
    case MOVE_WRITE:
    case MOVE_ATOMIC:
    case MOVE_FENCE:
    case MOVE_FORK:
    case MOVE_JOIN:
    case MOVE_INPUT:
    case MOVE_END:
    case MOVE_EXIT:
        break;
    case MOVE_OUTPUT:
        t->object = extent_object_at(s, output_place(m->value));
        t->stream = m->at ? extent_object_at(s, m->at) : 0;
        break;
    default:
        t->object = extent_object_at(s, m->at);
        break;
    }
}

static void touch_cells(const struct space *s, const struct move *m, struct touch *t)
{
    size_t low = 0, high = s->cells_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->cells[middle].end <= m->at)
            low = middle + 1;
        else
            high = middle;
    }
    t->first_cell = (uint32_t)low;
    while (low < s->cells_count && s->cells[low].start < m->at + m->length)
        low++;
    t->cell_count = (uint32_t)low - t->first_cell;
    assert(t->cell_count == 0 || s->cells[t->first_cell].end > m->at);
}

void space_build(struct space *s, const struct history *h)
{
    XXH64_hash_t sum;

    memset(s, 0, sizeof *s);
    s->history = h;
    s->threads = h->threads_count;
    s->writes = memory_new(h->moves_count + 1, sizeof *s->writes);
    s->touches = memory_new(h->moves_count + 1, sizeof *s->touches);
    for (size_t m = 0; m < h->moves_count; m++)
        s->writes[m] = h->moves[m].kind == MOVE_WRITE;
    for (size_t n = 0; n < h->nodes_count; n++)
        if (h->nodes[n].wrote)
            s->writes[h->nodes[n].move] = true;
    build_cells(s);
    sum = XXH3_64bits_withSeed(s->cells, s->cells_count * sizeof *s->cells, s->threads);
    for (size_t m = 0; m < h->moves_count; m++) {
        uint64_t place = h->moves[m].at;
        size_t before = s->objects_count;
        touch_objects(s, &h->moves[m], &s->touches[m]);
        if (is_access(&h->moves[m]))
            touch_cells(s, &h->moves[m], &s->touches[m]);
        if (s->objects_count != before)
            sum = XXH3_64bits_withSeed(&place, sizeof place, sum);
    }
    s->words = state_cells(s) + s->cells_count;
    s->layout = sum;
}

void space_free(struct space *s)
{
    map_free(&s->objects);
    free(s->cells);
    free(s->touches);
    free(s->writes);
    memset(s, 0, sizeof *s);
}
