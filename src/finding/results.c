/* Ids of findings. */
#include "finding/results.h"

static void number_list(struct finding_list *list, uint32_t *numbers)
{
    for (size_t i = 0; i < list->findings_count; i++)
        list->findings[i].number = ++numbers[list->findings[i].property];
}

void results_number(struct results *results)
{
    uint32_t numbers[PROPERTIES] = {0};

    results_number_from(results, numbers);
}

void results_number_from(struct results *results, uint32_t numbers[PROPERTIES])
{
    number_list(&results->found, numbers);
    number_list(&results->undecided, numbers);
}
