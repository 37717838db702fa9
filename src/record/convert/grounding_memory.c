/* What private memory is made of, in pages. */
#include "base/memory.h"
#include "record/convert/grounding_parts.h"

#include <stdlib.h>

void grounding_near(struct grounding *g, uint64_t number)
{
    uint32_t index = map_get(&g->memory, number);

    g->near[number % GROUNDING_NEAR] = (struct near_page){number + 1, index ? g->pages[index - 1] : NULL};
}

struct grounding_page *grounding_new_page(struct grounding *g, uint64_t number)
{
    struct grounding_page *page = memory_new(1, sizeof *page);

    ARRAY_PUSH(g, pages, page);
    *map_at(&g->memory, number) = (uint32_t)g->pages_count;
    grounding_near(g, number);
    return page;
}

void grounding_free_words(struct grounding *g)
{
    for (size_t i = 0; i < g->pages_count; i++)
        free(g->pages[i]);
    free(g->pages);
    map_free(&g->memory);
}
