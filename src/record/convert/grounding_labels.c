/* From labels to grounds: what labels stand for. */
#include "base/memory.h"
#include "record/convert/grounding_parts.h"
#include "runtime/protocol/labels.h"

#include <stdlib.h>
#include <string.h>

enum { KNOWN_LABELS = 1 << 15 };

void grounding_init(struct grounding *g)
{
    *g = (struct grounding){.recent = memory_new(GROUNDING_RECENT, sizeof *g->recent)};
}

void grounding_free(struct grounding *g)
{
    for (size_t i = 0; i < g->threads_count; i++)
        free(g->threads[i].known);
    free(g->threads);
    read_sets_free(&g->sets);
    grounding_free_words(g);
    free(g->recent);
    free(g->views);
    free(g->viewed);
    free(g->check);
    event_set_free(&g->printed);
    free(g->splits);
}

struct grounding_thread *grounding_new_thread(struct grounding *g)
{
    while (g->threads_count <= g->thread)
        ARRAY_PUSH(g, threads, (struct grounding_thread){0});
    return &g->threads[g->thread];
}

/* The next label of the thread. Those that stand for nothing need no entry. */
void add_label(struct grounding_thread *t, read_set reads, const struct seen_number *seen)
{
    uint32_t label = ++t->labels;

    if (reads == SET_NONE)
        return;
    if (t->known_count == KNOWN_LABELS) { /* the older half goes */
        t->known_count /= 2;
        t->forgotten = t->known[t->known_count - 1].label;
        memmove(t->known, t->known + t->known_count, t->known_count * sizeof *t->known);
    }
    ARRAY_PUSH(t, known,
               (struct known_label){label, reads, seen ? *seen : (struct seen_number){TYPE_UNKNOWN, 0}});
}

/* Known labels ascend: one that is so far behind the last of them is at most as many entries before it. Most that are asked for
 * are near. */
static const struct known_label *find_label(const struct grounding_thread *t, uint32_t label)
{
    size_t high = t->known_count, low, behind;

    if (high == 0 || label > t->known[high - 1].label)
        return NULL;
    behind = t->known[high - 1].label - label;
    low = behind < high ? high - 1 - behind : 0;
    if (t->known[low].label == label) /* all labels since then are known */
        return &t->known[low];
    while (low < high) {
        size_t middle = behind < 8 ? low : low + (high - low) / 2;
        if (t->known[middle].label < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->known_count && t->known[low].label == label ? &t->known[low] : NULL;
}

read_set label_reads(const struct grounding_thread *t, uint32_t label, struct seen_number *seen)
{
    const struct known_label *known;
    uint32_t reads = label & LABEL_READS;

    *seen = (struct seen_number){TYPE_UNKNOWN, 0};
    if (reads == 0)
        return SET_NONE;
    if (reads == LABEL_ALL || reads <= t->forgotten || reads > t->labels)
        return SET_ALL;
    known = find_label(t, reads);
    if (!known)
        return SET_NONE;
    if (label & LABEL_LINEAR)
        *seen = known->seen;
    return known->reads;
}

void grounding_compare(struct grounding *g, uint32_t label, struct comparison *c)
{
    struct grounding_thread *t = grounding_thread(g);
    struct value_range ranges[COMPARED_RANGES];
    struct seen_number seen;
    read_set reads = label_reads(t, label, &seen);
    uint32_t count;

    if (split_compare(g, label, c))
        return;
    c->equal = (label & LABEL_EQUAL) != 0;
    if (c->as_read)
        c->value = seen.number;
    count = set_single(reads) ? compared_ranges(&seen, c, ranges) : 0;
    if (count > 0 && compared_idly(c))
        decide_idly(t, set_single(reads), ranges, count);
    else if (count > 0)
        decide_read(t, set_single(reads), ranges, count);
    else
        decide_reads(g, t, reads);
}

void grounding_union(struct grounding *g, uint32_t one, uint32_t other)
{
    struct grounding_thread *t = grounding_thread(g);
    struct seen_number seen, other_seen;
    read_set reads = label_reads(t, one, &seen), other_reads = label_reads(t, other, &other_seen);

    if (reads == SET_NONE)
        seen = other_seen;
    else if (other_reads != SET_NONE)
        seen.type = TYPE_UNKNOWN;
    add_label(t, set_union(&g->sets, reads, other_reads), &seen);
}
