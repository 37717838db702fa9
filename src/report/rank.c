/* How serious findings are, for reports that put the most serious first. */
#include "report/rank.h"

/* Whether the value differs is what makes a nondeterministic read serious; without values it may. */
uint32_t rank_of(const struct narrator *n, const struct finding *f)
{
    if (f->property != PROPERTY_NONDET)
        return property_severity(f->property);
    struct value seen = observed_value(n, f);
    struct value other = alternative_value(n, f);
    if (!value_known(seen) || !value_known(other))
        return property_severity(PROPERTY_NONDET) + 1;
    return property_severity(PROPERTY_NONDET) + (value_equal(seen, other) ? 2 : 0);
}
