/* How serious findings are, for reports that put the most serious first. */
#include "report/rank.h"

/* Whether the value differs is what makes a nondeterministic read serious; without values it may. */
uint32_t rank_of(const struct narrator *n, const struct finding *f)
{
    static const uint8_t ranks[] = {
        [PROPERTY_RACE] = 0,        [PROPERTY_DEADLOCK] = 1,        [PROPERTY_ATOMICITY] = 2,
        [PROPERTY_DETERMINISM] = 3, [PROPERTY_NONDET] = 5,          [PROPERTY_FINAL] = 8,
        [PROPERTY_UNORDERED] = 9,   [PROPERTY_SERIALIZABILITY] = 4,
    };

    if (f->property != PROPERTY_NONDET)
        return ranks[f->property];
    struct value seen = observed_value(n, f);
    struct value other = alternative_value(n, f);
    if (!value_known(seen) || !value_known(other))
        return ranks[PROPERTY_NONDET] + 1;
    return ranks[PROPERTY_NONDET] + (value_equal(seen, other) ? 2 : 0);
}
