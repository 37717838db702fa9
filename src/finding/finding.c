/* Findings: their words and their memory. */
#include "finding/finding.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *confirmation_word(enum confirmation confirmation)
{
    static const char *const texts[] = {[CONFIRMATION_NONE] = "none",
                                        [CONFIRMATION_EXACT] = "exact",
                                        [CONFIRMATION_OTHER_PATH] = "needs another path",
                                        [CONFIRMATION_UNDECIDED] = "undecided"};

    return texts[confirmation];
}

void finding_add(struct finding_list *list, enum property property, const uint32_t *events,
                 uint32_t event_count, struct schedule schedule)
{
    uint32_t *copy = memory_resize(NULL, event_count, sizeof *copy);

    memcpy(copy, events, event_count * sizeof *copy);
    ARRAY_PUSH(list, findings,
               (struct finding){.property = property,
                                .event_count = event_count,
                                .events = copy,
                                .schedule = schedule,
                                .severity = property_traits(property)->severity,
                                .count = 1,
                                .count_is_exact = true});
}

void finding_list_free(struct finding_list *list)
{
    for (size_t i = 0; i < list->findings_count; i++) {
        free(list->findings[i].events);
        free(list->findings[i].schedule.tail);
    }
    free(list->findings);
    memset(list, 0, sizeof *list);
}
