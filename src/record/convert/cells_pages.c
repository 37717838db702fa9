/* Pages of granules. */
#include "record/convert/cells_pages.h"
#include "base/memory.h"
#include "base/temporary.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of one cell share all marks; a cell is counted in the granule where it begins. */
static unsigned dropped_cells(const struct granule *g)
{
    uint8_t begins = (uint8_t)(g->starts | g->ends << 1) & g->touched;

    return (unsigned)__builtin_popcount(begins & ~(g->shared & g->written));
}

/* What the second walk has to know of a page; NULL: nothing, all its cells are dropped. */
static struct kept_granules *condense(struct cells *cells, const struct granule *granules)
{
    struct kept_granules *k = NULL;

    for (size_t i = 0; i < PAGE; i++) {
        const struct granule *g = &granules[i];
        cells->dropped += dropped_cells(g);
        if (!k && g->shared & g->written)
            k = memory_new(1, sizeof *k);
    }
    for (size_t i = 0; k && i < PAGE; i++)
        k->of[i] =
            (struct boundaries){granules[i].starts, granules[i].ends, granules[i].shared & granules[i].written};
    return k;
}

static bool put_into_file(struct cells *cells, struct cells_page *page, const struct kept_granules *k)
{
    if (!cells->file && !(cells->file = temporary_file()))
        return false;
    if (fseek(cells->file, (long)(cells->file_pages * sizeof k->of), SEEK_SET) != 0 ||
        fwrite(k->of, sizeof k->of, 1, cells->file) != 1 || fflush(cells->file) != 0)
        return false;
    page->where = ++cells->file_pages;
    return true;
}

/* Where there is no room for a file it stays in memory. */
static void put_away(struct cells *cells, struct cells_page *page)
{
    struct kept_granules *k = condense(cells, page->surveyed);

    free(page->surveyed);
    page->surveyed = NULL;
    if (k && put_into_file(cells, page, k)) {
        free(k);
        k = NULL;
    }
    page->granules = k;
    cells->pages_held -= k == NULL;
}

static void fetch(struct cells *cells, struct cells_page *page)
{
    struct kept_granules *k = memory_new(1, sizeof *k);

    if (fseek(cells->file, (long)((page->where - 1) * sizeof k->of), SEEK_SET) != 0 ||
        fread(k->of, sizeof k->of, 1, cells->file) != 1)
        cells->failed = true;
    page->granules = k;
    page->where = 0;
    cells->pages_held++;
}

/* Second walk: frees the page; its numbers may be reused. */
static void forget(struct cells *cells, struct cells_page *page)
{
    struct kept_granules *k = page->granules;

    for (size_t i = 0; k && i < PAGE; i++)
        if (k->numbers[i]) {
            cells->numbers[(size_t)(k->numbers[i] - 1) * 8] = cells->numbers_free;
            cells->numbers_free = k->numbers[i];
        }
    cells->pages_held -= k != NULL;
    free(k);
    page->granules = NULL;
}

uint32_t pages_make(struct cells *cells)
{
    uint32_t number = cells->next++;
    size_t page = number >> PAGE_BITS;

    if (cells->surveying && page == cells->pages_count) {
        ARRAY_PUSH(cells, pages, (struct cells_page){.surveyed = memory_new(PAGE, sizeof(struct granule))});
        cells->pages_held++;
    } else if (cells->pages[page].where) {
        fetch(cells, &cells->pages[page]);
    }
    return number;
}

void pages_retire(struct cells *cells, uint32_t number)
{
    struct cells_page *page = &cells->pages[number >> PAGE_BITS];

    if (++page->gone < PAGE)
        return;
    if (cells->surveying)
        put_away(cells, page);
    else
        forget(cells, page);
}

void pages_rewind(struct cells *cells)
{
    for (size_t i = 0; i < cells->pages_count; i++) {
        struct cells_page *page = &cells->pages[i];
        if (page->surveyed) {
            page->granules = condense(cells, page->surveyed);
            cells->pages_held -= page->granules == NULL;
            free(page->surveyed);
            page->surveyed = NULL;
        }
        page->gone = 0;
    }
}

void pages_free(struct cells *cells)
{
    for (size_t i = 0; i < cells->pages_count; i++) {
        free(cells->pages[i].surveyed);
        free(cells->pages[i].granules);
    }
    free(cells->pages);
    if (cells->file)
        fclose(cells->file);
}
