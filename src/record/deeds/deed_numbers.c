/* Deeds, and the run-independent numbers they use. */
#include "base/memory.h"
#include "record/deeds.h"
#include "runtime/protocol/session.h"

#include <stdlib.h>
#include <string.h>

void deeds_free(struct deeds *d)
{
    free(d->deeds);
    free(d->stuck);
    memset(d, 0, sizeof *d);
}

void deed_numbers_init(struct deed_numbers *n)
{
    memset(n, 0, sizeof *n);
    names_init(&n->places);
    deed_thread(n, 0, 1);
}

void deed_numbers_free(struct deed_numbers *n)
{
    free(n->threads);
    names_free(&n->places);
    memset(n, 0, sizeof *n);
}

uint32_t deed_thread(struct deed_numbers *n, uint32_t maker, uint32_t ordinal)
{
    for (uint32_t t = 0; t < n->threads_count; t++)
        if (n->threads[t].maker == maker && n->threads[t].ordinal == ordinal)
            return t;
    ARRAY_PUSH(n, threads, (struct numbered_thread){maker, ordinal});
    return (uint32_t)n->threads_count - 1;
}

uint64_t deed_call_ticks(bool java)
{
    return java ? 1 : SESSION_SYNC;
}
