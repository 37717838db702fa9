/* Which places of a Java program's code a run reached: sites of which the log has a record, and those of all classes it loaded. */
#include "base/memory.h"
#include "record/code_reach.h"
#include "record/java/log_walk.h"

#include <stdlib.h>

/* By opcode: reads and writes of fields and of elements of arrays. */
static bool is_access(uint8_t kind)
{
    enum {
        IALOAD = 46,
        SALOAD = 53,
        IASTORE = 79,
        SASTORE = 86,
        GETSTATIC = 178,
        PUTFIELD = 181,
    };

    return (kind >= IALOAD && kind <= SALOAD) || (kind >= IASTORE && kind <= SASTORE) ||
           (kind >= GETSTATIC && kind <= PUTFIELD);
}

void java_reach(struct java_converter *c, struct code_reach *reach)
{
    bool *reached = memory_new(c->list->sites_count + 1, sizeof *reached);

    for (uint64_t i = 0; i < c->count; i++)
        if (c->records[i].word != 0 && c->records[i].site < c->list->sites_count)
            reached[c->records[i].site] = true;
    for (uint32_t site = 1; site < c->list->sites_count; site++)
        if (c->list->sites[site].class != 0 && is_access(c->list->sites[site].kind))
            code_reach_place(reach, trace_name(&c->trace, NAME_LOCATION, java_place_name(c, site)),
                             reached[site]);
    free(reached);
}
