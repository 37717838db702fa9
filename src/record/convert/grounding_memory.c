/* What private memory is made of, in pages. */
#include "base/memory.h"
#include "record/convert/grounding_parts.h"

#include <stdlib.h>

enum { PAGE_WORDS = 2048 };

struct grounding_page {
    struct grounding_word words[PAGE_WORDS];
};

static struct near_page *near_page(struct grounding *g, uint64_t number)
{
    struct near_page *near = &g->near[number % GROUNDING_NEAR];

    if (near->number != number + 1) {
        uint32_t index = map_get(&g->memory, number);
        *near = (struct near_page){number + 1, index ? g->pages[index - 1] : NULL};
    }
    return near;
}

struct grounding_word *grounding_word(struct grounding *g, uint64_t number)
{
    struct grounding_page *page = near_page(g, number / PAGE_WORDS)->page;

    return page ? &page->words[number % PAGE_WORDS] : NULL;
}

struct grounding_word *grounding_make_word(struct grounding *g, uint64_t number)
{
    struct near_page *near = near_page(g, number / PAGE_WORDS);

    if (!near->page) {
        near->page = memory_new(1, sizeof *near->page);
        ARRAY_PUSH(g, pages, near->page);
        *map_at(&g->memory, number / PAGE_WORDS) = (uint32_t)g->pages_count;
    }
    return &near->page->words[number % PAGE_WORDS];
}

void grounding_free_words(struct grounding *g)
{
    for (size_t i = 0; i < g->pages_count; i++)
        free(g->pages[i]);
    free(g->pages);
    map_free(&g->memory);
}
