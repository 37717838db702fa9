/* Sets of small tuples: a sorted array. */
#include "random/tuples.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int compare(const struct tuple *a, const struct tuple *b)
{
    for (uint32_t i = 0; i < a->length && i < b->length; i++) {
        if (a->item[i] != b->item[i])
            return a->item[i] < b->item[i] ? -1 : 1;
    }
    return (a->length > b->length) - (a->length < b->length);
}

/* The index of the first item that is not below `tuple`. */
static size_t lower_bound(const struct tuple_set *set, const struct tuple *tuple)
{
    size_t low = 0, high = set->items_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare(&set->items[middle], tuple) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool at_is(const struct tuple_set *set, size_t at, const struct tuple *tuple)
{
    return at < set->items_count && compare(&set->items[at], tuple) == 0;
}

void tuples_add(struct tuple_set *set, const struct tuple *tuple)
{
    size_t at = lower_bound(set, tuple);

    if (at_is(set, at, tuple))
        return;
    ARRAY_PUSH(set, items, *tuple);
    memmove(set->items + at + 1, set->items + at, (set->items_count - 1 - at) * sizeof *set->items);
    set->items[at] = *tuple;
}

void tuples_add2(struct tuple_set *set, size_t first, size_t second)
{
    tuples_add(set, &(struct tuple){.length = 2, .item = {(uint32_t)first, (uint32_t)second}});
}

void tuples_add3(struct tuple_set *set, size_t first, size_t second, size_t third)
{
    tuples_add(set, &(struct tuple){.length = 3, .item = {(uint32_t)first, (uint32_t)second, (uint32_t)third}});
}

void tuples_add_text(struct tuple_set *set, const char *text)
{
    const char *p = text + strspn(text, " ");

    while (*p) {
        struct tuple tuple = {0};
        char *end;

        for (;;) {
            assert(tuple.length < TUPLE_LENGTH);
            tuple.item[tuple.length++] = (uint32_t)strtoul(p, &end, 10);
            assert(end != p);
            p = end;
            if (*p != ',')
                break;
            p++;
        }
        tuples_add(set, &tuple);
        p += strspn(p, " ");
    }
}

bool tuples_contain(const struct tuple_set *set, const struct tuple *tuple)
{
    return at_is(set, lower_bound(set, tuple), tuple);
}

bool tuples_equal(const struct tuple_set *a, const struct tuple_set *b)
{
    if (a->items_count != b->items_count)
        return false;
    for (size_t i = 0; i < a->items_count; i++) {
        if (compare(&a->items[i], &b->items[i]) != 0)
            return false;
    }
    return true;
}

static void print_tuple(FILE *out, const struct tuple *tuple)
{
    for (uint32_t i = 0; i < tuple->length; i++)
        fprintf(out, "%s%u", i ? "," : "", (unsigned)tuple->item[i]);
}

static void print_only(FILE *out, const struct tuple_set *in, const char *name, const struct tuple_set *not_in)
{
    bool any = false;

    for (size_t i = 0; i < in->items_count; i++) {
        if (tuples_contain(not_in, &in->items[i]))
            continue;
        if (any)
            fputc(' ', out);
        else
            fprintf(out, "  only %s: ", name);
        print_tuple(out, &in->items[i]);
        any = true;
    }
    if (any)
        fputc('\n', out);
}

void tuples_print_difference(FILE *out, const struct tuple_set *a, const char *a_name,
                             const struct tuple_set *b, const char *b_name)
{
    print_only(out, a, a_name, b);
    print_only(out, b, b_name, a);
}

void tuples_free(struct tuple_set *set)
{
    free(set->items);
    *set = (struct tuple_set){0};
}
